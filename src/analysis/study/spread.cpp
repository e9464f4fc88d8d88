#include "analysis/study/spread.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/describe/moments.hpp"
#include "stats/model/modes.hpp"

namespace invar::analysis {
namespace {

// Sums of squares around each sample's own mean.
class Pooled {
 public:
  void add(std::span<const double> values) {
    const auto variance = stats::variance(values);
    if (!variance) return;
    squares_ += *variance * static_cast<double>(values.size() - 1);
    degrees_ += values.size() - 1;
  }
  [[nodiscard]] std::optional<double> sd() const {
    if (degrees_ == 0) return std::nullopt;
    return std::sqrt(squares_ / static_cast<double>(degrees_));
  }

 private:
  double squares_ = 0;
  std::size_t degrees_ = 0;
};

}  // namespace

std::optional<double> sd_between_launches(const CellVisits& visits) {
  const std::vector<double> logs = visits.log_medians();
  if (logs.empty()) return std::nullopt;
  return stats::standard_deviation(logs);
}

std::optional<double> sd_between_visits(const CellVisits& visits) {
  Pooled pooled;
  for (const LaunchVisits& launch : visits.launches) {
    std::vector<double> logs;
    for (const VisitSummary& visit : launch.visits) {
      if (!(visit.median_ns > 0)) return std::nullopt;
      logs.push_back(std::log(visit.median_ns));
    }
    if (!logs.empty()) pooled.add(logs);
  }
  return pooled.sd();
}

VisitShape visit_shape(const CellVisits& visits, bool global) {
  VisitShape shape;
  Pooled pooled;
  bool positive = true;
  std::vector<std::size_t> modes;
  std::vector<double> values;
  for (const LaunchVisits& launch : visits.launches) {
    for (const VisitSummary& visit : launch.visits) {
      values.clear();
      Tally ignored;
      append_observations(visit, global, values, ignored);
      if (values.empty()) continue;
      modes.push_back(stats::count_modes(values, visit.step_ns));
      for (double& value : values) {
        positive = positive && value > 0;
        value = value > 0 ? std::log(value) : 0;
      }
      pooled.add(values);
    }
  }
  shape.visits = modes.size();
  if (positive) shape.sd_repetitions = pooled.sd();
  if (modes.empty()) return shape;
  const auto several = std::ranges::count_if(modes, [](std::size_t count) { return count > 1; });
  shape.several = static_cast<double>(several) / static_cast<double>(modes.size());
  const auto middle = modes.begin() + static_cast<std::ptrdiff_t>(modes.size() / 2);
  std::ranges::nth_element(modes, middle);
  shape.modes = *middle;
  return shape;
}

}  // namespace invar::analysis
