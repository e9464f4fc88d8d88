// Renderers of `clocks local-global`.
#pragma once

#include <string>

#include "analysis/questions/local_global.hpp"
#include "base/json_writer.hpp"

namespace invar::report {

// The table, how to read it, what to look at, and the sentence as the last paragraph.
std::string local_global_table(const analysis::LocalGlobal& answer);
// Factors as columns, then arm, times in ns, ratio, p, verdict, start skew.
std::string local_global_csv(const analysis::LocalGlobal& answer);
// {"schema": 1, "sentence", "scope", "rows", "warnings"}; what does not exist is null.
std::string local_global_json(const analysis::LocalGlobal& answer);
// The same object as a value of a larger one.
void write_local_global(base::JsonWriter& json, const analysis::LocalGlobal& answer);

}  // namespace invar::report
