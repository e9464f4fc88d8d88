// Comparisons as rows of tidy tables: the same columns in every answer that has some.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "analysis/compare/comparison.hpp"
#include "analysis/study/tidy_table.hpp"

namespace invar::analysis {

// Median, low, high in nanoseconds: three values; absent where there is none.
void append_time(std::vector<Value>& row, const std::optional<TimeEstimate>& time);
void append_interval(std::vector<Value>& row, const std::optional<stats::Interval>& interval);

// The cell, its regime, both arms with their times, ratio, p and verdict (docs/formats.md).
std::vector<TidyColumn> compared_columns();
std::vector<Value> compared_values(const ComparedCell& row);

// Objects with label, library, version, program, settings and launches.
Value arm_value(const ComparedArm& arm);
Value arms_value(std::span<const ComparedArm> arms);

}  // namespace invar::analysis
