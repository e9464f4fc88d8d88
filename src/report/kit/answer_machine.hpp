// Any answer, and any tidy table, for machines: JSON and CSV (docs/formats.md, "Results as JSON").
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analysis/answer/answer.hpp"
#include "base/json_writer.hpp"

namespace invar::report {

// One value; what is absent is null.
void write_value(base::JsonWriter& json, const analysis::Value& value);

// Key ID with an array of one object a row, and where the table says why it may be empty,
// ID_missing.
void write_table(base::JsonWriter& json, const analysis::TidyTable& table);

// "health": {...}: everything that is wrong with the data, and nothing left out because it is 0.
void write_health(base::JsonWriter& json, const analysis::Health& health);

// {"schema": 1, "sentence", "scope", the facts, the tables, "warnings", "health"} as a value of a
// larger one.
void write_answer(base::JsonWriter& json, const analysis::Answer& answer);
std::string answer_json(const analysis::Answer& answer);

// A header and a line a row; what is absent is empty, yes and no are "yes" and "no". A cell is a
// column a factor.
std::string table_csv(const analysis::TidyTable& table);

// The table with this id; if empty, the first one that has an id. Throws std::invalid_argument if
// there is none.
std::string answer_csv(const analysis::Answer& answer, std::string_view id = {});

// The shortest text that reads back as the same number; nothing where there is none, or where it
// is not finite.
std::string number_field(const std::optional<double>& number);

}  // namespace invar::report
