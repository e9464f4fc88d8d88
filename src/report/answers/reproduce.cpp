#include "report/answers/reproduce.hpp"

#include <algorithm>

#include "analysis/words/words.hpp"
#include "base/csv.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "report/kit/cell_columns.hpp"
#include "report/kit/numbers.hpp"
#include "report/kit/text_table.hpp"
#include "stats/describe/quantile.hpp"

namespace invar::report {
namespace {

using analysis::percent_text;
using analysis::Reproduced;
using analysis::ReproducedCell;
using analysis::ReproducedMethod;
using analysis::Spread;
using analysis::SpreadSummary;
using analysis::Taken;

const char* taken_text(Taken taken) {
  switch (taken) {
    case Taken::kAnswer:
      return "answer";
    case Taken::kOneRun:
      return "one run";
    case Taken::kSameTime:
      break;
  }
  return "same time";
}

// Median, worst, and the cell and arm that it is of.
std::vector<std::string> summary_fields(const Reproduced& result, const ReproducedMethod& method,
                                        const std::optional<SpreadSummary>& summary) {
  if (!summary) return {"-", "-", ""};
  const ReproducedCell& worst = method.cells[summary->worst_cell];
  const record::CellTexts text(result.cells);
  return {percent_text(summary->median), percent_text(summary->worst),
          text(result.cells[worst.cell]) + ", " + result.arms[worst.arm].label};
}

std::string times_table(const Reproduced& result) {
  TextTable table;
  table.add_column("times", Align::kLeft);
  table.add_column("number", Align::kLeft);
  for (const char* header : {"machine time", "median", "worst"}) {
    table.add_column(header, Align::kRight);
  }
  table.add_column("of", Align::kLeft);
  for (const ReproducedMethod& method : result.methods) {
    std::vector<double> seconds = method.machine_s;
    std::vector<std::string> fields{
        method.name, taken_text(method.taken),
        method.shares_time ? "(invar's)" : base::span_text(stats::median_in_place(seconds))};
    for (std::string& field : summary_fields(result, method, method.times)) {
      fields.push_back(std::move(field));
    }
    table.add_row(std::move(fields));
  }
  return table.text();
}

std::string ratios_table(const Reproduced& result) {
  TextTable table;
  table.add_column("ratios", Align::kLeft);
  table.add_column("number", Align::kLeft);
  for (const char* header : {"winner changes", "median", "worst"}) {
    table.add_column(header, Align::kRight);
  }
  table.add_column("of", Align::kLeft);
  for (const ReproducedMethod& method : result.methods) {
    std::vector<std::string> fields{
        method.name, taken_text(method.taken),
        std::to_string(method.winners_changed) + " of " + std::to_string(method.comparisons)};
    for (std::string& field : summary_fields(result, method, method.ratios)) {
      fields.push_back(std::move(field));
    }
    table.add_row(std::move(fields));
  }
  return table.text();
}

std::vector<record::Factor> factors_of(const Reproduced& result) {
  return varying_factors(result.cells);
}

// An estimate's least and largest with what lies between.
std::vector<std::string> spread_fields(const std::optional<Spread>& spread, bool time) {
  if (!spread) return {"-", "-", "-"};
  const auto text = [&](double value) {
    return time ? base::duration_text(value) : analysis::ratio_words(value);
  };
  return {text(spread->least), text(spread->largest), percent_text(spread->spread)};
}

std::string cells_table(const Reproduced& result) {
  const std::vector<record::Factor> varying = factors_of(result);
  const bool ratios = result.arms.size() > 1;
  TextTable table;
  table.add_column("operation", Align::kLeft);
  const bool sized = std::ranges::any_of(
      result.cells, [](const record::Cell& cell) { return cell.size_bytes.has_value(); });
  table.add_column(sized ? "size" : "", Align::kLeft);
  for (const record::Factor& factor : varying) table.add_column(factor.name, Align::kLeft);
  for (const char* header : {"arm", "method", "number"}) table.add_column(header, Align::kLeft);
  for (const char* header : {"least", "largest", "spread"}) table.add_column(header, Align::kRight);
  for (const char* header : {"ratio least", "largest", "spread"}) {
    table.add_column(ratios ? header : "", Align::kRight);
  }
  for (std::size_t i = 0; i < result.methods.front().cells.size(); ++i) {
    for (const ReproducedMethod& method : result.methods) {
      const ReproducedCell& row = method.cells[i];
      const record::Cell& cell = result.cells[row.cell];
      std::vector<std::string> fields{cell.operation,
                                      cell.size_bytes ? base::size_text(*cell.size_bytes) : ""};
      for (const record::Factor& factor : varying) fields.push_back(factor.text(cell));
      fields.push_back(result.arms[row.arm].label);
      fields.push_back(method.name);
      fields.emplace_back(taken_text(method.taken));
      for (std::string& field : spread_fields(row.time, true)) fields.push_back(std::move(field));
      const bool has_ratio = ratios && row.arm > 0;
      for (std::string& field : spread_fields(row.ratio, false)) {
        fields.push_back(has_ratio ? std::move(field) : "");
      }
      table.add_row(std::move(fields));
    }
  }
  return table.text();
}

std::string verdicts_text(const ReproducedMethod& ours, std::size_t repeats) {
  if (!ours.judged) return {};
  return "invar's verdicts: " + std::to_string(ours.decided_alike) + " of " +
         analysis::count_text(*ours.judged, "comparison") + " decided alike in all " +
         std::to_string(repeats) + " repeats, " + std::to_string(ours.opposite_verdicts) +
         " decided to opposite sides";
}

std::string reading(const Reproduced& result) {
  std::string text =
      "(largest - least) / least over " + std::to_string(result.repeats) +
      " repeats, median over arms and cells, and the worst; it grows with the number of repeats: "
      "compare equal ones only; machine time: of one repeat, median";
  const auto has = [&](Taken taken) {
    return std::ranges::any_of(result.methods,
                               [=](const auto& method) { return method.taken == taken; });
  };
  if (has(Taken::kOneRun)) {
    text +=
        "; one run: what a suite's first run reported, as suites are used; same time: the mean "
        "of all its runs in that time";
  }
  if (result.arms.size() > 1) {
    text += "; ratios: to " + result.arms.front().label +
            "; winner changes: its ratio is above 1 in one repeat and below in another, by more "
            "than " +
            percent_text(result.min_effect);
  }
  return text;
}

}  // namespace

std::string reproduce_table(const Reproduced& result, bool cells) {
  std::string text = wrapped("", printable(result.sentence)) + "\n" + times_table(result) + "\n";
  if (result.arms.size() > 1) text += ratios_table(result) + "\n";
  if (cells) text += cells_table(result) + "\n";
  const std::string verdicts = verdicts_text(result.methods.front(), result.repeats);
  if (!verdicts.empty()) text += wrapped("  ", verdicts);
  text += wrapped("  ", printable(reading(result)));
  text += wrapped("  ", printable(result.scope));
  for (const std::string& warning : result.warnings) {
    text += wrapped("  look at: ", printable(warning));
  }
  std::vector<std::string> dirs;
  for (const auto& dir : result.dirs) dirs.push_back(base::shell_quoted(dir.string()));
  return text + "  again: invar reproduce " + printable(base::join(dirs, " ")) +
         (cells ? "" : "   each cell: --cells") + "\n";
}

std::string reproduce_csv(const Reproduced& result) {
  std::string text;
  const std::vector<const record::Factor*> factors = record::written_factors(result.cells);
  for (const record::Factor* factor : factors) text += std::string(factor->name) + ",";
  text +=
      "arm,method,number,repeats,least_ns,largest_ns,spread,ratio_repeats,ratio_least,"
      "ratio_largest,ratio_spread,winner_changed,missing\n";
  for (std::size_t i = 0; i < result.methods.front().cells.size(); ++i) {
    for (const ReproducedMethod& method : result.methods) {
      const ReproducedCell& row = method.cells[i];
      for (const record::Factor* factor : factors) {
        text += base::csv_field(factor->text(result.cells[row.cell])) + ",";
      }
      const auto count = [](const std::vector<std::optional<double>>& values) {
        return std::to_string(
            std::ranges::count_if(values, [](const auto& value) { return value.has_value(); }));
      };
      const auto numbers = [](const std::optional<Spread>& spread) {
        if (!spread) return std::string(",,,");
        return number_field(spread->least) + "," + number_field(spread->largest) + "," +
               number_field(spread->spread) + ",";
      };
      text += base::csv_field(result.arms[row.arm].label) + "," + method.name + "," +
              std::string(analysis::taken_name(method.taken)) + "," + count(row.times_ns) + "," +
              numbers(row.time) + (row.arm == 0 ? "" : count(row.ratios)) + "," +
              numbers(row.ratio) + (row.ratio ? (row.winner_changed ? "yes" : "no") : "") + "," +
              base::csv_field(row.missing) + "\n";
    }
  }
  return text;
}

}  // namespace invar::report
