// Visits grouped by any choice of factors.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/machine/regimes.hpp"
#include "analysis/study/summaries.hpp"
#include "record/cell.hpp"

namespace invar::analysis {

struct VisitGroup {
  std::vector<std::pair<std::string, std::string>> levels = {};  // factor and its level, as text
  std::vector<const VisitSummary*> visits = {};                  // in the order of the data
};

// Operation, size, every other factor that varies, and the arm.
std::vector<std::string> usual_grouping(std::span<const record::Cell> cells);

// The names themselves. Throws UserError for those that are no factor and neither "arm", "group",
// "launch", "round" nor "regime" (with a did-you-mean), and for repetitions.
std::vector<std::string> checked_grouping(const std::vector<std::string>& by);

// Sorted by the first factor of `by`, then the next: levels of cells in the campaign's order, sizes
// ascending, arms in the order of `arms` (indices into Data::arms), numbers ascending. The groups
// point into `visits`.
std::vector<VisitGroup> group_visits(const store::Data& data, std::span<const VisitSummary> visits,
                                     std::span<const std::uint32_t> arms,
                                     std::span<const std::string> by, const Regimes& regimes);

}  // namespace invar::analysis
