#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "stats/decide/verdict.hpp"
#include "stats/types.hpp"

// Which of several series that should take equally long takes longer than the others: a pair of
// ranks among all pairs. docs/methods.md, "Pairs of ranks".
namespace invar::stats {

/// Series of fewer in a set are compared with nothing: of two nobody knows which one stands out.
constexpr std::size_t kFewestAlike = 3;

/// Where a value stands. Values of one place were measured next to each other.
struct SeriesPlace {
  std::uint32_t group = 0;  ///< launch group: the unit
  std::uint32_t round = 0;

  bool operator==(const SeriesPlace&) const = default;
  bool operator<(const SeriesPlace& other) const {
    return std::pair(group, round) < std::pair(other.group, other.round);
  }
};

struct AlikeSeries {
  struct Point {
    SeriesPlace place = {};
    double log_time = 0.0;
  };
  std::size_t set = 0;             ///< it is compared with the series of the same set
  std::vector<Point> points = {};  ///< at most one a place
  /// How much longer than the others it may seem to take, relative, for what is not a time of its
  /// own: nobody stands out by that.
  double slack = 0.0;
  double variance_floor = 0.0;  ///< of a log time of one group, by the step of the clock
  double resolution = 0.0;      ///< relative, of the time over all groups
};

/// One series against the median of its set.
struct Outlier {
  /// Its time over the median: geometric mean over groups. Empty: there is nothing to compare with.
  std::optional<double> ratio = std::nullopt;
  std::optional<Interval> interval = std::nullopt;  ///< agrees with the verdict
  std::optional<double> p_adjusted = std::nullopt;
  std::size_t groups = 0;
  bool this_launch_only = false;
  /// Verdict on "it takes no longer than the median by more than min_effect". Violated: an outlier.
  Verdict verdict = Verdict::kUndecided;

  [[nodiscard]] bool stands_out() const { return verdict == Verdict::kViolated; }
};

/// For every series. The value of a group is the median over its rounds of the log time less the
/// median log time of the set in that round, this series among them; rounds with fewer than
/// kFewestAlike series of the set do not count. Student's t over groups against log(1 +
/// rule.min_effect + slack), one-sided, variance at least the floor; Holm (1979) over all series of
/// all sets, because a pair that is named falsely is looked for in vain. Throws as judge_table().
std::vector<Outlier> find_outliers(std::span<const AlikeSeries> series, const DecisionRule& rule);

}  // namespace invar::stats
