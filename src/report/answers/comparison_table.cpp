#include <algorithm>

#include "analysis/study/times.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "report/answers/comparison.hpp"
#include "report/kit/cell_columns.hpp"
#include "report/kit/numbers.hpp"
#include "report/kit/text_table.hpp"

namespace invar::report {
namespace {

using analysis::ComparedCell;
using analysis::Comparison;

std::vector<record::Factor> varying_factors_of(const Comparison& comparison) {
  std::vector<record::Cell> cells;
  for (const ComparedCell& row : comparison.cells) cells.push_back(row.cell);
  return varying_factors(cells);
}

std::vector<std::string> cell_fields(const ComparedCell& row,
                                     const std::vector<record::Factor>& varying) {
  std::vector<std::string> fields{row.cell.operation,
                                  row.cell.size_bytes ? base::size_text(*row.cell.size_bytes) : ""};
  for (const record::Factor& factor : varying) fields.push_back(factor.text(row.cell));
  fields.push_back(row.regime.value_or(""));
  return fields;
}

void add_cell_columns(TextTable& table, const Comparison& comparison,
                      const std::vector<record::Factor>& varying) {
  table.add_column("operation", Align::kLeft);
  // A header alone must not make a column of barriers.
  const bool sized = std::ranges::any_of(
      comparison.cells, [](const ComparedCell& row) { return row.cell.size_bytes.has_value(); });
  table.add_column(sized ? "size" : "", Align::kLeft);
  for (const record::Factor& factor : varying) {
    table.add_column(std::string(factor.name), Align::kLeft);
  }
  const bool regimes = std::ranges::any_of(
      comparison.cells, [](const ComparedCell& row) { return row.regime.has_value(); });
  table.add_column(regimes ? "regime" : "", Align::kLeft);
}

void append_time(std::vector<std::string>& fields,
                 const std::optional<analysis::TimeEstimate>& time) {
  append(fields, time ? time_text(*time) : EstimateText{});
}

void append_ratio(std::vector<std::string>& fields, const ComparedCell& row) {
  append(fields, row.ratio ? ratio_text(*row.ratio, row.ratio_interval) : EstimateText{});
}

std::string p_field(const Comparison& comparison, const ComparedCell& row) {
  if (comparison.method == analysis::Method::kReprompi) {
    if (!row.p) return "";
    const std::string stars = asterisks_text(*row.p);
    return p_text(*row.p) + (stars.empty() ? "" : " " + stars);
  }
  return row.p_adjusted ? p_text(*row.p_adjusted) : "";
}

// Without any p the column takes no room.
std::string p_header(const Comparison& comparison) {
  const bool any = std::ranges::any_of(comparison.cells,
                                       [](const ComparedCell& row) { return row.p.has_value(); });
  return any ? "p" : "";
}

// In a sequential campaign: after how many launch groups a cell was decided, or is not.
std::string launches_header(const Comparison& comparison) {
  return comparison.sequential ? "groups" : "";
}

std::string launches_field(const Comparison& comparison, const ComparedCell& row) {
  return comparison.sequential ? std::to_string(row.launches) : "";
}

// All rows compare the same two arms: a column for the times of each.
std::string table_of_pair(const Comparison& comparison) {
  const std::vector<record::Factor> varying = varying_factors_of(comparison);
  const ComparedCell& first = comparison.cells.front();
  TextTable table;
  add_cell_columns(table, comparison, varying);
  for (const std::string& header : {first.arm_a, first.arm_b, first.arm_b + "/" + first.arm_a}) {
    table.add_column(header, Align::kRight);
    table.add_column("", Align::kLeft, true);
  }
  table.add_column(p_header(comparison), Align::kLeft);
  table.add_column(launches_header(comparison), Align::kRight);
  table.add_column("verdict", Align::kLeft);
  for (const ComparedCell& row : comparison.cells) {
    std::vector<std::string> fields = cell_fields(row, varying);
    append_time(fields, row.time_a);
    append_time(fields, row.time_b);
    append_ratio(fields, row);
    fields.push_back(p_field(comparison, row));
    fields.push_back(launches_field(comparison, row));
    fields.push_back(verdict_text(row));
    table.add_row(std::move(fields));
  }
  return table.text();
}

bool same_place(const ComparedCell& a, const ComparedCell& b) {
  return a.cell.same_levels(b.cell) && a.regime == b.regime && a.arm_a == b.arm_a;
}

// Several pairs: a line for each reference, and below it a line for every arm compared with it.
std::string table_of_pairs(const Comparison& comparison) {
  const std::vector<record::Factor> varying = varying_factors_of(comparison);
  TextTable table;
  add_cell_columns(table, comparison, varying);
  table.add_column("arm", Align::kLeft);
  table.add_column("time", Align::kRight);
  table.add_column("", Align::kLeft, true);
  table.add_column("ratio", Align::kRight);
  table.add_column("", Align::kLeft, true);
  table.add_column(p_header(comparison), Align::kLeft);
  table.add_column(launches_header(comparison), Align::kRight);
  table.add_column("verdict", Align::kLeft);
  const ComparedCell* before = nullptr;
  for (const ComparedCell& row : comparison.cells) {
    if (before == nullptr || !same_place(*before, row)) {
      std::vector<std::string> reference = cell_fields(row, varying);
      reference.push_back(row.arm_a);
      append_time(reference, row.time_a);
      reference.emplace_back("1");
      table.add_row(std::move(reference));
    }
    before = &row;
    std::vector<std::string> fields = cell_fields(row, varying);
    fields.push_back(row.arm_b);
    append_time(fields, row.time_b);
    append_ratio(fields, row);
    fields.push_back(p_field(comparison, row));
    fields.push_back(launches_field(comparison, row));
    fields.push_back(verdict_text(row));
    table.add_row(std::move(fields));
  }
  return table.text();
}

bool one_pair(const Comparison& comparison) {
  return std::ranges::all_of(comparison.cells, [&](const ComparedCell& row) {
    return row.arm_a == comparison.cells.front().arm_a &&
           row.arm_b == comparison.cells.front().arm_b;
  });
}

std::string correction_words(const Comparison& comparison) {
  if (comparison.correction == stats::Correction::kNone || comparison.comparisons == 0) {
    return "not corrected";
  }
  std::string words = "corrected for " + analysis::count_text(comparison.comparisons, "comparison");
  if (comparison.correction == stats::Correction::kHolm) words += " (Holm)";
  return words;
}

std::string reading(const Comparison& comparison) {
  const std::string level = analysis::percent_text(1 - comparison.alpha);
  const bool by_turns = comparison.pairing == analysis::Pairing::kTurns;
  std::string text = "times: ";
  if (comparison.method == analysis::Method::kReported) {
    const design::Preset* preset = design::find_preset(comparison.preset);
    return text + "what " + comparison.preset + " would report" +
           (preset == nullptr ? "" : " (" + std::string(preset->reports) + ")") +
           ", median over launches; ratios: of these; no interval and no test: the suite has none";
  }
  if (comparison.method == analysis::Method::kReprompi) {
    const bool filtered = comparison.preset != "pgmpi";
    return text + "median over launches" + (filtered ? " after Tukey's filter" : "") +
           ", local run-time, " + level +
           "; p: Wilcoxon's rank-sum test over launches, not corrected, * .05 ** .01 *** .001";
  }
  std::vector<std::uint64_t> launches;
  launches.reserve(comparison.cells.size());
  for (const ComparedCell& row : comparison.cells) launches.push_back(row.launches);
  text += std::string(comparison.global_runtime ? "global" : "local") + ", " +
          analysis::estimate_name(launches) + " over " + (by_turns ? "groups" : "launches") + ", " +
          level + "; ratios: ";
  if (by_turns) {
    text += "paired by turns";
  } else if (comparison.pairing == analysis::Pairing::kLaunches) {
    text += "paired by adjacent launches";
  } else {
    text += "unpaired over launches (Welch)";
  }
  const bool one = std::ranges::all_of(comparison.cells, &ComparedCell::this_launch_only);
  if (!comparison.looks.empty()) {
    return text + ", " + correction_words(comparison) +
           " at every look; p and interval of a decided cell are those of the look that decided, "
           "after so many groups, at its share of alpha";
  }
  return text + ", " + (one ? "this launch only" : correction_words(comparison));
}

// What the machine's regimes were, if there is something to say about them.
std::string regimes_line(const Comparison& comparison) {
  const analysis::Regimes& regimes = comparison.regimes;
  if (!regimes.why_none.empty()) return "regimes: not split, " + regimes.why_none;
  if (regimes.found.size() < 2) return {};
  std::string text = "regimes of the machine: ";
  for (std::size_t i = 0; i < regimes.found.size(); ++i) {
    const analysis::Regime& regime = regimes.found[i];
    text += (i > 0 ? ", " : "") + regime.name + " (";
    if (regime.campaign_shares.empty()) {
      text += analysis::percent_text(regime.share) + " of visits)";
      continue;
    }
    text += analysis::percent_text(regime.campaign_shares[0]) + " of visits in " +
            comparison.campaigns[0] + ", " + analysis::percent_text(regime.campaign_shares[1]) +
            " in " + comparison.campaigns[1] + ")";
  }
  return text;
}

// Where the data lie, and the commands that go on with them or repeat it all, and that draw them.
std::string data_line(const Comparison& comparison) {
  if (comparison.dirs.empty()) return {};
  std::string dirs;
  for (const auto& dir : comparison.dirs) {
    dirs += " " + printable(base::shell_quoted(dir.string()));
  }
  std::string text = "  data:" + dirs;
  if (comparison.dirs.size() == 1) {
    const std::string dir = comparison.dirs.front().string();
    const std::string resume = "invar run --resume -o " + base::shell_quoted(dir);
    text += "   ";
    text += analysis::status_of(comparison.health) != base::Exit::kDone
                ? "go on: " + printable(resume)
                : "again: " + printable("invar run " + base::shell_quoted(dir + "/campaign.toml") +
                                        " -o " + base::shell_quoted(dir + "-again"));
  }
  return text + "   page: invar report" + dirs + "\n";
}

}  // namespace

std::string comparison_table(const Comparison& comparison) {
  // One line, however long: the first line is the answer, also for grep.
  std::string text = printable(comparison.sentence) + "\n\n";
  if (!comparison.cells.empty()) {
    text += one_pair(comparison) ? table_of_pair(comparison) : table_of_pairs(comparison);
    text += "\n" + wrapped("  ", reading(comparison));
    const std::string regimes = regimes_line(comparison);
    if (!regimes.empty()) text += wrapped("  ", regimes);
  }
  for (const std::string& warning : comparison.warnings) text += wrapped("  look at: ", warning);
  return text + data_line(comparison);
}

}  // namespace invar::report
