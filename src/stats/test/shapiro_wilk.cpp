#include "stats/test/shapiro_wilk.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/random.hpp"
#include "stats/check.hpp"
#include "stats/test/normal.hpp"

namespace invar::stats {
namespace {

constexpr std::size_t kFewest = 3;
constexpr std::size_t kMost = 5000;

// Coefficients from the constant on.
template <std::size_t N>
double polynomial(const std::array<double, N>& coefficients, double x) {
  double value = 0;
  for (std::size_t i = N; i > 0; --i) value = value * x + coefficients[i - 1];
  return value;
}

// Royston's weights of the ordered values' upper half, largest value first; those of the lower half
// are the same with the other sign. Their squares, both halves, sum to 1.
std::vector<double> weights(std::size_t n) {
  if (n == 3) return {std::numbers::sqrt2 / 2};
  const auto count = static_cast<double>(n);
  std::vector<double> scores(n / 2);  // expected normal order statistics, Blom's
  double squares = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    scores[i] = -normal_quantile((static_cast<double>(i) + 0.625) / (count + 0.25));
    squares += 2 * scores[i] * scores[i];
  }
  const double norm = std::sqrt(squares);
  const double u = 1 / std::sqrt(count);
  std::vector<double> result(scores.size());
  result[0] =
      polynomial<6>({0, 0.221157, -0.147981, -2.07119, 4.434685, -2.706056}, u) + scores[0] / norm;
  double left = squares - 2 * scores[0] * scores[0];
  double left_weight = 1 - 2 * result[0] * result[0];
  std::size_t next = 1;
  if (n > 5) {
    result[1] = polynomial<6>({0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633}, u) +
                scores[1] / norm;
    left -= 2 * scores[1] * scores[1];
    left_weight -= 2 * result[1] * result[1];
    next = 2;
  }
  const double scale = std::sqrt(left / left_weight);
  for (std::size_t i = next; i < result.size(); ++i) result[i] = scores[i] / scale;
  return result;
}

double p_value(double one_less_w, std::size_t n) {
  const auto count = static_cast<double>(n);
  if (n == 3) {
    const double p =
        6 / std::numbers::pi * (std::asin(std::sqrt(1 - one_less_w)) - std::asin(std::sqrt(0.75)));
    return std::max(0.0, p);
  }
  double y = std::log(one_less_w);
  double mean = 0;
  double sd = 1;
  if (n <= 11) {
    const double gamma = polynomial<2>({-2.273, 0.459}, count);
    if (y >= gamma) return 1e-99;
    y = -std::log(gamma - y);
    mean = polynomial<4>({0.544, -0.39978, 0.025054, -6.714e-4}, count);
    sd = std::exp(polynomial<4>({1.3822, -0.77857, 0.062767, -0.0020322}, count));
  } else {
    const double log_count = std::log(count);
    mean = polynomial<4>({-1.5861, -0.31082, -0.083751, 0.0038915}, log_count);
    sd = std::exp(polynomial<3>({-0.4803, -0.082676, 0.0030302}, log_count));
  }
  return normal_cdf((mean - y) / sd);
}

}  // namespace

std::optional<ShapiroWilk> shapiro_wilk(std::span<const double> values) {
  check::sample("shapiro_wilk", values);
  const std::size_t n = values.size();
  if (n < kFewest || n > kMost) return std::nullopt;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const double range = sorted.back() - sorted.front();
  if (!(range > 0)) return std::nullopt;
  // From the middle and in units of the range: what is far from 0 loses no digits.
  const double middle = sorted[n / 2];
  double mean = 0;
  for (double& value : sorted) {
    value = (value - middle) / range;
    mean += value;
  }
  mean /= static_cast<double>(n);
  const std::vector<double> weight = weights(n);
  double weighted = 0;
  double weight_squares = 0;
  for (std::size_t i = 0; i < weight.size(); ++i) {
    weighted += weight[i] * (sorted[n - 1 - i] - sorted[i]);
    weight_squares += 2 * weight[i] * weight[i];
  }
  double squares = 0;
  for (const double value : sorted) squares += (value - mean) * (value - mean);
  // 1 - W as a product: close to 1 the difference itself would lose what decides about p.
  const double norm = std::sqrt(weight_squares * squares);
  const double one_less_w =
      std::max((norm - weighted) * (norm + weighted) / (weight_squares * squares), 1e-19);
  return ShapiroWilk{.w = 1 - one_less_w, .p = p_value(one_less_w, n)};
}

std::vector<double> sample_means(std::span<const double> values, std::size_t size,
                                 std::size_t samples, std::uint64_t seed) {
  check::sample("sample_means", values);
  if (size == 0) check::fail("sample_means", "means of no values do not exist");
  base::Random random(seed);
  std::vector<double> means(samples);
  for (double& mean : means) {
    double sum = 0;
    for (std::size_t i = 0; i < size; ++i) {
      sum += values[static_cast<std::size_t>(random.below(values.size()))];
    }
    mean = sum / static_cast<double>(size);
  }
  return means;
}

std::optional<ShapiroWilk> normality_of_means(std::span<const double> values, std::size_t size,
                                              std::size_t samples, std::uint64_t seed) {
  if (samples < kFewest || samples > kMost) {
    check::fail("normality_of_means",
                "the number of means must lie in [3, 5000], but is " + std::to_string(samples));
  }
  return shapiro_wilk(sample_means(values, size, samples, seed));
}

}  // namespace invar::stats
