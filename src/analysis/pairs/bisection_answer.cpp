// What pairs move at once as an answer: every pattern, random matchings together, and the pairs by
// themselves; the question `bisection`.
#include <algorithm>
#include <set>
#include <utility>

#include "analysis/compare/compared_table.hpp"
#include "analysis/pairs/pair_rates.hpp"
#include "analysis/questions/question_row.hpp"
#include "analysis/study/times.hpp"
#include "analysis/words/cell_columns.hpp"
#include "analysis/words/numbers.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "record/p2p/pattern.hpp"

namespace invar::analysis {
namespace {

bool is_any(const record::Pattern& /*pattern*/) { return true; }

// "10.2 GB/s [10.0, 10.4]"
std::string rate_words(const Rate& rate) {
  const EstimateText text = ratio_text(rate.value, rate.interval);
  return text.estimate + " GB/s" + (text.interval.empty() ? "" : " " + text.interval);
}

// "in bisection", "over 20 random matchings, the effective bisection"
std::string pattern_words(const PatternRates& rates) {
  const std::string& pattern = rates.cell.pattern;
  if (rates.patterns == 1) return "in " + pattern;
  if (pattern == "all-pairs") return "over the matchings of all pairs";
  return "over " + count_text(rates.patterns, "random matching") + ", the effective bisection";
}

// Which of several sizes and places it is.
std::string rates_place(const PatternRates& rates) {
  std::string words = rates.cell.operation;
  if (rates.cell.size_bytes) words += " " + base::size_text(*rates.cell.size_bytes);
  return words + ", " + count_text(rates.pairs, "pair") + " at once";
}

// For each pattern of the arm, the row with the largest rate. Patterns are told apart by their
// text.
std::vector<const PatternRates*> largest_rates(const Bisection& found, const std::string& arm) {
  std::vector<const PatternRates*> largest;
  for (const PatternRates& rates : found.rates) {
    if (rates.arm != arm || !rates.total) continue;
    const auto known = std::ranges::find_if(largest, [&](const PatternRates* other) {
      return other->cell.pattern == rates.cell.pattern;
    });
    if (known == largest.end()) {
      largest.push_back(&rates);
    } else if (rates.total->value > (*known)->total->value) {
      *known = &rates;
    }
  }
  return largest;
}

std::string rates_clause(const Bisection& found, const std::string& arm) {
  constexpr std::size_t kNamed = 3;
  const std::vector<const PatternRates*> largest = largest_rates(found, arm);
  if (largest.empty()) return {};
  std::vector<std::string> parts;
  parts.reserve(largest.size());
  for (const PatternRates* rates : largest) {
    parts.push_back(rate_words(*rates->total) + " " + pattern_words(*rates) + " (" +
                    rates_place(*rates) + ")");
  }
  return arm + " moves " + base::first_items(parts, kNamed, ", ");
}

void add_rate_column(TidyTable& table, const std::string& name, Kind kind,
                     const std::string& unit) {
  const std::string low = name + "_low" + unit;
  const std::string high = name + "_high" + unit;
  table.columns.push_back({.name = name + unit, .kind = kind, .low = low, .high = high});
  table.columns.push_back({.name = low, .kind = kind});
  table.columns.push_back({.name = high, .kind = kind});
}

void append_rate(std::vector<Value>& values, const std::optional<Rate>& rate) {
  values.emplace_back(rate ? Value(rate->value) : Value());
  append_interval(values, rate ? rate->interval : std::nullopt);
}

void append_named(std::vector<Value>& values, const std::optional<NamedRate>& named) {
  values.emplace_back(named ? Value(named->name) : Value());
  values.emplace_back(named ? Value(named->time_ns) : Value());
  values.emplace_back(named ? Value(named->gb_s) : Value());
}

constexpr const char* kGbInASecond = "_gb_s";
constexpr const char* kInNs = "_ns";

std::vector<record::Cell> cells_of_rates(const std::vector<PatternRates>& rates) {
  std::vector<record::Cell> cells;
  cells.reserve(rates.size());
  for (const PatternRates& one : rates) cells.push_back(one.cell);
  return cells;
}

bool has_several_arms(const std::vector<PatternRates>& rates) {
  std::set<std::string> arms;
  for (const PatternRates& one : rates) arms.insert(one.arm);
  return arms.size() > 1;
}

}  // namespace

TidyTable rates_table(const std::vector<PatternRates>& rates, const std::string& id) {
  TidyTable table{.id = id,
                  .columns = {{.name = "arm"},
                              {.name = "cell", .kind = Kind::kCell},
                              {.name = "patterns", .kind = Kind::kCount},
                              {.name = "pairs", .kind = Kind::kCount},
                              {.name = "launches", .kind = Kind::kCount}}};
  add_rate_column(table, "span", Kind::kTime, kInNs);
  add_rate_column(table, "total", Kind::kBandwidth, kGbInASecond);
  add_rate_column(table, "pair", Kind::kTime, kInNs);
  add_rate_column(table, "pair", Kind::kBandwidth, kGbInASecond);
  for (const char* extreme : {"slowest_pair", "worst_pattern", "best_pattern"}) {
    const std::string name(extreme);
    table.columns.push_back({.name = name});
    table.columns.push_back({.name = name + kInNs, .kind = Kind::kTime});
    table.columns.push_back({.name = name + kGbInASecond, .kind = Kind::kBandwidth});
  }
  for (const PatternRates& one : rates) {
    std::vector<Value> values{one.arm, one.cell, one.patterns, one.pairs, one.groups};
    append_time(values, one.span);
    append_rate(values, one.total);
    append_time(values, one.pair ? std::optional(one.pair->time) : std::nullopt);
    append_rate(values, one.of_pair);
    append_named(values, one.slowest);
    append_named(values, one.worst);
    append_named(values, one.best);
    table.rows.push_back(std::move(values));
  }
  if (has_several_arms(rates)) table.shown.push_back({.header = "arm", .column = "arm"});
  table.shown.push_back({.column = "cell"});
  table.shown.push_back({.header = "pairs", .column = "pairs"});
  table.shown.push_back({.header = "all at once", .column = "span_ns"});
  table.shown.push_back({.header = "GB/s", .column = "total_gb_s", .absent = "-"});
  table.shown.push_back({.header = "a pair", .column = "pair_ns", .absent = "-"});
  table.shown.push_back({.header = "GB/s", .column = "pair_gb_s", .absent = "-"});
  const bool any_slowest =
      std::ranges::any_of(rates, [](const PatternRates& one) { return one.slowest.has_value(); });
  if (any_slowest) {
    table.shown.push_back({.header = "slowest pair", .column = "slowest_pair", .absent = "-"});
  }
  return table;
}

std::vector<std::string> rates_readings(const std::vector<PatternRates>& rates,
                                        const PairsFrame& frame) {
  EstimateWords estimates;
  for (const PatternRates& one : rates) {
    estimates.add(one.span);
    if (one.pair) estimates.add(one.pair->time);
  }
  std::vector<std::string> notes;
  for (const std::string& words : frame.span_words) notes.push_back("all at once: " + words);
  notes.push_back("whole calls are " + runtime_words(frame.global_runtime, frame.local_cells) +
                  "; GB/s: all bytes of a call over that time; a pair: its own time, mean over the "
                  "pairs, and its bytes over that; " +
                  estimates.text() + " over groups, " + percent_text(1 - frame.alpha) +
                  ", rates have the ends of the times; 1 GB is 10^9 bytes");
  const bool several =
      std::ranges::any_of(rates, [](const PatternRates& one) { return one.patterns > 1; });
  if (several) {
    notes.emplace_back(
        "of several matchings, which were measured one after the other, times are means over them, "
        "in every launch group that has all");
  }
  for (const std::string& words : frame.time_words) {
    notes.push_back("a pair's own time: " + words);
  }
  return notes;
}

std::optional<Lack> bisection_lack(const Study& study) {
  return pairs_lack(study, is_any,
                    {.place = study.data().dir.string(),
                     .what = "no cell has ranks that send to each other in pairs",
                     .remedy = "write pattern = [\"bisection\", \"random-matchings:20\"] into "
                               "[[cells]] of an operation that takes it (stream, exchange)"});
}

Bisection bisection(const Study& study) {
  require(bisection_lack(study));
  const store::Data& data = study.data();
  const MeasuredPairs measured = measured_pairs(study, is_any);
  const std::vector<PatternCells> rows = pattern_cells(data, measured.cells);
  Bisection found{.rates = pattern_rates(data, measured, rows)};
  if (rows.size() < measured.cells.size()) {
    std::vector<PatternCells> single;
    for (const std::uint32_t cell : measured.cells) {
      single.push_back({.cell = data.cells[cell], .cells = {cell}});
    }
    found.patterns = pattern_rates(data, measured, single);
  }
  const bool one_launch = std::ranges::all_of(found.rates, &PatternRates::this_launch_only);
  found.frame = pairs_frame(study, measured, one_launch);
  found.sentence = bisection_sentence(found);
  return found;
}

std::string bisection_sentence(const Bisection& found) {
  if (const std::string why = no_figures_words(found.frame); !why.empty()) {
    return why + "; the tables have times as behaviour alone: " + found.frame.scope + ".";
  }
  std::vector<std::string> clauses;
  for (const ComparedArm& arm : found.frame.arms) {
    std::string clause = rates_clause(found, arm.label);
    if (!clause.empty()) clauses.push_back(std::move(clause));
  }
  if (found.rates.empty()) {
    clauses.emplace_back("no launch group has a whole pattern");
  } else if (clauses.empty()) {
    clauses.emplace_back("messages without a byte have times, and no rates");
  }
  return base::join(clauses, "; ") + ": " + found.frame.scope + ".";
}

Answer answer_of(const Bisection& found) {
  Answer answer{.question = "bisection",
                .sentence = found.sentence,
                .scope = found.frame.scope,
                .facts = {{"arms", arms_value(found.frame.arms)},
                          {"runtime", found.frame.global_runtime ? "global" : "local"},
                          {"alpha", found.frame.alpha},
                          {"no_figures", no_figures_value(found.frame)}},
                .tables = {rates_table(found.rates, "rates")},
                .head = only_place(cells_of_rates(found.rates)),
                .notes = rates_readings(found.rates, found.frame),
                .warnings = found.frame.warnings,
                .health = found.frame.health,
                .next = next_of(found.frame)};
  if (!found.patterns.empty()) {
    answer.tables.push_back(rates_table(found.patterns, "patterns"));
    answer.tables.back().shown.clear();
  }
  if (!found.frame.no_verdict.empty()) hide_rates(answer.tables.front());
  return answer;
}

QuestionRow bisection_row() {
  return {design::Question::kBisection, bisection_lack,
          [](const Study& study, Detail) { return Answered{answer_of(bisection(study))}; },
          [](const Study& study) {
            const store::Data& data = study.data();
            const bool any = std::ranges::any_of(data.cells, [](const record::Cell& cell) {
              const auto pattern = record::parse_pattern(cell.pattern);
              return pattern && (pattern->kind == record::PatternKind::kBisection ||
                                 pattern->kind == record::PatternKind::kRandom);
            });
            return any ? OnPage::kExpected : OnPage::kNo;
          }};
}

}  // namespace invar::analysis
