// From a repetition's ticks on one rank to its extent in time, and from the extents of all ranks to
// the times of the record. MPI-free.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "clock/calibration.hpp"
#include "record/timing.hpp"

namespace invar::engine {

// By which the ticks that the ranks of a visit have in common become times.
struct TickScale {
  clock::Rate rate = {};
  std::int64_t origin_ticks = 0;

  // From the earliest start to the latest end, or between two starts.
  [[nodiscard]] std::int64_t span_ps(std::int64_t from_ticks, std::int64_t to_ticks) const {
    return rate.to_ps(to_ticks - from_ticks);
  }
  [[nodiscard]] std::int64_t since_origin_ps(std::int64_t ticks) const {
    return rate.to_ps(ticks - origin_ticks);
  }
};

// Global ticks of a model are rank 0's, whoever read them. Without one they are those of the
// counter that the team's ranks read, on whatever host: its speaker knows the rate and the origin.
inline const TickScale& scale_of_visit(bool modelled, const TickScale& first_rank,
                                       const TickScale& speaker) {
  return modelled ? first_rank : speaker;
}

// One repetition on one rank.
struct Extent {
  std::int64_t begin_ticks = 0;  // global where there is a reading, else the rank's own
  std::int64_t end_ticks = 0;
  std::int64_t local_ps = 0;  // on the rank's own clock
  // Standard deviation of global time, the larger of both ends; the smallest number: none stated.
  std::int64_t sigma_ps = std::numeric_limits<std::int64_t>::min();
  std::uint16_t flags = 0;  // kGlobalInvalid: no reading at all; kErrorUnstated
};

// `rate`: of this rank's clock. `global`: its reading(ticks) gives global ticks and, where it is
// known, their standard deviation, or nothing; null: there is no model.
template <typename Global>
Extent extent_of(std::int64_t begin_ticks, std::int64_t end_ticks, const clock::Rate& rate,
                 const Global* global) {
  Extent extent{.begin_ticks = begin_ticks,
                .end_ticks = end_ticks,
                .local_ps = rate.to_ps(end_ticks - begin_ticks)};
  if (global == nullptr) return extent;
  const auto first = global->reading(begin_ticks);
  const auto last = global->reading(end_ticks);
  if (!first || !last) {
    extent.flags = record::kGlobalInvalid;
    return extent;
  }
  extent.begin_ticks = first->ticks;
  extent.end_ticks = last->ticks;
  if (first->sigma_ps && last->sigma_ps) {
    extent.sigma_ps = std::llround(std::max(*first->sigma_ps, *last->sigma_ps));
  } else {
    extent.flags = record::kErrorUnstated;
  }
  return extent;
}

}  // namespace invar::engine
