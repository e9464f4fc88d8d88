#include "analysis/network/fit/checks.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "analysis/network/fit/times_by_place.hpp"
#include "analysis/p2p/message_places.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "stats/describe/quantile.hpp"
#include "stats/model/changepoints.hpp"

namespace invar::analysis {
namespace {

constexpr double kMostError = 0.95;  // quantile

// As of the machine's perturbations.
constexpr std::size_t kFewestOfStretch = 3;
constexpr double kSlowedBy = 0.10;
constexpr double kMostSlowed = 1.0 / 3;  // of a group's visits: more is a regime
constexpr double kClipAt = 3;
constexpr double kLeastLogSd = 0.005;
constexpr std::size_t kMostStretchesTold = 3;
// Longer series are cut: what finds no change takes the square of its length.
constexpr std::size_t kLongestLine = 1024;

std::vector<HeldOutError> errors_of(std::span<const HeldOutSize> sizes) {
  std::map<std::pair<std::string, SeriesKey>, std::vector<double>> errors;
  for (const HeldOutSize& one : sizes) errors[{one.model, one.key}].push_back(one.error());
  std::vector<HeldOutError> found;
  found.reserve(errors.size());
  for (auto& [of, values] : errors) {
    found.push_back({.model = of.first,
                     .key = of.second,
                     .sizes = values.size(),
                     .median = stats::quantile(values, 0.5),
                     .most = stats::quantile(values, kMostError)});
  }
  return found;
}

// A visit beside what is usual.
struct VisitResidual {
  double begin_s = 0;
  double log = 0;
  double sd = kLeastLogSd;
};

// Residuals by launch group, in order of time. The usual level is the median of the group's visits
// of the same series.
std::map<std::uint32_t, std::vector<VisitResidual>> residuals_by_group(
    const NetworkData& data, std::span<const ModelSeries> series) {
  std::map<std::uint32_t, std::vector<VisitResidual>> by_group;
  for (const ModelSeries& model : series) {
    const DataSeries* observed = data.find(model.key);
    if (observed == nullptr || model.pieces.empty()) continue;
    std::map<std::uint32_t, std::vector<double>> logs;
    std::vector<std::pair<const SeriesObservation*, double>> all;
    for (const SeriesObservation& one : observed->observations) {
      const double expected_ns =
          *model.predicted_ns(one.size_bytes) / info_of(model.key.kind).share;
      if (!(expected_ns > 0)) continue;
      all.emplace_back(&one, std::log(one.median_ns / expected_ns));
      logs[one.group].push_back(all.back().second);
    }
    std::map<std::uint32_t, double> usual;
    for (auto& [group, values] : logs) usual[group] = stats::median_in_place(values);
    std::vector<double> off;
    off.reserve(all.size());
    for (const auto& [one, log] : all) off.push_back(std::abs(log - usual[one->group]));
    if (off.empty()) continue;
    const double sd = std::max(kLeastLogSd, stats::kSdOfMad * stats::median_in_place(off));
    for (const auto& [one, log] : all) {
      by_group[one->group].push_back(
          {.begin_s = one->start_s, .log = log - usual[one->group], .sd = sd});
    }
  }
  for (auto& [group, residuals] : by_group) {
    std::ranges::stable_sort(residuals, {}, &VisitResidual::begin_s);
  }
  return by_group;
}

double median_residual(std::span<const VisitResidual> residuals) {
  std::vector<double> logs;
  for (const VisitResidual& one : residuals) logs.push_back(one.log);
  return stats::median_in_place(logs);
}

// First and behind the last of each slowed stretch.
std::vector<std::pair<std::size_t, std::size_t>> slowed(std::span<const VisitResidual> residuals) {
  std::vector<std::pair<std::size_t, std::size_t>> found;
  for (std::size_t first = 0; first < residuals.size(); first += kLongestLine) {
    const std::size_t count = std::min(kLongestLine, residuals.size() - first);
    std::vector<stats::WeightedValue> values;
    for (const VisitResidual& one : residuals.subspan(first, count)) {
      values.push_back({.value = one.log / one.sd});
    }
    stats::clip_series(values, 0, kClipAt);
    std::vector<std::size_t> ends = stats::changepoints(
        values, 2 * std::log(static_cast<double>(std::max<std::size_t>(count, 2))));
    ends.push_back(count);
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      const std::pair part{first + begin, first + end};
      const double level = median_residual(residuals.subspan(part.first, end - begin));
      begin = end;
      if (level <= std::log1p(kSlowedBy)) continue;
      if (!found.empty() && found.back().second == part.first) {
        found.back().second = part.second;
      } else {
        found.push_back(part);
      }
    }
  }
  std::erase_if(found, [](const auto& one) { return one.second - one.first < kFewestOfStretch; });
  return found;
}

}  // namespace

double HeldOutSize::error() const { return std::abs(predicted_ns / measured_ns - 1); }

HeldOut held_out_errors(std::span<const ModelSeries> series, const JointParameters& joint) {
  HeldOut found;
  const std::vector<double> told = joint.solution ? joint.solution->told() : std::vector<double>();
  for (const ModelSeries& one : series) {
    for (const SeriesPoint& point : one.points) {
      if (!point.held_out) continue;
      HeldOutSize row{.key = one.key, .size_bytes = point.size_bytes, .measured_ns = point.mean_ns};
      if (const std::optional<double> predicted = one.predicted_ns(point.size_bytes)) {
        row.model = "pieces";
        row.predicted_ns = *predicted;
        found.sizes.push_back(row);
      }
      if (one.key.kind != SeriesKind::kRoundTrip || !joint.solution) continue;
      if (const auto sum = joint.fit.half_round_trip(point.size_bytes)) {
        row.model = "LogGP";
        row.predicted_ns = sum->value(told);
        found.sizes.push_back(row);
      }
    }
  }
  found.errors = errors_of(found.sizes);
  return found;
}

std::vector<std::string> lacking_of_model(bool launches, std::size_t groups,
                                          std::span<const SeriesPoint> half_round_trip,
                                          const HeldOut& held_out) {
  std::vector<std::string> lacking;
  const auto lone = static_cast<std::size_t>(std::ranges::count_if(
      half_round_trip, [](const SeriesPoint& point) { return point.groups < 2; }));
  if (launches && groups < 2) {
    lacking.emplace_back("one launch group: no intervals, because launches differ");
  } else if (launches && lone > 0) {
    lacking.push_back(std::to_string(lone) + " of " + count_text(half_round_trip.size(), "size") +
                      " of round trips are in one launch group alone: no intervals of these times");
  }
  if (held_out.errors.empty()) {
    lacking.emplace_back(
        "no size was held out: nothing says how well it predicts sizes that no fit saw");
  }
  return lacking;
}

std::optional<LatenessControl> lateness_control(const NetworkData& data, double confidence,
                                                double min_effect) {
  const DataSeries* late = data.find({.kind = SeriesKind::kLateReceive});
  const DataSeries* later = data.find({.kind = SeriesKind::kLaterReceive});
  if (late == nullptr || later == nullptr) return std::nullopt;
  const TimesByPlace usual = times_by_place(*late, &SeriesObservation::lateness_ns);
  std::map<std::uint32_t, std::vector<double>> logs;  // by group
  std::set<std::uint64_t> sizes;
  std::vector<double> lateness_ns;
  std::vector<double> later_ns;
  for (const auto& [place, times] : times_by_place(*later, &SeriesObservation::lateness_ns)) {
    const auto same = usual.find(place);
    if (same == usual.end()) continue;
    sizes.insert(place.first);
    logs[place.second].push_back(
        std::log(stats::median(times.times_ns) / stats::median(same->second.times_ns)));
    lateness_ns.push_back(stats::median(same->second.given_ns));
    later_ns.push_back(stats::median(times.given_ns));
  }
  if (logs.empty()) return std::nullopt;
  std::vector<double> groups;
  groups.reserve(logs.size());
  for (auto& [group, values] : logs) groups.push_back(stats::median_in_place(values));
  const GroupEstimate mean = mean_over_groups(groups, 0, confidence);
  LatenessControl control{.sizes = sizes.size(),
                          .groups = groups.size(),
                          .lateness_ns = stats::median_in_place(lateness_ns),
                          .later_ns = stats::median_in_place(later_ns),
                          .ratio = {.value = std::exp(mean.value)}};
  if (mean.interval) {
    control.ratio.interval = stats::Interval{.low = std::exp(mean.interval->low),
                                             .high = std::exp(mean.interval->high),
                                             .confidence = confidence};
    control.differs = mean.interval->low > std::log1p(min_effect) ||
                      mean.interval->high < -std::log1p(min_effect);
  }
  return control;
}

std::vector<SlowStretch> slow_stretches(const NetworkData& data,
                                        std::span<const ModelSeries> series) {
  std::vector<SlowStretch> found;
  for (const auto& [group, residuals] : residuals_by_group(data, series)) {
    const auto parts = slowed(residuals);
    std::size_t visits = 0;
    for (const auto& [begin, end] : parts) visits += end - begin;
    if (static_cast<double>(visits) >= kMostSlowed * static_cast<double>(residuals.size())) {
      continue;
    }
    for (const auto& [begin, end] : parts) {
      const std::span<const VisitResidual> part = std::span(residuals).subspan(begin, end - begin);
      found.push_back({.group = group,
                       .begin_s = part.front().begin_s,
                       .end_s = part.back().begin_s,
                       .slowdown = std::expm1(median_residual(part)),
                       .visits = part.size()});
    }
  }
  return found;
}

std::optional<Warning> stretches_warning(std::span<const SlowStretch> stretches) {
  if (stretches.empty()) return std::nullopt;
  std::vector<SlowStretch> worst(stretches.begin(), stretches.end());
  std::ranges::stable_sort(worst, std::greater<>(), &SlowStretch::slowdown);
  std::vector<std::string> texts;
  texts.reserve(worst.size());
  for (const SlowStretch& one : worst) {
    texts.push_back(fmt::format("group {} ran {} slower from {:.2f} s to {:.2f} s ({})", one.group,
                                percent_text(one.slowdown), one.begin_s, one.end_s,
                                count_text(one.visits, "visit")));
  }
  return Warning(base::first_items(texts, kMostStretchesTold, "; ") +
                     ": something else used the machine for a while; sizes were measured in random "
                     "order, so that this is spread over all of them and bends no line; they are "
                     "kept",
                 Gravity::kBorne);
}

}  // namespace invar::analysis
