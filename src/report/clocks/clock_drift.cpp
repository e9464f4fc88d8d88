#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "analysis/clocks/clock_table.hpp"
#include "base/csv.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "report/clocks/clock_tables.hpp"
#include "report/kit/text_table.hpp"

namespace invar::report {
namespace {

using analysis::DriftRow;

std::string signed_time(double ns) {
  return (ns < 0 ? "-" : "+") + base::duration_text(ns < 0 ? -ns : ns);
}

std::string windows_text(const std::vector<double>& windows) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, windows.size()); ++i) {
    text += fmt::format("{}{:+.4f}", i == 0 ? "" : ", ", windows[i]);
  }
  return text + (windows.size() > kShown ? ", ..." : "");
}

}  // namespace

std::string drift_text(const std::vector<DriftRow>& rows, const ClockRunContext& context) {
  if (rows.empty()) return {};
  const bool truth = rows.front().true_ppm.has_value();
  std::string text = fmt::format(
      "{}, {}: clocks against rank 0's, {} each, offsets known to +-{}\n", context.library,
      base::count_text(context.ranks, "rank"), base::count_text(rows.front().points, "point"),
      base::duration_text(rows.front().half_width_ns));
  if (truth) {
    text += context.virtual_skew != 0
                ? fmt::format("virtual clocks, {:+g} ppm on one real clock: the truth is known\n",
                              1e6 * context.virtual_skew)
                : "one real clock for all ranks: what drift there is would be the measurement's\n";
  }
  text += '\n';
  TextTable table;
  table.add_column("rank", Align::kRight);
  table.add_column("first offset", Align::kRight);
  table.add_column("drift, ppm", Align::kRight);
  table.add_column("[95 %]", Align::kLeft, true);
  table.add_column("over 10 s each, ppm", Align::kLeft);
  table.add_column("residual", Align::kRight);
  table.add_column("R^2", Align::kRight);
  table.add_column(truth ? "true, ppm" : "", Align::kRight);
  table.add_column(truth ? "worst error" : "", Align::kRight);
  for (const DriftRow& row : rows) {
    table.add_row({std::to_string(row.rank), signed_time(row.first_offset_ns),
                   fmt::format("{:+.4f}", row.drift_ppm),
                   row.interval_ppm ? fmt::format("[{:+.4f}, {:+.4f}]", row.interval_ppm->low,
                                                  row.interval_ppm->high)
                                    : "",
                   windows_text(row.window_ppm), base::duration_text(row.largest_residual_ns),
                   row.r_squared ? fmt::format("{:.6f}", *row.r_squared) : "-",
                   row.true_ppm ? fmt::format("{:+.4f}", *row.true_ppm) : "",
                   row.largest_error_ns ? base::duration_text(*row.largest_error_ns) : ""});
  }
  text += table.text(120);
  text += "\nresidual: the largest distance of a point from the line\n";
  return text;
}

std::string drift_csv(const std::vector<analysis::DriftPoint>& points,
                      const ClockRunContext& context) {
  std::string text = std::string(analysis::clock_csv_header("drift")) + "\n";
  for (const analysis::DriftPoint& point : points) {
    fmt::format_to(std::back_inserter(text), "{},{},{:g},{},{:.9g},{:.15g},{:.6g},{}\n",
                   base::csv_field(context.library), context.ranks, context.virtual_skew,
                   point.rank, point.seconds, point.offset_ns, point.half_width_ns,
                   point.truth_ns ? fmt::format("{:.15g}", *point.truth_ns) : "");
  }
  return text;
}

}  // namespace invar::report
