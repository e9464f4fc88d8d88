// A series as points over sizes: one value a size and launch group, the groups' common luck taken
// away, and what is left as means with variances (docs/methods.md, "The network model").
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "analysis/network/network_data.hpp"
#include "stats/model/group_factors.hpp"
#include "stats/model/segmented.hpp"

namespace invar::analysis {

// How often a launch group counts: once in the data.
struct GroupWeight {
  std::uint32_t group = 0;
  double weight = 1;
};

struct SeriesPoint {
  std::uint64_t size_bytes = 0;
  bool held_out = false;
  double mean_ns = 0;
  double variance_ns2 = 1;   // of the mean, as fits weigh it
  double group_sd = 0;       // of a launch group's value, relative
  double repetition_sd = 0;  // of a repetition in its visit, relative: median over visits
  std::size_t groups = 0;
  std::size_t bounded = 0;  // of these, far from the others, and taken as if they lay nearer
  std::uint64_t repetitions = 0;
};

// Gaps that trains do not give (gap_times()).
struct LostGaps {
  std::size_t times = 0;  // groups' sizes without a gap
  std::size_t sizes = 0;  // that are left out
};

class SeriesTimes {
 public:
  explicit SeriesTimes(const SeriesKey& key) : key_(key) {}

  [[nodiscard]] const SeriesKey& key() const { return key_; }
  [[nodiscard]] bool empty() const { return whole_.empty(); }
  // Launch groups that share no size with the others, not even by way of third ones: nothing
  // relates their times to theirs, and they are in no mean.
  [[nodiscard]] std::size_t apart() const { return apart_; }
  // Share of the times that are measured: a half round trip is half of one.
  [[nodiscard]] double share() const { return share_; }
  // Without held out sizes: what fits see. Null: there are none.
  [[nodiscard]] const stats::GroupedTimes* fitted() const {
    return fitted_.empty() ? nullptr : &fitted_.front();
  }

 private:
  friend SeriesTimes series_times(const NetworkData& data, const SeriesKey& key);
  friend SeriesTimes gap_times(const NetworkData& data, LostGaps& lost);
  friend std::vector<SeriesPoint> points_of(const SeriesTimes& series,
                                            std::span<const GroupWeight> weights, double min_effect,
                                            double step_ns);
  friend std::vector<SeriesPoint> all_points_of(const SeriesTimes& series, double min_effect,
                                                double step_ns);

  // What is known of a size, over all of its visits.
  struct SizeFacts {
    bool held_out = false;
    double group_sd = 0;
    double repetition_sd = 0;
    std::size_t groups = 0;
    std::size_t bounded = 0;
    std::uint64_t repetitions = 0;
  };
  // In one launch group.
  struct GroupOfSize {
    std::vector<double> medians_ns = {};
    double squares = 0;  // of relative deviations of repetitions
    std::uint64_t repetitions = 0;
    std::vector<double> spreads = {};  // of repetitions, relative: of visits that have several
  };
  using TimesBySize = std::map<std::uint64_t, std::map<std::uint32_t, GroupOfSize>>;

  static TimesBySize by_size(const DataSeries& series);
  static std::vector<stats::GroupTime> group_times(const TimesBySize& times, double share);
  // Something that hit one of a launch's two visits of a size is half in their mean, where no bound
  // of a group's time finds it: what visits say alone is asked first.
  static TimesBySize without_lone_visits(TimesBySize times, bool launches);
  [[nodiscard]] std::vector<SeriesPoint> points(const stats::GroupedTimes& grouped,
                                                std::span<const GroupWeight> weights,
                                                const stats::PointNoise& noise) const;
  void take(const NetworkData& data, const TimesBySize& times, double share);

  SeriesKey key_ = {};
  double share_ = 1;
  std::size_t apart_ = 0;
  std::map<std::uint64_t, SizeFacts> sizes_ = {};
  // One of each, or none.
  std::vector<stats::GroupedTimes> whole_ = {};
  std::vector<stats::GroupedTimes> fitted_ = {};
};

// For each size and launch group, the median over its visits, times SeriesInfo::share. Visits that
// alone are far off do not count. Empty: the data have no such series.
SeriesTimes series_times(const NetworkData& data, const SeriesKey& key);

// The time of a further message: of trains of n and of one message of the same launch group and
// size, (PRTT(n, 0, s) - PRTT(1, 0, s)) / (n - 1) (Hoefler, Lichei and Rehm, IPDPS 2007), of the
// largest n. Empty without such trains. Where a longer train took no longer there is no gap; a size
// of which more than kMostLostShare of the groups have none is left out.
SeriesTimes gap_times(const NetworkData& data, LostGaps& lost);

// Ascending, without held out sizes. Means over launch groups as often as these count, each above
// 0, with what they have in common; a group that is not named counts once. `weights` ascending by
// group; `step_ns` of the clock, as it is.
std::vector<SeriesPoint> points_of(const SeriesTimes& series, std::span<const GroupWeight> weights,
                                   double min_effect, double step_ns);
// The same of all sizes, every group once.
std::vector<SeriesPoint> all_points_of(const SeriesTimes& series, double min_effect,
                                       double step_ns);

// Every launch group once.
std::vector<GroupWeight> all_groups(const NetworkData& data);

// Those that fits see.
std::vector<stats::WeightedPoint> fitted_points(std::span<const SeriesPoint> points);

}  // namespace invar::analysis
