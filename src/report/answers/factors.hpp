// Which factors matter, as text.
#pragma once

#include <string>

#include "analysis/factors/factors.hpp"
#include "base/json_writer.hpp"

namespace invar::report {

std::string factors_table(const analysis::Factors& factors);
// A row for every level but the first of each factor, and one for launch, visit and repetition.
std::string factors_csv(const analysis::Factors& factors);
std::string factors_json(const analysis::Factors& factors);
// The same object as a value of a larger one.
void write_factors(base::JsonWriter& json, const analysis::Factors& factors);

// Data of one figure as CSV: "launches", "histograms" or "quantiles".
std::string factor_figure_csv(const analysis::Factors& factors, const std::string& figure);

}  // namespace invar::report
