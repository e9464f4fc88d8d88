#include "analysis/suites/preset_sample.hpp"

#include <algorithm>
#include <limits>

namespace invar::analysis {
namespace {

// The ticks of one visit's ranks as times.
class RankTimes {
 public:
  RankTimes(const store::Visit& visit, std::uint32_t ranks)
      : visit_(visit), ranks_(ranks), calls_(std::max(1U, visit.line.calls)) {
    // Their ticks are worth different times on different hosts, and only rank 0's is known.
    if (!visit.one_rate) return;
    if (visit.rank_records.empty() ||
        visit.rank_records.size() != visit.records.size() * std::size_t{ranks}) {
      return;
    }
    // The recorder knows the rate, and wrote the largest of each repetition as a time.
    double ticks = 0;
    double time_ns = 0;
    for (std::size_t i = 0; i < visit.records.size(); ++i) {
      std::int64_t largest = 0;
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        largest = std::max(largest, of(i, rank).end_ticks - of(i, rank).start_ticks);
      }
      ticks += static_cast<double>(largest);
      time_ns += static_cast<double>(visit.records[i].local_max_ps) * 1e-3 * calls_;
    }
    tick_ns_ = ticks > 0 ? time_ns / ticks : 0;
    exist_ = true;
  }

  [[nodiscard]] bool exist() const { return exist_; }

  // The time of one call.
  [[nodiscard]] double time_ns(std::size_t repetition, std::uint32_t rank) const {
    const record::RankTicks& ticks = of(repetition, rank);
    return static_cast<double>(ticks.end_ticks - ticks.start_ticks) * tick_ns_ / calls_;
  }

  [[nodiscard]] double root_to_last_ns(std::size_t repetition, std::uint32_t root) const {
    std::int64_t last = std::numeric_limits<std::int64_t>::min();
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      last = std::max(last, of(repetition, rank).end_ticks);
    }
    return static_cast<double>(last - of(repetition, root).start_ticks) * tick_ns_ / calls_;
  }

 private:
  [[nodiscard]] const record::RankTicks& of(std::size_t repetition, std::uint32_t rank) const {
    return visit_.rank_records[repetition * ranks_ + rank];
  }

  const store::Visit& visit_;
  std::uint32_t ranks_;
  double calls_;
  bool exist_ = false;
  double tick_ns_ = 0;
};

}  // namespace

PresetSample preset_sample(const store::Launch& launch, const record::Cell& cell) {
  PresetSample sample;
  bool single = true;  // every rank's times are there
  // Raw ticks can be compared where all ranks read one clock.
  bool comparable = cell.nodes == 1 && cell.root < cell.ranks && !launch.virtual_clocks;
  // Only data that are there say how many ranks there were: a plan can name any number.
  for (const store::Visit& visit : launch.visits) {
    if (visit.line.cell != cell.id) continue;
    single = single && RankTimes(visit, cell.ranks).exist();
    sample.one_rate = sample.one_rate && visit.one_rate;
  }
  if (single) sample.rank_ns.resize(cell.ranks);
  for (const store::Visit& visit : launch.visits) {
    if (visit.line.cell != cell.id) continue;
    const RankTimes ranks(visit, cell.ranks);
    for (std::size_t i = 0; i < visit.records.size(); ++i) {
      const record::Timing& timing = visit.records[i];
      if ((timing.flags & record::kLeftOut) != 0) continue;
      sample.largest_ns.push_back(static_cast<double>(timing.local_max_ps) * 1e-3);
      sample.mean_ns.push_back(static_cast<double>(timing.local_mean_ps) * 1e-3);
      if (!single) continue;
      for (std::uint32_t rank = 0; rank < cell.ranks; ++rank) {
        sample.rank_ns[rank].push_back(ranks.time_ns(i, rank));
      }
      comparable = comparable && (timing.flags & record::kGlobalInvalid) == 0;
      if (comparable) sample.root_to_last_ns.push_back(ranks.root_to_last_ns(i, cell.root));
    }
  }
  if (!single) sample.rank_ns.clear();
  if (!single || !comparable) sample.root_to_last_ns.clear();
  return sample;
}

}  // namespace invar::analysis
