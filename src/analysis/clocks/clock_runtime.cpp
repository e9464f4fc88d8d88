#include "analysis/clocks/clock_runtime.hpp"

#include <algorithm>
#include <map>

#include "record/timing.hpp"
#include "stats/describe/quantile.hpp"
#include "stats/model/line.hpp"

namespace invar::analysis {
namespace {

constexpr double kFamilyConfidence = 0.95;  // of all series together

struct Samples {
  std::vector<double> seconds, since_sync_s, local_ns, global_ns, true_ns;
  std::size_t left_out = 0;
};

std::optional<double> median_of(std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return stats::median_in_place(values);
}

std::optional<RunTimeBin> bin_of(Samples& samples, bool local) {
  if (samples.local_ns.empty()) return std::nullopt;
  RunTimeBin bin{.seconds = stats::median_in_place(samples.seconds),
                 .since_sync_s = median_of(samples.since_sync_s),
                 .repetitions = samples.local_ns.size(),
                 .left_out = samples.left_out};
  std::vector<double> shown = local ? samples.local_ns : samples.global_ns;
  if (shown.empty()) return std::nullopt;
  bin.q1_ns = stats::quantile_in_place(shown, 0.25);
  bin.median_ns = stats::quantile_in_place(shown, 0.5);
  bin.q3_ns = stats::quantile_in_place(shown, 0.75);
  bin.local_ns = stats::median_in_place(samples.local_ns);
  bin.global_ns = median_of(samples.global_ns);
  bin.true_ns = median_of(samples.true_ns);
  return bin;
}

}  // namespace

std::vector<RunTimeSeries> read_run_times(const ClockCsv& table, std::uint32_t bins) {
  std::vector<std::string> order;
  std::map<std::string, std::map<std::size_t, Samples>> of_sync;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::string& sync = table.word(i, 0);
    if (std::find(order.begin(), order.end(), sync) == order.end()) order.push_back(sync);
    const std::uint32_t number = table.count(i, 1);
    if (number >= bins) {
      table.refuse(i, 1,
                   "there is no bin " + std::to_string(number) + " of " + std::to_string(bins));
    }
    Samples& samples = of_sync[sync][number];
    if ((table.count(i, 5) & record::kLeftOut) != 0) {
      ++samples.left_out;
      continue;
    }
    samples.seconds.push_back(table.number(i, 3));
    if (const auto since = table.optional_number(i, 4)) samples.since_sync_s.push_back(*since);
    samples.local_ns.push_back(table.number(i, 6));
    if (const auto global = table.optional_number(i, 7)) samples.global_ns.push_back(*global);
    if (const auto truth = table.optional_number(i, 8)) samples.true_ns.push_back(*truth);
  }
  const double confidence =
      1 - (1 - kFamilyConfidence) / static_cast<double>(std::max<std::size_t>(1, order.size()));
  std::vector<RunTimeSeries> all;
  for (const std::string& sync : order) {
    RunTimeSeries series{.sync = sync, .local = sync == "MPI_Barrier"};
    series.bins.resize(bins);
    std::vector<double> seconds;
    std::vector<double> medians_ns;
    for (auto& [number, samples] : of_sync[sync]) {
      const std::optional<RunTimeBin> bin = bin_of(samples, series.local);
      series.bins[number] = bin;
      if (!bin) continue;
      seconds.push_back(bin->seconds);
      medians_ns.push_back(bin->median_ns);
    }
    if (seconds.size() >= 3) {
      const stats::LineFit fit = stats::fit_line(seconds, medians_ns);
      series.slope_ns_per_s = fit.slope;
      series.interval = fit.slope_interval(confidence);
    }
    all.push_back(std::move(series));
  }
  return all;
}

}  // namespace invar::analysis
