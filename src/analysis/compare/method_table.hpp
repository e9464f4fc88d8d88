// The numbers that a comparison rests on, by its method.
#pragma once

#include <string>
#include <vector>

#include "analysis/study/pairs.hpp"
#include "analysis/study/rules.hpp"
#include "analysis/study/summaries.hpp"

namespace invar::analysis {

// One value a visit by our method, one a launch by the others. `own`: `all` without visits that
// were made another suite's way; the table has its cells and arms. `presets`: those that the
// campaign measured their way. Throws UserError where these data give nothing of a preset.
CellTable table_by_method(const store::Data& all, const store::Data& own, const Rules& rules,
                          const std::vector<std::string>& presets, const Summaries& summaries);

}  // namespace invar::analysis
