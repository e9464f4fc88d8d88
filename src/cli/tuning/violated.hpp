// Which cells are worth a race: those in which the library breaks a guideline, measured first.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "design/recipes/tune_campaign.hpp"
#include "launch/start/arms.hpp"

namespace invar::cli {

// What of the budget the guidelines get.
constexpr double kShareOfGuidelines = 0.25;

struct ViolatedCells {
  std::vector<design::TuneCell> cells = {};  // with those of sizes in between
  // The measurement did not come to its end, with this status; none: it did.
  std::optional<int> unfinished = {};
};

// Measures the order's operations by the rules that come with Invar (pgmpi, references), as a
// campaign in `dir`, and judges them. Throws UserError where no rule is about any of them.
ViolatedCells violated_cells(const design::TuneOrder& order, const launch::CheckedArm& arm,
                             const std::filesystem::path& dir);

}  // namespace invar::cli
