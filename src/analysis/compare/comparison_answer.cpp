// A comparison as an answer: what is shown of it, how it is read, what machines get.
#include <algorithm>

#include "analysis/compare/compared_table.hpp"
#include "analysis/compare/comparison.hpp"
#include "analysis/machine/machine_tables.hpp"
#include "analysis/study/times.hpp"
#include "analysis/words/numbers.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "design/campaign/presets.hpp"

namespace invar::analysis {
namespace {

bool has_regimes(const Comparison& comparison) {
  return std::ranges::any_of(comparison.cells,
                             [](const ComparedCell& row) { return row.regime.has_value(); });
}

// What p a terminal shows; without any p the column takes no room.
TidyColumn p_column(const Comparison& comparison) {
  const bool uncorrected = comparison.method == Method::kReprompi;
  return {.name = uncorrected ? "p" : "p_adjusted",
          .kind = uncorrected ? Kind::kStarredP : Kind::kP};
}

bool has_p(const Comparison& comparison) {
  return std::ranges::any_of(comparison.cells,
                             [](const ComparedCell& row) { return row.p.has_value(); });
}

// What stands to the right of the times. In a sequential campaign also after how many launch groups
// a cell was decided, or is not.
void show_verdicts(const Comparison& comparison, std::vector<ShownColumn>& shown) {
  if (has_p(comparison)) {
    shown.push_back({.header = "p", .column = p_column(comparison).name});
  }
  if (comparison.sequential) shown.push_back({.header = "groups", .column = "launches"});
  shown.push_back({.header = "verdict", .column = "verdict"});
}

// All rows compare the same two arms: a column for the times of each.
void show_pair(const Comparison& comparison, TidyTable& cells) {
  const ComparedCell& first = comparison.cells.front();
  cells.shown = {{.column = "cell"}};
  if (has_regimes(comparison)) cells.shown.push_back({.header = "regime", .column = "regime"});
  cells.shown.push_back({.header = first.arm_a, .column = "median_a_ns"});
  cells.shown.push_back({.header = first.arm_b, .column = "median_b_ns"});
  cells.shown.push_back({.header = first.arm_b + "/" + first.arm_a, .column = "ratio"});
  show_verdicts(comparison, cells.shown);
}

bool same_place(const ComparedCell& a, const ComparedCell& b) {
  return a.cell.same_levels(b.cell) && a.regime == b.regime && a.arm_a == b.arm_a;
}

// Several pairs: a line for each reference, and below it a line for every arm compared with it.
TidyTable pairs_table(const Comparison& comparison) {
  TidyTable table{
      .columns = {{.name = "cell", .kind = Kind::kCell},
                  {.name = "regime"},
                  {.name = "arm"},
                  {.name = "time_ns", .kind = Kind::kTime, .low = "low_ns", .high = "high_ns"},
                  {.name = "low_ns", .kind = Kind::kTime},
                  {.name = "high_ns", .kind = Kind::kTime},
                  {.name = "ratio", .kind = Kind::kRatio, .low = "ratio_low", .high = "ratio_high"},
                  {.name = "ratio_low", .kind = Kind::kRatio},
                  {.name = "ratio_high", .kind = Kind::kRatio},
                  p_column(comparison),
                  {.name = "launches", .kind = Kind::kCount},
                  {.name = "verdict", .kind = Kind::kVerdict}},
      .shown = {{.column = "cell"}}};
  if (has_regimes(comparison)) table.shown.push_back({.header = "regime", .column = "regime"});
  table.shown.push_back({.header = "arm", .column = "arm"});
  table.shown.push_back({.header = "time", .column = "time_ns"});
  table.shown.push_back({.header = "ratio", .column = "ratio"});
  show_verdicts(comparison, table.shown);
  const ComparedCell* before = nullptr;
  for (const ComparedCell& row : comparison.cells) {
    if (before == nullptr || !same_place(*before, row)) {
      std::vector<Value> reference{row.cell, row.regime, row.arm_a};
      append_time(reference, row.time_a);
      reference.emplace_back("1");
      reference.resize(table.columns.size());
      table.rows.push_back(std::move(reference));
    }
    before = &row;
    std::vector<Value> values{row.cell, row.regime, row.arm_b};
    append_time(values, row.time_b);
    values.emplace_back(row.ratio);
    append_interval(values, row.ratio_interval);
    values.emplace_back(comparison.method == Method::kReprompi ? row.p : row.p_adjusted);
    values.emplace_back(row.launches);
    values.emplace_back(verdict_text(row));
    table.rows.push_back(std::move(values));
  }
  return table;
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
  std::string words = "corrected for " + count_text(comparison.comparisons, "comparison");
  if (comparison.correction == stats::Correction::kHolm) words += " (Holm)";
  return words;
}

std::string reading(const Comparison& comparison) {
  const std::string level = percent_text(1 - comparison.alpha);
  const bool by_turns = comparison.pairing == Pairing::kTurns;
  std::string text = "times: ";
  if (comparison.method == Method::kReported) {
    const design::Preset* preset = design::find_preset(comparison.preset);
    return text + "what " + comparison.preset + " would report" +
           (preset == nullptr ? "" : " (" + std::string(preset->reports) + ")") +
           ", median over launches; ratios: of these; no interval and no test: the suite has none";
  }
  if (comparison.method == Method::kReprompi) {
    const bool filtered = comparison.preset != "pgmpi";
    return text + "median over launches" + (filtered ? " after Tukey's filter" : "") +
           ", local run-time, " + level +
           "; p: Wilcoxon's rank-sum test over launches, not corrected, * .05 ** .01 *** .001";
  }
  std::vector<std::uint64_t> launches;
  launches.reserve(comparison.cells.size());
  for (const ComparedCell& row : comparison.cells) launches.push_back(row.launches);
  text += std::string(comparison.global_runtime ? "global" : "local") + ", " +
          estimate_name(launches) + " over " + (by_turns ? "groups" : "launches") + ", " + level +
          "; ratios: ";
  if (by_turns) {
    text += "paired by turns";
  } else if (comparison.pairing == Pairing::kLaunches) {
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
  const Regimes& regimes = comparison.regimes;
  if (!regimes.why_none.empty()) return "regimes: not split, " + regimes.why_none;
  if (regimes.found.size() < 2) return {};
  std::string text = "regimes of the machine: ";
  for (std::size_t i = 0; i < regimes.found.size(); ++i) {
    const Regime& regime = regimes.found[i];
    text += (i > 0 ? ", " : "") + regime.name + " (";
    if (regime.campaign_shares.empty()) {
      text += percent_text(regime.share) + " of visits)";
      continue;
    }
    text += percent_text(regime.campaign_shares[0]) + " of visits in " + comparison.campaigns[0] +
            ", " + percent_text(regime.campaign_shares[1]) + " in " + comparison.campaigns[1] + ")";
  }
  return text;
}

// Where the data lie, and the commands that go on with them or repeat it all, and that draw them.
std::vector<Remark> next_steps(const Comparison& comparison) {
  if (comparison.dirs.empty()) return {};
  std::vector<std::string> quoted;
  for (const auto& dir : comparison.dirs) quoted.push_back(base::shell_quoted(dir.string()));
  const std::string dirs = base::join(quoted, " ");
  std::vector<Remark> next{{"data", dirs}};
  if (comparison.dirs.size() == 1) {
    const std::string dir = comparison.dirs.front().string();
    if (status_of(comparison.health) != base::Exit::kDone) {
      next.push_back({"go on", "invar run --resume -o " + dirs});
    } else {
      next.push_back({"again", "invar run " + base::shell_quoted(dir + "/campaign.toml") + " -o " +
                                   base::shell_quoted(dir + "-again")});
    }
  }
  next.push_back({"page", "invar report " + dirs});
  return next;
}

const char* correction_name(stats::Correction correction) {
  switch (correction) {
    case stats::Correction::kBenjaminiHochberg:
      return "bh";
    case stats::Correction::kHolm:
      return "holm";
    case stats::Correction::kNone:
      break;
  }
  return "none";
}

TidyTable cells_table(const Comparison& comparison) {
  TidyTable table{.id = "cells", .columns = compared_columns()};
  if (comparison.method == Method::kReprompi) {
    table.columns.at(column_index(table, "p")).kind = Kind::kStarredP;
  }
  for (const ComparedCell& row : comparison.cells) table.rows.push_back(compared_values(row));
  return table;
}

TidyTable looks_table(const Comparison& comparison) {
  TidyTable table{.id = "looks",
                  .columns = {{.name = "look", .kind = Kind::kCount},
                              {.name = "launches", .kind = Kind::kCount},
                              {.name = "alpha", .kind = Kind::kNumber},
                              {.name = "decided", .kind = Kind::kCount}}};
  for (const LookReport& look : comparison.looks) {
    table.rows.push_back({look.look, look.launches, look.alpha, look.decided});
  }
  return table;
}

TidyTable best_table(const Comparison& comparison) {
  TidyTable table{.id = "best",
                  .columns = {{.name = "cell", .kind = Kind::kCell}, {.name = "arms"}}};
  for (const BestArms& best : comparison.best) {
    table.rows.push_back({best.cell, List(best.arms.begin(), best.arms.end())});
  }
  return table;
}

TidyTable diagnosis_table(const Comparison& comparison) {
  TidyTable table{.id = "diagnosis",
                  .columns = {{.name = "cell", .kind = Kind::kCell},
                              {.name = "arm"},
                              {.name = "visits", .kind = Kind::kCount},
                              {.name = "tested_visits", .kind = Kind::kCount},
                              {.name = "bimodal_visits", .kind = Kind::kCount},
                              {.name = "effective_share", .kind = Kind::kShare},
                              {.name = "normal_means_from", .kind = Kind::kCount},
                              {.name = "means_w", .kind = Kind::kNumber}}};
  for (const CellDiagnosis& one : comparison.diagnosis) {
    table.rows.push_back({one.cell, one.arm, one.visits, one.tested_visits, one.bimodal_visits,
                          one.effective_share, one.normal_means_from, one.means_w});
  }
  return table;
}

}  // namespace

Answer answer_of(const Comparison& comparison) {
  Answer answer{.question = "compare",
                .sentence = comparison.sentence,
                .detail = comparison.detail,
                .scope = comparison.scope,
                .facts = {{"method", comparison.preset.empty() ? "invar" : comparison.preset},
                          {"runtime", comparison.global_runtime ? "global" : "local"},
                          {"alpha", comparison.alpha},
                          {"min_effect", comparison.min_effect},
                          {"correction", correction_name(comparison.correction)},
                          {"arms", arms_value(comparison.arms)}},
                .warnings = comparison.warnings,
                .health = comparison.health,
                .next = next_steps(comparison)};
  answer.tables.push_back(cells_table(comparison));
  if (!comparison.cells.empty()) {
    if (one_pair(comparison)) {
      show_pair(comparison, answer.tables.front());
    } else {
      answer.tables.push_back(pairs_table(comparison));
    }
    answer.notes.push_back(reading(comparison));
    const std::string regimes = regimes_line(comparison);
    if (!regimes.empty()) answer.notes.push_back(regimes);
  }
  if (comparison.sequential) answer.tables.push_back(looks_table(comparison));
  if (comparison.arms.size() > 2) answer.tables.push_back(best_table(comparison));
  answer.tables.push_back(regimes_table(comparison.regimes));
  answer.tables.push_back(perturbations_table(comparison.perturbations));
  answer.tables.push_back(diagnosis_table(comparison));
  return answer;
}

}  // namespace invar::analysis
