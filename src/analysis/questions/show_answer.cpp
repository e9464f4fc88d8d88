// Times, as an answer.
#include <algorithm>
#include <set>

#include "analysis/compare/compared_table.hpp"
#include "analysis/machine/machine_tables.hpp"
#include "analysis/questions/question_row.hpp"
#include "analysis/questions/show.hpp"
#include "analysis/steps/steps.hpp"
#include "analysis/study/times.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"

namespace invar::analysis {
namespace {

// Numbers as numbers; a label that looks like one stays a label.
Value level_value(const std::string& factor, const std::string& level) {
  const auto number = factor == "arm" ? std::nullopt : base::parse_u64(level);
  if (number) return *number;
  return level.empty() ? Value() : Value(level);
}

TidyTable groups_table(const Show& show) {
  TidyTable table{.id = "groups"};
  for (const std::string& factor : show.by) {
    const bool size = factor == "size_bytes";
    table.columns.push_back({.name = factor, .kind = size ? Kind::kBytes : Kind::kText});
    table.shown.push_back({.header = size ? "size" : factor, .column = factor, .left = true});
  }
  if (show.has_times) {
    table.columns.push_back({.name = "time"});
    table.shown.push_back({.header = "of", .column = "time"});
  }
  for (const char* name : {"launches", "visits", "observations"}) {
    table.columns.push_back({.name = name, .kind = Kind::kCount});
  }
  table.shown.push_back({.header = "launches", .column = "launches"});
  table.shown.push_back({.header = "obs.", .column = "observations"});
  table.columns.push_back(
      {.name = "median_ns", .kind = Kind::kTime, .low = "low_ns", .high = "high_ns"});
  table.shown.push_back({.header = "time", .column = "median_ns"});
  if (show.has_bandwidth) table.shown.push_back({.header = "GB/s", .column = "bandwidth_gb_s"});
  table.columns.push_back({.name = "low_ns", .kind = Kind::kTime});
  table.columns.push_back({.name = "high_ns", .kind = Kind::kTime});
  for (const std::string name : {"mean", "min", "q1", "q3", "p95", "p99"}) {
    table.columns.push_back({.name = name + "_ns", .kind = Kind::kTime});
    table.shown.push_back({.header = name, .column = name + "_ns"});
  }
  for (const std::string name : {"launches", "visits"}) {
    table.columns.push_back({.name = "sd_log_" + name, .kind = Kind::kLogSd});
    table.shown.push_back({.header = "sd " + name, .column = "sd_log_" + name});
  }
  if (show.has_bandwidth) {
    table.columns.push_back({.name = "bandwidth_gb_s", .kind = Kind::kBandwidth});
  }
  table.columns.push_back({.name = "estimate"});
  for (const ShownGroup& group : show.groups) {
    std::vector<Value> row;
    for (const auto& [factor, level] : group.levels) row.push_back(level_value(factor, level));
    if (show.has_times) row.emplace_back(group.time);
    row.emplace_back(group.launches);
    row.emplace_back(group.visits);
    row.emplace_back(group.observations);
    append_time(row, group.median);
    for (const double time_ns :
         {group.mean_ns, group.min_ns, group.q1_ns, group.q3_ns, group.p95_ns, group.p99_ns}) {
      row.emplace_back(time_ns);
    }
    row.emplace_back(group.sd_launches);
    row.emplace_back(group.sd_visits);
    if (show.has_bandwidth) {
      row.emplace_back(moved_gb_s(group.moved, group.median));
    }
    row.emplace_back(estimate_name(group.median.estimate));
    table.rows.push_back(std::move(row));
  }
  return table;
}

// "from the first start to the last end", "'one way' of a call"; where both are shown the column
// says which.
std::string shown_times(const Show& show) {
  std::set<std::string> names;
  for (const ShownGroup& group : show.groups) names.insert(group.time);
  const bool printed = names.contains(std::string(kPrintedName));
  const bool whole = !printed || names.contains(std::string(kWholeName));
  if (!show.has_times) {
    return runtime_words(show.global_runtime, show.local_cells, whole, printed);
  }
  if (names.size() == 1) return "'" + *names.begin() + "' of a call";
  // Also where a row pools them with others.
  const bool any_whole = std::ranges::any_of(
      names, [](const std::string& name) { return name.find(kWholeName) != std::string::npos; });
  return "the time of that name" +
         (any_whole ? " (whole: " + runtime_words(show.global_runtime, show.local_cells) + ")"
                    : std::string());
}

std::string reading(const Show& show) {
  EstimateWords estimates;
  for (const ShownGroup& group : show.groups) estimates.add(group.median);
  return "times: " + shown_times(show) + "; time: " + estimates.text() + " over launches, " +
         percent_text(show.confidence) +
         "; mean to p99: all observations; sd: of launch medians, of visit medians inside "
         "a launch";
}

}  // namespace

Answer answer_of(const Show& show) {
  std::vector<Field> facts{{"runtime", show.global_runtime ? "global" : "local"},
                           {"by", List(show.by.begin(), show.by.end())}};
  if (!show.local_cells.empty()) {
    facts.push_back({"local_cells", List(show.local_cells.begin(), show.local_cells.end())});
  }
  if (!show.time.empty()) facts.push_back({"time", show.time});
  std::vector<std::string> notes{reading(show)};
  if (show.has_bandwidth) notes.push_back(bandwidth_reading());
  std::vector<Remark> remarks;
  if (std::optional<Remark> settings = arms_remark(show.arms)) {
    remarks.push_back(std::move(*settings));
  }
  return {.question = "show",
          .sentence = show.sentence,
          .scope = show.scope,
          .facts = std::move(facts),
          .tables = {groups_table(show), regimes_table(show.regimes),
                     perturbations_table(show.perturbations)},
          .notes = std::move(notes),
          .remarks = std::move(remarks),
          .warnings = show.warnings,
          .health = show.health,
          .next = {{"data", base::shell_quoted(show.dir.string())}}};
}

QuestionRow show_row() {
  return {design::Question::kShow, show_lack,
          [](const Study& study, Detail) {
            Answered answered{answer_of(show(study))};
            add_steps(answered.answer, study);
            return answered;
          },
          [](const Study&) { return OnPage::kNo; }};
}

}  // namespace invar::analysis
