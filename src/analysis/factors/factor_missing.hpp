// Levels that a campaign asked for and that there are no data of.
#pragma once

#include <span>
#include <vector>

#include "analysis/factors/factor_table.hpp"
#include "analysis/factors/factors.hpp"

namespace invar::analysis {

// Arms that never ran a launch first, then what tables lack, each with the reason if it is known.
std::vector<MissingLevel> missing_levels(const store::Data& data, const design::Campaign& campaign,
                                         const Summaries& summaries,
                                         std::span<const FactorTable> tables);

}  // namespace invar::analysis
