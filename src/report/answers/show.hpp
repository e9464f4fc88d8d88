// Renderers of `show`.
#pragma once

#include <string>

#include "analysis/questions/show.hpp"

namespace invar::report {

std::string show_table(const analysis::Show& show);
// One row a group: the factors of --by, then the numbers; what does not exist is empty.
std::string show_csv(const analysis::Show& show);
// {"schema": 1, "sentence", "scope", "by", "groups", "warnings"} (docs/formats.md).
std::string show_json(const analysis::Show& show);

}  // namespace invar::report
