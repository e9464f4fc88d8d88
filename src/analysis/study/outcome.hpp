// The exit status of a comparison (design.md, section 9).
#pragma once

#include <optional>
#include <string>

#include "analysis/compare/comparison.hpp"

namespace invar::analysis {

struct OutcomeOptions {
  bool fail_on_slower = false;
  // Replaces 0, 3, 4 and 5 when a cell is undecided or could not be judged.
  std::optional<int> undecided_exit = {};
};

// 1 if an arm other than the reference takes longer than the reference and --fail-on slower asks
// for it: that holds whatever else is wrong, for it rests on undamaged launches alone. Else the
// undecided exit, if something is undecided; else 5 damaged, 3 a measurement failed, 4 unfinished,
// 0.
int outcome_status(const Comparison& comparison, const OutcomeOptions& options);

// What the gate of --fail-on slower found, in one line: "gate: slower in 2 cells: bcast 8 B,
// bcast 1 KiB (exit 1)", "gate: no arm is slower than the reference (5 cells undecided)".
std::string gate_text(const Comparison& comparison, const OutcomeOptions& options);

}  // namespace invar::analysis
