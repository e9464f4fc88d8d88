// A comparison as an answer: what is shown of it, how it is read, what machines get.
#include <algorithm>

#include "analysis/compare/compared_table.hpp"
#include "analysis/compare/compared_times.hpp"
#include "analysis/compare/comparison.hpp"
#include "analysis/compare/reference_regime.hpp"
#include "analysis/compare/several_arms.hpp"
#include "analysis/machine/machine_tables.hpp"
#include "analysis/study/times.hpp"
#include "analysis/suites/launch_test.hpp"
#include "analysis/words/numbers.hpp"
#include "analysis/words/regimes_clause.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "design/campaign/launch_test.hpp"

namespace invar::analysis {
namespace {

bool has_regimes(const Comparison& comparison) {
  return std::ranges::any_of(comparison.cells,
                             [](const ComparedCell& row) { return row.regime.has_value(); });
}

// What p a terminal shows; without any p the column takes no room.
TidyColumn p_column(const Comparison& comparison) {
  const bool uncorrected = comparison.method == Method::kLaunchTest;
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

// Levels that are compared in several arms are named without the arm.
std::string level_of(const ComparedCell& row, const std::string& name) {
  const std::string where = " in " + row.in_arm;
  return !row.in_arm.empty() && name.ends_with(where) ? name.substr(0, name.size() - where.size())
                                                      : name;
}

// The rows with the levels' bare names, and a column that says of which arm they are.
void put_arms_apart(const Comparison& comparison, TidyTable& cells) {
  const std::size_t verdict = column_index(cells, "verdict");
  for (std::size_t i = 0; i < cells.rows.size(); ++i) {
    ComparedCell row = comparison.cells[i];
    row.arm_a = level_of(row, row.arm_a);
    row.arm_b = level_of(row, row.arm_b);
    cells.rows[i].at(verdict) = compared_values(row).at(verdict);
  }
  cells.shown.push_back({.header = "arm", .column = "in_arm"});
}

// Where times are compared with each other they are the sides.
bool shows_times(const Comparison& comparison) {
  return comparison.against != kAgainstTimes && name_times(comparison.cells);
}

// All rows compare the same two sides: a column for the times of each.
void show_pair(const Comparison& comparison, TidyTable& cells) {
  const ComparedCell& first = comparison.cells.front();
  const std::string a = level_of(first, first.arm_a);
  const std::string b = level_of(first, first.arm_b);
  cells.shown = {{.column = "cell"}};
  if (has_regimes(comparison)) cells.shown.push_back({.header = "regime", .column = "regime"});
  if (!comparison.against.empty() && comparison.arms.size() > 1) put_arms_apart(comparison, cells);
  if (shows_times(comparison)) cells.shown.push_back({.header = "time", .column = "time"});
  for (const auto& [name, side] : {std::pair(&a, std::string("a")), {&b, "b"}}) {
    cells.shown.push_back({.header = *name, .column = "median_" + side + "_ns"});
    if (!comparison.has_bandwidth) continue;
    cells.shown.push_back({.header = "GB/s", .column = "bandwidth_" + side + "_gb_s"});
  }
  cells.shown.push_back({.header = b + "/" + a, .column = "ratio"});
  show_verdicts(comparison, cells.shown);
}

bool same_place(const ComparedCell& a, const ComparedCell& b) {
  // A pair that was decided earlier rests on other groups, where the reference took another time.
  const auto reference_text = [](const ComparedCell& row) {
    return row.time_a ? base::duration_text(row.time_a->median_ns) : std::string();
  };
  return a.cell.same_levels(b.cell) && a.regime == b.regime && a.arm_a == b.arm_a &&
         reference_text(a) == reference_text(b);
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
                  {.name = "verdict", .kind = Kind::kVerdict},
                  {.name = "gb_s", .kind = Kind::kBandwidth},
                  {.name = "time"}},
      .shown = {{.column = "cell"}}};
  if (has_regimes(comparison)) table.shown.push_back({.header = "regime", .column = "regime"});
  const bool times = comparison.against == kAgainstTimes;
  table.shown.push_back({.header = times ? "of" : "arm", .column = "arm"});
  if (shows_times(comparison)) table.shown.push_back({.header = "of", .column = "time"});
  table.shown.push_back({.header = "time", .column = "time_ns"});
  if (comparison.has_bandwidth) table.shown.push_back({.header = "GB/s", .column = "gb_s"});
  table.shown.push_back({.header = "ratio", .column = "ratio"});
  show_verdicts(comparison, table.shown);
  const ComparedCell* before = nullptr;
  for (const ComparedCell& row : comparison.cells) {
    if (before == nullptr || !same_place(*before, row)) {
      std::vector<Value> reference{row.cell, row.regime, row.arm_a};
      append_time(reference, row.time_a);
      reference.emplace_back("1");
      reference.resize(table.columns.size());
      reference.back() = row.time_name;
      reference.at(column_index(table, "gb_s")) = moved_gb_s(row.moved_a, row.time_a);
      table.rows.push_back(std::move(reference));
    }
    before = &row;
    std::vector<Value> values{row.cell, row.regime, row.arm_b};
    append_time(values, row.time_b);
    values.emplace_back(row.ratio);
    append_interval(values, row.ratio_interval);
    values.emplace_back(comparison.method == Method::kLaunchTest ? row.p : row.p_adjusted);
    values.emplace_back(row.launches);
    values.emplace_back(verdict_text(row));
    values.emplace_back(moved_gb_s(row.moved_b, row.time_b));
    values.emplace_back(row.time_name_b.value_or(row.time_name));
    table.rows.push_back(std::move(values));
  }
  return table;
}

// A terminal has the rows of the machine's other regimes where they are asked for, and no p where
// the verdict is equivalent: it is of another question, whether there is any difference.
Comparison as_shown(const Comparison& comparison) {
  Comparison shown = comparison;
  for (ComparedCell& row : shown.cells) {
    if (row.verdict == stats::Verdict::kEquivalent) row.p_adjusted.reset();
  }
  if (!comparison.shows_regimes) {
    std::erase_if(shown.cells, [](const ComparedCell& row) { return row.regime.has_value(); });
  }
  return shown;
}

// What differs, then what may, then what does not.
int verdict_weight(const ComparedCell& row) {
  if (!row.verdict || *row.verdict == stats::Verdict::kUndecided) return 1;
  return *row.verdict == stats::Verdict::kEquivalent || *row.verdict == stats::Verdict::kHolds ? 0
                                                                                               : 2;
}

bool one_pair(const Comparison& comparison) {
  const ComparedCell& first = comparison.cells.front();
  return std::ranges::all_of(comparison.cells, [&](const ComparedCell& row) {
    return level_of(row, row.arm_a) == level_of(first, first.arm_a) &&
           level_of(row, row.arm_b) == level_of(first, first.arm_b);
  });
}

// One column an arm, without intervals and p.
bool shows_arms(const Comparison& shown) {
  return !shown.cells.empty() && !one_pair(shown) && !shown.best.empty() && !shown.shows_pairs;
}

std::string correction_words(const Comparison& comparison) {
  if (comparison.correction == stats::Correction::kNone || comparison.comparisons == 0) {
    return "not corrected";
  }
  std::string words = "corrected for " + count_text(comparison.comparisons, "comparison");
  if (comparison.correction == stats::Correction::kHolm) words += " (Holm)";
  return words;
}

// "gate: fails where the ratio is surely above 1.05, ..."
std::string gate_reading(double margin) {
  const std::string bound = number_text(1 + margin);
  return "gate: a cell fails where its ratio is above " + bound +
         " (p, one-sided at alpha / 2), passes where its interval ends below " + bound + "; ";
}

std::string whole_words(const Comparison& comparison) {
  const auto is_program = [](const ComparedArm& arm) { return !arm.program.empty(); };
  const bool printed = std::ranges::any_of(comparison.arms, is_program);
  const bool measured = !printed || !std::ranges::all_of(comparison.arms, is_program);
  return runtime_words(comparison.global_runtime, comparison.local_cells, measured, printed);
}

// Where not all are whole calls, the names of the others as well.
std::string times_words(const Comparison& comparison) {
  std::vector<std::string> words;
  const auto add = [&](const std::string& time) {
    std::string word = time == kWholeName ? whole_words(comparison) : "'" + time + "'";
    if (std::ranges::find(words, word) == words.end()) words.push_back(std::move(word));
  };
  for (const ComparedCell& row : comparison.cells) {
    add(row.time_name);
    if (row.time_name_b) add(*row.time_name_b);
  }
  return list_text(words);
}

std::string reading(const Comparison& comparison) {
  const std::string level = percent_text(1 - comparison.alpha);
  const bool by_turns = comparison.pairing == Pairing::kTurns;
  std::string text = "times: ";
  if (comparison.method == Method::kReported) {
    return text + "what " + comparison.preset + " would report" +
           (comparison.preset_reports.empty() ? "" : " (" + comparison.preset_reports + ")") +
           ", median over launches; ratios: of these; no interval and no test: the suite has none";
  }
  EstimateWords estimates;
  for (const ComparedCell& row : comparison.cells) {
    estimates.add(row.time_a);
    estimates.add(row.time_b);
  }
  if (comparison.method == Method::kLaunchTest) {
    return launch_test_reading(comparison, estimates.text());
  }
  if (comparison.gate) text = gate_reading(*comparison.gate) + text;
  const bool over_sessions = !comparison.sessions.empty();
  text += times_words(comparison) + ", " + estimates.text() + " over " +
          (over_sessions ? "sessions (each the geometric mean of its launches)"
           : by_turns    ? "groups"
                         : "launches") +
          ", " + level + "; ratios: ";
  if (comparison.against == kAgainstTimes) {
    text += "paired inside of every visit";
  } else if (!comparison.against.empty()) {
    text += "paired by rounds inside of a launch";
  } else if (by_turns) {
    text += "paired by turns";
  } else if (comparison.pairing == Pairing::kLaunches) {
    text += "paired by adjacent launches";
  } else {
    text += std::string("unpaired over ") + (over_sessions ? "sessions" : "launches") + " (Welch)";
  }
  const bool one = std::ranges::all_of(comparison.cells, &ComparedCell::this_launch_only);
  if (!comparison.looks.empty()) {
    return text + ", " + correction_words(comparison) +
           " at every look; p and interval of a decided cell are those of the look that decided, "
           "after so many groups, at its share of alpha";
  }
  return text + ", " + (one ? "this launch only" : correction_words(comparison));
}

// An interval of an undecided row may lie beside what is asked for: it is as wide as if that row
// had been the only question. Empty: none does.
std::string undecided_reading(const Comparison& shown) {
  const double bound = 1 + shown.gate.value_or(0);
  const bool happens = std::ranges::any_of(shown.cells, [&](const ComparedCell& row) {
    if (row.verdict != stats::Verdict::kUndecided || !row.ratio_interval || !row.p) return false;
    return row.ratio_interval->low > bound || (!shown.gate && row.ratio_interval->high < bound);
  });
  if (!happens || shown.correction == stats::Correction::kNone || shown.comparisons < 2) return {};
  return "intervals of undecided rows are for that row alone, and may leave out " +
         number_text(bound) + "; p counts all " + count_text(shown.comparisons, "comparison");
}

// "n1,n2,n3 n4,n5,n6", as `compare` takes them.
std::string lists_of_dirs(const Comparison& comparison) {
  std::vector<std::string> lists;
  auto dir = comparison.dirs.begin();
  for (const std::vector<std::string>& side : comparison.sessions) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < side.size(); ++i) names.push_back((dir++)->string());
    lists.push_back(base::shell_quoted(base::join(names, ",")));
  }
  return base::join(lists, " ");
}

// Where the data lie, and the commands that go on with them or repeat it all, and that draw them.
std::vector<Remark> next_steps(const Comparison& comparison) {
  if (comparison.dirs.empty()) return {};
  std::vector<std::string> quoted;
  for (const auto& dir : comparison.dirs) quoted.push_back(base::shell_quoted(dir.string()));
  const std::string dirs = base::join(quoted, " ");
  const std::string sides = comparison.sessions.empty() ? dirs : lists_of_dirs(comparison);
  // Whole commands: those that measure print this answer, too, and have no such options.
  const std::string same = "invar compare " + sides + comparison.asked;
  std::vector<Remark> next;
  if (shows_arms(as_shown(comparison))) {
    next.push_back({"every pair, with intervals and p", same + " --pairs all", true});
  }
  if (has_regimes(comparison) && !comparison.shows_regimes) {
    next.push_back({"other regimes, and everything together", same + " --regimes", true});
  }
  next.push_back({"data", sides});
  if (comparison.dirs.size() == 1) {
    const std::string dir = comparison.dirs.front().string();
    if (status_of(comparison.health) != base::Exit::kDone) {
      next.push_back({"go on", "invar run --resume -o " + dirs});
    } else {
      // A repeat by itself might choose another one.
      const auto& reference = comparison.reference;
      next.push_back({"again", "invar run " + base::shell_quoted(dir + "/campaign.toml") +
                                   (reference && !reference->written
                                        ? " --regime " + base::band_text(reference->band)
                                        : "") +
                                   " -o " + base::shell_quoted(dir + "-again")});
    }
  }
  // No page is of sessions.
  if (comparison.sessions.empty()) next.push_back({"page", "invar report " + dirs});
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

template <typename Of>
void append_column(TidyTable& table, const Comparison& comparison, TidyColumn column, Of of) {
  table.columns.push_back(std::move(column));
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    table.rows[i].push_back(of(comparison.cells[i]));
  }
}

TidyTable cells_table(const Comparison& comparison) {
  TidyTable table{.id = "cells", .columns = compared_columns()};
  if (comparison.method == Method::kLaunchTest) {
    table.columns.at(column_index(table, "p")).kind = Kind::kStarredP;
  }
  for (const ComparedCell& row : comparison.cells) table.rows.push_back(compared_values(row));
  if (comparison.method == Method::kLaunchTest) {
    append_column(table, comparison, {.name = "asterisks"}, [](const ComparedCell& row) {
      return row.p ? Value(asterisks_text(*row.p)) : Value();
    });
  }
  if (comparison.has_bandwidth) {
    append_column(
        table, comparison, {.name = "bandwidth_a_gb_s", .kind = Kind::kBandwidth},
        [](const ComparedCell& row) { return Value(moved_gb_s(row.moved_a, row.time_a)); });
    append_column(
        table, comparison, {.name = "bandwidth_b_gb_s", .kind = Kind::kBandwidth},
        [](const ComparedCell& row) { return Value(moved_gb_s(row.moved_b, row.time_b)); });
  }
  // Two levels, or two times, of one arm.
  if (!comparison.against.empty()) {
    append_column(table, comparison, {.name = "in_arm"},
                  [](const ComparedCell& row) { return Value(row.in_arm); });
  }
  // Only what some row has, so that rows of whole calls by two arms are as they always were.
  if (name_times(comparison.cells)) {
    append_column(table, comparison, {.name = "time"},
                  [](const ComparedCell& row) { return Value(row.time_name); });
    append_column(table, comparison, {.name = "time_b"},
                  [](const ComparedCell& row) { return Value(row.time_name_b); });
  }
  for (const auto& [name, cell] :
       {std::pair("cell_a", &ComparedCell::cell_a), std::pair("cell_b", &ComparedCell::cell_b)}) {
    if (std::ranges::any_of(comparison.cells, [cell = cell](const ComparedCell& row) {
          return (row.*cell).has_value();
        })) {
      append_column(table, comparison, {.name = name, .kind = Kind::kCell},
                    [cell = cell](const ComparedCell& row) { return Value(row.*cell); });
    }
  }
  return table;
}

// Which cell has which level, where levels are compared: rows name the cell of the first one.
TidyTable levels_table(const Comparison& comparison) {
  TidyTable table{.id = "levels",
                  .columns = {{.name = "cell", .kind = Kind::kCell}, {.name = "level"}}};
  std::vector<const record::Cell*> known;
  const auto add = [&](const record::Cell& cell, const std::string& level) {
    const auto same = [&](const record::Cell* other) { return other->same_levels(cell); };
    if (std::ranges::any_of(known, same)) return;
    known.push_back(&cell);
    table.rows.push_back({cell, level});
  };
  for (const ComparedCell& row : comparison.cells) {
    if (row.with_reference) add(row.cell, level_of(row, row.arm_a));
    if (row.cell_a) add(*row.cell_a, level_of(row, row.arm_a));
    if (row.cell_b) add(*row.cell_b, level_of(row, row.arm_b));
  }
  return table;
}

TidyTable looks_table(const Comparison& comparison) {
  TidyTable table{.id = "looks",
                  .columns = {{.name = "look", .kind = Kind::kCount},
                              {.name = "launches", .kind = Kind::kCount},
                              {.name = "alpha", .kind = Kind::kNumber},
                              {.name = "decided", .kind = Kind::kCount},
                              {.name = "questions", .kind = Kind::kCount}}};
  for (const LookReport& look : comparison.looks) {
    table.rows.push_back({look.look, look.launches, look.alpha, look.decided, look.questions});
  }
  return table;
}

TidyTable best_table(const Comparison& comparison) {
  TidyTable table{.id = "best",
                  .columns = {{.name = "cell", .kind = Kind::kCell},
                              {.name = "arms"},
                              {.name = "ahead", .kind = Kind::kRatio}}};
  for (const BestArms& best : comparison.best) {
    table.rows.push_back({best.cell, List(best.arms.begin(), best.arms.end()), best.ahead});
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

std::string method_name(const Comparison& comparison) {
  if (comparison.method == Method::kLaunchTest && comparison.preset.empty()) {
    return std::string(design::launch_test_info(comparison.launch_test).method);
  }
  return comparison.preset.empty() ? "invar" : comparison.preset;
}

std::vector<std::string> sides_of(const Comparison& comparison) {
  std::vector<std::string> sides;
  if (comparison.against.empty()) {
    for (const ComparedArm& arm : comparison.arms) sides.push_back(arm.label);
    return sides;
  }
  for (const ComparedCell& row : comparison.cells) {
    for (const std::string& name : {row.arm_a, row.arm_b}) {
      if (std::ranges::find(sides, name) == sides.end()) sides.push_back(name);
    }
  }
  return sides;
}

Answer answer_of(const Comparison& comparison) {
  Answer answer{.question = "compare",
                .sentence = comparison.sentence,
                .detail = comparison.detail,
                .scope = comparison.scope,
                .facts = {{"method", method_name(comparison)},
                          {"runtime", comparison.global_runtime ? "global" : "local"},
                          {"alpha", comparison.alpha},
                          {"min_effect", comparison.min_effect},
                          {"correction", correction_name(comparison.correction)},
                          {"reference", reference_value(comparison.reference)},
                          {"arms", arms_value(comparison.arms)}},
                .warnings = comparison.warnings,
                .health = comparison.health,
                .next = next_steps(comparison)};
  if (!comparison.local_cells.empty()) {
    const std::vector<std::string>& cells = comparison.local_cells;
    answer.facts.push_back({"local_cells", List(cells.begin(), cells.end())});
  }
  if (comparison.method == Method::kLaunchTest) {
    answer.facts.push_back({"test", launch_test_words(comparison)});
    answer.facts.push_back({"alternative", alternative_name(comparison.alternative)});
  }
  if (comparison.gate) answer.facts.push_back({"gate", *comparison.gate});
  if (!comparison.against.empty()) answer.facts.push_back({"against", comparison.against});
  if (!comparison.sessions.empty()) {
    Record sides;
    for (std::size_t i = 0; i < comparison.sessions.size(); ++i) {
      const std::vector<std::string>& names = comparison.sessions[i];
      sides.push_back({comparison.campaigns.at(i), List(names.begin(), names.end())});
    }
    answer.facts.push_back({"sessions", std::move(sides)});
  }
  if (!comparison.time.empty()) answer.facts.push_back({"time", comparison.time});
  if (std::optional<Remark> settings = arms_remark(comparison.arms)) {
    answer.remarks.push_back(std::move(*settings));
  }
  answer.tables.push_back(cells_table(comparison));
  if (!comparison.cells.empty()) {
    const Comparison shown = as_shown(comparison);
    if (shows_arms(shown)) {
      TidyTable winners = winners_table(shown);
      if (!winners.rows.empty()) answer.tables.push_back(std::move(winners));
      answer.tables.push_back(arms_table(shown));
      answer.notes.push_back(arms_legend(shown));
    } else if (one_pair(shown)) {
      TidyTable table = cells_table(shown);
      table.id.clear();
      show_pair(shown, table);
      for (const ComparedCell& row : shown.cells) table.weights.push_back(verdict_weight(row));
      answer.tables.push_back(std::move(table));
    } else {
      answer.tables.push_back(pairs_table(shown));
    }
    answer.notes.push_back(reading(comparison));
    if (!shows_arms(shown)) {
      std::string undecided = undecided_reading(shown);
      if (!undecided.empty()) answer.notes.push_back(std::move(undecided));
    }
    if (comparison.has_bandwidth) answer.notes.push_back(bandwidth_reading());
    const std::string regimes =
        regimes_line(comparison.regimes, comparison.reference, "the verdicts hold for this one",
                     comparison.campaigns);
    if (!regimes.empty()) answer.notes.push_back(regimes);
  }
  if (!comparison.against.empty() && comparison.against != kAgainstTimes) {
    answer.tables.push_back(levels_table(comparison));
  }
  if (comparison.sequential) answer.tables.push_back(looks_table(comparison));
  if (sides_of(comparison).size() > 2) answer.tables.push_back(best_table(comparison));
  answer.tables.push_back(regimes_table(comparison.regimes));
  answer.tables.push_back(perturbations_table(comparison.perturbations));
  answer.tables.push_back(diagnosis_table(comparison));
  return answer;
}

}  // namespace invar::analysis
