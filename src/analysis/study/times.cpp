#include "analysis/study/times.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "stats/describe/moments.hpp"
#include "stats/describe/quantile.hpp"
#include "stats/test/hodges_lehmann.hpp"
#include "stats/test/student.hpp"

namespace invar::analysis {
namespace {

constexpr std::size_t kFewestForHodgesLehmann = 6;
constexpr std::size_t kFewestForInterval = 3;

std::vector<double> logs_of(std::span<const double> values) {
  std::vector<double> logs;
  logs.reserve(values.size());
  for (const double value : values) {
    if (!(value > 0)) return {};
    logs.push_back(std::log(value));
  }
  return logs;
}

// exp of the t interval on logs, widened to contain the estimate.
std::optional<stats::Interval> log_t_interval(std::span<const double> logs, double floor,
                                              double estimate_ns, double confidence) {
  const double n = static_cast<double>(logs.size());
  const double squared = std::max(stats::variance(logs).value_or(0), floor);
  if (logs.size() < 2 || squared == 0) return std::nullopt;
  const stats::Interval interval =
      stats::t_interval(stats::mean(logs), std::sqrt(squared / n), n - 1, confidence);
  return stats::Interval{std::min(std::exp(interval.low), estimate_ns),
                         std::max(std::exp(interval.high), estimate_ns), confidence};
}

TimeEstimate of_one_launch(const LaunchVisits& launch, double confidence) {
  TimeEstimate estimate{.median_ns = launch.median_ns};
  std::vector<double> medians;
  for (const VisitSummary& visit : launch.visits) medians.push_back(visit.median_ns);
  const std::vector<double> logs = logs_of(medians);
  if (logs.size() >= kFewestForInterval) {
    estimate.interval_ns = log_t_interval(logs, 0, launch.median_ns, confidence);
  }
  return estimate;
}

}  // namespace

std::optional<TimeEstimate> time_estimate(std::span<const double> launch_medians_ns,
                                          double confidence, double variance_floor) {
  if (launch_medians_ns.empty()) return std::nullopt;
  if (launch_medians_ns.size() >= kFewestForHodgesLehmann) {
    const stats::LocationEstimate location = stats::hodges_lehmann(launch_medians_ns, confidence);
    return TimeEstimate{.median_ns = location.estimate,
                        .interval_ns = location.interval,
                        .estimate = Estimate::kHodgesLehmann};
  }
  const std::vector<double> logs = logs_of(launch_medians_ns);
  if (logs.empty()) return TimeEstimate{.median_ns = stats::median(launch_medians_ns)};
  const double estimate = std::exp(stats::mean(logs));
  return TimeEstimate{
      .median_ns = estimate,
      .interval_ns = log_t_interval(logs, variance_floor, estimate, confidence),
      .estimate = launch_medians_ns.size() > 1 ? Estimate::kGeometricMean : Estimate::kMedian};
}

std::optional<TimeEstimate> time_estimate(const CellVisits& visits, double confidence) {
  if (visits.empty()) return std::nullopt;
  const auto over_launches = [&] {
    std::vector<double> medians;
    medians.reserve(visits.launches.size());
    for (const LaunchVisits& launch : visits.launches) medians.push_back(launch.median_ns);
    return time_estimate(medians, confidence, visits.variance_floor());
  };
  std::optional<TimeEstimate> time = visits.launches.size() == 1
                                         ? of_one_launch(visits.launches.front(), confidence)
                                         : over_launches();
  const double rounding = std::exp(visits.rounding());
  if (time && time->interval_ns) {
    time->interval_ns->low /= rounding;
    time->interval_ns->high *= rounding;
  }
  return time;
}

std::string estimate_name(Estimate estimate) {
  switch (estimate) {
    case Estimate::kGeometricMean:
      return "geometric mean";
    case Estimate::kHodgesLehmann:
      return "hodges-lehmann";
    case Estimate::kMean:
      return "mean";
    case Estimate::kMedian:
      break;
  }
  return "median";
}

void EstimateWords::add(const std::optional<TimeEstimate>& time) {
  if (time) kinds_.insert(time->estimate);
}

std::string EstimateWords::text() const {
  std::string words;
  std::string others;
  for (const auto& [kind, name, of_few] :
       {std::tuple(Estimate::kHodgesLehmann, "Hodges-Lehmann estimate", ""),
        {Estimate::kGeometricMean, "geometric mean", "below six: geometric mean"},
        {Estimate::kMean, "mean", "mean"},
        {Estimate::kMedian, "median", "of one: its median"}}) {
    if (!kinds_.contains(kind)) continue;
    if (words.empty()) {
      words = name;
    } else {
      others += (others.empty() ? " (" : ", ") + std::string(of_few);
    }
  }
  return others.empty() ? words : words + others + ")";
}

}  // namespace invar::analysis
