#include "engine/launch/canary_gather.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "engine/memory/reference.hpp"

namespace invar::engine {
namespace {

// What one host tells of one visit.
using HostCanaries = std::array<std::int64_t, 6>;

// One of every host: in a journal these come in the order of their lowest ranks.
std::vector<std::uint32_t> senders_of(const Team& team) {
  std::vector<std::uint32_t> senders(team.leaders().begin(), team.leaders().end());
  std::ranges::sort(senders);
  return senders;
}

void keep(std::int64_t time, std::vector<std::int64_t>& of) {
  if (time > 0) of.push_back(time);
}

std::int64_t fs_of_one(const clock::Rate& rate, std::int64_t ticks, std::uint64_t steps) {
  constexpr std::int64_t kFsInPs = 1000;
  return rate.to_ps(ticks) * kFsInPs / static_cast<std::int64_t>(steps);
}

}  // namespace

void VisitCanaries::tell(record::VisitLine& told) const {
  told.canary_ps = line;
  told.across_ps = across;
  told.chain_ps = chain;
  told.add_fs = add;
  told.l1_fs = l1;
  told.beyond_fs = beyond;
}

std::vector<VisitCanaries> gather_canaries(
    MPI_Comm comm, const Segment& segment, const record::Plan& plan,
    const std::function<const Team&(const record::PlanRow&)>& team_of,
    const std::function<const clock::Rate&(const VisitNote&)>& rate_of) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  constexpr int kKinds = std::tuple_size_v<HostCanaries>;
  std::vector<HostCanaries> own;
  std::vector<int> counts(static_cast<std::size_t>(rank == 0 ? ranks : 0), 0);
  for (const VisitNote& note : segment.visits) {
    const std::vector<std::uint32_t> senders = senders_of(team_of(plan.rows[note.row]));
    if (std::ranges::binary_search(senders, static_cast<std::uint32_t>(rank))) {
      const clock::Rate& rate = rate_of(note);
      own.push_back({rate.to_ps(note.canary_ticks), rate.to_ps(note.across_ticks),
                     rate.to_ps(note.chain_ticks), fs_of_one(rate, note.add_ticks, kReferenceAdds),
                     fs_of_one(rate, note.l1_ticks, kReferenceL1Loads),
                     fs_of_one(rate, note.beyond_ticks, kReferenceBeyondLoads)});
    }
    for (const std::uint32_t sender : senders) {
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
    for (const std::uint32_t sender : senders_of(team_of(plan.rows[note.row]))) {
      const auto at = static_cast<std::size_t>(next[sender]);
      next[sender] += kKinds;
      keep(all[at], visit.line);
      keep(all[at + 1], visit.across);
      keep(all[at + 2], visit.chain);
      keep(all[at + 3], visit.add);
      keep(all[at + 4], visit.l1);
      keep(all[at + 5], visit.beyond);
    }
  }
  return gathered;
}

}  // namespace invar::engine
