#include "stats/decide/repetitions.hpp"

#include <algorithm>
#include <cmath>

#include "stats/check.hpp"
#include "stats/describe/moments.hpp"
#include "stats/test/median_interval.hpp"

namespace invar::stats {
namespace {

/// Mean and sum of squares around it, value by value (Welford 1962).
class RunningMoments {
 public:
  void add(double value) {
    ++count_;
    const double before = value - mean_;
    mean_ += before / static_cast<double>(count_);
    squares_ += before * (value - mean_);
  }
  [[nodiscard]] double mean() const { return mean_; }
  [[nodiscard]] std::optional<double> relative_standard_error() const {
    if (count_ < 2 || !(mean_ > 0.0)) return std::nullopt;
    const double n = static_cast<double>(count_);
    return std::sqrt(std::max(squares_, 0.0) / (n - 1.0)) / std::sqrt(n) / mean_;
  }

 private:
  std::size_t count_ = 0;
  double mean_ = 0.0;
  double squares_ = 0.0;
};

double middle_value(std::span<const double> sorted) {
  const std::size_t half = sorted.size() / 2;
  if (sorted.size() % 2 == 1) return sorted[half];
  return sorted[half - 1] + (sorted[half] - sorted[half - 1]) / 2.0;
}

/// The last `window` of them; empty where there are fewer.
std::span<const double> last_of(std::span<const double> values, std::size_t window) {
  return values.size() < window ? std::span<const double>() : values.last(window);
}

bool all_equal(std::span<const double> values) {
  return !values.empty() &&
         std::ranges::all_of(values, [&](double value) { return value == values.front(); });
}

std::optional<double> variation(std::span<const double> values) {
  if (values.empty()) return std::nullopt;
  const double centre = mean(values);
  if (!(centre > 0.0)) return std::nullopt;
  if (all_equal(values)) return 0.0;
  return *standard_deviation(values) / centre;
}

}  // namespace

std::vector<RunningRow> running_rows(std::span<const double> values,
                                     std::span<const std::size_t> at,
                                     const RunningOptions& options) {
  check::finite("running_rows", values);
  if (options.mean_window < 2 || options.median_window < 2) {
    check::fail("running_rows", "a window needs at least 2 values");
  }
  std::vector<RunningRow> rows;
  rows.reserve(at.size());
  std::vector<double> sorted;
  std::vector<double> means;
  std::vector<double> medians;
  for (std::vector<double>* all : {&sorted, &means, &medians}) all->reserve(values.size());
  RunningMoments moments;
  auto next = at.begin();
  for (std::size_t i = 0; i < values.size() && next != at.end(); ++i) {
    moments.add(values[i]);
    sorted.insert(std::ranges::upper_bound(sorted, values[i]), values[i]);
    means.push_back(moments.mean());
    medians.push_back(middle_value(sorted));
    if (i + 1 != *next) continue;
    ++next;
    RunningRow row{.n = i + 1, .mean = means.back(), .median = medians.back()};
    const auto set = [&row](RunningQuantity quantity, std::optional<double> value) {
      row.values[static_cast<std::size_t>(quantity)] = value;
    };
    const std::span<const double> last_medians = last_of(medians, options.median_window);
    set(RunningQuantity::kRse, moments.relative_standard_error());
    set(RunningQuantity::kCovMean, variation(last_of(means, options.mean_window)));
    set(RunningQuantity::kCovMedian, variation(last_medians));
    row.medians_equal = all_equal(last_medians);
    const std::optional<Interval> interval =
        median_interval_sorted(sorted, options.confidence, options.step);
    if (interval && row.median > 0.0) {
      set(RunningQuantity::kHalfWidth, (interval->high - interval->low) / 2.0 / row.median);
    }
    rows.push_back(row);
  }
  return rows;
}

bool all_below(const RunningValues& values, const RunningValues& limits) {
  for (std::size_t i = 0; i < limits.size(); ++i) {
    if (limits[i] && !(values[i] && *values[i] < *limits[i])) return false;
  }
  return true;
}

std::optional<std::size_t> repetitions_needed(std::span<const RunningRow> rows,
                                              const RunningValues& limits) {
  if (std::ranges::none_of(limits, [](const auto& limit) { return limit.has_value(); })) {
    check::fail("repetitions_needed", "nothing has a limit");
  }
  const auto found = std::ranges::find_if(
      rows, [&](const RunningRow& row) { return all_below(row.values, limits); });
  return found == rows.end() ? std::nullopt : std::optional(found->n);
}

}  // namespace invar::stats
