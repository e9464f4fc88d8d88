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

// The worse, the more: violated above undecided, below all others what is not measured, and no
// sign.
int badness(std::string_view sign) {
  constexpr std::array kFromBest{std::string_view(), kNotMeasuredSign, kHoldsSign, kUndecidedSign,
                                 kViolatedSign};
  return static_cast<int>(std::ranges::find(kFromBest, sign) - kFromBest.begin());
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

// A row of the dot table.
struct DotLine {
  std::size_t rule = 0;
  std::string arm = {};
  std::optional<std::uint32_t> ranks = {};  // none: it is measured with none
  bool operator==(const DotLine&) const = default;
};

// Rule after rule, of each the arms. One that an arm measures nowhere has a line without ranks.
std::vector<DotLine> dot_lines(const Guidelines& found) {
  std::vector<DotLine> lines;
  for (std::size_t rule = 0; rule < found.rules.size(); ++rule) {
    for (const ComparedArm& arm : found.arms) {
      const std::size_t before = lines.size();
      for (const GuidelineRow& row : found.rows) {
        if (row.rule != rule || row.arm != arm.label || !row.sides) continue;
        const DotLine line{rule, row.arm, row.ranks};
        if (std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
      }
      if (lines.size() == before) lines.push_back({.rule = rule, .arm = arm.label});
    }
  }
  return lines;
}

// Rules by sizes, a sign each: what is violated first, then what is undecided.
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
  if (column_of.empty()) return table;
  std::vector<std::pair<int, std::vector<Value>>> lines;
  for (const DotLine& line : dot_lines(found)) {
    std::vector<Value> values{found.rules[line.rule].name};
    if (several_arms) values.emplace_back(line.arm);
    if (several_ranks) values.emplace_back(line.ranks);
    values.resize(table.columns.size(), Value(""));
    int worst = 0;
    // Several rows of a rule at a size (splits into 2, 4 and 8, of which no pilot chose) share a
    // sign: that of the worst.
    const auto put = [&](std::size_t column, std::string_view sign) {
      Value& shown = values[column];
      if (badness(sign) > badness(std::get<std::string>(shown.content))) shown = sign;
      worst = std::max(worst, badness(sign));
    };
    for (const GuidelineRow& row : found.rows) {
      const bool here = row.rule == line.rule && (row.arm.empty() || row.arm == line.arm) &&
                        (!row.ranks || row.ranks == line.ranks);
      if (!here) continue;
      const auto column = column_of.find(row.size_bytes);
      if (column != column_of.end()) {
        put(column->second, sign_of(row));
      } else if (!row.size_bytes && !line.ranks) {
        // Whatever size it has, or whether it has one: it is measured at none.
        for (const auto& [size, at] : column_of) put(at, sign_of(row));
      }
    }
    if (worst > 0) lines.emplace_back(worst, std::move(values));
  }
  std::ranges::stable_sort(lines, std::ranges::greater(),
                           &std::pair<int, std::vector<Value>>::first);
  for (auto& [worst, values] : lines) table.rows.push_back(std::move(values));
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

// Before everything else in one remark why rules are measured nowhere. That a rule is not measured
// at some size stands in its row, and is most often so for all of a kind (1 B is not an int32).
void warn_of_not_measured(const Guidelines& found, std::vector<Warning>& warnings) {
  base::ByReason nowhere;
  base::ByReason at_some_size;
  for (const GuidelineRow& row : found.rows) {
    if (row.sides) continue;
    const bool measured = std::ranges::any_of(found.rows, [&](const GuidelineRow& other) {
      return other.rule == row.rule && other.sides && (row.arm.empty() || other.arm == row.arm);
    });
    std::string what = found.rules[row.rule].name;
    if (row.size_bytes) what += ' ' + base::size_text(*row.size_bytes);
    (measured ? at_some_size : nowhere)
        .add(row.why + (row.arm.empty() ? "" : " (" + row.arm + ")"), std::move(what));
  }
  if (const std::vector<std::string> texts = nowhere.texts(); !texts.empty()) {
    warnings.insert(warnings.begin(), Warning("not measured: " + base::join(texts, "; ")));
  }
  for (const std::string& text : at_some_size.texts()) {
    warnings.emplace_back("not measured: " + text, Gravity::kBorne);
  }
}

// What the violated rules say, whose names alone stand in the tables; in the order of `violated`.
std::string statements_text(const Guidelines& found, const TidyTable& violated) {
  constexpr std::size_t kNamed = 8;
  std::vector<std::string> texts;
  for (const std::vector<Value>& row : violated.rows) {
    const auto& name = std::get<std::string>(row.front().content);
    const Guideline& rule = *std::ranges::find(found.rules, name, &Guideline::name);
    std::string text = name + ": " + design::statement_of(rule);
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
  }
  return base::first_items(texts, kNamed, "; ", "rule");
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
    answer.notes.insert(answer.notes.begin(), statements_text(found, violated));
    answer.tables.push_back(std::move(violated));
  }
  answer.notes.push_back(guidelines_reading(found));
  warn_of_not_measured(found, answer.warnings);
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
