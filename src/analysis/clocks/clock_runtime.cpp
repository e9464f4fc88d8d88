#include "analysis/clocks/clock_runtime.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/text.hpp"
#include "record/timing.hpp"
#include "stats/describe/quantile.hpp"
#include "stats/model/trend.hpp"

namespace invar::analysis {
namespace {

constexpr double kFamilyConfidence = 0.95;  // of all series together
constexpr std::size_t kFewestBins = 3;

struct Samples {
  std::vector<double> seconds, since_sync_s, local_ns, global_ns, true_ns;
  OfLaunches local_of = {}, global_of = {};
  std::size_t left_out = 0;
  EmptyBin lost = {};
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
  bin.local_mean = pooled_mean(samples.local_of);
  bin.global_mean = pooled_mean(samples.global_of);
  bin.mean = local ? bin.local_mean : bin.global_mean;
  return bin;
}

void count_lost(Samples& samples, std::uint32_t flags) {
  ++samples.left_out;
  if ((flags & record::kWarmUp) != 0) return;
  if ((flags & (record::kLate | record::kLost)) != 0) {
    ++samples.lost.late;
  } else {
    ++samples.lost.past_window;
  }
}

// The control: what the machine itself did meanwhile.
const RunTimeSeries* barrier_of(const std::vector<RunTimeSeries>& all) {
  const auto found = std::ranges::find(all, true, &RunTimeSeries::local);
  return found == all.end() ? nullptr : &*found;
}

// How the medians of the bins grow; nothing where there are too few bins.
std::optional<stats::TrendFit> growth_of(const RunTimeSeries& series,
                                         const RunTimeSeries* control) {
  std::vector<double> seconds;
  std::vector<double> medians_ns;
  std::vector<double> control_ns;
  for (std::size_t bin = 0; bin < series.bins.size(); ++bin) {
    if (!series.bins[bin] || (control != nullptr && !control->bins[bin])) continue;
    seconds.push_back(series.bins[bin]->seconds);
    medians_ns.push_back(series.bins[bin]->median_ns);
    if (control != nullptr) control_ns.push_back(control->bins[bin]->local_ns);
  }
  const std::array<std::span<const double>, 1> controls{control_ns};
  const std::size_t used = control != nullptr ? 1 : 0;
  if (seconds.size() < kFewestBins + used) return std::nullopt;
  return stats::fit_trend(seconds, medians_ns, std::span(controls).first(used));
}

// Rows by synchronisation and bin, of all launches or of one.
struct Sorted {
  std::vector<std::string> order = {};
  std::map<std::string, std::map<std::size_t, Samples>> of_sync = {};
  std::map<std::string, RunTimeSeries> words = {};  // what a row says of its series
  std::set<std::uint32_t> launches = {};
};

void take_row(Sorted& sorted, const ClockCsv& table, std::size_t i, std::uint32_t bins) {
  const std::string& sync = table.word(i, 0);
  if (std::find(sorted.order.begin(), sorted.order.end(), sync) == sorted.order.end()) {
    sorted.order.push_back(sync);
    sorted.words[sync].window_s = table.optional_number(i, 9);
    sorted.words[sync].global_by = table.word(i, 10);
  }
  const std::uint32_t launch = table.launch(i);
  sorted.launches.insert(launch);
  const std::uint32_t number = table.count(i, 1);
  if (number >= bins) {
    table.refuse(i, 1, "there is no bin " + std::to_string(number) + " of " + std::to_string(bins));
  }
  Samples& samples = sorted.of_sync[sync][number];
  if (const std::uint32_t flags = table.count(i, 5); (flags & record::kNotTogether) != 0) {
    count_lost(samples, flags);
    return;
  }
  samples.seconds.push_back(table.number(i, 3));
  if (const auto since = table.optional_number(i, 4)) samples.since_sync_s.push_back(*since);
  samples.local_ns.push_back(table.number(i, 6));
  samples.local_of[launch].push_back(samples.local_ns.back());
  if (const auto truth = table.optional_number(i, 8)) samples.true_ns.push_back(*truth);
  if (const auto global = table.optional_number(i, 7)) {
    samples.global_ns.push_back(*global);
    samples.global_of[launch].push_back(*global);
  }
}

std::vector<RunTimeSeries> series_of(Sorted& sorted, std::uint32_t bins) {
  std::vector<RunTimeSeries> all;
  for (const std::string& sync : sorted.order) {
    RunTimeSeries series = sorted.words[sync];
    series.sync = sync;
    series.local = sync == "MPI_Barrier";
    series.launches = sorted.launches.size();
    series.bins.resize(bins);
    for (std::uint32_t number = 0; number < bins; ++number) {
      Samples& samples = sorted.of_sync[sync][number];
      series.bins[number] = bin_of(samples, series.local);
      if (series.bins[number]) continue;
      samples.lost.number = number;
      samples.lost.no_global = samples.local_ns.size();
      series.empty.push_back(samples.lost);
    }
    all.push_back(std::move(series));
  }
  return all;
}

void judge_one_launch(std::vector<RunTimeSeries>& all, double confidence) {
  const RunTimeSeries* barrier = barrier_of(all);
  for (RunTimeSeries& series : all) {
    if (const auto fit = growth_of(series, series.local ? nullptr : barrier)) {
      series.slope_ns_per_s = fit->slope;
      series.interval = fit->interval(confidence);
    }
  }
}

// Launches are what repeats: each has its slopes, with its own control.
void judge_launches(std::vector<RunTimeSeries>& all, std::map<std::uint32_t, Sorted>& of_launch,
                    std::uint32_t bins, double confidence) {
  std::map<std::string, OfLaunches> slopes;
  for (auto& [launch, sorted] : of_launch) {
    const std::vector<RunTimeSeries> own = series_of(sorted, bins);
    const RunTimeSeries* barrier = barrier_of(own);
    for (const RunTimeSeries& series : own) {
      if (const auto fit = growth_of(series, series.local ? nullptr : barrier)) {
        slopes[series.sync][launch].push_back(fit->slope);
      }
    }
  }
  for (RunTimeSeries& series : all) {
    if (const auto mean = pooled_mean(slopes[series.sync], confidence)) {
      series.slope_ns_per_s = mean->mean;
      series.interval = mean->interval;
    }
  }
}

}  // namespace

std::string why_empty(const EmptyBin& bin) {
  std::vector<std::string> reasons;
  const auto add = [&](std::size_t count, const char* what) {
    if (count > 0) reasons.push_back(base::count_text(count, "repetition") + what);
  };
  add(bin.late, " started late");
  add(bin.past_window, " longer than the window");
  add(bin.no_global, " without a global time");
  return reasons.empty() ? "its time was over before a repetition that counts"
                         : base::join(reasons, ", ");
}

std::vector<RunTimeSeries> read_run_times(const ClockCsv& table, std::uint32_t bins) {
  Sorted sorted;
  std::map<std::uint32_t, Sorted> of_launch;
  for (std::size_t i = 0; i < table.size(); ++i) take_row(sorted, table, i, bins);
  if (sorted.launches.size() > 1) {
    for (std::size_t i = 0; i < table.size(); ++i) {
      take_row(of_launch[table.launch(i)], table, i, bins);
    }
  }
  const double confidence = 1 - (1 - kFamilyConfidence) / static_cast<double>(std::max<std::size_t>(
                                                              1, sorted.order.size()));
  std::vector<RunTimeSeries> all = series_of(sorted, bins);
  if (of_launch.empty()) {
    judge_one_launch(all, confidence);
  } else {
    judge_launches(all, of_launch, bins, confidence);
  }
  return all;
}

}  // namespace invar::analysis
