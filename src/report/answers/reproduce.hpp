// Renderers of `reproduce`.
#pragma once

#include <string>

#include "analysis/reproduce/reproduce.hpp"
#include "base/json_writer.hpp"

namespace invar::report {

// A line a method; with `cells` also a line an arm, cell and method.
std::string reproduce_table(const analysis::Reproduced& result, bool cells);
// A row an arm, cell and method.
std::string reproduce_csv(const analysis::Reproduced& result);
// docs/formats.md.
std::string reproduce_json(const analysis::Reproduced& result);
// The same object as a value of a larger one.
void write_reproduced(base::JsonWriter& json, const analysis::Reproduced& result);

}  // namespace invar::report
