// What a launch group does, step after step. Every process derives the same list from the same
// rows, so that the turn counter alone says who is next; nothing is negotiated while measuring.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "record/plan.hpp"

namespace invar::group {

enum class StepKind : std::uint8_t {
  kPrepare,  // verify every cell, time a first call
  kVisit,
  kFlush,  // reduce and write what was measured since the last flush
  kTrack,  // look at the clocks again, if it is time to
};

struct Step {
  StepKind kind = StepKind::kVisit;
  std::uint32_t arm = 0;
  std::uint32_t row = 0;  // of a visit: index into the plan's rows
};

struct StepLimits {
  // Repetitions, warm-up and retries included, that a visit may need at most.
  std::uint32_t warmup_repetitions = 50;
  double retry_cap = 2.0;
  // A segment is flushed at the first end of a block after this many.
  std::uint32_t segment_repetitions = 8192;
  bool track = false;  // the ranks do not read one clock
};

// Largest number of repetitions that a visit of `row` can make behind its warm-up: those asked for
// and, unless the cap is 1, those made once more.
std::uint32_t measured_capacity(const record::PlanRow& row, const StepLimits& limits);
// The same with the longest warm-up.
std::uint32_t visit_capacity(const record::PlanRow& row, const StepLimits& limits);

struct Steps {
  std::vector<Step> steps = {};
  // Largest number of repetitions of one arm between two flushes: the size of its tick buffers.
  std::uint32_t segment_capacity = 0;
};

// Prepare of every arm; then the visits in the plan's order, a flush of every arm wherever a
// segment is full at the end of a block, and at the end; at the ends of other blocks a look at the
// clocks by every arm, where that is asked for (a flush looks at them, too). Throws
// std::invalid_argument for an arm that is not in `arms`.
Steps make_steps(std::span<const record::PlanRow> rows, std::span<const std::string> arms,
                 const StepLimits& limits);

}  // namespace invar::group
