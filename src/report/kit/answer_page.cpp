#include "report/kit/answer_page.hpp"

#include <string>
#include <vector>

#include "report/kit/answer_machine.hpp"

namespace invar::report {
namespace {

void write_texts(base::JsonWriter& json, const char* key, const std::vector<std::string>& texts) {
  json.key(key).begin_array();
  for (const std::string& text : texts) json.value(text);
  json.end_array();
}

void write_table_data(base::JsonWriter& json, const analysis::TidyTable& table) {
  const auto word = [](std::string_view text) {
    return text.empty() ? std::nullopt : std::optional(text);
  };
  json.begin_object()
      .field("id", table.id)
      .field("title", table.title)
      .key("columns")
      .begin_array();
  for (const analysis::TidyColumn& column : table.columns) {
    json.begin_object()
        .field("name", column.name)
        .field("kind", analysis::kind_name(column.kind))
        .field("unit", word(analysis::unit_of(column.kind)))
        .field("low", word(column.low))
        .field("high", word(column.high))
        .end_object();
  }
  json.end_array().key("rows").begin_array();
  for (const std::vector<analysis::Value>& row : table.rows) {
    json.begin_array();
    for (const analysis::Value& value : row) write_value(json, value);
    json.end_array();
  }
  json.end_array();
  if (table.missing && !table.missing->empty()) json.field("missing", *table.missing);
  json.end_object();
}

}  // namespace

void write_answer_data(base::JsonWriter& json, const analysis::Answer& answer,
                       const std::string& source) {
  json.begin_object();
  if (!source.empty()) json.field("source", source);
  json.field("question", answer.question)
      .field("sentence", answer.sentence)
      .field("scope", answer.scope)
      .key("tables")
      .begin_array();
  for (const analysis::TidyTable& table : answer.tables) {
    if (!table.id.empty()) write_table_data(json, table);
  }
  json.end_array();
  write_texts(json, "notes", answer.notes);
  write_texts(json, "warnings", analysis::texts_of(answer.warnings));
  write_health(json, answer.health);
  json.end_object();
}

}  // namespace invar::report
