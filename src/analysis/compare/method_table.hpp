// The numbers that a comparison rests on, by its method.
#pragma once

#include <cstddef>
#include <optional>

#include "analysis/study/lack.hpp"
#include "analysis/study/pairs.hpp"
#include "analysis/study/study.hpp"

namespace invar::analysis {

// One value a visit by our method, one a launch by the others. Cells and arms as in
// study.data(campaign); where these data give nothing of a preset the table is empty.
CellTable table_by_method(const Study& study, std::size_t campaign = 0);

// A preset with local times has those, whatever ours are.
const Summaries& summaries_by_method(const Study& study, std::size_t campaign = 0);

// Why there is not a value of the study's method in this campaign.
std::optional<Lack> lack_of_method(const Study& study, std::size_t campaign = 0);

}  // namespace invar::analysis
