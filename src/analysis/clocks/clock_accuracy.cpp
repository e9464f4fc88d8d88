// accuracy, pareto and scaling: how wrong clocks are after a synchronisation.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/clocks/clock_laws.hpp"
#include "analysis/clocks/clock_trials.hpp"
#include "analysis/words/words.hpp"
#include "base/units.hpp"

namespace invar::analysis {
namespace {

using base::duration_text;

std::string after_text(double after_s) {
  return after_s == 0 ? "directly after" : fmt::format("{:g} s after", after_s);
}

std::vector<TidyColumn> context_columns() {
  return {{.name = "link"},
          {.name = "network"},
          {.name = "ranks", .kind = Kind::kCount},
          {.name = "ranks_per_host", .kind = Kind::kCount}};
}

std::vector<Value> context_values(const ClockInput& input, const std::string& network,
                                  std::uint32_t ranks) {
  return {clock_link(input), network, ranks, input.head.ranks_per_host};
}

void add_spread(std::vector<TidyColumn>& columns, const std::string& name) {
  for (const char* part : {"min", "q1", "median", "q3", "max"}) {
    columns.push_back({.name = name + "_" + part + "_ns", .kind = Kind::kTime});
  }
}

void add_spread(std::vector<Value>& row, const ClockSpread& spread) {
  for (const double value :
       {spread.least, spread.lower, spread.median, spread.upper, spread.most}) {
    row.emplace_back(value);
  }
}

// Some algorithm does, and the rows are not from before that was recorded.
bool states_errors(const Trials& trials) {
  return std::ranges::any_of(trials.rows,
                             [](const TrialsRow& row) { return row.covered.has_value(); });
}

TidyTable errors_table(const ClockInput& input, const Trials& trials) {
  const std::string network = network_name(input, trials.half_width_ns);
  TidyTable table{.id = "errors", .columns = context_columns()};
  for (const TidyColumn& column :
       std::vector<TidyColumn>{{.name = "algorithm"},
                               {.name = "trials", .kind = Kind::kCount},
                               {.name = "after_s", .kind = Kind::kSeconds},
                               {.name = "sync_s", .kind = Kind::kSeconds}}) {
    table.columns.push_back(column);
  }
  add_spread(table.columns, "worst");
  add_spread(table.columns, "typical");
  add_mean_columns(table.columns, "worst_");
  table.columns.push_back({.name = "launches", .kind = Kind::kCount});
  const bool stated = states_errors(trials);
  if (stated) table.columns.push_back({.name = "covered", .kind = Kind::kShare});
  for (const TrialsRow& row : trials.rows) {
    std::vector<Value> values = context_values(input, network, row.ranks);
    values.emplace_back(row.algorithm);
    values.emplace_back(row.trials);
    values.emplace_back(row.after_s);
    values.emplace_back(row.seconds.median);
    add_spread(values, row.worst_ns);
    add_spread(values, row.typical_ns);
    add_mean(values, row.worst_mean);
    values.emplace_back(row.worst_mean.launches);
    if (stated) values.emplace_back(row.covered);
    table.rows.push_back(std::move(values));
  }
  return table;
}

// What stands behind the times of who states an error.
std::string covered_text(const std::optional<double>& covered) {
  return covered ? fmt::format(" ({:.0f} %)", 100 * *covered) : "";
}

// The most precise of some rows, the next one, and how many algorithms there are.
std::string best_sentence(std::vector<TrialsRow> rows, const std::string& scope) {
  if (rows.empty()) return "Nothing was synchronised: " + scope + ".";
  std::ranges::stable_sort(rows, {}, [](const TrialsRow& row) { return row.worst_ns.median; });
  const TrialsRow& best = rows.front();
  const std::string when = after_text(best.after_s) + " a synchronisation";
  if (rows.size() == 1) {
    return fmt::format("{} is off by {} {}: {}.", best.algorithm,
                       duration_text(best.worst_ns.median), when, scope);
  }
  return fmt::format("{} is the most precise of {}, off by {} {}, the next one {} by {}: {}.",
                     best.algorithm, rows.size(), duration_text(best.worst_ns.median), when,
                     rows[1].algorithm, duration_text(rows[1].worst_ns.median), scope);
}

std::vector<TrialsRow> rows_where(const std::vector<TrialsRow>& rows, std::uint32_t ranks,
                                  double after_s) {
  std::vector<TrialsRow> some;
  std::ranges::copy_if(rows, std::back_inserter(some), [&](const TrialsRow& row) {
    return row.ranks == ranks && row.after_s == after_s;
  });
  return some;
}

// A row an algorithm, a column a time.
TidyTable times_table(const std::vector<TrialsRow>& rows) {
  std::vector<double> times;
  for (const TrialsRow& row : rows) {
    if (std::ranges::find(times, row.after_s) == times.end()) times.push_back(row.after_s);
  }
  std::vector<TextColumn> columns{{.header = "algorithm", .left = true}, {.header = "takes"}};
  for (const double after_s : times) {
    columns.push_back({.header = fmt::format("after {:g} s", after_s)});
  }
  std::vector<std::vector<std::string>> texts;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i == 0 || rows[i].algorithm != rows[i - 1].algorithm) {
      texts.push_back({rows[i].algorithm, duration_text(rows[i].seconds.median * 1e9)});
      texts.back().resize(columns.size());
    }
    const auto place = std::ranges::find(times, rows[i].after_s) - times.begin();
    texts.back()[2 + static_cast<std::size_t>(place)] =
        duration_text(rows[i].worst_ns.median) + covered_text(rows[i].covered);
  }
  return terminal_table(columns, texts);
}

TidyTable laws_table(const std::vector<ScalingLaw>& laws) {
  TidyTable table{.id = "laws",
                  .columns = {{.name = "algorithm"},
                              {.name = "constant_s", .kind = Kind::kSeconds},
                              {.name = "per_doubling_s", .kind = Kind::kSeconds},
                              {.name = "per_rank_s", .kind = Kind::kSeconds},
                              {.name = "r_squared", .kind = Kind::kNumber},
                              {.name = "exponent", .kind = Kind::kNumber},
                              {.name = "exponent_r_squared", .kind = Kind::kNumber}}};
  for (const ScalingLaw& law : laws) {
    table.rows.push_back({law.algorithm, law.constant_s, law.per_doubling_s, law.per_rank_s,
                          law.r_squared, law.exponent, law.exponent_r_squared});
  }
  return table;
}

TidyTable shown_laws(const std::vector<ScalingLaw>& laws) {
  std::vector<std::vector<std::string>> texts;
  texts.reserve(laws.size());
  for (const ScalingLaw& law : laws) {
    texts.push_back({law.algorithm, law.text(),
                     law.constant_s > 0 ? "" : fmt::format("{:.4f}", law.r_squared),
                     law.exponent ? fmt::format("{:.2f}", *law.exponent) : ""});
  }
  return terminal_table({{.header = "algorithm", .left = true},
                         {.header = "takes, over p ranks", .left = true},
                         {.header = "R^2"},
                         {.header = "exponent of p - 1"}},
                        texts);
}

std::size_t trials_of(const Trials& trials) {
  return trials.rows.empty() ? 0 : trials.rows.front().trials;
}

}  // namespace

Answer accuracy_answer(const ClockInput& input) {
  const Trials trials = read_trials(input);
  const std::string scope = clock_scope(input);
  Answer answer{.scope = scope, .tables = {errors_table(input, trials)}};
  double last_s = 0;
  for (const TrialsRow& row : trials.rows) last_s = std::max(last_s, row.after_s);
  answer.sentence = best_sentence(trials.rows.empty()
                                      ? trials.rows
                                      : rows_where(trials.rows, trials.rows.front().ranks, last_s),
                                  scope);
  answer.head = trials_text(input, trials_of(trials), trials.launches);
  answer.tables.push_back(times_table(trials.rows));
  if (states_errors(trials)) {
    answer.notes.emplace_back(
        "in brackets: share of all ranks' errors within the algorithm's own bounds of 95 %");
  }
  if (!input.simulated()) answer.notes.push_back(truth_text(input, trials.half_width_ns));
  if (trials.tracking_share > 0) {
    answer.notes.push_back(tracking_cost_text(input, trials.tracking_share));
  }
  return answer;
}

Answer scaling_answer(const ClockInput& input) {
  const Trials trials = read_trials(input);
  const std::string scope = clock_scope(input);
  Answer answer{.scope = scope, .tables = {errors_table(input, trials)}};
  std::uint32_t most = 0;
  for (const TrialsRow& row : trials.rows) most = std::max(most, row.ranks);
  const std::vector<ScalingLaw> laws = scaling_laws(trials.rows);
  const std::string grows = laws_text(laws);
  answer.sentence = fmt::format(
      "{}{}ith {}, {}", grows, grows.empty() ? "W" : "; w", count_text(most, "rank"),
      best_sentence(trials.rows.empty() ? trials.rows : rows_where(trials.rows, most, 0), scope));
  answer.tables.push_back(laws_table(laws));
  answer.head = trials_text(input, trials_of(trials), trials.launches) + ", directly after";
  std::vector<std::vector<std::string>> texts;
  for (const TrialsRow& row : trials.rows) {
    texts.push_back({std::to_string(row.ranks), row.algorithm,
                     duration_text(row.seconds.median * 1e9), duration_text(row.worst_ns.median),
                     duration_text(row.typical_ns.median)});
  }
  answer.tables.push_back(terminal_table({{.header = "ranks"},
                                          {.header = "algorithm", .left = true},
                                          {.header = "takes"},
                                          {.header = "worst error"},
                                          {.header = "median error"}},
                                         texts));
  if (!laws.empty()) answer.tables.push_back(shown_laws(laws));
  if (!input.simulated()) answer.notes.push_back(truth_text(input, trials.half_width_ns));
  return answer;
}

Answer pareto_answer(const ClockInput& input) {
  const Trials trials = read_trials(input);
  const std::vector<bool> frontier = on_frontier(trials.rows);
  const std::string scope = clock_scope(input);
  // The time after the synchronisation is that of the algorithms; a barrier has none.
  const auto compared = std::ranges::find_if(
      trials.rows, [](const TrialsRow& row) { return row.algorithm != record::kNoAlgorithm; });
  const double after_s = compared == trials.rows.end() ? 0 : compared->after_s;
  TidyTable table{.id = "settings", .columns = context_columns()};
  for (const TidyColumn& column :
       std::vector<TidyColumn>{{.name = "settings"},
                               {.name = "trials", .kind = Kind::kCount},
                               {.name = "after_s", .kind = Kind::kSeconds},
                               {.name = "sync_s", .kind = Kind::kSeconds},
                               {.name = "worst_median_ns", .kind = Kind::kTime},
                               {.name = "frontier", .kind = Kind::kYesNo}}) {
    table.columns.push_back(column);
  }
  add_mean_columns(table.columns, "worst_");
  table.columns.push_back({.name = "launches", .kind = Kind::kCount});
  std::vector<std::vector<std::string>> texts;
  std::vector<TrialsRow> best;
  std::size_t on_frontier = 0;
  for (std::size_t i = 0; i < trials.rows.size(); ++i) {
    const TrialsRow& row = trials.rows[i];
    std::vector<Value> values =
        context_values(input, network_name(input, trials.half_width_ns), row.ranks);
    for (Value& value :
         std::vector<Value>{row.algorithm, row.trials, row.after_s, row.seconds.median,
                            row.worst_ns.median, static_cast<bool>(frontier[i])}) {
      values.push_back(std::move(value));
    }
    add_mean(values, row.worst_mean);
    values.emplace_back(row.worst_mean.launches);
    table.rows.push_back(std::move(values));
    texts.push_back({frontier[i] ? "*" : "", row.algorithm, duration_text(row.seconds.median * 1e9),
                     duration_text(row.worst_ns.median)});
    // A barrier is not a setting of clocks.
    if (row.algorithm == record::kNoAlgorithm) continue;
    best.push_back(row);
    if (frontier[i]) ++on_frontier;
  }
  Answer answer{.scope = scope, .tables = {std::move(table)}};
  answer.sentence = "Nothing was synchronised: " + scope + ".";
  if (!best.empty()) {
    std::ranges::stable_sort(best, {}, [](const TrialsRow& row) { return row.worst_ns.median; });
    answer.sentence = fmt::format(
        "{} is the most precise, off by {} {:g} s after the {} that it takes; {} of {} settings "
        "are on the frontier: {}.",
        best.front().algorithm, duration_text(best.front().worst_ns.median), after_s,
        duration_text(best.front().seconds.median * 1e9), on_frontier, best.size(), scope);
  }
  answer.head = fmt::format("{}, {:g} s after the synchronisation",
                            trials_text(input, trials_of(trials), trials.launches), after_s);
  answer.tables.push_back(terminal_table({{.header = "", .left = true},
                                          {.header = "settings", .left = true},
                                          {.header = "takes"},
                                          {.header = "worst error"}},
                                         texts));
  answer.notes = {
      "*: on the frontier; barrier: no clocks; the spread of the ranks' exits from a "
      "dissemination barrier"};
  if (!input.simulated()) answer.notes.push_back(truth_text(input, trials.half_width_ns));
  return answer;
}

}  // namespace invar::analysis
