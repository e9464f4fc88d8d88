#include "analysis/clocks/clock_barriers.hpp"

#include <algorithm>
#include <map>

#include "record/timing.hpp"
#include "stats/describe/quantile.hpp"

namespace invar::analysis {

Barriers read_barriers(const ClockCsv& table) {
  struct Samples {
    std::vector<double> entry, exit, time;
    std::map<std::size_t, double> behind;
    std::size_t left_out = 0;
  };
  std::map<std::string, Samples> of_method;
  Barriers result;
  constexpr unsigned kBad = record::kLeftOut | record::kGlobalInvalid;
  for (std::size_t i = 0; i < table.size(); ++i) {
    Samples& samples = of_method[table.word(i, 1)];
    result.sigma_ns = table.number(i, 7);
    if (table.word(i, 0) == "rank") {
      samples.behind[table.count(i, 2)] = table.number(i, 5);
    } else if ((table.count(i, 3) & kBad) != 0) {
      ++samples.left_out;
    } else {
      samples.entry.push_back(table.number(i, 4));
      samples.exit.push_back(table.number(i, 5));
      samples.time.push_back(table.number(i, 6));
    }
  }
  for (auto& [method, samples] : of_method) {
    BarrierRow row{
        .method = method, .repetitions = samples.exit.size(), .left_out = samples.left_out};
    for (const auto& [rank, behind] : samples.behind) row.behind_ns.push_back(behind);
    if (!samples.exit.empty()) {
      std::sort(samples.exit.begin(), samples.exit.end());
      const std::vector<double>& exit = samples.exit;
      const auto quantile = [&exit](double p) { return stats::quantile_sorted(exit, p); };
      row.exit_ns = {.q1_ns = quantile(0.25), .median_ns = quantile(0.5), .q3_ns = quantile(0.75)};
      if (exit.size() >= 20) row.exit_ns.p95_ns = quantile(0.95);
      if (exit.size() >= 100) row.exit_ns.p99_ns = quantile(0.99);
      row.entry_skew_ns = stats::median_in_place(samples.entry);
      row.time_ns = stats::median_in_place(samples.time);
    }
    result.rows.push_back(row);
  }
  std::stable_sort(result.rows.begin(), result.rows.end(),
                   [](const BarrierRow& a, const BarrierRow& b) {
                     return a.exit_ns.median_ns < b.exit_ns.median_ns;
                   });
  return result;
}

}  // namespace invar::analysis
