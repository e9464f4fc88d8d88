#include "report/answers/show_as.hpp"

#include <algorithm>

#include "analysis/words/words.hpp"
#include "base/csv.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "report/kit/cell_columns.hpp"
#include "report/kit/cell_json.hpp"
#include "report/kit/numbers.hpp"
#include "report/kit/text_table.hpp"

namespace invar::report {
namespace {

using analysis::ShownAs;
using analysis::SuiteNumber;
using analysis::SuiteReport;
using analysis::SuiteRow;

// "(31 %)": (largest - least) / least over launches.
std::string spread_text(const SuiteReport& report) {
  const SuiteNumber& headline = report.numbers.front();
  if (report.launches < 2 || !(headline.low_ns > 0)) return "";
  return "(" + analysis::percent_text((headline.high_ns - headline.low_ns) / headline.low_ns) + ")";
}

std::vector<record::Factor> factors_of(const ShownAs& shown) {
  std::vector<record::Cell> cells;
  cells.reserve(shown.rows.size());
  for (const SuiteRow& row : shown.rows) cells.push_back(row.cell);
  return varying_factors(cells);
}

// "osu: OSU 7.5, mean over ranks of each rank's mean; imb: ..."
std::string legend(const ShownAs& shown) {
  std::string text;
  for (const design::Preset* suite : shown.suites) {
    text += (text.empty() ? "" : "; ") + std::string(suite->name) + ": " +
            std::string(suite->suite) + ", " + std::string(suite->reports);
  }
  return text;
}

std::string reading(const ShownAs& shown) {
  std::string text =
      "median over launches, each as one run of the suite; in brackets how far single launches are "
      "apart, (largest - least) / least; invar: " +
      std::string(shown.global_runtime ? "global" : "local") + " run-time";
  if (shown.repetitions > 0) {
    text += "; " + std::to_string(shown.repetitions) +
            " repetitions a visit, as in the campaign, where suites take their own number";
  }
  return text;
}

}  // namespace

std::string show_as_table(const ShownAs& shown) {
  const std::vector<record::Factor> varying = factors_of(shown);
  TextTable table;
  table.add_column("operation", Align::kLeft);
  // A header alone must not make a column of barriers.
  const bool sized = std::ranges::any_of(
      shown.rows, [](const SuiteRow& row) { return row.cell.size_bytes.has_value(); });
  table.add_column(sized ? "size" : "", Align::kLeft);
  for (const record::Factor& factor : varying) table.add_column(factor.name, Align::kLeft);
  table.add_column("arm", Align::kLeft);
  table.add_column("invar", Align::kRight);
  for (const design::Preset* suite : shown.suites) {
    table.add_column(suite->name, Align::kRight);
    table.add_column("", Align::kLeft, true);
  }
  for (const SuiteRow& row : shown.rows) {
    std::vector<std::string> fields{
        row.cell.operation, row.cell.size_bytes ? base::size_text(*row.cell.size_bytes) : ""};
    for (const record::Factor& factor : varying) fields.push_back(factor.text(row.cell));
    fields.push_back(row.arm);
    fields.push_back(row.own ? base::duration_text(row.own->median_ns) : "-");
    for (const SuiteReport& suite : row.suites) {
      const bool none = suite.numbers.empty();
      fields.push_back(none ? "-" : base::duration_text(suite.numbers.front().median_ns));
      fields.push_back(none ? "" : spread_text(suite));
    }
    table.add_row(std::move(fields));
  }
  std::string text = printable(shown.sentence) + "\n\n" + table.text() + "\n";
  text += wrapped("  ", reading(shown)) + wrapped("  ", legend(shown));
  for (const std::string& reason : shown.reasons) text += wrapped("  why: ", printable(reason));
  for (const std::string& warning : shown.warnings) {
    text += wrapped("  look at: ", printable(warning));
  }
  return text + "  data: " + printable(base::shell_quoted(shown.dir.string())) + "\n";
}

std::string show_as_csv(const ShownAs& shown) {
  std::string text;
  std::vector<record::Cell> cells;
  for (const SuiteRow& row : shown.rows) cells.push_back(row.cell);
  const std::vector<const record::Factor*> factors = record::written_factors(cells);
  for (const record::Factor* factor : factors) text += std::string(factor->name) + ",";
  text += "arm,suite,number,headline,median_ns,low_ns,high_ns,launches,calls,missing\n";
  for (const SuiteRow& row : shown.rows) {
    std::string levels;
    for (const record::Factor* factor : factors) {
      levels += base::csv_field(factor->text(row.cell)) + ",";
    }
    levels += base::csv_field(row.arm) + ",";
    for (std::size_t i = 0; i < row.suites.size(); ++i) {
      const SuiteReport& suite = row.suites[i];
      const std::string start = levels + std::string(shown.suites[i]->name) + ",";
      if (suite.numbers.empty()) {
        text += start + ",,,,,,," + base::csv_field(suite.missing) + "\n";
      }
      for (const SuiteNumber& number : suite.numbers) {
        text += start + number.name + "," + (&number == suite.numbers.data() ? "yes" : "no") + "," +
                number_field(number.median_ns) + "," + number_field(number.low_ns) + "," +
                number_field(number.high_ns) + "," + std::to_string(suite.launches) + "," +
                number_field(suite.calls) + ",\n";
      }
    }
  }
  return text;
}

std::string show_as_json(const ShownAs& shown) {
  base::JsonWriter json;
  json.begin_object()
      .field("schema", 1)
      .field("sentence", shown.sentence)
      .field("scope", shown.scope)
      .field("repetitions", shown.repetitions)
      .key("suites")
      .begin_array();
  for (const design::Preset* suite : shown.suites) {
    json.begin_object()
        .field("name", suite->name)
        .field("suite", suite->suite)
        .field("reports", suite->reports)
        .key("scheme");
    if (suite->scheme.empty()) {
      json.value(record::kOwnScheme);
    } else {
      json.value(suite->scheme);
    }
    json.end_object();
  }
  json.end_array().key("rows").begin_array();
  for (const SuiteRow& row : shown.rows) {
    json.begin_object();
    write_levels(json, row.cell);
    json.field("arm", row.arm)
        .field("invar_ns", row.own ? std::optional(row.own->median_ns) : std::nullopt)
        .key("reports")
        .begin_array();
    for (std::size_t i = 0; i < row.suites.size(); ++i) {
      const SuiteReport& suite = row.suites[i];
      json.begin_object().field("suite", shown.suites[i]->name).key("missing");
      if (suite.missing.empty()) {
        json.null();
      } else {
        json.value(suite.missing);
      }
      json.field("launches", suite.launches)
          .field("calls", suite.numbers.empty() ? std::nullopt : std::optional(suite.calls))
          .key("numbers")
          .begin_array();
      for (const SuiteNumber& number : suite.numbers) {
        json.begin_object()
            .field("name", number.name)
            .field("median_ns", number.median_ns)
            .field("low_ns", number.low_ns)
            .field("high_ns", number.high_ns)
            .end_object();
      }
      json.end_array().end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().key("reasons").begin_array();
  for (const std::string& reason : shown.reasons) json.value(reason);
  json.end_array().key("warnings").begin_array();
  for (const std::string& warning : shown.warnings) json.value(warning);
  json.end_array().end_object();
  return json.text() + "\n";
}

}  // namespace invar::report
