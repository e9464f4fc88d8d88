// What a comparison of campaigns warns of: what their data are like, what changed between them,
// what one of them lacks.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "analysis/compare/comparison.hpp"
#include "analysis/sessions/campaign_sides.hpp"
#include "analysis/study/study.hpp"

namespace invar::analysis {

// Warns of what is wrong with each campaign's own data. What several say alike is said once.
void warn_of_data(const CampaignSides& sides, const Rules& rules,
                  const std::array<UsedArms, 2>& used, std::vector<Warning>& all);

// The libraries, the machine, the days.
void warn_of_changes(const CampaignSides& sides, std::vector<Warning>& warnings);

// Cells that some campaign lacks, of which `shared` are in all, and rows without a ratio.
void warn_of_gaps(const CampaignSides& sides, std::size_t shared,
                  const std::vector<ComparedCell>& rows, std::vector<Warning>& warnings);

// Each campaign names a regime of its own, or its looks were at one; none: they touch.
std::optional<Warning> regimes_apart(const Study& both, const CampaignSides& sides);

}  // namespace invar::analysis
