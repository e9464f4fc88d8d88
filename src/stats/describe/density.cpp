#include "stats/describe/density.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "stats/check.hpp"
#include "stats/describe/moments.hpp"
#include "stats/describe/quantile.hpp"

namespace invar::stats {
namespace {

constexpr double kIqrOfNormal = 1.349;
// R's bw.nrd0, after Silverman, divides by this.
constexpr double kIqrOfSilverman = 1.34;
constexpr double kBinsPerBandwidth = 16.0;
constexpr double kReachInBandwidths =
    6.0;  // in bandwidths; beyond it a normal density is 6e-9 of its peak

double iqr_of(std::span<const double> sorted) {
  return quantile_sorted(sorted, 0.75) - quantile_sorted(sorted, 0.25);
}

// The smaller of two scales; one that is 0 does not count.
double smaller_scale(double one, double other) {
  if (!(one > 0.0)) return other;
  return other > 0.0 ? std::min(one, other) : one;
}

// Numbers of pairs of values by their distance in bins, and the width of these.
struct Distances {
  double n = 0;
  double width = 0;
  std::vector<double> pairs = {};

  Distances(std::span<const double> sorted, std::size_t bins)
      : n(static_cast<double>(sorted.size())),
        // A little more than the range, so that the largest value is in the last bin.
        width((sorted.back() - sorted.front()) * 1.01 / static_cast<double>(bins)),
        pairs(bins, 0.0) {
    std::vector<double> counts(bins, 0.0);
    for (const double value : sorted) {
      const auto bin = static_cast<std::size_t>((value - sorted.front()) / width);
      counts[std::min(bin, bins - 1)] += 1.0;
    }
    for (std::size_t i = 0; i < bins; ++i) {
      pairs[0] += counts[i] * (counts[i] - 1.0) / 2.0;
      for (std::size_t j = 0; j < i; ++j) pairs[i - j] += counts[i] * counts[j];
    }
  }

  // Mean over all ordered pairs, a value with itself included, of a derivative of the normal
  // density with standard deviation h: of order `order`, given as that of the standard normal one
  // over its density, a polynomial in the square.
  [[nodiscard]] double mean_derivative(double h, int order,
                                       const std::function<double(double)>& polynomial) const {
    double sum = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const double scaled = static_cast<double>(i) * width / h;
      const double square = scaled * scaled;
      if (square > 1000.0) break;
      sum += pairs[i] * std::exp(-0.5 * square) * polynomial(square);
    }
    sum = 2.0 * sum + n * polynomial(0.0);
    return sum / (n * (n - 1.0) * std::pow(h, order + 1) * std::sqrt(2.0 * std::numbers::pi));
  }

  [[nodiscard]] double fourth(double h) const {
    return mean_derivative(h, 4, [](double s) { return s * s - 6.0 * s + 3.0; });
  }
  [[nodiscard]] double sixth(double h) const {
    return mean_derivative(h, 6,
                           [](double s) { return s * s * s - 15.0 * s * s + 45.0 * s - 15.0; });
  }
};

// Where a function changes its sign between low and high, by halving; nothing where it does not.
std::optional<double> root(const std::function<double(double)>& function, double low, double high) {
  double at_low = function(low);
  if (!std::isfinite(at_low) || !std::isfinite(function(high)) || at_low * function(high) > 0.0) {
    return std::nullopt;
  }
  for (int i = 0; i < 60 && high - low > 1e-9 * high; ++i) {
    const double middle = 0.5 * (low + high);
    const double value = function(middle);
    if (at_low * value > 0.0) {
      low = middle;
      at_low = value;
    } else {
      high = middle;
    }
  }
  return 0.5 * (low + high);
}

}  // namespace

std::optional<double> silverman_bandwidth(std::span<const double> sorted) {
  check::sample("silverman_bandwidth", sorted);
  const double sd = standard_deviation(sorted).value_or(0.0);
  const double scale = smaller_scale(sd, iqr_of(sorted) / kIqrOfSilverman);
  if (!(scale > 0.0)) return std::nullopt;
  return 0.9 * scale * std::pow(static_cast<double>(sorted.size()), -0.2);
}

std::optional<double> sheather_jones_bandwidth(std::span<const double> sorted, std::size_t bins) {
  check::sample("sheather_jones_bandwidth", sorted);
  if (bins < 2) check::fail("sheather_jones_bandwidth", "it needs two bins");
  const double sd = standard_deviation(sorted).value_or(0.0);
  const double scale = smaller_scale(sd, iqr_of(sorted) / kIqrOfNormal);
  if (!(scale > 0.0)) return std::nullopt;
  const auto n = static_cast<double>(sorted.size());
  const Distances distances(sorted, bins);
  // Pilot bandwidths for the integrals of the squared second and third derivative, as they are best
  // for normal data of this scale; the paper's 0.920 and 0.912 IQR.
  const double for_second = 1.24 * scale * std::pow(n, -1.0 / 7.0);
  const double for_third = 1.23 * scale * std::pow(n, -1.0 / 9.0);
  const double third = -distances.sixth(for_third);
  const double second = distances.fourth(for_second);
  if (!(third > 0.0 && second > 0.0)) return std::nullopt;
  const double factor = 1.357 * std::pow(second / third, 1.0 / 7.0);
  const double kernel = 1.0 / (2.0 * std::sqrt(std::numbers::pi) * n);
  const auto equation = [&](double h) {
    const double roughness = distances.fourth(factor * std::pow(h, 5.0 / 7.0));
    return std::pow(kernel / roughness, 0.2) - h;
  };
  // Oversmoothing has this one; the solution is below it, in heaps far below.
  double high = 1.144 * scale * std::pow(n, -0.2);
  double low = 0.1 * high;
  for (int widened = 0; widened < 20; ++widened) {
    if (const auto found = root(equation, low, high)) return found;
    low /= 1.2;
    high *= 1.2;
  }
  return std::nullopt;
}

Density kernel_density(std::span<const double> sorted, double low, double high, std::size_t points,
                       double bandwidth) {
  check::sample("kernel_density", sorted);
  check::positive("kernel_density", "bandwidth", bandwidth);
  if (points < 2 || !(high > low)) {
    check::fail("kernel_density", "it needs two points, the second above the first");
  }
  const double bin = bandwidth / kBinsPerBandwidth;
  const double from = low - (kReachInBandwidths + 1.0) * bandwidth;
  const double to = high + (kReachInBandwidths + 1.0) * bandwidth;
  const auto bins = static_cast<std::size_t>(std::ceil((to - from) / bin)) + 2;
  std::vector<double> weights(bins, 0.0);
  const auto begin = std::ranges::lower_bound(sorted, from);
  const auto end = std::upper_bound(begin, sorted.end(), to);
  for (auto value = begin; value != end; ++value) {
    const double place = (*value - from) / bin;
    const auto index = static_cast<std::size_t>(place);
    const double share = place - static_cast<double>(index);
    weights[index] += 1.0 - share;
    weights[index + 1] += share;
  }
  const double peak =
      1.0 / (static_cast<double>(sorted.size()) * bandwidth * std::sqrt(2.0 * std::numbers::pi));
  Density result;
  for (std::size_t i = 0; i < points; ++i) {
    const double at = low + (high - low) * static_cast<double>(i) / static_cast<double>(points - 1);
    const double place = (at - from) / bin;
    const double reach = kReachInBandwidths * kBinsPerBandwidth;
    const auto first = static_cast<std::size_t>(std::max(0.0, place - reach));
    const auto last = std::min(bins - 1, static_cast<std::size_t>(place + reach));
    double sum = 0;
    for (std::size_t j = first; j <= last; ++j) {
      if (weights[j] == 0.0) continue;
      const double scaled = (static_cast<double>(j) - place) / kBinsPerBandwidth;
      sum += weights[j] * std::exp(-0.5 * scaled * scaled);
    }
    result.at.push_back(at);
    result.density.push_back(sum * peak);
  }
  return result;
}

}  // namespace invar::stats
