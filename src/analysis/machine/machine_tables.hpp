// What the machine did meanwhile, as tidy tables.
#pragma once

#include <vector>

#include "analysis/answer/tidy_table.hpp"
#include "analysis/machine/perturbations.hpp"
#include "analysis/machine/regimes.hpp"

namespace invar::analysis {

// "regimes"; says why they are not split.
TidyTable regimes_table(const Regimes& regimes);
// "perturbations", in order of time.
TidyTable perturbations_table(const std::vector<Perturbation>& perturbations);

}  // namespace invar::analysis
