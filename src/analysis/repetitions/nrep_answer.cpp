// How many repetitions are enough, as an answer.
#include <algorithm>
#include <string>

#include "analysis/compare/compared_table.hpp"
#include "analysis/questions/question_row.hpp"
#include "analysis/repetitions/nrep.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"

namespace invar::analysis {
namespace {

// Some launch has fewer repetitions than the rule may look at: other campaigns have as many as they
// like, and what is late does not count.
bool measured_fewer(const Nrep& result) {
  return std::ranges::any_of(result.needs, [&](const CellNeed& need) {
    return std::ranges::any_of(need.launches, [&](const LaunchNeed& launch) {
      return launch.observations < result.rule.max;
    });
  });
}

// Where a number does not exist. Nobody has looked beyond what was measured.
std::string beyond_range(const Nrep& result) {
  return measured_fewer(result) ? "more" : ">" + std::to_string(result.rule.max);
}

// "cov_mean", "half_width": columns.
std::string method_column(const design::RepetitionMethodInfo& info) {
  std::string name(info.key);
  std::ranges::replace(name, '-', '_');
  return name;
}

void add_methods(TidyTable& table) {
  for (const design::RepetitionMethodInfo& info : design::repetition_methods()) {
    table.columns.push_back({.name = method_column(info) + "_repetitions", .kind = Kind::kCount});
  }
}

void append_methods(std::vector<Value>& row, const NeedByMethod& alone) {
  for (const std::optional<std::size_t>& number : alone) row.emplace_back(number);
}

bool differ_in_arm(const Nrep& result) {
  return std::ranges::any_of(
      result.needs, [&](const CellNeed& need) { return need.arm != result.needs.front().arm; });
}

TidyTable needs_table(const Nrep& result) {
  TidyTable table{.id = "repetitions",
                  .columns = {{.name = "arm"},
                              {.name = "cell", .kind = Kind::kCell},
                              {.name = "calls", .kind = Kind::kCount},
                              {.name = "launches", .kind = Kind::kCount},
                              {.name = "observations", .kind = Kind::kCount},
                              {.name = "repetitions", .kind = Kind::kCount}}};
  add_methods(table);
  table.columns.push_back({.name = "medians_equal", .kind = Kind::kYesNo});
  for (const CellNeed& need : result.needs) {
    std::size_t observations = design::kMostPredicted;
    bool equal = false;
    for (const LaunchNeed& launch : need.launches) {
      observations = std::min(observations, launch.observations);
      equal = equal || launch.medians_equal;
    }
    std::vector<Value> row{result.arms[need.arm].label,
                           result.cells[need.cell],
                           need.calls,
                           need.launches.size(),
                           observations,
                           need.repetitions};
    append_methods(row, need.alone);
    row.emplace_back(equal);
    table.rows.push_back(std::move(row));
  }
  if (result.needs.empty()) return table;
  const std::string none = beyond_range(result);
  if (differ_in_arm(result)) table.shown.push_back({.header = "arm", .column = "arm"});
  table.shown.push_back({.column = "cell"});
  table.shown.push_back({.header = "launches", .column = "launches"});
  if (measured_fewer(result)) {
    table.shown.push_back({.header = "measured", .column = "observations"});
  }
  table.shown.push_back({.header = "repetitions", .column = "repetitions", .absent = none});
  for (const design::RepetitionMethodInfo& info : design::repetition_methods()) {
    table.shown.push_back({.header = std::string(info.key),
                           .column = method_column(info) + "_repetitions",
                           .absent = none});
  }
  return table;
}

TidyTable launches_table(const Nrep& result) {
  TidyTable table{.id = "launches",
                  .title = "what each launch needs",
                  .columns = {{.name = "arm"},
                              {.name = "cell", .kind = Kind::kCell},
                              {.name = "group", .kind = Kind::kCount},
                              {.name = "launch", .kind = Kind::kCount},
                              {.name = "observations", .kind = Kind::kCount},
                              {.name = "repetitions", .kind = Kind::kCount}}};
  add_methods(table);
  for (const CellNeed& need : result.needs) {
    for (const LaunchNeed& launch : need.launches) {
      std::vector<Value> row{
          result.arms[need.arm].label, result.cells[need.cell], launch.group, launch.launch,
          launch.observations,         launch.repetitions};
      append_methods(row, launch.alone);
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

// Figure 2 of the paper: every quantity by the number of repetitions.
TidyTable running_table(const Nrep& result) {
  TidyTable table{.id = "running",
                  .title = "running quantities by the number of repetitions",
                  .columns = {{.name = "arm"},
                              {.name = "cell", .kind = Kind::kCell},
                              {.name = "launch", .kind = Kind::kCount},
                              {.name = "n", .kind = Kind::kCount},
                              {.name = "mean_ns", .kind = Kind::kTime},
                              {.name = "median_ns", .kind = Kind::kTime}}};
  for (const design::RepetitionMethodInfo& info : design::repetition_methods()) {
    table.columns.push_back({.name = method_column(info), .kind = Kind::kShare});
  }
  for (const CellNeed& need : result.needs) {
    for (const LaunchNeed& launch : need.launches) {
      for (const stats::RunningRow& one : launch.running) {
        std::vector<Value> row{result.arms[need.arm].label,
                               result.cells[need.cell],
                               launch.launch,
                               one.n,
                               one.mean,
                               one.median};
        for (const design::RepetitionMethodInfo& info : design::repetition_methods()) {
          row.emplace_back(one.values[static_cast<std::size_t>(quantity_of(info.method))]);
        }
        table.rows.push_back(std::move(row));
      }
    }
  }
  return table;
}

TidyTable rule_table(const design::RepetitionRule& rule) {
  TidyTable table{.id = "rule",
                  .columns = {{.name = "method"},
                              {.name = "quantity"},
                              {.name = "asked", .kind = Kind::kYesNo},
                              {.name = "threshold", .kind = Kind::kShare},
                              {.name = "window", .kind = Kind::kCount}}};
  for (const design::RepetitionMethodInfo& info : design::repetition_methods()) {
    const design::RepetitionLimit& limit = rule.limit(info.method);
    table.rows.push_back({info.name, method_column(info), limit.asked, limit.threshold,
                          limit.window > 0 ? Value(limit.window) : Value()});
  }
  return table;
}

std::string how_to_read(const Nrep& result) {
  const design::RepetitionRule& rule = result.rule;
  std::vector<std::string> alone;
  alone.reserve(design::kRepetitionMethods);
  for (const design::RepetitionMethodInfo& info : design::repetition_methods()) {
    alone.push_back(std::string(info.key) +
                    (info.key == info.name ? "" : " (--method " + std::string(info.name) + ")") +
                    ": " + limit_words(info, rule.limit(info.method)));
  }
  return "repetitions: of a launch, the first number from " + std::to_string(rule.min) + " to " +
         std::to_string(rule.max) + " in steps of " + std::to_string(rule.step) + " at which " +
         rule_text(rule) +
         ", at once; the largest of all launches. Columns behind it: by one "
         "method alone (" +
         base::join(alone, ", ") +
         "); RSE: s/sqrt(n)/mean, COV: s/mean, "
         "interval: order statistics, " +
         percent_text(result.confidence) + ", a step of the clock wider; times: " +
         runtime_words(result.global_runtime, result.local_cells);
}

}  // namespace

Answer answer_of(const Nrep& result) {
  Answer answer{.question = "nrep",
                .sentence = result.sentence,
                .scope = result.scope,
                .facts = {{"arms", arms_value(result.arms)},
                          {"range", Record{{"min", result.rule.min},
                                           {"max", result.rule.max},
                                           {"step", result.rule.step}}},
                          {"confidence", result.confidence}},
                .tables = {needs_table(result), launches_table(result), running_table(result),
                           rule_table(result.rule)},
                .warnings = result.warnings,
                .health = result.health};
  if (!result.needs.empty()) answer.notes.push_back(how_to_read(result));
  if (!result.dir.empty()) answer.next = {{"data", base::shell_quoted(result.dir.string())}};
  return answer;
}

QuestionRow nrep_row() {
  return {design::Question::kNrep, nrep_lack,
          [](const Study& study, Detail) { return Answered{answer_of(nrep(study))}; },
          [](const Study&) { return OnPage::kNo; }};
}

}  // namespace invar::analysis
