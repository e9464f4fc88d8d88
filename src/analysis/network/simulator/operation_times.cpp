#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/machine/clock_reading.hpp"
#include "analysis/machine/regimes.hpp"
#include "analysis/network/simulator/network_check.hpp"
#include "base/text.hpp"
#include "stats/describe/moments.hpp"
#include "stats/describe/quantile.hpp"
#include "stats/test/student.hpp"

namespace invar::analysis {
namespace {

using TimesOfGroups = std::map<std::uint32_t, std::vector<double>>;

OperationTime over_groups(std::uint64_t size_bytes, TimesOfGroups& groups, double confidence) {
  std::vector<double> logs;
  for (auto& [group, times] : groups) logs.push_back(std::log(stats::median_in_place(times)));
  const double mean = stats::mean(logs);
  OperationTime made{.size_bytes = size_bytes, .time_ns = std::exp(mean), .groups = groups.size()};
  if (logs.size() < 2) return made;
  const auto count = static_cast<double>(logs.size());
  const double error = std::sqrt(stats::variance(logs).value_or(0) / count);
  const stats::Interval interval = stats::t_interval(mean, error, count - 1, confidence);
  made.interval_ns = stats::Interval{std::exp(interval.low), std::exp(interval.high)};
  return made;
}

}  // namespace

std::optional<base::CanaryBand> model_band(const Network& found) {
  if (!found.reference) return std::nullopt;
  base::CanaryBand band = found.reference->band;
  if (found.reference->split) return band;
  // What is less far away would have been no regime of its own. Around the usual canary: a machine
  // that changes from visit to visit has one regime that reaches from one state to the other.
  const double ratio = least_ratio(band.kind);
  const double usual_ns =
      found.reference->median_ns.value_or(std::sqrt(band.low_ns * band.high_ns));
  return base::CanaryBand{
      .low_ns = usual_ns / ratio, .high_ns = usual_ns * ratio, .kind = band.kind};
}

std::vector<OperationTime> operation_times(const Study& study, const std::string& arm,
                                           const std::string& operation,
                                           const std::optional<base::CanaryBand>& band,
                                           double confidence) {
  const store::Data& data = study.data();
  // By arm: each is found by looking at all visits.
  std::map<std::uint32_t, double> readings_ns;
  for (std::uint32_t i = 0; i < data.arms.size(); ++i) {
    if (data.arms[i].label == arm) readings_ns[i] = clock_reading_ns(data, i).value_or(0);
  }
  std::map<std::uint64_t, TimesOfGroups> inside;
  std::map<std::uint64_t, TimesOfGroups> all;
  for (const VisitSummary& visit : study.summaries_of({}).visits) {
    const record::Cell& cell = data.cells[visit.cell];
    const auto reading_ns = readings_ns.find(visit.arm);
    if (reading_ns == readings_ns.end() || cell.operation != operation) continue;
    const double calls = std::max(1U, visit.source->line.calls);
    const double time_ns = visit.median_ns - reading_ns->second / calls;
    if (!(time_ns > 0)) continue;
    const std::uint64_t size = cell.size_bytes.value_or(0);
    all[size][visit.group].push_back(time_ns);
    const std::optional<double> canary_ns = band ? visit.canary(band->kind) : std::nullopt;
    if (!canary_ns || band->contains(*canary_ns)) inside[size][visit.group].push_back(time_ns);
  }
  std::vector<OperationTime> times;
  for (auto& [size, groups] : all) {
    const auto found = inside.find(size);
    const bool in_band =
        found != inside.end() && found->second.size() >= std::min(kRegimeGroups, groups.size());
    times.push_back(over_groups(size, in_band ? found->second : groups, confidence));
    times.back().in_band = in_band;
  }
  return times;
}

std::string reduction_costs_text(const std::vector<OperationTime>& times) {
  constexpr double kNsPerSecond = 1e9;
  if (times.empty()) return {};
  std::string text;
  const auto add = [&](std::uint64_t above, double intercept_ns, double slope_ns) {
    text += (text.empty() ? "" : ";") + std::to_string(above) + ':' +
            base::shortest_text(intercept_ns / kNsPerSecond) + ':' +
            base::shortest_text(slope_ns / kNsPerSecond);
  };
  // Below the first size: as much as that.
  add(0, times.front().time_ns, 0);
  for (std::size_t i = 1; i < times.size(); ++i) {
    const auto from = static_cast<double>(times[i - 1].size_bytes);
    const double slope_ns = (times[i].time_ns - times[i - 1].time_ns) /
                            (static_cast<double>(times[i].size_bytes) - from);
    add(times[i - 1].size_bytes, times[i - 1].time_ns - slope_ns * from, slope_ns);
  }
  return text;
}

}  // namespace invar::analysis
