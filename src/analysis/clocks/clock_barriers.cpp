#include "analysis/clocks/clock_barriers.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "record/timing.hpp"
#include "stats/describe/quantile.hpp"

namespace invar::analysis {

Barriers read_barriers(const ClockCsv& table) {
  struct Samples {
    std::vector<double> entry, exit, time;
    std::map<std::size_t, std::vector<double>> behind;
    std::map<std::size_t, std::vector<ClockMean>> means;
    std::size_t left_out = 0;
  };
  std::map<std::string, Samples> of_method;
  Barriers result;
  std::set<std::uint32_t> launches;
  constexpr unsigned kBad = record::kNotTogether | record::kGlobalInvalid;
  for (std::size_t i = 0; i < table.size(); ++i) {
    Samples& samples = of_method[table.word(i, 1)];
    result.sigma_ns = std::max(result.sigma_ns, table.number(i, 7));
    launches.insert(table.launch(i));
    if (table.word(i, 0) == "rank") {
      const std::size_t rank = table.count(i, 2);
      const auto count = table.optional_number(i, 8);
      // A launch in which nothing counted has no median.
      if (count && *count == 0) {
        samples.behind.try_emplace(rank);
        continue;
      }
      samples.behind[rank].push_back(table.number(i, 5));
      if (!count) continue;
      samples.means[rank].push_back(
          {*count, table.number(i, 9), table.optional_number(i, 10).value_or(0)});
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
    for (const auto& [rank, behind] : samples.behind) {
      row.behind_ns.push_back(behind.empty() ? 0 : stats::median(behind));
      row.behind_mean.push_back(pooled_mean(samples.means[rank]));
    }
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
  result.launches = launches.size();
  std::stable_sort(result.rows.begin(), result.rows.end(),
                   [](const BarrierRow& a, const BarrierRow& b) {
                     return a.exit_ns.median_ns < b.exit_ns.median_ns;
                   });
  return result;
}

}  // namespace invar::analysis
