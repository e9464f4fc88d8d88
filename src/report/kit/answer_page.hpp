// Any answer as data of a page, which draws tidy tables without knowing their question (web/src).
#pragma once

#include "analysis/study/answer.hpp"
#include "base/json_writer.hpp"

namespace invar::report {

// {"question", "sentence", "scope", "tables": [{"id", "title", "columns": [{"name", "kind", "unit",
// "low", "high"}], "rows": [[...]]}], "notes", "warnings"}: the tables that have an id; a cell is
// an object of its levels, what does not exist is null.
void write_answer_data(base::JsonWriter& json, const analysis::Answer& answer);

}  // namespace invar::report
