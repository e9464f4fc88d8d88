// What one launch measured of a cell, as other suites' processing wants it: repetitions of single
// ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "store/reader.hpp"

namespace invar::analysis {

// Times of one call; of a batch's call: its share. Warm-ups, late repetitions and those past their
// window are not there (no suite keeps them).
struct PresetSample {
  // Those that have records, ascending: ranks that stand by have none. Empty where single ranks
  // were not recorded, or with clocks of several rates, as is what follows.
  std::vector<std::uint32_t> ranks = {};
  // [place in `ranks`][repetition].
  std::vector<std::vector<double>> rank_ns = {};
  // From start to end of the first rank that starts, by repetition.
  std::vector<double> initiator_ns = {};
  // Over ranks, by repetition.
  std::vector<double> largest_ns = {};
  std::vector<double> mean_ns = {};
  // From the root's start (of messages between single ranks that of the first rank that starts) to
  // the last rank's end; empty where the ranks' clocks cannot be compared. Of messages whose time
  // is the starting rank's own (a round trip) that time, which needs no second clock.
  std::vector<double> root_to_last_ns = {};
  // False where ticks of some rank are no times (store::Visit::one_rate).
  bool one_rate = true;

  [[nodiscard]] std::size_t repetitions() const { return largest_ns.size(); }
};

// All visits of `launch` to `cell`, in the order in which they were made. A suite's run of a cell
// is one series; ours lies in several visits. `info`: of the cell's operation.
PresetSample preset_sample(const store::Launch& launch, const record::Cell& cell,
                           const record::OperationInfo& info);

}  // namespace invar::analysis
