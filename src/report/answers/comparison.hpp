// Renderers of a comparison.
#pragma once

#include <string>

#include "analysis/compare/comparison.hpp"
#include "base/json_writer.hpp"

namespace invar::report {

// Terminal: the sentence, the table, how to read it, what to look at, where the data lie.
std::string comparison_table(const analysis::Comparison& comparison);

// One row a comparison, columns as the keys of the JSON cells, factors as columns of their own;
// what does not exist is empty.
std::string comparison_csv(const analysis::Comparison& comparison);

// {"schema": 1, "sentence", "scope", "arms", "cells", "warnings"} and, with more than two arms,
// "best" (docs/formats.md); what does not exist is null.
std::string comparison_json(const analysis::Comparison& comparison);
// The same object as a value of a larger one.
void write_comparison(base::JsonWriter& json, const analysis::Comparison& comparison);

}  // namespace invar::report
