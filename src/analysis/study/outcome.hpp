// The exit status of an answer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/comparison.hpp"

namespace invar::analysis {

struct OutcomeOptions {
  bool fail_on_slower = false;
  // Replaces 0, 3, 4 and 5 when a cell is undecided or could not be judged.
  std::optional<int> undecided_exit = {};
};

// What an answer says that --fail-on and --undecided-exit ask about.
struct Findings {
  bool slower = false;     // an arm other than the reference takes longer than the reference
  bool undecided = false;  // a cell has no verdict, or `undecided`
};
Findings findings_of(const Comparison& comparison);

// The exit status of every command that ends with an answer, in this order: 5 damaged, 4
// unfinished, 3 a measurement failed; else 1 if --fail-on slower found something; else 0. The
// undecided exit replaces 5, 4 and 3, and 0 where a cell is undecided.
int exit_status(const Health& health, const Findings& findings = {},
                const OutcomeOptions& options = {});
// A comparison whose campaign is a gate fails by that alone, whatever is in the options.
int outcome_status(const Comparison& comparison, OutcomeOptions options);
bool is_gate(const Comparison& comparison, const OutcomeOptions& options);

// What the gate of --fail-on slower found, in one line: "gate: slower in 2 cells: bcast 8 B,
// bcast 1 KiB (exit 1)", "gate: no arm is slower than the reference (5 cells undecided)"; with a
// margin "gate: more than 5 % slower in ...". With several arms it counts comparisons.
std::string gate_text(const Comparison& comparison, const OutcomeOptions& options);

// A row of a comparison as continuous integration has it: a test that passes or fails.
struct TestCase {
  // kSkipped: undecided, or without a verdict. kError: what was measured is not whole.
  enum class State { kPassed, kFailed, kSkipped, kError };
  std::string group = {};  // the arm that is compared
  std::string name = {};   // the cell
  State state = State::kPassed;
  std::string text = {};  // "1.12 times as long as old [1.09, 1.15], 12 groups: fail"
};

// One a cell and arm that is compared with the reference, and one more for the measurement where
// that has failed. Nothing but what the gate says fails: without one, no case does.
std::vector<TestCase> test_cases(const Comparison& comparison, const OutcomeOptions& options);

}  // namespace invar::analysis
