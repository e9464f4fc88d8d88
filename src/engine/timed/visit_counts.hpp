// What a visit's repetitions were, for the journal. MPI-free.
#pragma once

#include <cstdint>
#include <span>

#include "engine/sync/enough.hpp"
#include "record/journal.hpp"
#include "record/timing.hpp"

namespace invar::engine {

// Counts records, whose flags are all set, into the line. `asked_for`: valid repetitions; `most`:
// that a visit makes behind its warm-up (group::measured_capacity); `skew_limit_ps`: the start skew
// that no repetition has without one that is kApart; a label.
inline void count_repetitions(std::span<const record::Timing> records, std::uint32_t asked_for,
                              std::uint32_t most, std::int64_t skew_limit_ps,
                              record::VisitLine& line) {
  std::uint32_t made = 0;
  for (const record::Timing& timing : records) {
    const auto is = [&](unsigned flag) { return (timing.flags & flag) != 0; };
    made += is(record::kWarmUp) ? 0U : 1U;
    line.late += is(record::kLate) && !is(record::kWarmUp) ? 1U : 0U;
    line.repeated += is(record::kRepeatsLate) ? 1U : 0U;
    line.interrupted += is(record::kInterrupted) ? 1U : 0U;
    if (is(record::kLeftOut)) continue;
    // By what the ranks have lost: starts that are apart on purpose may hide or add to it.
    const bool apart = is(record::kApart);
    line.lost += is(record::kLost) ? 1U : 0U;
    line.apart += apart ? 1U : 0U;
    line.valid += apart ? 0U : 1U;
  }
  // A visit that ended because more would have been no better has not given up.
  const bool had_enough = made < most && mostly_lost(line.valid, line.apart, asked_for);
  line.retry_cap_reached = line.valid < asked_for && !had_enough;
  if (line.lost > 0) line.skew_limit_ps = skew_limit_ps;
}

}  // namespace invar::engine
