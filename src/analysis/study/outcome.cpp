#include "analysis/study/outcome.hpp"

#include <algorithm>
#include <vector>

#include "analysis/words/words.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::analysis {
namespace {

// The family's comparisons with the reference, over everything that was measured; where the
// reference does not have a cell, nothing is slower than it.
std::vector<const ComparedCell*> slower_than_reference(const Comparison& comparison) {
  std::vector<const ComparedCell*> found;
  if (comparison.arms.empty()) return found;
  for (const ComparedCell& row : comparison.cells) {
    if (!row.regime && row.arm_a == comparison.arms.front().label &&
        row.verdict == stats::Verdict::kFaster) {
      found.push_back(&row);
    }
  }
  return found;
}

bool undecided(const ComparedCell& row) {
  return !row.regime && (!row.verdict || row.verdict == stats::Verdict::kUndecided);
}

// "bcast 8 B", with what else tells it from the other cells, and the arm if there are several.
std::string name_of(const ComparedCell& row, const Comparison& comparison,
                    const std::vector<record::Cell>& cells) {
  std::string name = row.cell.operation;
  if (row.cell.size_bytes) name += " " + base::size_text(*row.cell.size_bytes);
  for (const record::Factor& factor : record::factors()) {
    if (factor.role == record::FactorRole::kSubject) continue;
    const std::string level = factor.text(row.cell);
    if (level.empty() || !record::tells_cells_apart(factor, cells)) continue;
    name += " " + std::string(factor.name) + " " + level;
  }
  return comparison.arms.size() > 2 ? name + " in '" + row.arm_b + "'" : name;
}

}  // namespace

int exit_status(const Health& health, const Findings& findings, const OutcomeOptions& options) {
  const auto or_undecided = [&](base::Exit status) {
    return options.undecided_exit.value_or(static_cast<int>(status));
  };
  const base::Exit status = status_of(health);
  // What could not be judged was not decided either.
  if (status != base::Exit::kDone) return or_undecided(status);
  if (options.fail_on_slower && findings.slower) return static_cast<int>(base::Exit::kFound);
  return findings.undecided ? or_undecided(status) : static_cast<int>(status);
}

Findings findings_of(const Comparison& comparison) {
  return {.slower = !slower_than_reference(comparison).empty(),
          .undecided = std::ranges::any_of(comparison.cells, undecided)};
}

int outcome_status(const Comparison& comparison, const OutcomeOptions& options) {
  return exit_status(comparison.health, findings_of(comparison), options);
}

std::string gate_text(const Comparison& comparison, const OutcomeOptions& options) {
  const int status = outcome_status(comparison, options);
  const std::vector<const ComparedCell*> slower = slower_than_reference(comparison);
  if (slower.empty()) {
    std::vector<std::string> notes;
    const auto open = static_cast<std::uint64_t>(
        std::ranges::count_if(comparison.cells, [&](const ComparedCell& row) {
          return undecided(row) && row.arm_a == comparison.arms.front().label;
        }));
    if (open > 0) notes.push_back(count_text(open, "cell") + " undecided");
    if (status != 0) notes.push_back("exit " + std::to_string(status));
    return "gate: no arm is slower than the reference" +
           (notes.empty() ? "" : " (" + base::join(notes, ", ") + ")");
  }
  constexpr std::size_t kNamedSlower = 8;
  std::vector<record::Cell> cells;
  for (const ComparedCell& row : comparison.cells) cells.push_back(row.cell);
  std::vector<std::string> names;
  for (const ComparedCell* row : slower) names.push_back(name_of(*row, comparison, cells));
  return "gate: slower in " + count_text(slower.size(), "cell") + ": " +
         base::first_items(names, kNamedSlower, ", ") + " (exit " + std::to_string(status) + ")";
}

}  // namespace invar::analysis
