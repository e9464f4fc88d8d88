// The raw rows of an experiment with clocks, for other tools.
#pragma once

#include <string>

#include "store/clock_dir.hpp"

namespace invar::report {

// {"schema":1,"experiment":...,"observations":[...]}, an object a row of clocks.csv with the names
// of its columns; null for an empty field. Throws UserError for rows that are not as the experiment
// writes them.
std::string clock_rows_json(const store::ClockData& data);

}  // namespace invar::report
