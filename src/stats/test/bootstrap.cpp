#include "stats/test/bootstrap.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "stats/check.hpp"
#include "stats/describe/moments.hpp"
#include "stats/describe/quantile.hpp"
#include "stats/test/normal.hpp"

namespace invar::stats {
namespace {

double evaluate(const Statistic& statistic, std::span<double> resample) {
  const double value = statistic(resample);
  if (!std::isfinite(value)) {
    check::fail("bootstrap", "the statistic of a resample is not finite");
  }
  return value;
}

void check_options(std::span<const double> values, const BootstrapOptions& options) {
  check::sample("bootstrap", values);
  check::open_unit("bootstrap", "confidence", options.confidence);
  if (options.replicates < 100) {
    check::fail("bootstrap", "at least 100 replicates are needed");
  }
}

std::vector<double> sorted_replicates(std::span<const double> values, const Statistic& statistic,
                                      base::Random& random, std::size_t count) {
  std::vector<double> resample(values.size());
  std::vector<double> replicates(count);
  for (double& replicate : replicates) {
    for (double& value : resample) {
      value = values[static_cast<std::size_t>(random.below(values.size()))];
    }
    replicate = evaluate(statistic, resample);
  }
  std::sort(replicates.begin(), replicates.end());
  return replicates;
}

/// Skewness of the statistic's influence: sum(l^3) / (6 sum(l^2)^1.5), l = mean of the
/// leave-one-out values - value.
double acceleration(std::span<const double> values, const Statistic& statistic) {
  std::vector<double> left(values.size());
  std::vector<double> scratch(values.size() - 1);
  for (std::size_t out = 0; out < values.size(); ++out) {
    const auto split = values.begin() + static_cast<std::ptrdiff_t>(out);
    std::copy(std::next(split), values.end(), std::copy(values.begin(), split, scratch.begin()));
    left[out] = evaluate(statistic, scratch);
  }
  const double centre = mean(left);
  double squares = 0.0;
  double cubes = 0.0;
  for (const double value : left) {
    const double influence = centre - value;
    squares += influence * influence;
    cubes += influence * influence * influence;
  }
  return squares > 0.0 ? cubes / (6.0 * std::pow(squares, 1.5)) : 0.0;
}

}  // namespace

std::optional<Interval> bootstrap_percentile(std::span<const double> values,
                                             const Statistic& statistic, base::Random& random,
                                             const BootstrapOptions& options) {
  check_options(values, options);
  if (values.size() < 2) {
    return std::nullopt;
  }
  const std::vector<double> replicates =
      sorted_replicates(values, statistic, random, options.replicates);
  const double tail = (1.0 - options.confidence) / 2.0;
  return Interval{quantile_sorted(replicates, tail), quantile_sorted(replicates, 1.0 - tail),
                  options.confidence};
}

std::optional<Interval> bootstrap_bca(std::span<const double> values, const Statistic& statistic,
                                      base::Random& random, const BootstrapOptions& options) {
  check_options(values, options);
  if (values.size() < 2) {
    return std::nullopt;
  }
  std::vector<double> original(values.begin(), values.end());
  const double estimate = evaluate(statistic, original);
  const std::vector<double> replicates =
      sorted_replicates(values, statistic, random, options.replicates);
  const auto [first, last] = std::equal_range(replicates.begin(), replicates.end(), estimate);
  const double below =
      static_cast<double>(first - replicates.begin()) + 0.5 * static_cast<double>(last - first);
  const double share = below / static_cast<double>(replicates.size());
  if (share <= 0.0 || share >= 1.0) {
    return std::nullopt;
  }
  const double bias = normal_quantile(share);
  const double skew = acceleration(values, statistic);
  const auto end_at = [&](double probability) {
    const double z = bias + normal_quantile(probability);
    // Beyond 1 / |skew| the transformation has no inverse: the end of the replicates is all that
    // can be said.
    const double scale = 1.0 - skew * z;
    const double level = scale > 0.0 ? normal_cdf(bias + z / scale) : (z > 0.0 ? 1.0 : 0.0);
    return quantile_sorted(replicates, level);
  };
  const double tail = (1.0 - options.confidence) / 2.0;
  return Interval{end_at(tail), end_at(1.0 - tail), options.confidence};
}

}  // namespace invar::stats
