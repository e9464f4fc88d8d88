// Any answer as data of a page, which draws tidy tables without knowing their question (web/src).
#pragma once

#include <string>

#include "analysis/answer/answer.hpp"
#include "base/json_writer.hpp"

namespace invar::report {

// {"source", "question", "sentence", "scope", "tables": [{"id", "title", "columns": [{"name",
// "kind", "unit", "low", "high"}], "rows": [[...]]}], "notes", "warnings"}: the tables that have an
// id; a cell is an object of its levels, what does not exist is null. `source`: whose answer it is,
// where that does not follow from its place; empty: no such key.
void write_answer_data(base::JsonWriter& json, const analysis::Answer& answer,
                       const std::string& source = {});

}  // namespace invar::report
