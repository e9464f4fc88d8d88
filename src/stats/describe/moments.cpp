#include "stats/describe/moments.hpp"

#include <algorithm>
#include <cmath>

#include "stats/check.hpp"

namespace invar::stats {
namespace {

/// Sum that keeps what each addition loses (Neumaier 1974).
class CompensatedSum {
 public:
  void add(double value) {
    const double next = sum_ + value;
    lost_ += std::abs(sum_) >= std::abs(value) ? (sum_ - next) + value : (value - next) + sum_;
    sum_ = next;
  }
  [[nodiscard]] double total() const { return sum_ + lost_; }

 private:
  double sum_ = 0.0;
  double lost_ = 0.0;
};

double mean_unchecked(std::span<const double> values) {
  CompensatedSum sum;
  for (const double value : values) {
    sum.add(value);
  }
  return sum.total() / static_cast<double>(values.size());
}

}  // namespace

double mean(std::span<const double> values) {
  check::sample("mean", values);
  return mean_unchecked(values);
}

std::optional<double> variance(std::span<const double> values) {
  check::sample("variance", values);
  if (values.size() < 2) {
    return std::nullopt;
  }
  const double centre = mean_unchecked(values);
  CompensatedSum squares;
  CompensatedSum rest;
  for (const double value : values) {
    const double deviation = value - centre;
    squares.add(deviation * deviation);
    rest.add(deviation);
  }
  // The deviations from a rounded mean do not sum to 0 exactly; their mean square is subtracted
  // again.
  const double count = static_cast<double>(values.size());
  const double sum = squares.total() - rest.total() * rest.total() / count;
  return std::max(sum, 0.0) / (count - 1.0);
}

std::optional<double> standard_deviation(std::span<const double> values) {
  const std::optional<double> squared = variance(values);
  return squared ? std::optional(std::sqrt(*squared)) : std::nullopt;
}

double quantisation_variance(double step, double effective_count) {
  check::not_negative("quantisation_variance", "step", step);
  check::positive("quantisation_variance", "effective_count", effective_count);
  return step * step / 12.0 / effective_count;
}

}  // namespace invar::stats
