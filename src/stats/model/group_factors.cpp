#include "stats/model/group_factors.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "stats/check.hpp"
#include "stats/describe/quantile.hpp"
#include "stats/lines/factor_equations.hpp"

namespace invar::stats {
namespace {

// Huber's bound in deviations: 95 % efficient where nothing is off.
constexpr double kBound = 1.345;
// Errors are normal, and b is the bound. The first is the mean square where those beyond b lie on
// it: 1 - 2 (1 - P(b)) (1 - b^2) - 2 b p(b). The second is the share within b. From both follows
// the estimate's variance over that of a mean.
constexpr double kBoundedSquare = 0.71016;
constexpr double kWithinBound = 0.82138;
constexpr double kEstimatesVariance = kBoundedSquare / kWithinBound / kWithinBound;
// The median of |error| in deviations of a normal distribution.
constexpr double kMedianOfNormal = 0.67448975019608171;
// Sizes to either side whose times say what a size's deviation is, and how many times at least.
constexpr std::size_t kSizesAround = 8;
constexpr std::size_t kLeastTimes = 8;
// A size's own variance counts as much as so many groups more of neighbours' variances.
constexpr double kLocalWeight = 16;
// Below it, relative, nothing is noise: groups may agree to the last digit.
constexpr double kLeastDeviation = 1e-6;
constexpr int kMostPasses = 50;
constexpr double kSettled = 1e-4;  // in deviations

void check_times(std::span<const GroupTime> times) {
  base::Faults faults;
  if (times.empty()) {
    faults.add("times", "there are none", "give a mean time for each group and size");
  }
  std::map<std::pair<std::size_t, double>, std::size_t> seen;
  for (const GroupTime& time : times) {
    const auto add = [&](const std::string& what, const std::string& remedy) {
      faults.add("group " + std::to_string(time.group) + ", size " + base::shortest_text(time.size),
                 what, remedy);
    };
    if (!(time.size >= 0 && std::isfinite(time.size))) {
      add("a size is finite and at least 0", "mend or leave out this row");
      continue;
    }
    if (!(time.mean > 0 && std::isfinite(time.mean))) {
      add("the mean time is " + base::shortest_text(time.mean) + ", which has no logarithm",
          "leave out what is not above 0: it is below what the clock can tell");
    }
    if (!(time.variance >= 0 && std::isfinite(time.variance))) {
      add("the variance is " + base::shortest_text(time.variance), "0 stands for not known");
    }
    if (++seen[{time.group, time.size}] == 2) {
      add("stands there twice", "put both into one mean");
    }
  }
  faults.throw_if_any();
}

// Which groups hang together by sizes that they share.
class Islands {
 public:
  explicit Islands(std::size_t groups) : above_(groups) {
    std::iota(above_.begin(), above_.end(), std::size_t{0});
  }

  std::size_t of(std::size_t group) {
    while (above_[group] != group) group = above_[group] = above_[above_[group]];
    return group;
  }

  void join(std::size_t a, std::size_t b) { above_[of(a)] = of(b); }

 private:
  std::vector<std::size_t> above_;
};

}  // namespace

GroupedTimes::GroupedTimes(std::span<const GroupTime> times, bool common_factors)
    : common_factors_(common_factors) {
  check_times(times);
  std::map<std::size_t, std::size_t> sizes_of_group;
  for (const GroupTime& time : times) ++sizes_of_group[time.group];
  std::map<std::size_t, std::size_t> place;
  for (const auto& [group, sizes] : sizes_of_group) {
    place[group] = factors_.groups.size();
    factors_.groups.push_back({.group = group, .sizes = sizes, .log_factor = 0});
  }
  std::map<double, std::vector<Time>> by_size;
  for (const GroupTime& time : times) {
    by_size[time.size].push_back({.group = place[time.group],
                                  .log_mean = std::log(time.mean),
                                  .variance = time.variance / time.mean / time.mean});
  }
  for (auto& [size, of_size] : by_size) {
    std::ranges::sort(of_size, {}, &Time::group);
    sizes_.push_back({.size = size, .times = std::move(of_size)});
  }
  if (common_factors_) leave_out_groups_apart();
  estimate();
}

void GroupedTimes::leave_out_groups_apart() {
  Islands islands(factors_.groups.size());
  for (const Size& size : sizes_) {
    for (const Time& time : size.times) islands.join(time.group, size.times.front().group);
  }
  std::vector<std::size_t> times(factors_.groups.size());
  for (std::size_t g = 0; g < times.size(); ++g) times[islands.of(g)] += factors_.groups[g].sizes;
  const auto main = static_cast<std::size_t>(std::ranges::max_element(times) - times.begin());
  for (std::size_t g = 0; g < times.size(); ++g) {
    if (islands.of(g) != main) factors_.groups[g].log_factor.reset();
  }
  // All groups of a size are of one island.
  std::erase_if(sizes_,
                [&](const Size& size) { return islands.of(size.times.front().group) != main; });
}

void GroupedTimes::estimate() {
  effects_ = {.means = std::vector<double>(sizes_.size()),
              .factors = std::vector<double>(factors_.groups.size())};
  // The first fit has no bounds, for nobody knows deviations yet. A burst pulls the mean, so that
  // all residuals of its size are large; deviations shrink from pass to pass, and settle.
  constexpr int kRounds = 12;
  constexpr int kByMedians = 6;
  for (int round = 0; round < kRounds; ++round) {
    settle_effects();
    set_deviations(round < kByMedians);
  }
  settle_effects();
  for (std::size_t g = 0; g < factors_.groups.size(); ++g) {
    if (factors_.groups[g].log_factor) factors_.groups[g].log_factor = effects_.factors[g];
  }
  set_bounded();
  set_size_means();
}

double GroupedTimes::residual(std::size_t size, const Time& time) const {
  return time.log_mean - effects_.means[size] - effects_.factors[time.group];
}

void GroupedTimes::set_weights() {
  for (std::size_t s = 0; s < sizes_.size(); ++s) {
    const double bound = kBound * sizes_[s].deviation;
    for (Time& time : sizes_[s].times) {
      const double off = std::abs(residual(s, time));
      time.weight = off > bound ? bound / off : 1;
    }
  }
}

// With the deviations that there are: weights from residuals, residuals from weights, until nothing
// moves any more.
void GroupedTimes::settle_effects() {
  const std::vector<double> once(factors_.groups.size(), 1.0);
  for (int pass = 0; pass < kMostPasses; ++pass) {
    set_weights();
    Effects next = least_squares(once, &Time::weight, &Time::log_mean);
    double moved = 0;
    for (std::size_t s = 0; s < sizes_.size(); ++s) {
      moved = std::max(moved, std::abs(next.means[s] - effects_.means[s]) / sizes_[s].deviation);
    }
    effects_ = std::move(next);
    if (moved < kSettled) break;
  }
}

GroupedTimes::Effects GroupedTimes::least_squares(std::span<const double> group_weights,
                                                  double Time::*weight, double Time::*value) const {
  Effects effects{.means = std::vector<double>(sizes_.size()),
                  .factors = std::vector<double>(factors_.groups.size())};
  if (common_factors_) effects.factors = factors_for(group_weights, weight, value);
  for (std::size_t s = 0; s < sizes_.size(); ++s) {
    double sum = 0;
    double weights = 0;
    for (const Time& time : sizes_[s].times) {
      const double own = group_weights[time.group] * time.*weight;
      sum += own * (time.*value - effects.factors[time.group]);
      weights += own;
    }
    effects.means[s] = sum / weights;
  }
  return effects;
}

// Normal equations of the factors, with the means eliminated, and the condition that the factors'
// weighted sum is 0.
std::vector<double> GroupedTimes::factors_for(std::span<const double> group_weights,
                                              double Time::*weight, double Time::*value) const {
  const std::size_t n = factors_.groups.size();
  FactorEquations equations(n);
  std::vector<double> b(n);
  for (const Size& size : sizes_) {
    double sum = 0;
    double mean = 0;
    for (const Time& time : size.times) {
      const double own = group_weights[time.group] * time.*weight;
      equations.add(time.group, own);
      sum += own;
      mean += own * time.*value;
    }
    equations.end_size();
    mean /= sum;
    for (const Time& time : size.times) {
      b[time.group] += group_weights[time.group] * time.*weight * (time.*value - mean);
    }
  }
  for (std::size_t g = 0; g < n; ++g) {
    if (factors_.groups[g].log_factor) {
      equations.add_share(g, group_weights[g] * static_cast<double>(factors_.groups[g].sizes));
    } else {
      equations.set_apart(g);  // its factor stays 0, and unused
    }
  }
  return equations.solve(b);
}

double GroupedTimes::groups_in_means() const {
  return static_cast<double>(std::ranges::count_if(
      factors_.groups, [](const GroupFactor& group) { return group.log_factor.has_value(); }));
}

// What factors are fitted to is smaller than it was: times that are free of their sizes' means,
// over those that are free of factors, too.
double GroupedTimes::residuals_per_free_one() const {
  double free = 0;
  for (const Size& size : sizes_) free += static_cast<double>(size.times.size()) - 1;
  const double factors = common_factors_ ? groups_in_means() - 1 : 0;
  return free > factors ? free / (free - factors) : 1;
}

// From the sizes around: first by medians, which bursts do not move, and once it is clear what is
// beyond the bound by squares, which know twice as much.
void GroupedTimes::set_deviations(bool by_medians) {
  // By size: residuals, as large as they are where nothing is fitted to them.
  std::vector<std::vector<double>> off(sizes_.size());
  const double factors_take = residuals_per_free_one();
  for (std::size_t s = 0; s < sizes_.size(); ++s) {
    const std::vector<Time>& times = sizes_[s].times;
    const auto n = static_cast<double>(times.size());
    for (const Time& time : times) {
      if (times.size() > 1) {
        const double free = std::abs(residual(s, time)) * std::sqrt(n / (n - 1) * factors_take);
        off[s].push_back(by_medians ? free : std::min(free, kBound * sizes_[s].deviation));
      } else if (time.variance > 0) {
        const double usual = by_medians ? kMedianOfNormal : std::sqrt(kBoundedSquare);
        off[s].push_back(usual * std::sqrt(time.variance));
      }
    }
  }
  for (std::size_t s = 0; s < sizes_.size(); ++s) {
    std::vector<double> around;
    for (std::size_t reach = 0; reach < sizes_.size(); ++reach) {
      if (reach > kSizesAround && around.size() >= kLeastTimes) break;
      const auto take = [&](std::size_t t) {
        around.insert(around.end(), off[t].begin(), off[t].end());
      };
      if (reach <= s) take(s - reach);
      if (reach > 0 && s + reach < sizes_.size()) take(s + reach);
    }
    double known = 0;
    if (!around.empty() && by_medians) known = median_in_place(around) / kMedianOfNormal;
    if (!around.empty() && !by_medians) {
      double squares = 0;
      for (const double one : around) squares += one * one / static_cast<double>(around.size());
      known = std::sqrt(squares / kBoundedSquare);
    }
    sizes_[s].deviation = std::max(known, kLeastDeviation);
  }
}

// What resamples draw from: residuals up to the bound, as large as errors of the estimate need
// them. Of what is fitted to bounded times it is the free ones alone that hold it in place, so that
// it moves by more than their mean does: by all times over free ones. A mean over n residuals with
// exponential weights has the variance of their mean square over n + 1, which is (n - 1) / n of an
// error's; intervals make up for that as if every size had all groups.
void GroupedTimes::set_bounded() {
  double all = 0;
  double free = 0;
  for (const Size& size : sizes_) {
    if (size.times.size() < 2) continue;
    for (const Time& time : size.times) {
      all += 1;
      if (time.weight == 1) free += 1;
    }
  }
  const double larger = (free > 0 ? all / free : 1) * std::sqrt(residuals_per_free_one());
  const double groups = groups_in_means();
  for (std::size_t s = 0; s < sizes_.size(); ++s) {
    const auto n = static_cast<double>(sizes_[s].times.size());
    const double lacking = n > 1 ? std::sqrt((n + 1) / (n - 1) * (groups - 1) / (groups + 1)) : 1;
    for (Time& time : sizes_[s].times) {
      const double off = residual(s, time);
      time.bounded = time.log_mean - off + lacking * larger * time.weight * off;
    }
  }
}

void GroupedTimes::set_size_means() {
  const double factors_take = residuals_per_free_one();
  for (std::size_t s = 0; s < sizes_.size(); ++s) {
    const Size& size = sizes_[s];
    const double bound = kBound * size.deviation;
    SizeMean mean{
        .size = size.size, .mean = std::exp(effects_.means[s]), .groups = size.times.size()};
    double squares = 0;
    double bounded_squares = 0;
    for (const Time& time : size.times) {
      const double off = std::abs(residual(s, time)) * std::sqrt(factors_take);
      squares += off * off;
      bounded_squares += std::min(off, bound) * std::min(off, bound);
      mean.bounded += off > bound ? 1 : 0;
    }
    const auto n = static_cast<double>(mean.groups);
    const auto free = n - static_cast<double>(mean.bounded);
    if (mean.groups > 1) {
      // Huber's variance of the estimate, times n. With hardly anybody inside of the bound there is
      // no middle that most groups agree on.
      mean.own_variance =
          2 * free > n ? bounded_squares / (n - 1) * (n / free) * (n / free) : squares / (n - 1);
    } else if (size.times.front().variance > 0) {
      mean.own_variance = size.times.front().variance;
    }
    const double own_weight = !mean.own_variance ? 0 : std::max(n - 1, 1.0);
    const double local =
        (mean.groups > 1 ? kEstimatesVariance : 1) * size.deviation * size.deviation;
    mean.variance = (kLocalWeight * local + own_weight * mean.own_variance.value_or(0)) /
                    (kLocalWeight + own_weight);
    factors_.sizes.push_back(mean);
  }
}

std::vector<WeightedPoint> GroupedTimes::points(const PointNoise& noise) const {
  return points_of(noise, std::vector<double>(factors_.groups.size(), 1.0), effects_);
}

std::vector<WeightedPoint> GroupedTimes::points(const PointNoise& noise,
                                                std::span<const double> group_weights) const {
  if (group_weights.size() != factors_.groups.size()) {
    check::fail("GroupedTimes::points", "there are not as many weights as groups");
  }
  for (const double weight : group_weights) {
    check::positive("GroupedTimes::points", "a group's weight", weight);
  }
  return points_of(noise, group_weights, least_squares(group_weights, &Time::once, &Time::bounded));
}

std::vector<WeightedPoint> GroupedTimes::points_of(const PointNoise& noise,
                                                   std::span<const double> group_weights,
                                                   const Effects& effects) const {
  check::positive("GroupedTimes::points", "min_effect", noise.min_effect);
  check::not_negative("GroupedTimes::points", "step", noise.step);
  std::vector<WeightedPoint> points;
  for (std::size_t s = 0; s < sizes_.size(); ++s) {
    const auto n = static_cast<double>(sizes_[s].times.size());
    double count = 0;
    for (const Time& time : sizes_[s].times) count += group_weights[time.group];
    // Weights do not follow the means of a resample: a smaller mean is not a surer one.
    const double usual = factors_.sizes[s].mean;
    const double of_groups = factors_.sizes[s].variance / n;
    const double variance = (of_groups + noise.min_effect * noise.min_effect) * usual * usual +
                            noise.step * noise.step / 12;
    points.push_back(
        {.x = sizes_[s].size, .y = std::exp(effects.means[s]), .variance = variance * n / count});
  }
  return points;
}

}  // namespace invar::stats
