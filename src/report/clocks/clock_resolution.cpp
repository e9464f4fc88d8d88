#include <fmt/format.h>

#include <iterator>

#include "analysis/clocks/clock_table.hpp"
#include "base/csv.hpp"
#include "base/text.hpp"
#include "report/clocks/clock_tables.hpp"
#include "report/kit/text_table.hpp"

namespace invar::report {
namespace {

using analysis::ClockSourceRow;

std::string ns(double value) {
  return value < 100 ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value);
}

std::string backwards_text(double times, double most_ns) {
  return times == 0 ? "none" : fmt::format("{:.0f} (up to {} ns)", times, ns(most_ns));
}

// Of a counter its frequency, of others how much they differ from CLOCK_MONOTONIC_RAW.
std::string rate_text(const ClockSourceRow& row) {
  const double half_width_ppm = 1e6 * row.half_width_per_s / row.ticks_per_s;
  if (row.source == "tsc") {
    return fmt::format("{:.4f} MHz +-{:.2g} ppm", row.ticks_per_s / 1e6, half_width_ppm);
  }
  return fmt::format("{:+.3f} ppm +-{:.2g}", 1e6 * (row.ticks_per_s / 1e9 - 1), half_width_ppm);
}

}  // namespace

std::string resolution_text(const std::vector<ClockSourceRow>& rows,
                            const ClockRunContext& context) {
  if (rows.empty()) return {};
  std::string text = fmt::format(
      "{}, {}: what clocks cost and resolve; reads backwards in {:.2g} reads of every rank\n\n",
      context.library, base::count_text(context.ranks, "rank"), rows.front().reads);
  TextTable table;
  table.add_column("clock", Align::kLeft);
  table.add_column("read, ns", Align::kRight);
  table.add_column("[Q1, Q3]", Align::kLeft, true);
  table.add_column("least step, ns", Align::kRight);
  table.add_column("resolution, ns", Align::kRight);
  table.add_column("backwards", Align::kLeft);
  table.add_column("between ranks", Align::kLeft);
  table.add_column("rate", Align::kLeft);
  for (const ClockSourceRow& row : rows) {
    table.add_row(
        {row.source, ns(row.cost_median_ns),
         fmt::format("[{}, {}]", ns(row.cost_q1_ns), ns(row.cost_q3_ns)), ns(row.smallest_step_ns),
         ns(row.step_ns), backwards_text(row.backwards, row.backwards_most_ns),
         row.shared ? backwards_text(row.shared_backwards, row.shared_most_ns) : "not shared",
         rate_text(row)});
  }
  text += table.text(120);
  text += "\nrate: against CLOCK_MONOTONIC_RAW, which no time server slews\n";
  for (const ClockSourceRow& row : rows) {
    if (row.source != "tsc") continue;
    text += row.trusted ? "tsc: trusted, because its rate is constant, it never stops, and the "
                          "kernel itself uses it\n"
                        : fmt::format("tsc: not trusted: {}\n", printable(row.reason));
  }
  return text;
}

std::string resolution_csv(const std::vector<ClockSourceRow>& rows,
                           const ClockRunContext& context) {
  std::string text = std::string(analysis::clock_csv_header("resolution")) + "\n";
  for (const ClockSourceRow& row : rows) {
    fmt::format_to(std::back_inserter(text),
                   "{},{},{},{},{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.0f},{:.0f},{:.6g},{},"
                   "{:.0f},{:.6g},{:.12g},{:.6g},{:.6g}\n",
                   base::csv_field(context.library), context.ranks, row.source, row.trusted ? 1 : 0,
                   base::csv_field(row.reason), row.cost_q1_ns, row.cost_median_ns, row.cost_q3_ns,
                   row.smallest_step_ns, row.step_ns, row.reads, row.backwards,
                   row.backwards_most_ns, row.shared ? 1 : 0, row.shared_backwards,
                   row.shared_most_ns, row.ticks_per_s, row.half_width_per_s, row.rates_apart_ppm);
  }
  return text;
}

}  // namespace invar::report
