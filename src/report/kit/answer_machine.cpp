#include "report/kit/answer_machine.hpp"

#include <algorithm>
#include <stdexcept>
#include <variant>

#include "base/csv.hpp"
#include "base/text.hpp"
#include "report/kit/cell_json.hpp"

namespace invar::report {
namespace {

using analysis::Answer;
using analysis::Kind;
using analysis::TidyTable;
using analysis::Value;

// Name of the column of cells that say what the row is of.
constexpr std::string_view kRowCell = "cell";

// The row's cell has no key of its own: its levels stand among the other keys.
void write_field(base::JsonWriter& json, std::string_view name, const Value& value) {
  if (const auto* cell = std::get_if<record::Cell>(&value.content)) {
    write_levels(json, *cell);
    return;
  }
  json.key(name);
  write_value(json, value);
}

struct ValueWriter {
  base::JsonWriter& json;

  void operator()(std::monostate /*absent*/) const { json.null(); }
  void operator()(bool truth) const { json.value(truth); }
  void operator()(std::int64_t number) const { json.value(number); }
  void operator()(double number) const { json.value(number); }
  void operator()(const std::string& text) const { json.value(text); }
  void operator()(const analysis::Word& word) const {
    if (word.name) {
      json.value(*word.name);
    } else {
      json.null();
    }
  }
  void operator()(const record::Cell& cell) const {
    json.begin_object();
    write_levels(json, cell);
    json.end_object();
  }
  void operator()(const analysis::List& list) const {
    json.begin_array();
    for (const Value& value : list) write_value(json, value);
    json.end_array();
  }
  void operator()(const analysis::Record& record) const {
    json.begin_object();
    for (const analysis::Field& field : record) write_field(json, field.name, field.value);
    json.end_object();
  }
};

using FactorColumns = std::vector<const record::Factor*>;

struct ValueField {
  const FactorColumns& factors;  // of a column of cells

  std::string operator()(std::monostate /*absent*/) const {
    return factors.empty() ? std::string() : std::string(factors.size() - 1, ',');
  }
  std::string operator()(bool truth) const { return truth ? "yes" : "no"; }
  std::string operator()(std::int64_t number) const { return std::to_string(number); }
  std::string operator()(double number) const { return number_field(number); }
  std::string operator()(const std::string& text) const { return base::csv_text(text); }
  std::string operator()(const analysis::Word& word) const {
    return base::csv_text(word.name.value_or(""));
  }
  std::string operator()(const record::Cell& cell) const {
    std::vector<std::string> levels;
    for (const record::Factor* factor : factors) {
      levels.push_back(base::csv_text(factor->text(cell)));
    }
    return base::join(levels, ",");
  }
  std::string operator()(const analysis::List& list) const {
    std::vector<std::string> fields;
    for (const Value& value : list) fields.push_back(std::visit(*this, value.content));
    return base::csv_text(base::join(fields, " "));
  }
  std::string operator()(const analysis::Record& /*record*/) const {
    throw std::invalid_argument("CSV has no fields inside a field");
  }
};

// The factors that are written for the cells of a column; none for any other column.
FactorColumns factor_columns(const TidyTable& table, std::size_t at) {
  if (table.columns[at].kind != Kind::kCell) return {};
  std::vector<record::Cell> cells;
  for (const std::vector<Value>& row : table.rows) {
    if (const auto* cell = std::get_if<record::Cell>(&row.at(at).content)) cells.push_back(*cell);
  }
  return record::written_factors(cells);
}

// A second cell of a row has the names of its levels from its own name: `size_bytes_b` of `cell_b`.
std::string header_field(const analysis::TidyColumn& column, const FactorColumns& factors) {
  if (column.kind != Kind::kCell) return base::csv_field(column.name);
  const std::string suffix =
      column.name.substr(std::min(column.name.find('_'), column.name.size()));
  std::vector<std::string> names;
  for (const record::Factor* factor : factors) names.push_back(std::string(factor->name) + suffix);
  return base::join(names, ",");
}

}  // namespace

void write_value(base::JsonWriter& json, const Value& value) {
  std::visit(ValueWriter{json}, value.content);
}

void write_table(base::JsonWriter& json, const TidyTable& table) {
  json.key(table.id).begin_array();
  for (const std::vector<Value>& row : table.rows) {
    json.begin_object();
    for (std::size_t i = 0; i < row.size(); ++i) {
      const analysis::TidyColumn& column = table.columns.at(i);
      // A row may have a second cell, which is an object.
      if (column.kind == Kind::kCell && column.name != kRowCell) {
        json.key(column.name);
        write_value(json, row[i]);
      } else {
        write_field(json, column.name, row[i]);
      }
    }
    json.end_object();
  }
  json.end_array();
  if (table.missing) {
    const std::string& why = *table.missing;
    json.field(table.id + "_missing", why.empty() ? std::nullopt : std::optional(why));
  }
}

void write_health(base::JsonWriter& json, const analysis::Health& health) {
  json.key("health")
      .begin_object()
      .field("damaged", health.damaged)
      .field("unfinished", health.unfinished)
      .field("failed_groups", health.failed_groups)
      .field("failed_cells", health.failed_cells)
      .field("dropped_arms", health.dropped_arms)
      .field("missed_runs", health.missed_runs)
      .field("empty_visits", health.empty_visits)
      .field("without_data", health.without_data)
      .field("refuted", health.refuted)
      .end_object();
}

void write_answer(base::JsonWriter& json, const Answer& answer) {
  json.begin_object().field("schema", answer.schema).field("sentence", answer.sentence);
  if (answer.detail) json.field("detail", *answer.detail);
  json.field("scope", answer.scope);
  for (const analysis::Field& fact : answer.facts) write_field(json, fact.name, fact.value);
  for (const TidyTable& table : answer.tables) {
    if (!table.id.empty() && table.in_json) write_table(json, table);
  }
  json.key("warnings").begin_array();
  for (const std::string& warning : analysis::texts_of(answer.warnings)) json.value(warning);
  json.end_array();
  write_health(json, answer.health);
  json.end_object();
}

std::string answer_json(const Answer& answer) {
  base::JsonWriter json;
  write_answer(json, answer);
  return json.text() + "\n";
}

std::string table_csv(const TidyTable& table) {
  std::vector<FactorColumns> factors;
  std::vector<std::string> fields;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    factors.push_back(factor_columns(table, i));
    fields.push_back(header_field(table.columns[i], factors.back()));
  }
  std::string text = base::join(fields, ",") + "\n";
  for (const std::vector<Value>& row : table.rows) {
    fields.clear();
    for (std::size_t i = 0; i < row.size(); ++i) {
      fields.push_back(std::visit(ValueField{factors.at(i)}, row[i].content));
    }
    text += base::join(fields, ",") + "\n";
  }
  return text;
}

std::string answer_csv(const Answer& answer, std::string_view id) {
  for (const TidyTable& table : answer.tables) {
    if (!table.id.empty() && (id.empty() || table.id == id)) return table_csv(table);
  }
  throw std::invalid_argument("the answer has no table '" + std::string(id) + "'");
}

std::string number_field(const std::optional<double>& number) {
  if (!number) return "";
  base::JsonWriter writer;
  const std::string text = writer.value(*number).text();
  return text == "null" ? std::string() : text;
}

}  // namespace invar::report
