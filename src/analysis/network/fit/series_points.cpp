#include "analysis/network/fit/series_points.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "stats/describe/quantile.hpp"

namespace invar::analysis {
namespace {

// A visit farther from what launches say of its size, in standard deviations, is left out where
// another one of the same launch is not; and how often it is asked, because deviations shrink.
constexpr double kLoneBeyond = 2.0;
constexpr int kLonePasses = 4;

std::uint64_t size_of(double size_bytes) {
  return static_cast<std::uint64_t>(std::llround(size_bytes));
}

}  // namespace

SeriesTimes::TimesBySize SeriesTimes::by_size(const DataSeries& series) {
  TimesBySize times;
  for (const SeriesObservation& one : series.observations) {
    GroupOfSize& group = times[one.size_bytes][one.group];
    group.medians_ns.push_back(one.median_ns);
    group.squares +=
        one.variance_ns2 / (one.median_ns * one.median_ns) * static_cast<double>(one.repetitions);
    group.repetitions += one.repetitions;
    if (one.repetitions > 1) group.spreads.push_back(std::sqrt(one.variance_ns2) / one.median_ns);
  }
  return times;
}

std::vector<stats::GroupTime> SeriesTimes::group_times(const TimesBySize& times, double share) {
  std::vector<stats::GroupTime> all;
  for (const auto& [size_bytes, groups] : times) {
    for (const auto& [group, one] : groups) {
      const double median_ns = stats::median(one.medians_ns) * share;
      const auto count = static_cast<double>(one.repetitions);
      all.push_back({.group = group,
                     .size = static_cast<double>(size_bytes),
                     .mean = median_ns,
                     .variance = one.squares / (count * count) * median_ns * median_ns});
    }
  }
  return all;
}

SeriesTimes::TimesBySize SeriesTimes::without_lone_visits(TimesBySize times, bool launches) {
  const auto several = [](const auto& of_group) { return of_group.second.medians_ns.size() > 1; };
  if (std::ranges::none_of(
          times, [&](const auto& size) { return std::ranges::any_of(size.second, several); })) {
    return times;
  }
  for (int pass = 0; pass < kLonePasses; ++pass) {
    const stats::GroupedTimes grouped(group_times(times, 1), launches);
    std::map<std::size_t, double> log_factors;
    for (const stats::GroupFactor& one : grouped.factors().groups) {
      if (one.log_factor) log_factors[one.group] = *one.log_factor;
    }
    std::size_t left_out = 0;
    for (const stats::SizeMean& mean : grouped.factors().sizes) {
      for (auto& [group, one] : times.at(size_of(mean.size))) {
        const auto factor = log_factors.find(group);
        if (factor == log_factors.end() || one.medians_ns.size() < 2) continue;
        const double usual = std::log(mean.mean) + factor->second;
        // The bound is for a visit. The variance is that of a group's value, which is made of
        // several visits.
        const double most =
            kLoneBeyond * std::sqrt(mean.variance * static_cast<double>(one.medians_ns.size()));
        const auto is_off = [&](double median_ns) {
          return std::abs(std::log(median_ns) - usual) > most;
        };
        if (std::ranges::all_of(one.medians_ns, is_off)) continue;
        left_out += std::erase_if(one.medians_ns, is_off);
      }
    }
    if (left_out == 0) break;
  }
  return times;
}

SeriesTimes series_times(const NetworkData& data, const SeriesKey& key) {
  SeriesTimes made(key);
  if (const DataSeries* series = data.find(key)) {
    made.take(data, SeriesTimes::without_lone_visits(SeriesTimes::by_size(*series), data.launches),
              info_of(key.kind).share);
  }
  return made;
}

SeriesTimes gap_times(const NetworkData& data, LostGaps& lost) {
  const DataSeries* single = data.find({.kind = SeriesKind::kTrain});
  const DataSeries* longest = nullptr;
  for (const DataSeries& one : data.series) {
    const SeriesKey& key = one.key;
    if (key.kind != SeriesKind::kTrain || key.delayed || key.messages < 2) continue;
    if (longest == nullptr || longest->key.messages < key.messages) longest = &one;
  }
  if (single == nullptr || longest == nullptr) return SeriesTimes({.kind = SeriesKind::kGap});
  const double further = longest->key.messages - 1;
  SeriesTimes made({.kind = SeriesKind::kGap, .messages = longest->key.messages});
  const auto steady = [&](const DataSeries& of) {
    return SeriesTimes::without_lone_visits(SeriesTimes::by_size(of), data.launches);
  };
  const SeriesTimes::TimesBySize singles = steady(*single);
  SeriesTimes::TimesBySize gaps;
  for (const auto& [size_bytes, groups] : steady(*longest)) {
    const auto same_size = singles.find(size_bytes);
    if (same_size == singles.end()) continue;
    std::size_t both = 0;
    std::size_t without = 0;
    for (const auto& [group, train] : groups) {
      const auto alone = same_size->second.find(group);
      if (alone == same_size->second.end()) continue;
      ++both;
      const double train_ns = stats::median(train.medians_ns);
      const double gap_ns = (train_ns - stats::median(alone->second.medians_ns)) / further;
      if (!(gap_ns > 0)) {
        ++without;
        continue;
      }
      SeriesTimes::GroupOfSize& made_of = gaps[size_bytes][group];
      made_of = train;
      // As if it were a train's, whose share it is.
      made_of.medians_ns = {gap_ns * further};
      const double larger = train_ns / (further * gap_ns);
      made_of.squares *= larger * larger;
      for (double& spread : made_of.spreads) spread *= larger;
    }
    lost.times += without;
    if (static_cast<double>(without) > kMostLostShare * static_cast<double>(both)) {
      ++lost.sizes;
      gaps.erase(size_bytes);
    }
  }
  made.take(data, gaps, 1 / further);
  return made;
}

void SeriesTimes::take(const NetworkData& data, const TimesBySize& times, double share) {
  std::vector<stats::GroupTime> all = group_times(times, share);
  for (const auto& [size_bytes, groups] : times) {
    SizeFacts& facts = sizes_[size_bytes];
    facts.held_out = data.held_out.contains(size_bytes);
    // One repetition that the machine held up for a thousand times its length is not a spread.
    std::vector<double> spreads;
    for (const auto& [group, one] : groups) {
      facts.repetitions += one.repetitions;
      spreads.insert(spreads.end(), one.spreads.begin(), one.spreads.end());
    }
    if (!spreads.empty()) facts.repetition_sd = stats::median_in_place(spreads);
  }
  share_ = share;
  if (all.empty()) return;
  const stats::GroupedTimes& whole = whole_.emplace_back(all, data.launches);
  for (const stats::SizeMean& mean : whole.factors().sizes) {
    SizeFacts& facts = sizes_.at(size_of(mean.size));
    facts.groups = mean.groups;
    facts.bounded = mean.bounded;
    facts.group_sd = std::sqrt(mean.variance);
  }
  apart_ = static_cast<std::size_t>(std::ranges::count_if(
      whole.factors().groups,
      [](const stats::GroupFactor& group) { return !group.log_factor.has_value(); }));
  std::erase_if(
      all, [&](const stats::GroupTime& one) { return data.held_out.contains(size_of(one.size)); });
  if (!all.empty()) fitted_.emplace_back(all, data.launches);
}

std::vector<SeriesPoint> SeriesTimes::points(const stats::GroupedTimes& grouped,
                                             std::span<const GroupWeight> weights,
                                             const stats::PointNoise& noise) const {
  std::vector<double> of_groups;
  for (const stats::GroupFactor& factor : grouped.factors().groups) {
    const auto found = std::ranges::lower_bound(weights, static_cast<std::uint32_t>(factor.group),
                                                {}, &GroupWeight::group);
    const bool named = found != weights.end() && found->group == factor.group;
    of_groups.push_back(named ? found->weight : 1);
  }
  std::vector<SeriesPoint> points;
  for (const stats::WeightedPoint& mean : grouped.points(noise, of_groups)) {
    const std::uint64_t size_bytes = size_of(mean.x);
    const SizeFacts& facts = sizes_.at(size_bytes);
    points.push_back({.size_bytes = size_bytes,
                      .held_out = facts.held_out,
                      .mean_ns = mean.y,
                      .variance_ns2 = mean.variance,
                      .group_sd = facts.group_sd,
                      .repetition_sd = facts.repetition_sd,
                      .groups = facts.groups,
                      .bounded = facts.bounded,
                      .repetitions = facts.repetitions});
  }
  return points;
}

std::vector<SeriesPoint> points_of(const SeriesTimes& series, std::span<const GroupWeight> weights,
                                   double min_effect, double step_ns) {
  if (series.fitted_.empty()) return {};
  return series.points(series.fitted_.front(), weights,
                       {.min_effect = min_effect, .step = step_ns * series.share_});
}

std::vector<SeriesPoint> all_points_of(const SeriesTimes& series, double min_effect,
                                       double step_ns) {
  if (series.empty()) return {};
  std::vector<SeriesPoint> all = points_of(series, {}, min_effect, step_ns);
  for (SeriesPoint& point :
       series.points(series.whole_.front(), {},
                     {.min_effect = min_effect, .step = step_ns * series.share_})) {
    if (point.held_out) all.push_back(point);
  }
  std::ranges::sort(all, {}, &SeriesPoint::size_bytes);
  return all;
}

std::vector<GroupWeight> all_groups(const NetworkData& data) {
  std::set<std::uint32_t> groups;
  for (const DataSeries& series : data.series) {
    for (const SeriesObservation& one : series.observations) groups.insert(one.group);
  }
  std::vector<GroupWeight> weights;
  weights.reserve(groups.size());
  for (const std::uint32_t group : groups) weights.push_back({.group = group});
  return weights;
}

std::vector<stats::WeightedPoint> fitted_points(std::span<const SeriesPoint> points) {
  std::vector<stats::WeightedPoint> fitted;
  for (const SeriesPoint& point : points) {
    if (point.held_out) continue;
    fitted.push_back({.x = static_cast<double>(point.size_bytes),
                      .y = point.mean_ns,
                      .variance = point.variance_ns2});
  }
  return fitted;
}

}  // namespace invar::analysis
