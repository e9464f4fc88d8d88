// How a terminal shows a comparison of more than two arms: who is fastest where, then a row a cell.
#pragma once

#include "analysis/answer/tidy_table.hpp"
#include "analysis/compare/comparison.hpp"

namespace invar::analysis {

// Operation by size: the arms that cannot be told from the best one. Without rows where there are
// not two sizes.
TidyTable winners_table(const Comparison& comparison);

// A row a cell, a column an arm: its time, and how many times as long it took as the reference.
TidyTable arms_table(const Comparison& comparison);

// How the latter is read.
std::string arms_legend(const Comparison& comparison);

}  // namespace invar::analysis
