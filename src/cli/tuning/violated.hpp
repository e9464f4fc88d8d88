// Which cells are worth a race: those in which the library breaks a guideline, measured first.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "design/recipes/tune_campaign.hpp"
#include "launch/start/arms.hpp"

namespace invar::cli {

struct ViolatedCells {
  std::vector<design::TuneCell> cells = {};  // with those of sizes in between
  // The measurement did not come to its end, with this status; none: it did.
  std::optional<int> unfinished = {};
  double spent_s = 0;         // of the budget
  std::size_t questions = 0;  // that guidelines ask, and how many of them are undecided
  std::size_t undecided = 0;
  std::size_t groups = 0;  // launch groups that are complete
};

// That of the guidelines, beside the race's own.
std::filesystem::path guidelines_directory(const std::string& race_dir);

// Throws UserError where `dir` is there and is not a campaign that violated_cells() can go on with.
void check_guidelines_directory(const std::filesystem::path& dir);

// Measures the order's operations by the rules that come with Invar (pgmpi, references), as a
// campaign in `dir`, and judges them: with a quarter of the budget, and while nothing breaks a rule
// with up to three quarters (design/recipes/tune_budget.hpp). Goes on with what the same command
// has begun there; `spent_s`: what of the budget is over already. Throws UserError where no rule is
// about any of the operations, or where another command has measured in `dir`.
ViolatedCells violated_cells(const design::TuneOrder& order, const launch::CheckedArm& arm,
                             const std::filesystem::path& dir, double spent_s);

// Why nothing is raced: no cell breaks a guideline, or not surely, and what would decide.
std::string nothing_to_race_text(const ViolatedCells& found, double budget_s);

}  // namespace invar::cli
