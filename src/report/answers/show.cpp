#include "report/answers/show.hpp"

#include "analysis/study/times.hpp"
#include "analysis/words/words.hpp"
#include "base/csv.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "report/kit/machine_json.hpp"
#include "report/kit/numbers.hpp"
#include "report/kit/text_table.hpp"

namespace invar::report {
namespace {

using analysis::Show;
using analysis::ShownGroup;

struct NamedNumber {
  const char* name;
  std::optional<double> value;
};

// In the order of the columns of CSV and the keys of JSON.
std::vector<NamedNumber> numbers_of(const ShownGroup& group) {
  const auto& interval = group.median.interval_ns;
  return {{"median_ns", group.median.median_ns},
          {"low_ns", interval ? std::optional(interval->low) : std::nullopt},
          {"high_ns", interval ? std::optional(interval->high) : std::nullopt},
          {"mean_ns", group.mean_ns},
          {"min_ns", group.min_ns},
          {"q1_ns", group.q1_ns},
          {"q3_ns", group.q3_ns},
          {"p95_ns", group.p95_ns},
          {"p99_ns", group.p99_ns},
          {"sd_log_launches", group.sd_launches},
          {"sd_log_visits", group.sd_visits}};
}

std::string level_text(const std::string& factor, const std::string& level) {
  if (factor != "size_bytes") return level;
  const auto size = base::parse_u64(level);
  return size ? base::size_text(*size) : level;
}

}  // namespace

std::string show_table(const Show& show) {
  TextTable table;
  for (const std::string& factor : show.by) {
    table.add_column(factor == "size_bytes" ? "size" : factor, Align::kLeft);
  }
  table.add_column("launches", Align::kRight);
  table.add_column("obs.", Align::kRight);
  table.add_column("median", Align::kRight);
  table.add_column("", Align::kLeft, true);
  for (const char* header : {"mean", "min", "q1", "q3", "p95", "p99", "sd launches", "sd visits"}) {
    table.add_column(header, Align::kRight);
  }
  for (const ShownGroup& group : show.groups) {
    std::vector<std::string> fields;
    for (const auto& [factor, level] : group.levels) fields.push_back(level_text(factor, level));
    fields.push_back(std::to_string(group.launches));
    fields.push_back(std::to_string(group.observations));
    const EstimateText median = time_text(group.median);
    fields.push_back(median.estimate);
    fields.push_back(median.interval);
    for (const double time :
         {group.mean_ns, group.min_ns, group.q1_ns, group.q3_ns, group.p95_ns, group.p99_ns}) {
      fields.push_back(base::duration_text(time));
    }
    fields.push_back(log_sd_text(group.sd_launches));
    fields.push_back(log_sd_text(group.sd_visits));
    table.add_row(std::move(fields));
  }
  std::string text = printable(show.sentence) + "\n\n" + table.text() + "\n";
  std::vector<std::uint64_t> launches;
  launches.reserve(show.groups.size());
  for (const ShownGroup& group : show.groups) launches.push_back(group.launches);
  const std::string estimate = analysis::estimate_name(launches);
  text += wrapped("  ", std::string("median: ") + (estimate == "median" ? "" : estimate + " ") +
                            "over launches, " + analysis::percent_text(show.confidence) + ", " +
                            (show.global_runtime ? "global" : "local") +
                            " run-time; mean to p99: all observations; sd: of launch medians, of "
                            "visit medians inside a launch");
  for (const std::string& warning : show.warnings) text += wrapped("  look at: ", warning);
  return text + "  data: " + printable(base::shell_quoted(show.dir.string())) + "\n";
}

std::string show_csv(const Show& show) {
  std::string text;
  for (const std::string& factor : show.by) text += base::csv_field(factor) + ",";
  text += "launches,visits,observations";
  if (!show.groups.empty()) {
    for (const NamedNumber& number : numbers_of(show.groups.front())) {
      text += std::string(",") + number.name;
    }
  }
  text += "\n";
  for (const ShownGroup& group : show.groups) {
    for (const auto& [factor, level] : group.levels) text += base::csv_field(level) + ",";
    text += std::to_string(group.launches) + "," + std::to_string(group.visits) + "," +
            std::to_string(group.observations);
    for (const NamedNumber& number : numbers_of(group)) text += "," + number_field(number.value);
    text += "\n";
  }
  return text;
}

std::string show_json(const Show& show) {
  base::JsonWriter json;
  json.begin_object()
      .field("schema", 1)
      .field("sentence", show.sentence)
      .field("scope", show.scope)
      .field("runtime", show.global_runtime ? "global" : "local")
      .key("by")
      .begin_array();
  for (const std::string& factor : show.by) json.value(factor);
  json.end_array().key("groups").begin_array();
  for (const ShownGroup& group : show.groups) {
    json.begin_object();
    for (const auto& [factor, level] : group.levels) {
      json.key(factor);
      const auto number = factor == "arm" ? std::nullopt : base::parse_u64(level);
      if (number) {
        json.value(*number);
      } else if (level.empty()) {
        json.null();
      } else {
        json.value(level);
      }
    }
    json.field("launches", group.launches)
        .field("visits", group.visits)
        .field("observations", group.observations);
    for (const NamedNumber& number : numbers_of(group)) json.field(number.name, number.value);
    json.end_object();
  }
  json.end_array();
  write_machine(json, show.regimes, show.perturbations);
  json.key("warnings").begin_array();
  for (const std::string& warning : show.warnings) json.value(warning);
  json.end_array().end_object();
  return json.text() + "\n";
}

}  // namespace invar::report
