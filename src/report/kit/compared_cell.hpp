// One comparison for machines: the same keys and columns in every answer that has comparisons.
#pragma once

#include <string>

#include "analysis/compare/comparison.hpp"
#include "base/json_writer.hpp"
#include "report/kit/cell_columns.hpp"

namespace invar::report {

// The cell's levels, arms, medians, ratio, p and verdict (docs/formats.md) as fields of the object
// that is open.
void write_compared(base::JsonWriter& json, const analysis::ComparedCell& row);

// The same as columns, factors first; without a line feed.
std::string compared_csv_header(const LevelColumns& levels);
std::string compared_csv(const analysis::ComparedCell& row, const LevelColumns& levels);

void write_arm(base::JsonWriter& json, const analysis::ComparedArm& arm);

}  // namespace invar::report
