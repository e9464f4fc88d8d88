#include "analysis/memory/memory_model.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "analysis/memory/memory_causes.hpp"
#include "analysis/memory/memory_pitfalls.hpp"
#include "analysis/memory/walk_effects.hpp"
#include "analysis/memory/walk_levels.hpp"
#include "analysis/words/words.hpp"
#include "base/units.hpp"
#include "stats/describe/quantile.hpp"
#include "stats/model/modes.hpp"
#include "stats/model/variance_analysis.hpp"

namespace invar::analysis {
namespace {

using SizeAndGroup = std::pair<std::uint64_t, std::uint32_t>;  // size, group

constexpr std::size_t kFewestWalksForModes = 10;

class WalkModeller {
 public:
  WalkModeller(const WalkSeries& series, const MemoryData& data, const MemoryOptions& options)
      : series_(series), data_(data), options_(options), passes_(pass_times(series)) {
    model_ = {.operation = series.operation,
              .place = series.place,
              .cell = series.cell,
              .info = series.info,
              .width_bytes = series.width_bytes};
  }

  WalkModel make(std::vector<Warning>& warnings) {
    add_points();
    fit(warnings);
    add_variance();
    add_modes();
    add_shares();
    if (passes_.lost > 0) {
      warnings.emplace_back(who() + ": in " + count_text(passes_.lost, "launch group's size") +
                            " more passes took no longer: left out");
    }
    return std::move(model_);
  }

 private:
  [[nodiscard]] std::string who() const {
    return data_.arm + ", " + series_.operation +
           (series_.place.empty() ? "" : " (" + series_.place + ")");
  }

  [[nodiscard]] std::optional<double> cycle_ns(std::uint64_t size) const {
    std::vector<double> adds;
    for (const WalkObservation& one : series_.observations) {
      if (one.size_bytes == size && one.add_ns) adds.push_back(*one.add_ns);
    }
    if (adds.empty()) return std::nullopt;
    return stats::median_in_place(adds);
  }

  void add_points() {
    std::vector<stats::GroupTime> times;
    std::map<std::uint64_t, std::vector<double>> starts;
    std::map<std::uint64_t, std::size_t> visits;
    for (const WalkObservation& one : series_.observations) ++visits[one.size_bytes];
    for (const PassTime& one : passes_.times) {
      times.push_back(
          {.group = one.group, .size = static_cast<double>(one.size_bytes), .mean = one.pass_ns});
      if (one.start_ns) starts[one.size_bytes].push_back(*one.start_ns);
    }
    if (times.empty()) return;
    grouped_.emplace_back(times);
    const stats::GroupedTimes& grouped = grouped_.front();
    for (const stats::SizeMean& mean : grouped.factors().sizes) {
      const auto size = static_cast<std::uint64_t>(std::llround(mean.size));
      WalkPoint point{.size_bytes = size,
                      .pass_ns = {.value = mean.mean},
                      .gb_s = series_.named * mean.size / mean.mean,
                      .load_ns = series_.info.chases ? mean.mean / (series_.loads * mean.size) : 0,
                      .group_sd = std::sqrt(mean.variance),
                      .groups = mean.groups,
                      .visits = visits[size]};
      if (auto start = starts.find(size); start != starts.end()) {
        point.start_ns = stats::median_in_place(start->second);
        model_.start_told = true;
      }
      for (const auto& [of, lack] : passes_.lack) {
        if (of == size) point.lack_of_fit = lack;
      }
      if (const auto cycle = cycle_ns(size); cycle && !series_.info.chases)
        point.bytes_per_cycle = point.gb_s * *cycle;
      model_.points.push_back(point);
    }
  }

  void fit(std::vector<Warning>& warnings) {
    if (model_.points.size() < kLeastSizesOfWalk) {
      // Nobody expects more than points of other kernels.
      const bool tells =
          series_.place.empty() && (series_.operation == "read" || series_.operation == "chase");
      if (tells && !model_.points.empty()) {
        warnings.emplace_back(who() + ": " + count_text(model_.points.size(), "size") +
                              ", and levels need " + std::to_string(kLeastSizesOfWalk) +
                              ": of it there are single sizes alone; a longer --budget has more");
      }
      return;
    }
    model_.estimate = stats::plateaus_estimate(
        grouped_.front(),
        {.noise = {.min_effect = options_.min_effect, .step = data_.step_ns / most_loops()},
         .confidence = options_.confidence,
         .resamples = options_.resamples,
         .seed = options_.seed});
    for (const stats::Knee& knee : model_.estimate.knees) model_.knees.push_back({.knee = knee});
    for (const stats::Plateau& plateau : model_.estimate.plateaus) {
      WalkPlateau made{.plateau = plateau};
      if (series_.info.chases) {
        made.load_ns = scaled_by(plateau.at_middle, 1 / series_.loads);
      } else {
        made.gb_s = over(series_.named, plateau.at_middle);
      }
      made.cycle_ns = cycle_ns(nearest_size(plateau.middle));
      if (made.cycle_ns && !series_.info.chases) {
        made.bytes_per_cycle = made.gb_s.value * *made.cycle_ns;
      }
      model_.plateaus.push_back(std::move(made));
    }
  }

  [[nodiscard]] std::uint64_t nearest_size(double size) const {
    return std::ranges::min_element(
               model_.points, {},
               [&](const WalkPoint& one) {
                 return std::abs(std::log(static_cast<double>(one.size_bytes) / size));
               })
        ->size_bytes;
  }

  [[nodiscard]] double most_loops() const {
    std::uint64_t most = 1;
    for (const WalkObservation& one : series_.observations) most = std::max(most, one.loops);
    return static_cast<double>(most);
  }

  static stats::ResampledValue scaled_by(const stats::ResampledValue& value, double by) {
    stats::ResampledValue made{.value = value.value * by};
    if (value.interval) {
      made.interval = {value.interval->low * by, value.interval->high * by,
                       value.interval->confidence};
    }
    return made;
  }

  static stats::ResampledValue over(double bytes, const stats::ResampledValue& time) {
    stats::ResampledValue made{.value = bytes / time.value};
    if (time.interval && time.interval->low > 0) {
      made.interval = {bytes / time.interval->high, bytes / time.interval->low,
                       time.interval->confidence};
    }
    return made;
  }

  // Logarithms of visits' passes; a block is a size and a level of loops.
  void add_variance() {
    std::vector<stats::UnitValue> values;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> blocks;
    std::set<std::uint32_t> launches;
    for (const WalkObservation& one : series_.observations) {
      const auto block = blocks.try_emplace({one.size_bytes, one.loops}, blocks.size()).first;
      launches.insert(one.group);
      values.push_back({.block = block->second,
                        .unit = one.group,
                        .value = std::log(one.time_ns / static_cast<double>(one.loops))});
    }
    if (values.empty()) return;
    const auto units = stats::random_units(values, options_.confidence);
    if (!units) return;
    model_.variance = {.launch_sd = std::sqrt(std::max(units->unit_variance, 0.0)),
                       .launch_interval = units->unit_sd,
                       .visit_sd = std::sqrt(std::max(units->error_variance, 0.0)),
                       .p = units->f.p,
                       .launches = launches.size()};
  }

  // Where launches differ by their pages there are two at a size in whose visits each has one.
  void add_modes() {
    std::map<std::uint64_t, std::vector<double>> by_size;
    for (const WalkObservation& one : series_.observations) {
      by_size[one.size_bytes].push_back(std::log(one.time_ns / static_cast<double>(one.loops)));
    }
    for (WalkPoint& point : model_.points) {
      const std::vector<double>& logs = by_size[point.size_bytes];
      if (logs.size() >= kFewestWalksForModes) {
        point.modes = stats::count_modes(logs, options_.min_effect);
      }
    }
  }

  void add_shares() {
    std::vector<double> again;
    for (const WalkObservation& one : series_.observations) {
      if (one.huge) model_.huge = std::min(model_.huge.value_or(1), *one.huge);
      if (one.frames_again) again.push_back(*one.frames_again);
    }
    if (!again.empty()) model_.frames_again = stats::median_in_place(again);
  }

  const WalkSeries& series_;
  const MemoryData& data_;
  const MemoryOptions& options_;
  PassTimes passes_;
  std::vector<stats::GroupedTimes> grouped_ = {};
  WalkModel model_ = {};
};

}  // namespace

std::string_view to_string(KneeCause cause) {
  if (cause == KneeCause::kCache) return "cache";
  return cause == KneeCause::kTranslation ? "translation" : "unknown";
}

std::string_view to_string(PitfallFound found) {
  if (found == PitfallFound::kNotJudged) return "not judged";
  return found == PitfallFound::kYes ? "yes" : "no";
}

const WalkModel* MemoryModel::find(std::string_view operation) const {
  const auto usual = [](const WalkModel& walk) {
    return unusual_words(walk.cell, walk.info, {"ranks"}).empty();
  };
  const WalkModel* found = nullptr;
  for (const WalkModel& walk : walks) {
    if (walk.operation != operation || walk.plateaus.empty()) continue;
    const bool first = found == nullptr || walk.cell.ranks < found->cell.ranks;
    if (first || (walk.cell.ranks == found->cell.ranks && usual(walk) && !usual(*found))) {
      found = &walk;
    }
  }
  return found;
}

namespace {

struct RelativeLine {
  double slope = 0;
  double intercept = 0;
  double largest_lack = 0;  // |y - line| over y
};

// Least squares of what is left over relative to y, > 0: few passes count as much as many.
RelativeLine relative_line(std::span<const double> x, std::span<const double> y) {
  // Around the weighted mean, so that nothing cancels.
  double weights = 0;
  double mean_x = 0;
  double mean_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double weight = 1 / (y[i] * y[i]);
    weights += weight;
    mean_x += weight * x[i];
    mean_y += weight * y[i];
  }
  mean_x /= weights;
  mean_y /= weights;
  double xx = 0;
  double xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double weight = 1 / (y[i] * y[i]);
    xx += weight * (x[i] - mean_x) * (x[i] - mean_x);
    xy += weight * (x[i] - mean_x) * (y[i] - mean_y);
  }
  RelativeLine line{.slope = xy / xx};
  line.intercept = mean_y - line.slope * mean_x;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double fitted = line.intercept + line.slope * x[i];
    line.largest_lack = std::max(line.largest_lack, std::abs(y[i] - fitted) / y[i]);
  }
  return line;
}

}  // namespace

PassTimes pass_times(const WalkSeries& series) {
  std::map<SizeAndGroup, std::map<std::uint64_t, std::vector<double>>> all;
  for (const WalkObservation& one : series.observations) {
    all[{one.size_bytes, one.group}][one.loops].push_back(one.time_ns);
  }
  PassTimes made;
  std::map<std::uint64_t, std::vector<double>> lacks;
  for (auto& [of, levels] : all) {
    std::vector<double> loops;
    std::vector<double> times;
    for (auto& [count, values] : levels) {
      loops.push_back(static_cast<double>(count));
      times.push_back(stats::median_in_place(values));
    }
    PassTime pass{.size_bytes = of.first, .group = of.second};
    if (loops.size() == 1) {
      pass.pass_ns = times.front() / loops.front();
    } else {
      const RelativeLine line = relative_line(loops, times);
      pass.pass_ns = line.slope;
      pass.start_ns = line.intercept;
      if (loops.size() > 2) lacks[of.first].push_back(line.largest_lack);
    }
    if (!(pass.pass_ns > 0)) {
      ++made.lost;
      continue;
    }
    made.times.push_back(pass);
  }
  for (auto& [size, values] : lacks) made.lack.emplace_back(size, stats::median_in_place(values));
  return made;
}

MemoryModel memory_model(const MemoryData& data, const MemoryOptions& options) {
  MemoryModel model{.arm = data.arm, .groups = data.groups, .warnings = data.warnings};
  for (const WalkSeries& series : data.series) {
    model.walks.push_back(WalkModeller(series, data, options).make(model.warnings));
  }
  name_causes(data, model);
  model.limits = memory_limits(data, model);
  model.effects = walk_effects(data, options);
  model.pitfalls = memory_pitfalls(data, options);
  if (data.groups < 2) {
    model.warnings.emplace_back(
        data.arm + ": one launch group: nothing has an interval, because launches differ",
        Gravity::kDoubt);
  }
  return model;
}

}  // namespace invar::analysis
