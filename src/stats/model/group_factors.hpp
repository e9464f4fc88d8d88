#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "stats/model/segmented.hpp"

// Mean times per size from launch groups that each measured sizes of their own: what a launch does
// to all of its times alike is found and taken out first (docs/methods.md, "Piecewise lines").
namespace invar::stats {

/// The mean time of a size in a launch group.
struct GroupTime {
  std::size_t group = 0;
  double size = 0.0;
  double mean = 0.0;  ///< > 0
  /// Variance of this mean, from what varies inside of the group, in squared units of time. 0: not
  /// known. It counts only where no other group has the size.
  double variance = 0.0;
};

struct GroupFactor {
  std::size_t group = 0;
  std::size_t sizes = 0;  ///< that it has
  /// Natural logarithm of what the group's times are of the usual ones. Empty for a group that
  /// shares no size with the others, not even by way of third ones: nothing relates its times to
  /// theirs, and they are in no mean.
  std::optional<double> log_factor = std::nullopt;
};

struct SizeMean {
  double size = 0.0;
  double mean = 0.0;  ///< geometric over groups, each without its factor; those far off bounded
  std::size_t groups = 0;
  std::size_t bounded = 0;  ///< of these, groups whose time lies beyond the bound
  /// Variance of the logarithm of a single group's time around the mean, by the size's own groups.
  /// Empty: there is one group, and nothing is known of what varies inside.
  std::optional<double> own_variance = std::nullopt;
  /// The same with what neighbouring sizes say, which is what weights rest on.
  double variance = 0.0;
};

struct GroupFactors {
  std::vector<GroupFactor> groups = {};  ///< ascending
  std::vector<SizeMean> sizes = {};      ///< ascending; not those of groups apart alone
};

/// What a mean may be off by besides what groups show.
struct PointNoise {
  double min_effect = 0.01;  ///< relative, > 0: a smaller deviation of the model is none
  double step = 0.0;         ///< of the clock, in units of time; >= 0
};

/// Launch groups' times and the additive model of their logarithms,
///
///     log(time of group g at size s) = m_s + f_g + error,   sum of (sizes of g) f_g = 0,
///
/// by Huber's M-estimate (Ann. Math. Stat. 35, 1964): a time farther from the model than 1.345
/// deviations is taken as if it lay there, so that a burst in one launch moves neither its factor
/// nor the sizes that it hit by much. Deviations are local, from the sizes around.
class GroupedTimes {
 public:
  /// `common_factors` false: no factors (all 0), for data without launches. Throws base::UserError
  /// with every fault: a time or size that is not positive and finite, a variance below 0, a size
  /// twice in a group; no times at all.
  explicit GroupedTimes(std::span<const GroupTime> times, bool common_factors = true);

  [[nodiscard]] const GroupFactors& factors() const { return factors_; }

  /// Sizes, means and variances of the means,
  ///
  ///     (variance / groups + min_effect^2) mean^2 + step^2 / 12.
  [[nodiscard]] std::vector<WeightedPoint> points(const PointNoise& noise) const;

  /// The same if each group counted so often (> 0, by place in factors().groups): factors and means
  /// are estimated anew. A size counts as often as its groups do on average; what a single time
  /// varies by stays as it is. Sizes are the same, so that fits of both can be compared. Throws
  /// std::invalid_argument where weights are not as many as groups, or not positive and finite.
  [[nodiscard]] std::vector<WeightedPoint> points(const PointNoise& noise,
                                                  std::span<const double> group_weights) const;

 private:
  struct Time {
    std::size_t group = 0;  // by place
    double log_mean = 0;
    double variance = 0;  // of log_mean, inside of the group
    double weight = 1;    // below 1 beyond the bound
    double once = 1;      // no weight of its own
    double bounded = 0;   // what resamples take for log_mean
  };
  struct Size {
    double size = 0;
    std::vector<Time> times = {};
    // Standard deviation of a single group's logarithm, by this and neighbouring sizes. Infinite:
    // not known yet.
    double deviation = std::numeric_limits<double>::infinity();
  };
  // Logarithms of means, by size, and of factors, by place of the group.
  struct Effects {
    std::vector<double> means = {};
    std::vector<double> factors = {};
  };

  void leave_out_groups_apart();
  void estimate();
  void settle_effects();
  void set_weights();
  void set_deviations(bool by_medians);
  void set_bounded();
  void set_size_means();
  [[nodiscard]] double residual(std::size_t size, const Time& time) const;
  [[nodiscard]] double groups_in_means() const;
  [[nodiscard]] double residuals_per_free_one() const;
  [[nodiscard]] std::vector<WeightedPoint> points_of(const PointNoise& noise,
                                                     std::span<const double> group_weights,
                                                     const Effects& effects) const;
  [[nodiscard]] Effects least_squares(std::span<const double> group_weights, double Time::*weight,
                                      double Time::*value) const;
  [[nodiscard]] std::vector<double> factors_for(std::span<const double> group_weights,
                                                double Time::*weight, double Time::*value) const;

  bool common_factors_;
  std::vector<Size> sizes_ = {};
  Effects effects_ = {};
  GroupFactors factors_ = {};
};

}  // namespace invar::stats
