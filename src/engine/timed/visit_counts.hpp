// What a visit's repetitions were, for the journal. MPI-free.
#pragma once

#include <cstdint>
#include <span>

#include "engine/sync/enough.hpp"
#include "record/journal.hpp"
#include "record/timing.hpp"

namespace invar::engine {

// Counts records, whose flags are all set, into the line. `asked_for`: valid repetitions;
// `skew_limit_ps`: the start skew from which the synchronisation repeated what was kLost.
inline void count_repetitions(std::span<const record::Timing> records, std::uint32_t asked_for,
                              std::int64_t skew_limit_ps, record::VisitLine& line) {
  for (const record::Timing& timing : records) {
    const auto is = [&](unsigned flag) { return (timing.flags & flag) != 0; };
    line.late += is(record::kLate) && !is(record::kWarmUp) ? 1U : 0U;
    line.repeated += is(record::kRepeatsLate) ? 1U : 0U;
    line.interrupted += is(record::kInterrupted) ? 1U : 0U;
    if (is(record::kLeftOut)) continue;
    const bool apart = is(record::kLost) && timing.start_skew_ps > skew_limit_ps;
    line.lost += is(record::kLost) ? 1U : 0U;
    line.apart += apart ? 1U : 0U;
    line.valid += apart ? 0U : 1U;
  }
  line.retry_cap_reached = !has_enough(line.valid, line.apart, asked_for);
  if (line.lost > 0) line.skew_limit_ps = skew_limit_ps;
}

}  // namespace invar::engine
