// What the machine did meanwhile, for comparisons and for what is shown.
#pragma once

#include <vector>

#include "analysis/machine/perturbations.hpp"
#include "analysis/machine/regimes.hpp"
#include "base/json_writer.hpp"

namespace invar::report {

// Keys "regimes", "regimes_missing" and "perturbations" of an open object.
void write_machine(base::JsonWriter& json, const analysis::Regimes& regimes,
                   const std::vector<analysis::Perturbation>& perturbations);

}  // namespace invar::report
