// Renderers of `show --as`.
#pragma once

#include <string>

#include "analysis/suites/show_as.hpp"

namespace invar::report {

// A row an arm and cell, a column a suite's headline with its spread over launches.
std::string show_as_table(const analysis::ShownAs& shown);
// One row an arm, cell, suite and number.
std::string show_as_csv(const analysis::ShownAs& shown);
// docs/formats.md.
std::string show_as_json(const analysis::ShownAs& shown);

}  // namespace invar::report
