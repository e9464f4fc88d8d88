#include "analysis/study/outcome.hpp"

#include <algorithm>
#include <vector>

#include "analysis/words/numbers.hpp"
#include "analysis/words/words.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::analysis {
namespace {

// The family's comparisons with the reference, over everything that was measured: those in which it
// is faster, of a gate with a margin those that failed. Where the reference does not have a cell,
// nothing is slower than it.
std::vector<const ComparedCell*> slower_than_reference(const Comparison& comparison) {
  std::vector<const ComparedCell*> found;
  for (const ComparedCell& row : comparison.cells) {
    if (!row.regime && row.with_reference &&
        (row.verdict == stats::Verdict::kFaster || row.verdict == stats::Verdict::kViolated)) {
      found.push_back(&row);
    }
  }
  return found;
}

bool undecided(const ComparedCell& row) {
  return !row.regime && (!row.verdict || row.verdict == stats::Verdict::kUndecided);
}

// "bcast 8 B", with what else tells it from the other cells.
std::string cell_name(const ComparedCell& row, const std::vector<record::Cell>& cells) {
  std::string name = row.cell.operation;
  if (row.cell.size_bytes) name += " " + base::size_text(*row.cell.size_bytes);
  for (const record::Factor& factor : record::factors()) {
    if (factor.role == record::FactorRole::kSubject) continue;
    const std::string level = factor.text(row.cell);
    if (level.empty() || !record::tells_cells_apart(factor, cells)) continue;
    name += " " + std::string(factor.name) + " " + level;
  }
  return name;
}

// Then a cell has several comparisons.
bool has_several(const Comparison& comparison) { return sides_of(comparison).size() > 2; }

std::string count_of_rows(std::uint64_t rows, const Comparison& comparison) {
  return count_text(rows, has_several(comparison) ? "comparison" : "cell");
}

// The cell's name, and the arm if there are several.
std::string name_of(const ComparedCell& row, const Comparison& comparison,
                    const std::vector<record::Cell>& cells) {
  const std::string name = cell_name(row, cells);
  return has_several(comparison) ? name + " in '" + row.arm_b + "'" : name;
}

// "more than 5 % "
std::string more_than(const Comparison& comparison) {
  return comparison.gate ? "more than " + percent_text(*comparison.gate) + " " : std::string();
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

int outcome_status(const Comparison& comparison, OutcomeOptions options) {
  options.fail_on_slower = is_gate(comparison, options);
  return exit_status(comparison.health, findings_of(comparison), options);
}

bool is_gate(const Comparison& comparison, const OutcomeOptions& options) {
  return options.fail_on_slower || comparison.gate.has_value();
}

std::vector<TestCase> test_cases(const Comparison& comparison, const OutcomeOptions& options) {
  const std::vector<const ComparedCell*> slower = slower_than_reference(comparison);
  std::vector<record::Cell> cells;
  cells.reserve(comparison.cells.size());
  for (const ComparedCell& row : comparison.cells) cells.push_back(row.cell);
  std::vector<TestCase> cases;
  for (const ComparedCell& row : comparison.cells) {
    if (row.regime || !row.with_reference) continue;
    TestCase& one = cases.emplace_back(TestCase{.group = row.arm_b, .name = cell_name(row, cells)});
    if (undecided(row)) one.state = TestCase::State::kSkipped;
    if (is_gate(comparison, options) && std::ranges::find(slower, &row) != slower.end()) {
      one.state = TestCase::State::kFailed;
    }
    if (row.ratio) {
      const EstimateText ratio = ratio_text(*row.ratio, row.ratio_interval);
      one.text = ratio.estimate + " times as long as " + row.arm_a +
                 (ratio.interval.empty() ? "" : " " + ratio.interval) + ", " +
                 (comparison.sessions.empty() ? count_text(row.launches, "launch group")
                                              : count_text(row.launches, "session") + " a side") +
                 ": ";
    }
    one.text += verdict_text(row);
  }
  if (const base::Exit status = status_of(comparison.health); status != base::Exit::kDone) {
    cases.push_back({.group = "measurement",
                     .name = "the data are whole",
                     .state = TestCase::State::kError,
                     .text = status == base::Exit::kDamaged      ? "they are damaged"
                             : status == base::Exit::kIncomplete ? "they are unfinished"
                                                                 : "a measurement failed"});
  }
  return cases;
}

std::string gate_text(const Comparison& comparison, const OutcomeOptions& options) {
  const int status = outcome_status(comparison, options);
  const std::vector<const ComparedCell*> slower = slower_than_reference(comparison);
  if (slower.empty()) {
    std::vector<std::string> notes;
    const auto open = static_cast<std::uint64_t>(std::ranges::count_if(
        comparison.cells,
        [&](const ComparedCell& row) { return undecided(row) && row.with_reference; }));
    if (open > 0) notes.push_back(count_of_rows(open, comparison) + " undecided");
    if (status != 0) notes.push_back("exit " + std::to_string(status));
    return std::string("gate: no ") + (comparison.against.empty() ? "arm" : "level") + " is " +
           (open > 0 ? "known to be " : "") + more_than(comparison) + "slower than the reference" +
           (notes.empty() ? "" : " (" + base::join(notes, ", ") + ")");
  }
  constexpr std::size_t kNamedSlower = 8;
  std::vector<record::Cell> cells;
  cells.reserve(comparison.cells.size());
  for (const ComparedCell& row : comparison.cells) cells.push_back(row.cell);
  std::vector<std::string> names;
  names.reserve(slower.size());
  for (const ComparedCell* row : slower) names.push_back(name_of(*row, comparison, cells));
  return "gate: " + more_than(comparison) + "slower in " +
         count_of_rows(slower.size(), comparison) + ": " +
         base::first_items(names, kNamedSlower, ", ") + " (exit " + std::to_string(status) + ")";
}

}  // namespace invar::analysis
