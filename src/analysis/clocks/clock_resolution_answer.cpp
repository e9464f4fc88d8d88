// resolution: what clocks cost and resolve, as an answer.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/clocks/clock_answers.hpp"
#include "analysis/clocks/clock_resolution.hpp"
#include "analysis/words/words.hpp"
#include "base/units.hpp"

namespace invar::analysis {
namespace {

std::string ns(double value) {
  return value < 100 ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value);
}

std::string backwards_text(double times, double most_ns) {
  return times == 0 ? "none" : fmt::format("{:.0f} (up to {} ns)", times, ns(most_ns));
}

// The frequency of a counter; how much another clock differs from CLOCK_MONOTONIC_RAW.
std::string rate_text(const ClockSourceRow& row) {
  const double half_width_ppm = 1e6 * row.half_width_per_s / row.ticks_per_s;
  if (row.source == "tsc") {
    return fmt::format("{:.4f} MHz +-{:.2g} ppm", row.ticks_per_s / 1e6, half_width_ppm);
  }
  return fmt::format("{:+.3f} ppm +-{:.2g}", 1e6 * (row.ticks_per_s / 1e9 - 1), half_width_ppm);
}

TidyTable clocks_table(const ClockInput& input, const std::vector<ClockSourceRow>& rows) {
  TidyTable table{.id = "clocks",
                  .columns = {{.name = "library"},
                              {.name = "ranks", .kind = Kind::kCount},
                              {.name = "clock"},
                              {.name = "trusted", .kind = Kind::kYesNo},
                              {.name = "reason"},
                              {.name = "cost_q1_ns", .kind = Kind::kTime},
                              {.name = "cost_median_ns", .kind = Kind::kTime},
                              {.name = "cost_q3_ns", .kind = Kind::kTime},
                              {.name = "smallest_step_ns", .kind = Kind::kTime},
                              {.name = "step_ns", .kind = Kind::kTime},
                              {.name = "reads", .kind = Kind::kCount},
                              {.name = "backwards", .kind = Kind::kCount},
                              {.name = "backwards_most_ns", .kind = Kind::kTime},
                              {.name = "shared", .kind = Kind::kYesNo},
                              {.name = "shared_backwards", .kind = Kind::kCount},
                              {.name = "shared_most_ns", .kind = Kind::kTime},
                              {.name = "ticks_per_s", .kind = Kind::kNumber},
                              {.name = "half_width_per_s", .kind = Kind::kNumber},
                              {.name = "rates_apart_ppm", .kind = Kind::kNumber}}};
  const std::uint32_t ranks = input.head.ranks.empty() ? 0 : input.head.ranks.front();
  for (const ClockSourceRow& row : rows) {
    table.rows.push_back({clock_link(input), ranks, row.source, row.trusted, row.reason,
                          row.cost_q1_ns, row.cost_median_ns, row.cost_q3_ns, row.smallest_step_ns,
                          row.step_ns, row.reads, row.backwards, row.backwards_most_ns, row.shared,
                          row.shared_backwards, row.shared_most_ns, row.ticks_per_s,
                          row.half_width_per_s, row.rates_apart_ppm});
  }
  return table;
}

TidyTable shown_clocks(const std::vector<ClockSourceRow>& rows) {
  std::vector<std::vector<std::string>> texts;
  texts.reserve(rows.size());
  for (const ClockSourceRow& row : rows) {
    texts.push_back(
        {row.source, ns(row.cost_median_ns),
         fmt::format("[{}, {}]", ns(row.cost_q1_ns), ns(row.cost_q3_ns)), ns(row.smallest_step_ns),
         ns(row.step_ns), backwards_text(row.backwards, row.backwards_most_ns),
         row.shared ? backwards_text(row.shared_backwards, row.shared_most_ns) : "not shared",
         rate_text(row)});
  }
  return terminal_table({{.header = "clock", .left = true},
                         {.header = "read, ns"},
                         {.header = "[Q1, Q3]", .left = true, .glued = true},
                         {.header = "least step, ns"},
                         {.header = "resolution, ns"},
                         {.header = "backwards", .left = true},
                         {.header = "between ranks", .left = true},
                         {.header = "rate", .left = true}},
                        texts);
}

std::string cheapest_sentence(const std::vector<ClockSourceRow>& rows, const std::string& scope) {
  if (rows.empty()) return "No clock was read: " + scope + ".";
  const auto cheapest = std::ranges::min_element(rows, {}, &ClockSourceRow::cost_median_ns);
  std::vector<std::string> backwards;
  for (const ClockSourceRow& row : rows) {
    if (row.backwards + row.shared_backwards > 0) backwards.push_back(row.source);
  }
  return fmt::format("{} is the cheapest clock, {} ns a reading, and resolves {} ns; {}: {}.",
                     cheapest->source, ns(cheapest->cost_median_ns), ns(cheapest->step_ns),
                     backwards.empty() ? "no clock went back" : list_text(backwards) + " went back",
                     scope);
}

}  // namespace

Answer resolution_answer(const ClockInput& input) {
  const std::vector<ClockSourceRow> rows = read_clock_resolution(input.rows);
  const std::string scope = clock_scope(input);
  Answer answer{.sentence = cheapest_sentence(rows, scope),
                .scope = scope,
                .tables = {clocks_table(input, rows), shown_clocks(rows)}};
  if (!rows.empty()) {
    answer.head = fmt::format("reads backwards in {:.2g} reads of every rank", rows.front().reads);
  }
  answer.notes.emplace_back("rate: against CLOCK_MONOTONIC_RAW, which no time server slews");
  for (const ClockSourceRow& row : rows) {
    if (row.source != "tsc") continue;
    if (row.trusted) {
      answer.notes.emplace_back(
          "tsc: trusted, because its rate is constant, it never stops, and the kernel itself uses "
          "it");
    } else {
      answer.warnings.emplace_back("tsc: not trusted: " + row.reason);
    }
  }
  return answer;
}

}  // namespace invar::analysis
