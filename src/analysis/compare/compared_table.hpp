// Comparisons as rows of tidy tables: the same columns in every answer that has some.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/answer/answer.hpp"
#include "analysis/answer/tidy_table.hpp"
#include "analysis/compare/comparison.hpp"

namespace invar::analysis {

// Median, low, high in nanoseconds: three values; absent where there is none.
void append_time(std::vector<Value>& row, const std::optional<TimeEstimate>& time);
void append_interval(std::vector<Value>& row, const std::optional<stats::Interval>& interval);

// The cell, its regime, both arms with their times, ratio, p and verdict (docs/formats.md).
std::vector<TidyColumn> compared_columns();
std::vector<Value> compared_values(const ComparedCell& row);

// GB/s: the bytes that a call moves (moved_bytes()) over its time. None where there are none, or no
// time.
std::optional<double> moved_gb_s(const std::optional<double>& bytes,
                                 const std::optional<TimeEstimate>& time);
// How such a column is read.
std::string bandwidth_reading();

// The headline's rows alone, with what varies of a cell and the columns that a reader of results
// needs (docs/formats.md, "Answers as CSV").
TidyTable compact_table(const Comparison& comparison);

// "small: openmpi with OMPI_MCA_btl_vader_eager_limit=2048": what a label does not say, once for
// the whole answer. None: no arm has settings.
std::optional<Remark> arms_remark(std::span<const ComparedArm> arms);

// Objects with label, library, version, program, settings and launches.
Value arm_value(const ComparedArm& arm);
Value arms_value(std::span<const ComparedArm> arms);

}  // namespace invar::analysis
