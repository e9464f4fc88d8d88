#include "analysis/outcome.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace invar::analysis {
namespace {

// The family's comparisons with the reference; where the reference does not have a cell, nothing is
// slower than it.
bool slower_than_reference(const Comparison& comparison) {
  if (comparison.arms.empty()) return false;
  const std::string& reference = comparison.arms.front().label;
  return std::ranges::any_of(comparison.cells, [&](const ComparedCell& row) {
    return row.arm_a == reference && row.verdict == stats::Verdict::kFaster;
  });
}

// A cell that failed was not decided either.
bool something_undecided(const Comparison& comparison) {
  return comparison.measurement_failed || comparison.incomplete || comparison.damaged ||
         std::ranges::any_of(comparison.cells, [](const ComparedCell& row) {
           return !row.verdict || row.verdict == stats::Verdict::kUndecided;
         });
}

}  // namespace

int outcome_status(const Comparison& comparison, const OutcomeOptions& options) {
  using base::Exit;
  if (options.fail_on_slower && slower_than_reference(comparison)) {
    return static_cast<int>(Exit::kFound);
  }
  if (options.undecided_exit && something_undecided(comparison)) return *options.undecided_exit;
  if (comparison.damaged) return static_cast<int>(Exit::kDamaged);
  if (comparison.measurement_failed) return static_cast<int>(Exit::kMeasurementFailed);
  if (comparison.incomplete) return static_cast<int>(Exit::kIncomplete);
  return static_cast<int>(Exit::kDone);
}

}  // namespace invar::analysis
