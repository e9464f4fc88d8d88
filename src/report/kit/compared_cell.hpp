// One comparison for machines: the same keys and columns in every answer that has comparisons.
#pragma once

#include <string>
#include <vector>

#include "analysis/compare/comparison.hpp"
#include "base/json_writer.hpp"
#include "record/cell.hpp"

namespace invar::report {

// The cell's levels, arms, medians, ratio, p and verdict (docs/formats.md) as fields of the object
// that is open.
void write_compared(base::JsonWriter& json, const analysis::ComparedCell& row);

// The same as columns, those of `factors` (record::written_factors of the answer's cells) first;
// without a line feed.
using FactorColumns = std::vector<const record::Factor*>;
std::string compared_csv_header(const FactorColumns& factors);
std::string compared_csv(const analysis::ComparedCell& row, const FactorColumns& factors);

void write_arm(base::JsonWriter& json, const analysis::ComparedArm& arm);

}  // namespace invar::report
