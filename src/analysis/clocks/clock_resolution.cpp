#include "analysis/clocks/clock_resolution.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "stats/describe/quantile.hpp"

namespace invar::analysis {

std::vector<ClockSourceRow> read_clock_resolution(const ClockCsv& table) {
  std::vector<ClockSourceRow> rows;
  std::map<std::string, std::vector<double>> costs_ns;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::string& source = table.word(i, 1);
    auto row = std::find_if(rows.begin(), rows.end(),
                            [&](const ClockSourceRow& one) { return one.source == source; });
    if (row == rows.end()) row = rows.insert(rows.end(), {.source = source});
    const std::string& quantity = table.word(i, 2);
    const double value = table.number(i, 3);
    const auto most = [&](double& member) { member = std::max(member, value); };
    if (quantity == "trusted") {
      if (value == 0 && row->trusted) {
        row->trusted = false;
        row->reason = table.word(i, 4);
      }
    } else if (quantity == "cost_ns") {
      costs_ns[source].push_back(value);
    } else if (quantity == "smallest_step_ns") {
      row->smallest_step_ns =
          row->smallest_step_ns == 0 ? value : std::min(row->smallest_step_ns, value);
    } else if (quantity == "step_ns") {
      most(row->step_ns);
    } else if (quantity == "reads") {
      most(row->reads);
    } else if (quantity == "backwards") {
      row->backwards += value;
    } else if (quantity == "backwards_most_ns") {
      most(row->backwards_most_ns);
    } else if (quantity == "shared_reads") {
      row->shared = true;
    } else if (quantity == "shared_backwards") {
      row->shared_backwards += value;
    } else if (quantity == "shared_most_ns") {
      most(row->shared_most_ns);
    } else if (quantity == "ticks_per_s") {
      if (row->ticks_per_s == 0) row->ticks_per_s = value;  // rank 0 comes first
      row->rates_apart_ppm =
          std::max(row->rates_apart_ppm, 1e6 * std::abs(value / row->ticks_per_s - 1));
    } else if (quantity == "half_width_per_s") {
      if (row->half_width_per_s == 0) row->half_width_per_s = value;
    } else {
      table.refuse(i, 2, "unknown quantity '" + quantity + "'");
    }
  }
  for (ClockSourceRow& row : rows) {
    std::vector<double>& costs = costs_ns[row.source];
    if (costs.empty()) continue;  // of no cost, as of what was not read
    row.cost_q1_ns = stats::quantile_in_place(costs, 0.25);
    row.cost_median_ns = stats::quantile_in_place(costs, 0.5);
    row.cost_q3_ns = stats::quantile_in_place(costs, 0.75);
  }
  return rows;
}

}  // namespace invar::analysis
