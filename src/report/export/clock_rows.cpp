#include "report/export/clock_rows.hpp"

#include <algorithm>
#include <vector>

#include "analysis/clocks/clock_experiments.hpp"
#include "base/csv.hpp"
#include "base/json_writer.hpp"

namespace invar::report {

std::string clock_rows_json(const store::ClockData& data) {
  // Refuses what is no such experiment, and numbers that are none.
  (void)analysis::read_clock_input(data);
  const analysis::ClockExperiment& experiment =
      *analysis::find_clock_experiment(data.head.experiment);
  const auto columns = data.head.library.empty() ? experiment.simulated : experiment.live;
  const std::vector<base::CsvRow> rows =
      base::read_csv(data.rows, (data.dir / store::kClockRows).string());
  const std::vector<std::string>& names = rows.front().fields;
  const auto is_text = [&](const std::string& name) {
    const auto column = std::ranges::find(columns, name, &record::RawColumn::name);
    return column != columns.end() && column->field == record::RawField::kText;
  };
  std::vector<bool> texts;
  for (const std::string& name : names) texts.push_back(is_text(name));
  base::JsonWriter json;
  json.begin_object().field("schema", 1).field("experiment", data.head.experiment);
  json.key("observations").begin_array();
  for (std::size_t i = 1; i < rows.size(); ++i) {
    json.begin_object();
    for (std::size_t column = 0; column < names.size(); ++column) {
      const std::string& field = rows[i].fields[column];
      json.key(names[column]);
      if (texts[column]) {
        json.value(field);
      } else if (field.empty()) {
        json.null();
      } else {
        json.raw(field);
      }
    }
    json.end_object();
  }
  json.end_array().end_object();
  return json.text() + "\n";
}

}  // namespace invar::report
