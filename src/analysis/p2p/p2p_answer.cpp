// Messages as an answer: a line an arm, then latency, rates, queues and steps by size.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/compare/compared_table.hpp"
#include "analysis/compare/reference_regime.hpp"
#include "analysis/machine/machine_tables.hpp"
#include "analysis/p2p/p2p.hpp"
#include "analysis/questions/question_row.hpp"
#include "analysis/study/times.hpp"
#include "analysis/words/cell_columns.hpp"
#include "analysis/words/numbers.hpp"
#include "analysis/words/regimes_clause.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::analysis {
namespace {

// A column with its interval beside it: "NAME", "NAME_low", "NAME_high", each with the unit behind.
void add_estimate_columns(TidyTable& table, const std::string& name, Kind kind,
                          const std::string& unit = {}) {
  const std::string low = name + "_low" + unit;
  const std::string high = name + "_high" + unit;
  table.columns.push_back({.name = name + unit, .kind = kind, .low = low, .high = high});
  table.columns.push_back({.name = low, .kind = kind});
  table.columns.push_back({.name = high, .kind = kind});
}

constexpr const char* kInNanoseconds = "_ns";
constexpr const char* kInBytes = "_bytes";

void append_message_rate(std::vector<Value>& values, const std::optional<Rate>& rate) {
  values.push_back(rate ? Value(rate->value) : Value());
  append_interval(values, rate ? rate->interval : std::nullopt);
}

void append_group_estimate(std::vector<Value>& values,
                           const std::optional<GroupEstimate>& estimate) {
  values.push_back(estimate ? Value(estimate->value) : Value());
  append_interval(values, estimate ? estimate->interval : std::nullopt);
}

Value whole_bytes(double bytes) { return static_cast<std::int64_t>(std::llround(bytes)); }

// Where more than between which sizes it lies is not known there is no estimate of it.
void append_half(std::vector<Value>& values, const std::optional<HalfSize>& half) {
  values.push_back(half && !half->is_bracket() ? whole_bytes(half->bytes) : Value());
  const bool known = half && half->interval;
  values.push_back(known ? whole_bytes(half->interval->low) : Value());
  values.push_back(known ? whole_bytes(half->interval->high) : Value());
  values.push_back(half ? Value(half_words(*half)) : Value());
  List low_bytes;
  List high_bytes;
  if (half) {
    for (const SizeRange& range : half->lost) {
      low_bytes.emplace_back(range.low_bytes);
      high_bytes.emplace_back(range.high_bytes);
    }
  }
  values.emplace_back(std::move(low_bytes));
  values.emplace_back(std::move(high_bytes));
}

// A text that may be missing.
Value text_or_none(const std::string& text) { return text.empty() ? Value() : Value(text); }

bool has_places(const P2p& found) {
  return std::ranges::any_of(found.summaries,
                             [](const MessageSummary& one) { return !one.place.empty(); });
}

// Who the rows are of, where there are several.
void show_arm(const P2p& found, TidyTable& table) {
  if (found.arms.size() > 1) table.shown.push_back({.header = "arm", .column = "arm"});
}

// Where there is no room for all sizes, those that everybody compares are shown of every arm.
int weight_of(const record::Cell& cell) {
  constexpr std::array<std::uint64_t, 2> kFirst{8, 64 << 10};
  constexpr std::array<std::uint64_t, 2> kNext{1 << 10, 1 << 20};
  const auto is_one_of = [&](const auto& sizes) {
    return cell.size_bytes && std::ranges::find(sizes, *cell.size_bytes) != sizes.end();
  };
  return is_one_of(kFirst) ? 2 : is_one_of(kNext) ? 1 : 0;
}

// Ping-pongs have other rates than messages in a row, and a head must not take one for the other.
bool any_rates_of(const P2p& found, bool ping_pongs) {
  return std::ranges::any_of(found.summaries, [&](const MessageSummary& one) {
    return one.rates.bandwidth_gb_s && one.rates.ping_pongs == ping_pongs;
  });
}

// The answer's regime first.
std::vector<MessageSummary> shown_summaries(const P2p& found) {
  std::vector<MessageSummary> all = found.summaries;
  if (found.shows_regimes) all.insert(all.end(), found.elsewhere.begin(), found.elsewhere.end());
  return all;
}

TidyTable summary_table(const P2p& found) {
  TidyTable table{.id = "summary", .columns = {{.name = "arm"}, {.name = "place"}}};
  add_estimate_columns(table, "latency", Kind::kTime, kInNanoseconds);
  table.columns.push_back({.name = "latency_size_bytes", .kind = Kind::kBytes});
  add_estimate_columns(table, "bandwidth_gb_s", Kind::kBandwidth);
  table.columns.push_back({.name = "bandwidth_size_bytes", .kind = Kind::kBytes});
  table.columns.push_back({.name = "bandwidth_of"});
  table.columns.push_back({.name = "window", .kind = Kind::kCount});
  add_estimate_columns(table, "longest_gb_s", Kind::kBandwidth);
  table.columns.push_back({.name = "longest_size_bytes", .kind = Kind::kBytes});
  add_estimate_columns(table, "half_bandwidth", Kind::kBytes, kInBytes);
  table.columns.push_back({.name = "half_bandwidth"});
  table.columns.push_back({.name = "half_lost_low_bytes", .kind = Kind::kBytes});
  table.columns.push_back({.name = "half_lost_high_bytes", .kind = Kind::kBytes});
  add_estimate_columns(table, "message_rate_per_s", Kind::kRate);
  table.columns.push_back({.name = "steps", .kind = Kind::kCount});
  if (found.shows_regimes) table.columns.push_back({.name = "regime"});
  const bool figures = found.no_verdict.empty();
  if (!figures) table.columns.push_back({.name = "no_figures"});
  for (const MessageSummary& summary : shown_summaries(found)) {
    const PlaceRates& rates = summary.rates;
    std::vector<Value> values{summary.arm, text_or_none(summary.place)};
    append_time(values, summary.latency);
    values.push_back(summary.latency ? Value(summary.latency_bytes) : Value());
    append_message_rate(values, rates.bandwidth_gb_s);
    values.push_back(rates.bandwidth_gb_s ? Value(rates.bandwidth_bytes) : Value());
    const bool any = rates.bandwidth_gb_s || rates.messages_per_s;
    values.push_back(any ? Value(std::string(rates.ping_pongs ? kPingPong : kStream)) : Value());
    values.push_back(rates.bandwidth_gb_s ? Value(rates.window) : Value());
    append_message_rate(values, rates.longest_gb_s);
    values.push_back(rates.longest_gb_s ? Value(rates.longest_bytes) : Value());
    append_half(values, rates.half);
    append_message_rate(values, rates.messages_per_s);
    values.push_back(summary.steps ? Value(summary.steps->size()) : Value());
    if (found.shows_regimes) values.push_back(text_or_none(summary.regime));
    if (!figures) {
      // Nothing that anybody should quote: what was measured is in the other tables, as behaviour.
      const std::size_t first = column_index(table, "latency_ns");
      const std::size_t last = column_index(table, "steps");
      for (std::size_t i = first; i <= last; ++i) values[i] = Value();
      values.emplace_back(found.no_verdict);
    }
    table.rows.push_back(std::move(values));
  }
  if (!figures) return table;
  const bool mixed = any_rates_of(found, true) && any_rates_of(found, false);
  const std::string of = any_rates_of(found, true) && !mixed ? "ping-pong " : "";
  table.shown.push_back({.header = "arm", .column = "arm"});
  if (has_places(found)) table.shown.push_back({.header = "place", .column = "place"});
  if (found.shows_regimes) table.shown.push_back({.header = "regime", .column = "regime"});
  table.shown.push_back({.header = "latency", .column = "latency_ns", .absent = "-"});
  if (mixed) table.shown.push_back({.header = "rates of", .column = "bandwidth_of"});
  table.shown.push_back({.header = of + "GB/s", .column = "bandwidth_gb_s", .absent = "-"});
  table.shown.push_back({.header = "at", .column = "bandwidth_size_bytes", .absent = "-"});
  table.shown.push_back({.header = "half", .column = "half_bandwidth", .absent = "-"});
  table.shown.push_back({.header = "longest GB/s", .column = "longest_gb_s", .absent = "-"});
  table.shown.push_back({.header = "size", .column = "longest_size_bytes", .absent = "-"});
  table.shown.push_back(
      {.header = of + "messages/s", .column = "message_rate_per_s", .absent = "-"});
  table.shown.push_back({.header = "steps", .column = "steps", .absent = "-"});
  return table;
}

TidyTable latency_table(const P2p& found) {
  TidyTable table{.id = "latency",
                  .title = "Half a round trip, and one way",
                  .columns = {{.name = "cell", .kind = Kind::kCell}, {.name = "arm"}}};
  for (const char* time : {"round_trip", "half_round_trip", "there", "back", "asymmetry"}) {
    add_estimate_columns(table, time, Kind::kTime, kInNanoseconds);
  }
  table.columns.push_back({.name = "asymmetry_missing"});
  for (const LatencyRow& row : found.latency) {
    std::vector<Value> values{row.cell, row.arm};
    for (const auto& time : {row.round_trip, row.half_round_trip, row.there, row.back}) {
      append_time(values, time);
    }
    append_group_estimate(values, row.asymmetry_ns);
    values.push_back(text_or_none(row.asymmetry_missing));
    table.rows.push_back(std::move(values));
    table.weights.push_back(weight_of(row.cell));
  }
  if (table.rows.empty()) return table;
  show_arm(found, table);
  table.shown.push_back({.column = "cell"});
  table.shown.push_back({.header = "half round trip", .column = "half_round_trip_ns"});
  const bool one_way = std::ranges::any_of(
      found.latency, [](const LatencyRow& row) { return row.there || row.back; });
  if (!one_way) return table;
  table.shown.push_back({.header = "there", .column = "there_ns"});
  table.shown.push_back({.header = "back", .column = "back_ns"});
  const bool told = std::ranges::any_of(
      found.latency, [](const LatencyRow& row) { return row.asymmetry_ns.has_value(); });
  if (told) {
    table.shown.push_back({.header = "there - back", .column = "asymmetry_ns", .absent = "-"});
  }
  return table;
}

TidyTable bandwidth_table(const P2p& found) {
  TidyTable table{
      .id = "bandwidth",
      .title = "Rates",
      .columns = {{.name = "cell", .kind = Kind::kCell}, {.name = "arm"}, {.name = "time"}}};
  add_estimate_columns(table, "time", Kind::kTime, kInNanoseconds);
  add_estimate_columns(table, "bandwidth_gb_s", Kind::kBandwidth);
  add_estimate_columns(table, "message_rate_per_s", Kind::kRate);
  for (const RateRow& row : found.rates) {
    std::vector<Value> values{row.cell, row.arm, row.time_name};
    append_time(values, row.time);
    append_message_rate(values, row.bandwidth_gb_s);
    append_message_rate(values, row.messages_per_s);
    table.rows.push_back(std::move(values));
    table.weights.push_back(weight_of(row.cell));
  }
  if (table.rows.empty()) return table;
  show_arm(found, table);
  table.shown.push_back({.column = "cell"});
  table.shown.push_back({.header = "time", .column = "time_ns"});
  table.shown.push_back({.header = "GB/s", .column = "bandwidth_gb_s", .absent = "-"});
  table.shown.push_back({.header = "messages/s", .column = "message_rate_per_s", .absent = "-"});
  if (!found.no_verdict.empty()) hide_rates(table);
  return table;
}

TidyTable queues_table(const P2p& found) {
  TidyTable table{.id = "queues",
                  .columns = {{.name = "cell", .kind = Kind::kCell},
                              {.name = "arm"},
                              {.name = "kind"},
                              {.name = "count", .kind = Kind::kCount}}};
  add_estimate_columns(table, "time", Kind::kTime, kInNanoseconds);
  add_estimate_columns(table, "per_entry", Kind::kTime, kInNanoseconds);
  for (const QueueRow& row : found.queues.rows) {
    std::vector<Value> values{row.cell, row.arm, row.kind, row.count};
    append_time(values, row.time);
    append_group_estimate(values, row.per_entry_ns);
    table.rows.push_back(std::move(values));
  }
  return table;
}

TidyTable queue_costs_table(const P2p& found) {
  TidyTable table{.id = "queue_costs",
                  .columns = {{.name = "cell", .kind = Kind::kCell},
                              {.name = "arm"},
                              {.name = "kind"},
                              {.name = "most", .kind = Kind::kCount},
                              {.name = "line", .kind = Kind::kYesNo}}};
  add_estimate_columns(table, "per_entry", Kind::kTime, kInNanoseconds);
  table.columns.push_back({.name = "least_per_entry_ns", .kind = Kind::kTime});
  table.columns.push_back({.name = "most_per_entry_ns", .kind = Kind::kTime});
  for (const QueueCost& row : found.queues.costs) {
    std::vector<Value> values{row.cell, row.arm, row.kind, row.most, row.line};
    append_group_estimate(values, row.per_entry_ns);
    values.emplace_back(row.least_ns);
    values.emplace_back(row.most_ns);
    table.rows.push_back(std::move(values));
  }
  return table;
}

// Rows of one kind of queue of one cell in an arm.
using KindInCell = std::tuple<std::string, std::size_t, std::uint32_t, std::string>;

template <typename Row>
KindInCell kind_in_cell(const Row& row) {
  return {row.arm, row.place, row.cell.id, row.kind};
}

// For a terminal: a row a kind of queue, a column a count.
TidyTable queue_times_table(const P2p& found) {
  TidyTable table{
      .title = "Time of a message while so many entries wait in a queue, and what an entry costs",
      .columns = {{.name = "cell", .kind = Kind::kCell}, {.name = "arm"}, {.name = "kind"}}};
  if (found.queues.rows.empty() || !found.no_verdict.empty()) return table;
  std::set<std::uint32_t> counts;
  for (const QueueRow& row : found.queues.rows) counts.insert(row.count);
  std::map<KindInCell, std::size_t> known;
  for (const QueueRow& row : found.queues.rows) {
    const auto [at, is_new] = known.try_emplace(kind_in_cell(row), table.rows.size());
    if (is_new) {
      table.rows.push_back({row.cell, row.arm, row.kind});
      table.rows.back().resize(3 + counts.size() + 1);
    }
    const auto column = std::distance(counts.begin(), counts.find(row.count));
    table.rows[at->second][3 + static_cast<std::size_t>(column)] = row.time.median_ns;
  }
  for (const QueueCost& cost : found.queues.costs) {
    const auto row = known.find(kind_in_cell(cost));
    if (row != known.end()) table.rows[row->second].back() = cost_text(cost);
  }
  show_arm(found, table);
  table.shown.push_back({.column = "cell"});
  table.shown.push_back({.header = "queue", .column = "kind"});
  for (const std::uint32_t count : counts) {
    const std::string name = std::to_string(count);
    table.columns.push_back({.name = name, .kind = Kind::kTime});
    table.shown.push_back({.header = name, .column = name, .absent = "-"});
  }
  table.columns.push_back({.name = "cost"});
  table.shown.push_back({.header = "an entry", .column = "cost", .absent = "-"});
  return table;
}

// Told at some sizes, or why at none.
std::string asymmetry_remark(const P2p& found) {
  std::vector<std::string> told;
  std::vector<std::string> reasons;
  for (const LatencyRow& row : found.latency) {
    if (row.asymmetry_ns) {
      const EstimateText text = time_text(
          {.median_ns = row.asymmetry_ns->value, .interval_ns = row.asymmetry_ns->interval});
      told.push_back(row.arm + " " + base::size_text(row.cell.size_bytes.value_or(0)) +
                     " there - back " + text.estimate + " " + text.interval);
    } else if (!row.asymmetry_missing.empty()) {
      reasons.push_back(row.asymmetry_missing);
    }
  }
  constexpr std::size_t kMostTold = 3;
  if (!told.empty()) return base::first_items(told, kMostTold, "; ");
  if (reasons.empty()) return {};
  const bool one_reason = std::ranges::all_of(
      reasons, [&](const std::string& reason) { return reason == reasons.front(); });
  if (one_reason) return reasons.front();
  return "in none of " + count_text(reasons.size(), "comparison") + "; the first one " +
         reasons.front();
}

// What one way has more of a clock than half a round trip: a round trip lies between two readings
// one after the other on one rank, and there and back between two each.
std::string reading_words(const P2p& found) {
  if (!found.reading_ns) return {};
  return " (here some " + base::duration_text(*found.reading_ns / 2) + ")";
}

std::vector<std::string> reading_notes(const P2p& found) {
  EstimateWords estimates;
  for (const RateRow& row : found.rates) estimates.add(row.time);
  for (const LatencyRow& row : found.latency) {
    for (const auto& time : {row.round_trip, row.there, row.back}) estimates.add(time);
  }
  const std::string confidence = percent_text(1 - found.alpha);
  std::vector<std::string> notes{
      "times: " + estimates.text() + " over groups, " + confidence +
          "; latency: half the round trip that the rank which starts reads on its own clock; there "
          "and back: from the sender's start to the receiver's end, each as wrong as the clocks of "
          "both may be apart, their mean not, but above half a round trip by half of what reading "
          "a clock takes" +
          reading_words(found) +
          " and what a first message takes longer than an answer; there - back: of the same "
          "rounds, corrected for all that are tested, told where all ranks read one clock and the "
          "whole interval lies beyond twice what comparing the ranks' clocks left open",
      "rates: bytes and messages of a call over its time, the ends of the interval exchanged; GB "
      "are 10^9 bytes; longest GB/s: at the largest size; half: the size from which half of the "
      "largest rate is reached, on "
      "logarithmic scales between two sizes, interval from the launch groups' own sizes and not "
      "within these two"};
  if (!found.queues.costs.empty()) {
    notes.push_back(
        "queues: an entry: slope of a straight line over the entries in each launch group, mean "
        "over groups, t, " +
        confidence +
        "; nothing: the interval holds 0; not a line: what is left over of some "
        "groups' own lines is surely more than " +
        percent_text(found.min_effect) +
        " of a time, so that only what an entry costs on average up to a count can be told");
  }
  std::string regimes = regimes_line(found.regimes, found.reference, "the figures are of this one");
  if (!regimes.empty()) notes.push_back(std::move(regimes));
  return notes;
}

template <typename Row>
void collect_cells(const std::vector<Row>& rows, std::vector<record::Cell>& cells) {
  for (const Row& row : rows) cells.push_back(row.cell);
}

// Ranks and whatever else all rows have in common.
std::string common_place(const P2p& found) {
  std::vector<record::Cell> cells;
  collect_cells(found.latency, cells);
  collect_cells(found.rates, cells);
  collect_cells(found.queues.rows, cells);
  return only_place(cells);
}

}  // namespace

Answer answer_of(const P2p& found) {
  Answer answer{.question = "p2p",
                .sentence = found.sentence,
                .scope = found.scope,
                .facts = {{"arms", arms_value(found.arms)},
                          {"runtime", found.global_runtime ? "global" : "local"},
                          {"alpha", found.alpha},
                          {"reference", reference_value(found.reference)},
                          {"no_figures", text_or_none(found.no_verdict)}},
                .tables = {summary_table(found), queue_times_table(found), latency_table(found),
                           bandwidth_table(found), queues_table(found), queue_costs_table(found)},
                .head = common_place(found),
                .notes = reading_notes(found),
                .warnings = found.warnings,
                .health = found.health};
  if (std::optional<Remark> settings = arms_remark(found.arms)) {
    answer.remarks.push_back(std::move(*settings));
  }
  keep_rows_at_steps(answer, found.steps);
  for (TidyTable& table : steps_tables(found.steps)) answer.tables.push_back(std::move(table));
  answer.tables.push_back(regimes_table(found.regimes));
  if (found.no_verdict.empty()) {
    if (!found.steps.curves.empty()) add_steps_remark(answer, found.steps);
    if (std::string text = asymmetry_remark(found); !text.empty()) {
      answer.remarks.push_back({.label = "asymmetry", .text = std::move(text), .own_line = true});
    }
  }
  if (!found.dir.empty()) {
    const std::string dir = base::shell_quoted(found.dir.string());
    if (!found.elsewhere.empty() && !found.shows_regimes && found.no_verdict.empty()) {
      answer.next.push_back({"other regimes, and everything together",
                             "invar p2p " + dir + found.asked + " --regimes", true});
    }
    answer.next.push_back({"data", dir});
    answer.next.push_back({"page", "invar report " + dir});
    if (status_of(found.health) != base::Exit::kDone) {
      answer.next.push_back({"go on", "invar run --resume -o " + dir});
    }
  }
  return answer;
}

QuestionRow p2p_row() {
  return {design::Question::kP2p, p2p_lack,
          [](const Study& study, Detail) { return Answered{answer_of(p2p(study))}; },
          [](const Study& study) {
            const bool any = std::ranges::any_of(study.data().cells, [](const record::Cell& cell) {
              return cell.operation == kPingPong || cell.operation == kOneWay ||
                     cell.operation == kStream;
            });
            return any ? OnPage::kIfAny : OnPage::kNo;
          }};
}

}  // namespace invar::analysis
