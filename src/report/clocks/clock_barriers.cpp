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

using analysis::BarrierRow;

// "rank 1": the one whose median exit is last, and by how much.
std::string last_text(const BarrierRow& row) {
  const auto last = std::max_element(row.behind_ns.begin(), row.behind_ns.end());
  if (last == row.behind_ns.end()) return "";
  return fmt::format("{} +{}", last - row.behind_ns.begin(), base::duration_text(*last));
}

}  // namespace

std::string barriers_text(const analysis::Barriers& barriers, const ClockRunContext& context) {
  std::string text =
      fmt::format("{}, {}: latest - earliest exit after a common start by the clock{}\n\n",
                  context.library, base::count_text(context.ranks, "rank"),
                  barriers.sigma_ns > 0 ? fmt::format("; global times to +-{} (1 sigma, by mesh)",
                                                      base::duration_text(barriers.sigma_ns))
                                        : "");
  TextTable table;
  table.add_column("method", Align::kLeft);
  for (const char* name : {"count", "left out", "entry skew", "Q1", "median", "Q3", "95 %", "99 %",
                           "takes", "last rank"}) {
    table.add_column(name, Align::kRight);
  }
  const auto time = [](double ns) { return base::duration_text(ns); };
  const auto tail = [](std::optional<double> ns) { return ns ? base::duration_text(*ns) : "-"; };
  for (const BarrierRow& row : barriers.rows) {
    std::vector<std::string> fields{row.method, std::to_string(row.repetitions),
                                    std::to_string(row.left_out)};
    if (row.repetitions == 0) {
      fields.insert(fields.end(), 8, "-");
    } else {
      // A window is what started: there is nothing between its entry and its exit.
      const bool start = row.method == "window";
      const analysis::BarrierQuantiles& q = row.exit_ns;
      fields.insert(fields.end(), {start ? "-" : time(row.entry_skew_ns), time(q.q1_ns),
                                   time(q.median_ns), time(q.q3_ns), tail(q.p95_ns), tail(q.p99_ns),
                                   start ? "-" : time(row.time_ns), last_text(row)});
    }
    table.add_row(fields);
  }
  text += table.text(120);
  text +=
      "\nentry skew, takes (last entry to last exit): medians; last rank: whose median exit is "
      "latest\n"
      "left out: a rank started late or was not done before the next start\n";
  return text;
}

std::string barriers_csv(const analysis::Barriers& barriers, const ClockRunContext& context) {
  std::string text = std::string(analysis::clock_csv_header("barriers")) + "\n";
  const auto tail = [](std::optional<double> ns) {
    return ns ? fmt::format("{:.6g}", *ns) : std::string();
  };
  for (const BarrierRow& row : barriers.rows) {
    for (std::size_t rank = 0; rank < row.behind_ns.size(); ++rank) {
      fmt::format_to(std::back_inserter(text),
                     "{},{},{},{},{},{:.6g},{:.6g},{:.6g},{:.6g},{},{},{:.6g},{:.6g},{},"
                     "{:.6g}\n",
                     base::csv_field(context.library), context.ranks, row.method, row.repetitions,
                     row.left_out, row.entry_skew_ns, row.exit_ns.q1_ns, row.exit_ns.median_ns,
                     row.exit_ns.q3_ns, tail(row.exit_ns.p95_ns), tail(row.exit_ns.p99_ns),
                     row.time_ns, barriers.sigma_ns, rank, row.behind_ns[rank]);
    }
  }
  return text;
}

}  // namespace invar::report
