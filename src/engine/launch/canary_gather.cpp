#include "engine/launch/canary_gather.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace invar::engine {
namespace {

// What one host tells of one visit.
using HostCanaries = std::array<std::int64_t, 3>;

std::vector<std::int64_t> to_ps(const std::vector<std::int64_t>& ticks, const clock::Rate& rate) {
  std::vector<std::int64_t> times_ps;
  times_ps.reserve(ticks.size());
  for (const std::int64_t one : ticks) times_ps.push_back(rate.to_ps(one));
  return times_ps;
}

void keep(std::int64_t ticks, std::vector<std::int64_t>& of) {
  if (ticks > 0) of.push_back(ticks);
}

}  // namespace

void VisitCanaries::tell(const clock::Rate& rate, record::VisitLine& told) const {
  told.canary_ps = to_ps(line, rate);
  told.across_ps = to_ps(across, rate);
  told.chain_ps = to_ps(chain, rate);
}

std::vector<VisitCanaries> gather_canaries(
    MPI_Comm comm, const Segment& segment, const record::Plan& plan,
    const std::function<const Team&(const record::PlanRow&)>& team_of) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  constexpr int kKinds = std::tuple_size_v<HostCanaries>;
  std::vector<HostCanaries> own;
  std::vector<int> counts(static_cast<std::size_t>(rank == 0 ? ranks : 0), 0);
  for (const VisitNote& note : segment.visits) {
    const std::vector<std::uint32_t>& lowest = team_of(plan.rows[note.row]).canaries().lowest;
    if (std::ranges::binary_search(lowest, static_cast<std::uint32_t>(rank))) {
      own.push_back({note.canary_ticks, note.across_ticks, note.chain_ticks});
    }
    for (const std::uint32_t sender : lowest) {
      if (rank == 0) counts[sender] += kKinds;
    }
  }
  std::vector<int> begins(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), 0);
  std::vector<std::int64_t> all(
      static_cast<std::size_t>(std::accumulate(counts.begin(), counts.end(), 0)));
  MPI_Gatherv(own.data(), static_cast<int>(own.size()) * kKinds, MPI_INT64_T, all.data(),
              counts.data(), begins.data(), MPI_INT64_T, 0, comm);
  std::vector<VisitCanaries> gathered;
  if (rank != 0) return gathered;
  // Every sender's come in the order of its visits.
  std::vector<int> next = begins;
  for (const VisitNote& note : segment.visits) {
    VisitCanaries& visit = gathered.emplace_back();
    for (const std::uint32_t sender : team_of(plan.rows[note.row]).canaries().lowest) {
      const auto at = static_cast<std::size_t>(next[sender]);
      next[sender] += kKinds;
      keep(all[at], visit.line);
      keep(all[at + 1], visit.across);
      keep(all[at + 2], visit.chain);
    }
  }
  return gathered;
}

}  // namespace invar::engine
