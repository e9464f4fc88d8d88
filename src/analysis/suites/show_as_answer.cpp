// What other suites would report, as an answer.
#include <algorithm>

#include "analysis/suites/show_as.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "record/scheme.hpp"

namespace invar::analysis {
namespace {

// "(31 %)": (largest - least) / least over launches; "(31 %, again)" where the suite measured the
// point again in some of them.
Value spread_value(const SuiteReport& report) {
  if (report.numbers.empty()) return {};
  const SuiteNumber& headline = report.numbers.front();
  const std::string again = report.again > 0 ? "again" : "";
  if (report.launches < 2 || !(headline.low_ns > 0)) {
    return again.empty() ? Value() : Value("(" + again + ")");
  }
  return "(" + percent_text((headline.high_ns - headline.low_ns) / headline.low_ns) +
         (again.empty() ? "" : ", " + again) + ")";
}

// The suite prints a rate of some row instead of its time.
bool prints_rates(const ShownAs& shown, std::size_t suite) {
  return std::ranges::any_of(
      shown.rows, [&](const SuiteRow& row) { return row.suites[suite].call_bytes.has_value(); });
}
bool any_prints_rates(const ShownAs& shown) {
  for (std::size_t i = 0; i < shown.suites.size(); ++i) {
    if (prints_rates(shown, i)) return true;
  }
  return false;
}

bool any_again(const ShownAs& shown) {
  return std::ranges::any_of(shown.rows, [](const SuiteRow& row) {
    return std::ranges::any_of(row.suites,
                               [](const SuiteReport& report) { return report.again > 0; });
  });
}

// Ours and every suite's headline side by side.
TidyTable shown_table(const ShownAs& shown) {
  TidyTable table{.columns = {{.name = "cell", .kind = Kind::kCell},
                              {.name = "arm"},
                              {.name = "invar_ns", .kind = Kind::kTime}},
                  .shown = {{.column = "cell"},
                            {.header = "arm", .column = "arm"},
                            {.header = "invar", .column = "invar_ns", .absent = "-"}}};
  for (std::size_t i = 0; i < shown.suites.size(); ++i) {
    const std::string name(shown.suites[i]->name);
    table.columns.push_back({.name = name + "_ns", .kind = Kind::kTime});
    table.columns.push_back({.name = name + "_spread"});
    table.shown.push_back({.header = name, .column = name + "_ns", .absent = "-"});
    table.shown.push_back({.column = name + "_spread", .glued = true});
    if (!prints_rates(shown, i)) continue;
    table.columns.push_back({.name = name + "_mb_per_s", .kind = Kind::kNumber});
    table.shown.push_back({.header = name + " MB/s", .column = name + "_mb_per_s", .absent = "-"});
  }
  for (const SuiteRow& row : shown.rows) {
    std::vector<Value> values{row.cell, row.arm};
    values.push_back(row.own ? Value(row.own->median_ns) : Value());
    for (std::size_t i = 0; i < row.suites.size(); ++i) {
      const SuiteReport& suite = row.suites[i];
      values.push_back(suite.numbers.empty() ? Value() : Value(suite.numbers.front().median_ns));
      values.push_back(spread_value(suite));
      if (!prints_rates(shown, i)) continue;
      values.push_back(suite.numbers.empty()
                           ? Value()
                           : Value(megabytes_per_s(suite, suite.numbers.front().median_ns)));
    }
    table.rows.push_back(std::move(values));
  }
  return table;
}

// A row a number of a suite, or one that says why there is none.
TidyTable numbers_table(const ShownAs& shown) {
  TidyTable table{.id = "numbers",
                  .columns = {{.name = "cell", .kind = Kind::kCell},
                              {.name = "arm"},
                              {.name = "suite"},
                              {.name = "number"},
                              {.name = "headline", .kind = Kind::kYesNo},
                              {.name = "median_ns", .kind = Kind::kTime},
                              {.name = "low_ns", .kind = Kind::kTime},
                              {.name = "high_ns", .kind = Kind::kTime},
                              {.name = "launches", .kind = Kind::kCount},
                              {.name = "calls", .kind = Kind::kNumber},
                              {.name = "missing"}},
                  .in_json = false};
  const bool rates = any_prints_rates(shown);
  const bool again = any_again(shown);
  if (rates) table.columns.push_back({.name = "mb_per_s", .kind = Kind::kNumber});
  if (again) table.columns.push_back({.name = "launches_again", .kind = Kind::kCount});
  const std::size_t missing = column_index(table, "missing");
  for (const SuiteRow& row : shown.rows) {
    for (std::size_t i = 0; i < row.suites.size(); ++i) {
      const SuiteReport& suite = row.suites[i];
      const std::vector<Value> start{row.cell, row.arm, shown.suites[i]->name};
      if (suite.numbers.empty()) {
        std::vector<Value> values = start;
        values.resize(table.columns.size());
        values[missing] = suite.missing;
        table.rows.push_back(std::move(values));
      }
      for (const SuiteNumber& number : suite.numbers) {
        std::vector<Value> values = start;
        for (const Value& value : std::vector<Value>{
                 number.name, &number == suite.numbers.data(), number.median_ns, number.low_ns,
                 number.high_ns, suite.launches, suite.calls, std::nullopt}) {
          values.push_back(value);
        }
        if (rates) values.push_back(megabytes_per_s(suite, number.median_ns));
        if (again) values.push_back(suite.again);
        table.rows.push_back(std::move(values));
      }
    }
  }
  return table;
}

// For machines: every row with all that every suite says of it.
Value row_value(const ShownAs& shown, const SuiteRow& row) {
  List reports;
  for (std::size_t i = 0; i < row.suites.size(); ++i) {
    const SuiteReport& suite = row.suites[i];
    List numbers;
    for (const SuiteNumber& number : suite.numbers) {
      Record one{{"name", number.name},
                 {"median_ns", number.median_ns},
                 {"low_ns", number.low_ns},
                 {"high_ns", number.high_ns}};
      if (const auto rate = megabytes_per_s(suite, number.median_ns)) {
        one.push_back({"mb_per_s", *rate});
      }
      numbers.emplace_back(std::move(one));
    }
    Record report{{"suite", shown.suites[i]->name},
                  {"missing", suite.missing.empty() ? Value() : Value(suite.missing)},
                  {"launches", suite.launches},
                  {"calls", suite.numbers.empty() ? Value() : Value(suite.calls)},
                  {"numbers", std::move(numbers)}};
    // Only benchmarks of messages have names that an operation does not say.
    if (suite.benchmark != nullptr) {
      report.push_back({"benchmark", suite.benchmark->benchmark});
      report.push_back({"launches_again", suite.again});
    }
    reports.emplace_back(std::move(report));
  }
  return Record{{"", row.cell},
                {"arm", row.arm},
                {"invar_ns", row.own ? Value(row.own->median_ns) : Value()},
                {"reports", std::move(reports)}};
}

Value suite_value(const design::Preset& suite) {
  return Record{{"name", suite.name},
                {"suite", suite.suite},
                {"reports", suite.reports},
                {"scheme", suite.scheme.empty() ? record::kOwnScheme : suite.scheme}};
}

// "osu: OSU 7.5, mean over ranks of each rank's mean; imb: ..."
std::string legend(const ShownAs& shown) {
  std::string text;
  for (const design::Preset* suite : shown.suites) {
    text += (text.empty() ? "" : "; ") + std::string(suite->name) + ": " +
            std::string(suite->suite) + ", " + design::reports_words(*suite, shown.operations);
  }
  return text;
}

std::string reading(const ShownAs& shown) {
  std::string text =
      "median over launches, each as one run of the suite; in brackets how far single launches are "
      "apart, (largest - least) / least; invar: " +
      runtime_words(shown.global_runtime, shown.local_cells);
  if (shown.repetitions > 0) {
    text += "; " + std::to_string(shown.repetitions) +
            " repetitions a visit, as in the campaign, where suites take their own number";
  }
  const bool half = std::ranges::any_of(shown.rows, [](const SuiteRow& row) {
    return std::ranges::any_of(row.suites, [](const SuiteReport& report) {
      return report.benchmark != nullptr && !report.numbers.empty() &&
             report.benchmark->printed == design::Printed::kHalfTime;
    });
  });
  if (half) text += "; of messages that go both ways suites print half of what a call takes";
  if (any_prints_rates(shown)) {
    text += "; MB/s: 10^6 bytes a second, what the suite prints in the place of the time beside it";
  }
  if (any_again(shown)) {
    text +=
        "; again: the point lay 10 % above the line through its neighbours, and was measured "
        "up to 4 times more";
  }
  return text;
}

}  // namespace

Answer answer_of(const ShownAs& shown) {
  Answer answer{.question = "show-as",
                .sentence = shown.sentence,
                .scope = shown.scope,
                .tables = {shown_table(shown), numbers_table(shown)},
                .notes = {reading(shown), legend(shown)},
                .warnings = shown.warnings,
                .health = shown.health,
                .next = {{"data", base::shell_quoted(shown.dir.string())}}};
  List suites;
  for (const design::Preset* suite : shown.suites) suites.push_back(suite_value(*suite));
  List rows;
  for (const SuiteRow& row : shown.rows) rows.push_back(row_value(shown, row));
  answer.facts = {{"repetitions", shown.repetitions},
                  {"suites", std::move(suites)},
                  {"rows", std::move(rows)},
                  {"reasons", List(shown.reasons.begin(), shown.reasons.end())}};
  for (const std::string& reason : shown.reasons) answer.remarks.push_back({"why", reason});
  return answer;
}

}  // namespace invar::analysis
