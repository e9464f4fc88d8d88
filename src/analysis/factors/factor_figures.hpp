// Data of the figures of Hunold and Carpen-Amarie 2016, section 4, for a page that draws them.
#pragma once

#include <span>

#include "analysis/factors/factor_table.hpp"
#include "analysis/factors/factors.hpp"

namespace invar::analysis {

// Deterministic: the samples of the quantile plots are drawn from `seed`. `global` as in Summaries.
FactorFigures factor_figures(std::span<const FactorTable> tables, bool global, double confidence,
                             std::uint64_t seed);

}  // namespace invar::analysis
