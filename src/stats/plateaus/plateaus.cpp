#include "stats/plateaus/plateaus.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <utility>

#include "base/random.hpp"
#include "stats/check.hpp"
#include "stats/model/segmented_intervals.hpp"
#include "stats/test/normal.hpp"

namespace invar::stats {
namespace {

// Two capacities nearer than this have no plateau between them that anybody could tell.
constexpr double kMergedWithin = 2;
// And these where one begins before the other is over.
constexpr double kOverlappingWithin = 4;
// How far a resample's capacity may be from the estimate's.
constexpr double kSoughtWithin = 4;
// Another shape is as good as the one that was found if its squares are larger by at most so often
// the logarithm of the number of points: what Schwarz's criterion asks for two parameters.
constexpr double kShapeDoubt = 2;

// Levels that are one knee: first and behind the last.
struct KneeLevels {
  std::size_t first = 0;
  std::size_t end = 0;
};

double slope_before(const HierarchyFit& fit, std::size_t level) {
  double slope = fit.first;
  for (std::size_t k = 0; k < level; ++k) slope += fit.levels[k].rise;
  return slope;
}

double rise_of(const HierarchyFit& fit, const KneeLevels& knee) {
  return slope_before(fit, knee.end) - slope_before(fit, knee.first);
}

// Logarithms of what is told of a knee.
struct KneePlace {
  double capacity = 0;
  double before = 0;
  double after = 0;
  double begin = 0;
  double end = 0;
  double rise = 0;  // relative, not its logarithm
};

class KneeReader {
 public:
  KneeReader(const HierarchyFit& fit, const KneeLevels& knee)
      : levels_(std::span(fit.levels).subspan(knee.first, knee.end - knee.first)),
        before_(slope_before(fit, knee.first)),
        rise_(rise_of(fit, knee)) {}

  [[nodiscard]] KneePlace read() const {
    KneePlace place{.capacity = mean_log(&Level::capacity),
                    .before = std::log(levels_.front().before),
                    .after = std::log(levels_.back().after),
                    .rise = before_ > 0 ? rise_ / before_ : 0};
    if (!(rise_ > 0)) {
      place.begin = place.end = place.capacity;
      return place;
    }
    // Shares of the rise at 5 % above the one plateau, and at 5 % below the other one.
    constexpr double kEnd = 1e-6;
    double left = std::clamp(kKneeMargin * before_ / rise_, kEnd, 1 - kEnd);
    double reached = std::clamp(1 - kKneeMargin * (before_ + rise_) / rise_, kEnd, 1 - kEnd);
    if (left > reached) left = reached = (left + reached) / 2;
    place.begin = log_size_of(left, false);
    place.end = log_size_of(reached, true);
    return place;
  }

 private:
  // A jump takes place somewhere between two sizes: a knee begins before that, and ends behind.
  [[nodiscard]] double missing(double x, bool late) const {
    double missing = 0;
    for (const Level& level : levels_) {
      if (level.shape != KneeShape::kJump) {
        missing += level.rise * missing_share(level.shape, x / level.capacity);
      } else if (late ? x >= level.after : x > level.before) {
        missing += level.rise;
      }
    }
    return missing / rise_;
  }

  [[nodiscard]] double log_size_of(double share, bool late) const {
    double low = std::log(levels_.front().capacity) - 10;
    double high = std::log(levels_.back().capacity) + 10;
    constexpr int kSteps = 50;
    for (int step = 0; step < kSteps; ++step) {
      const double middle = (low + high) / 2;
      (missing(std::exp(middle), late) < share ? low : high) = middle;
    }
    return high;
  }

  [[nodiscard]] double mean_log(double Level::*of) const {
    double sum = 0;
    double weight = 0;
    for (const Level& level : levels_) {
      const double own = rise_ > 0 ? level.rise : 1;
      sum += own * std::log(level.*of);
      weight += own;
    }
    return sum / weight;
  }

  std::span<const Level> levels_;
  double before_;
  double rise_;
};

// Two levels are one knee where nobody could tell a plateau between them: too near, or the second
// one begins before the first is over.
bool is_one_knee(const HierarchyFit& fit, std::size_t level) {
  const double ratio = fit.levels[level + 1].capacity / fit.levels[level].capacity;
  if (ratio < kMergedWithin) return true;
  if (ratio >= kOverlappingWithin) return false;
  return KneeReader(fit, {level, level + 1}).read().end >
         KneeReader(fit, {level + 1, level + 2}).read().begin;
}

std::vector<KneeLevels> knees_of(const HierarchyFit& fit, double least_rise) {
  std::vector<KneeLevels> knees;
  for (std::size_t first = 0; first < fit.levels.size();) {
    std::size_t end = first + 1;
    while (end < fit.levels.size() && is_one_knee(fit, end - 1)) ++end;
    const KneeLevels knee{first, end};
    if (rise_of(fit, knee) >= least_rise * slope_before(fit, first)) knees.push_back(knee);
    first = end;
  }
  return knees;
}

std::size_t related_groups(const GroupFactors& factors) {
  return static_cast<std::size_t>(std::ranges::count_if(
      factors.groups, [](const GroupFactor& group) { return group.log_factor.has_value(); }));
}

class PlateauEstimator {
 public:
  PlateauEstimator(const GroupedTimes& times, const PlateauQuestion& question)
      : times_(times), question_(question), search_(sizes_of(times), question.limits) {
    made_.points = times.points(question.noise);
    made_.fit = search_.fit(made_.points);
    made_.groups = related_groups(times.factors());
    knees_ = knees_of(made_.fit, question.least_rise);
  }

  PlateausEstimate estimate() {
    if (made_.groups >= 2) resample();
    const double z = normal_quantile((1 + question_.confidence) / 2);
    alternatives_ = search_.alternatives(
        made_.points, made_.fit, kSoughtWithin,
        {.of_shape = kShapeDoubt * std::log(static_cast<double>(made_.points.size())),
         .of_place = z * z});
    read_knees();
    read_plateaus();
    return std::move(made_);
  }

 private:
  static std::vector<double> sizes_of(const GroupedTimes& times) {
    std::vector<double> sizes;
    for (const SizeMean& mean : times.factors().sizes) sizes.push_back(mean.size);
    return sizes;
  }

  void resample() {
    base::Random random(question_.seed);
    for (std::size_t i = 0; i < question_.resamples; ++i) {
      const std::vector<double> weights =
          resampled_group_weights(times_.factors().groups.size(), random);
      again_.push_back(
          search_.fit_near(times_.points(question_.noise, weights), made_.fit, kSoughtWithin));
    }
  }

  // From what each resample says. None: there are no resamples.
  [[nodiscard]] std::optional<Interval> interval_of(
      double estimate, const std::function<double(const HierarchyFit&)>& read) const {
    if (again_.empty()) return std::nullopt;
    std::vector<double> values;
    for (const HierarchyFit& fit : again_) values.push_back(read(fit));
    return resampled_interval(estimate, values, made_.groups, question_.confidence);
  }

  // Sizes from the end `low` of one interval of logarithms to the end of the other.
  [[nodiscard]] std::optional<Interval> sizes_between(const KneeLevels& knee,
                                                      const KneePlace& place,
                                                      double KneePlace::*low,
                                                      double KneePlace::*high) const {
    const auto of = [&](double KneePlace::*member) {
      return interval_of(place.*member, [&](const HierarchyFit& fit) {
        return KneeReader(fit, knee).read().*member;
      });
    };
    const std::optional<Interval> first = of(low);
    const std::optional<Interval> last = of(high);
    if (!first || !last) return std::nullopt;
    // Resamples vary the launches. What all launches share, as sizes that begin a page otherwise,
    // and which shape it is, squares say. Both are off at once: widths add in squares.
    double below = 0;
    double above = 0;
    for (std::size_t k = knee.first; k < knee.end; ++k) {
      for (const HierarchyFit& other : alternatives_[k]) {
        const KneePlace there = KneeReader(other, knee).read();
        below = std::max(below, place.*low - there.*low);
        above = std::max(above, there.*high - place.*high);
      }
    }
    const Interval logs{.low = place.*low - std::hypot(place.*low - first->low, below),
                        .high = place.*high + std::hypot(last->high - place.*high, above),
                        .confidence = question_.confidence};
    return Interval{.low = std::max(std::exp(logs.low), made_.points.front().x),
                    .high = std::min(std::exp(logs.high), made_.points.back().x),
                    .confidence = question_.confidence};
  }

  void read_knees() {
    for (const KneeLevels& levels : knees_) {
      const KneePlace place = KneeReader(made_.fit, levels).read();
      Knee knee{.shape = made_.fit.levels[levels.first].shape,
                .merged = levels.end - levels.first > 1,
                .capacity = std::exp(place.capacity),
                .begin = std::max(std::exp(place.begin), made_.points.front().x),
                .end = std::exp(place.end),
                .rise = {.value = place.rise}};
      knee.capacity_interval = sizes_between(levels, place, &KneePlace::before, &KneePlace::after);
      knee.begin_interval = sizes_between(levels, place, &KneePlace::begin, &KneePlace::begin);
      knee.end_interval = sizes_between(levels, place, &KneePlace::end, &KneePlace::end);
      knee.rise.interval = interval_of(
          place.rise, [&](const HierarchyFit& fit) { return KneeReader(fit, levels).read().rise; });
      if (knee.rise.interval) {
        knee.rise.interval->low = std::max(knee.rise.interval->low, 0.0);
      }
      made_.knees.push_back(knee);
    }
    for (std::size_t k = 0; k < made_.knees.size(); ++k) {
      Knee& knee = made_.knees[k];
      const double limit =
          k + 1 < made_.knees.size() ? made_.knees[k + 1].begin : made_.points.back().x;
      if (knee.end <= limit) continue;
      knee.reached = false;
      knee.end = std::max(limit, knee.begin);
      if (knee.end_interval) {
        knee.end_interval->low = std::min(knee.end_interval->low, knee.end);
      }
    }
  }

  void read_plateaus() {
    const double least = made_.points.front().x;
    const double most = made_.points.back().x;
    for (std::size_t k = 0; k <= made_.knees.size(); ++k) {
      const bool is_last = k == made_.knees.size();
      Plateau plateau{.from = k == 0 ? least : made_.knees[k - 1].end,
                      .to = is_last ? most : made_.knees[k].begin};
      plateau.to = std::max(plateau.to, plateau.from);
      const double middle = is_last ? most : std::clamp(plateau.to / 2, plateau.from, plateau.to);
      const auto slope = [&](const HierarchyFit& fit) { return slope_of(fit, k); };
      const auto at_middle = [&](const HierarchyFit& fit) {
        return fit.predicted(middle) / middle;
      };
      plateau.middle = middle;
      plateau.slope = {.value = slope(made_.fit), .interval = interval_of(slope(made_.fit), slope)};
      plateau.at_middle = {.value = at_middle(made_.fit),
                           .interval = interval_of(at_middle(made_.fit), at_middle)};
      made_.plateaus.push_back(plateau);
    }
  }

  // With what rises slowly along it: at its end.
  [[nodiscard]] double slope_of(const HierarchyFit& fit, std::size_t plateau) const {
    const std::size_t behind = plateau < knees_.size() ? knees_[plateau].first : fit.levels.size();
    return slope_before(fit, behind);
  }

  const GroupedTimes& times_;
  const PlateauQuestion& question_;
  HierarchySearch search_;
  PlateausEstimate made_ = {};
  std::vector<KneeLevels> knees_ = {};
  std::vector<HierarchyFit> again_ = {};
  std::vector<std::vector<HierarchyFit>> alternatives_ = {};  // by level
};

}  // namespace

Interval Knee::region() const {
  Interval region{.low = begin, .high = end};
  for (const auto& interval : {capacity_interval, begin_interval, end_interval}) {
    if (!interval) continue;
    region.low = std::min(region.low, interval->low);
    region.confidence = interval->confidence;
  }
  for (const auto& interval : {capacity_interval, end_interval}) {
    if (interval) region.high = std::max(region.high, interval->high);
  }
  return region;
}

PlateausEstimate plateaus_estimate(const GroupedTimes& times, const PlateauQuestion& question) {
  check::open_unit("plateaus_estimate", "confidence", question.confidence);
  if (!(question.least_rise >= kLeastRise)) {
    check::fail("plateaus_estimate", "the least rise is at least 0.11");
  }
  return PlateauEstimator(times, question).estimate();
}

}  // namespace invar::stats
