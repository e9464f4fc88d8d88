// Guidelines as an answer: every rule at every size, the dot table, what is lost, the summary.
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "analysis/compare/compared_table.hpp"
#include "analysis/guidelines/guideline_rows.hpp"
#include "analysis/guidelines/guidelines.hpp"
#include "analysis/questions/question_row.hpp"
#include "analysis/study/times.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::analysis {
namespace {

using design::Guideline;

// What stands for a verdict where there is room for a sign only.
constexpr std::string_view kViolatedSign = "x";
constexpr std::string_view kHoldsSign = ".";
constexpr std::string_view kUndecidedSign = "?";
constexpr std::string_view kNotMeasuredSign = "-";

// PGMPI finds violations and nothing else.
Word verdict_word(const GuidelineRow& row, bool pgmpi) {
  if (pgmpi && row.is(stats::Verdict::kHolds)) {
    return {.name = "not-violated", .words = "not violated"};
  }
  if (!row.sides) return {.name = "not-measured", .words = "not measured"};
  if (!row.verdict()) return {.words = "no verdict"};
  const std::string name(stats::to_string(*row.verdict()));
  return {.name = name, .words = name};
}

// Several rows of a rule at a size (splits into 2, 4 and 8, of which no pilot chose) share a sign:
// that of the worst.
bool is_worse(std::string_view sign, std::string_view than) {
  constexpr std::array kFromBest{kNotMeasuredSign, kHoldsSign, kUndecidedSign, kViolatedSign};
  return than.empty() || std::ranges::find(kFromBest, sign) > std::ranges::find(kFromBest, than);
}

std::string_view sign_of(const GuidelineRow& row) {
  if (row.is(stats::Verdict::kViolated)) return kViolatedSign;
  if (row.is(stats::Verdict::kHolds)) return kHoldsSign;
  return row.sides ? kUndecidedSign : kNotMeasuredSign;
}

const record::Cell& right_cell(const ComparedCell& sides) {
  return sides.cell_a ? *sides.cell_a : sides.cell;
}

bool arms_vary(const Guidelines& found) { return found.arms.size() > 1; }

TidyTable guideline_rows_table(const Guidelines& found) {
  TidyTable table{
      .id = "guidelines",
      .columns = {
          {.name = "rule"},
          {.name = "statement"},
          {.name = "kind"},
          {.name = "tolerance", .kind = Kind::kShare},
          {.name = "arm"},
          {.name = "ranks", .kind = Kind::kCount},
          {.name = "size_bytes", .kind = Kind::kBytes},
          {.name = "left"},
          {.name = "left_ns", .kind = Kind::kTime, .low = "left_low_ns", .high = "left_high_ns"},
          {.name = "left_low_ns", .kind = Kind::kTime},
          {.name = "left_high_ns", .kind = Kind::kTime},
          {.name = "right"},
          {.name = "right_size_bytes", .kind = Kind::kBytes},
          {.name = "right_calls", .kind = Kind::kCount},
          {.name = "right_ns", .kind = Kind::kTime, .low = "right_low_ns", .high = "right_high_ns"},
          {.name = "right_low_ns", .kind = Kind::kTime},
          {.name = "right_high_ns", .kind = Kind::kTime},
          {.name = "factor", .kind = Kind::kRatio, .low = "factor_low", .high = "factor_high"},
          {.name = "factor_low", .kind = Kind::kRatio},
          {.name = "factor_high", .kind = Kind::kRatio},
          {.name = "groups", .kind = Kind::kCount},
          {.name = "p", .kind = Kind::kP},
          {.name = "p_adjusted", .kind = Kind::kP},
          {.name = "verdict", .kind = Kind::kVerdict},
          {.name = "look", .kind = Kind::kCount},
          {.name = "lost_ns", .kind = Kind::kTime},
          {.name = "scratch"},
          {.name = "why"},
          {.name = "remark"}}};
  for (const GuidelineRow& row : found.rows) {
    const Guideline& rule = found.rules[row.rule];
    std::vector<Value> values{rule.name,
                              design::statement_of(rule),
                              to_string(rule.kind),
                              rule.tolerance,
                              row.arm.empty() ? Value() : Value(row.arm),
                              row.ranks,
                              row.size_bytes,
                              rule.operation};
    append_time(values, row.sides ? row.sides->time_b : std::nullopt);
    values.push_back(row.sides ? Value(right_cell(*row.sides).operation) : Value());
    values.push_back(row.sides ? Value(right_cell(*row.sides).size_bytes) : Value());
    values.push_back(row.sides ? Value(row.calls.value_or(1)) : Value());
    append_time(values, row.sides ? row.sides->time_a : std::nullopt);
    values.push_back(row.sides ? Value(row.sides->ratio) : Value());
    append_interval(values, row.sides ? row.sides->ratio_interval : std::nullopt);
    values.push_back(row.sides ? Value(row.sides->launches) : Value());
    values.push_back(row.sides ? Value(row.sides->p) : Value());
    values.push_back(row.sides ? Value(row.sides->p_adjusted) : Value());
    values.emplace_back(verdict_word(row, !found.pgmpi_test.empty()));
    values.push_back(row.sides ? Value(row.sides->look) : Value());
    values.emplace_back(row.lost_ns());
    values.push_back(row.scratch.empty() ? Value() : Value(row.scratch));
    values.push_back(row.why.empty() ? Value() : Value(row.why));
    values.push_back(rule.why.empty() ? Value() : Value(rule.why));
    table.rows.push_back(std::move(values));
  }
  return table;
}

TidyTable counts_table(const Guidelines& found) {
  TidyTable table{.id = "counts",
                  .columns = {{.name = "arm"},
                              {.name = "kind"},
                              {.name = "rules", .kind = Kind::kCount},
                              {.name = "measured", .kind = Kind::kCount},
                              {.name = "violated", .kind = Kind::kCount},
                              {.name = "holding", .kind = Kind::kCount},
                              {.name = "undecided", .kind = Kind::kCount}}};
  if (arms_vary(found)) table.shown.push_back({.header = "arm", .column = "arm"});
  table.shown.insert(table.shown.end(), {{.header = "guidelines", .column = "kind"},
                                         {.header = "rules", .column = "rules"},
                                         {.header = "measured", .column = "measured"},
                                         {.header = "violated", .column = "violated"}});
  // PGMPI finds violations and nothing else.
  if (found.pgmpi_test.empty()) {
    table.shown.push_back({.header = "hold at every size", .column = "holding"});
    table.shown.push_back({.header = "undecided", .column = "undecided"});
  }
  for (const GuidelineCount& count : counts_of(found)) {
    table.rows.push_back({count.arm, to_string(count.kind), count.rules, count.measured,
                          count.violated, count.holding, count.undecided});
  }
  return table;
}

// "8", "1K", "1500": as short as a column of signs.
std::string short_size(std::uint64_t size_bytes) {
  constexpr std::uint64_t kKibi = 1024;
  if (size_bytes == 0 || size_bytes % kKibi != 0) return std::to_string(size_bytes);
  if (size_bytes % (kKibi * kKibi) != 0) return std::to_string(size_bytes / kKibi) + "K";
  return std::to_string(size_bytes / kKibi / kKibi) + "M";
}

// Rules by sizes, a sign each; rules that are measured nowhere are told elsewhere.
TidyTable dots_table(const Guidelines& found) {
  std::set<std::uint64_t> sizes;
  std::set<std::uint32_t> ranks;
  bool without_size = false;
  for (const GuidelineRow& row : found.rows) {
    if (row.size_bytes) sizes.insert(*row.size_bytes);
    if (row.ranks) ranks.insert(*row.ranks);
    without_size = without_size || (row.sides && !row.size_bytes);
  }
  // Names alone: with what the rules say, twenty sizes would not fit on a screen.
  TidyTable table{.columns = {{.name = "rule"}},
                  .shown = {{.header = "rule", .column = "rule"}},
                  .in_json = false};
  const bool several_arms = arms_vary(found);
  const bool several_ranks = ranks.size() > 1;
  if (several_arms) {
    table.columns.push_back({.name = "arm"});
    table.shown.push_back({.header = "arm", .column = "arm"});
  }
  if (several_ranks) {
    table.columns.push_back({.name = "ranks", .kind = Kind::kCount});
    table.shown.push_back({.header = "ranks", .column = "ranks"});
  }
  std::map<std::optional<std::uint64_t>, std::size_t> column_of;
  const auto add_size = [&](std::optional<std::uint64_t> size, const std::string& header) {
    column_of[size] = table.columns.size();
    const std::string name = size ? "size_" + std::to_string(*size) : std::string("no_size");
    table.columns.push_back({.name = name});
    table.shown.push_back({.header = header, .column = name, .right = true});
  };
  if (without_size) add_size(std::nullopt, "no size");
  for (const std::uint64_t size : sizes) add_size(size, short_size(size));
  struct Line {
    std::size_t rule = 0;
    std::string arm = {};
    std::optional<std::uint32_t> ranks = {};
    bool operator==(const Line&) const = default;
  };
  std::vector<Line> lines;
  for (const GuidelineRow& row : found.rows) {
    const Line line{row.rule, row.arm, row.ranks};
    if (row.arm.empty() || !row.sides) continue;
    if (std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
  }
  for (const Line& line : lines) {
    std::vector<Value> values{found.rules[line.rule].name};
    if (several_arms) values.emplace_back(line.arm);
    if (several_ranks) values.emplace_back(line.ranks);
    values.resize(table.columns.size(), Value(""));
    for (const GuidelineRow& row : found.rows) {
      const bool here = row.rule == line.rule && (row.arm.empty() || row.arm == line.arm) &&
                        (!row.ranks || row.ranks == line.ranks);
      const auto column = column_of.find(row.size_bytes);
      if (!here || column == column_of.end()) continue;
      Value& shown = values[column->second];
      if (is_worse(sign_of(row), std::get<std::string>(shown.content))) shown = sign_of(row);
    }
    table.rows.push_back(std::move(values));
  }
  return table;
}

// What is violated, the most expensive first.
TidyTable violated_table(const Guidelines& found) {
  const std::string p = found.pgmpi_test.empty() ? "p_adjusted" : "p";
  TidyTable table{
      .id = "violated",
      .columns =
          {{.name = "rule"},
           {.name = "arm"},
           {.name = "cell", .kind = Kind::kCell},
           {.name = "left_ns", .kind = Kind::kTime, .low = "left_low_ns", .high = "left_high_ns"},
           {.name = "left_low_ns", .kind = Kind::kTime},
           {.name = "left_high_ns", .kind = Kind::kTime},
           {.name = "right"},
           {.name = "right_ns",
            .kind = Kind::kTime,
            .low = "right_low_ns",
            .high = "right_high_ns"},
           {.name = "right_low_ns", .kind = Kind::kTime},
           {.name = "right_high_ns", .kind = Kind::kTime},
           {.name = "factor", .kind = Kind::kRatio, .low = "factor_low", .high = "factor_high"},
           {.name = "factor_low", .kind = Kind::kRatio},
           {.name = "factor_high", .kind = Kind::kRatio},
           {.name = "lost_ns", .kind = Kind::kTime},
           {.name = p, .kind = Kind::kP}},
      .shown = {{.header = "violated", .column = "rule"},
                {.column = "cell"},
                {.header = "takes", .column = "left_ns"},
                {.header = "against", .column = "right"},
                {.header = "", .column = "right_ns"},
                {.header = "factor", .column = "factor"},
                {.header = "lost a call", .column = "lost_ns"},
                {.header = "p", .column = p}}};
  if (arms_vary(found)) {
    table.shown.insert(table.shown.begin() + 1, {.header = "arm", .column = "arm"});
  }
  std::vector<const GuidelineRow*> violated;
  for (const GuidelineRow& row : found.rows) {
    if (row.is(stats::Verdict::kViolated)) violated.push_back(&row);
  }
  std::ranges::stable_sort(violated, std::ranges::greater(),
                           [](const GuidelineRow* row) { return row->lost_ns().value_or(0); });
  for (const GuidelineRow* row : violated) {
    const ComparedCell& sides = *row->sides;
    std::vector<Value> values{found.rules[row->rule].name, row->arm, sides.cell};
    append_time(values, sides.time_b);
    values.emplace_back(right_words(found.rules[row->rule], *row));
    append_time(values, sides.time_a);
    values.emplace_back(sides.ratio);
    append_interval(values, sides.ratio_interval);
    values.emplace_back(row->lost_ns());
    values.emplace_back(found.pgmpi_test.empty() ? sides.p_adjusted : sides.p);
    table.rows.push_back(std::move(values));
  }
  return table;
}

std::string pgmpi_reading(const Guidelines& found) {
  return "times: " + runtime_words(found.global_runtime) +
         ", median over launches of the launches' medians; violated: p <= " +
         number_text(found.alpha) + " of " + found.pgmpi_test +
         ", one-sided (left takes longer, by however little), not corrected for " +
         count_text(found.comparisons, "comparison") +
         "; split: inferred from k calls of a smaller size, of which the largest is named";
}

std::string guidelines_reading(const Guidelines& found) {
  if (!found.pgmpi_test.empty()) return pgmpi_reading(found);
  EstimateWords estimates;
  for (const GuidelineRow& row : found.rows) {
    if (!row.sides) continue;
    estimates.add(row.sides->time_a);
    estimates.add(row.sides->time_b);
  }
  std::string text = "times: " + runtime_words(found.global_runtime) + ", " + estimates.text() +
                     " over groups, " + percent_text(1 - found.alpha) +
                     "; factor: left over right, both in one launch, paired by rounds; violated: "
                     "above 1 + tolerance (p, one-sided at alpha / 2), holds: the interval ends "
                     "below it";
  if (found.splits_chosen) {
    text += "; split: as many calls as took least time in the pilot group, which judges no split";
  }
  if (found.comparisons > 0 && found.correction != stats::Correction::kNone) {
    text += "; corrected for " + count_text(found.comparisons, "comparison");
    if (found.correction == stats::Correction::kHolm) text += " (Holm)";
    if (!found.looks.empty()) text += " at every look";
  }
  return text;
}

std::string signs_reading(bool pgmpi) {
  return std::string(kViolatedSign) + " violated, " + std::string(kHoldsSign) +
         (pgmpi ? " not violated, " : " holds, ") + std::string(kUndecidedSign) + " undecided, " +
         std::string(kNotMeasuredSign) +
         " not measured; lost a call: what the left side takes longer than the right one";
}

// Rules that are measured nowhere or at some sizes only, by their reasons.
std::vector<Warning> not_measured_warnings(const Guidelines& found) {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  for (const GuidelineRow& row : found.rows) {
    if (row.sides) continue;
    const std::string why = row.why + (row.arm.empty() ? "" : " (" + row.arm + ")");
    auto reason =
        std::ranges::find(reasons, why, &std::pair<std::string, std::vector<std::string>>::first);
    if (reason == reasons.end()) reason = reasons.insert(reason, {why, {}});
    std::string what = found.rules[row.rule].name;
    if (row.size_bytes) what += ' ' + base::size_text(*row.size_bytes);
    reason->second.push_back(std::move(what));
  }
  std::vector<Warning> warnings;
  warnings.reserve(reasons.size());
  constexpr std::size_t kNamed = 3;
  for (const auto& [why, rules] : reasons) {
    warnings.emplace_back("not measured: " + base::first_items(rules, kNamed, ", ") + ": " + why);
  }
  return warnings;
}

}  // namespace

Answer answer_of(const Guidelines& found) {
  Answer answer{.question = "guidelines",
                .sentence = found.sentence,
                .scope = found.scope,
                .facts = {{"arms", arms_value(found.arms)},
                          {"runtime", found.global_runtime ? "global" : "local"},
                          {"alpha", found.alpha},
                          {"comparisons", found.comparisons},
                          {"sequential", found.sequential},
                          {"method", found.pgmpi_test.empty() ? "invar" : "pgmpi"}},
                .tables = {guideline_rows_table(found), counts_table(found)},
                .warnings = found.warnings,
                .health = found.health};
  if (TidyTable dots = dots_table(found); !dots.rows.empty()) {
    answer.tables.push_back(std::move(dots));
    answer.notes.push_back(signs_reading(!found.pgmpi_test.empty()));
  }
  if (TidyTable violated = violated_table(found); !violated.rows.empty()) {
    answer.tables.push_back(std::move(violated));
  }
  answer.notes.push_back(guidelines_reading(found));
  for (Warning& absent : not_measured_warnings(found)) {
    answer.warnings.push_back(std::move(absent));
  }
  if (!found.dir.empty()) {
    const std::string dir = base::shell_quoted(found.dir.string());
    answer.next = {{"data", dir},
                   {"every row", "invar guidelines " + dir + " --format csv"},
                   {"page", "invar report " + dir}};
    if (status_of(found.health) != base::Exit::kDone) {
      answer.next.push_back({"go on", "invar run --resume -o " + dir});
    }
  }
  return answer;
}

QuestionRow guidelines_row() {
  return {design::Question::kGuidelines, guidelines_lack,
          [](const Study& study, Detail) {
            Guidelines found = guidelines(study);
            Answer answer = answer_of(found);
            return Answered{.answer = std::move(answer), .found = std::move(found)};
          },
          [](const Study& study) {
            return study.campaign().guidelines.empty() ? OnPage::kNo : OnPage::kExpected;
          }};
}

}  // namespace invar::analysis
