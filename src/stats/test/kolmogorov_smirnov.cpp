#include "stats/test/kolmogorov_smirnov.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

#include "stats/check.hpp"

namespace invar::stats {
namespace {

using Count = std::int64_t;

/// The pooled sample as a walk: after k values, u of x and k - u of y lie behind. The distance of
/// the two distribution functions is (u m - v n) / (n m), kept as a whole number so that "at least
/// as large" is exact.
struct Walk {
  Count n = 0;
  Count m = 0;
  Count largest = 0;  ///< the observed distance, times n m, in the direction of the alternative
  std::vector<bool>
      ends_a_step;  ///< k = 1..n+m: the next value differs, so both functions are defined here
};

Count directed(Count distance, Alternative alternative) {
  switch (alternative) {
    case Alternative::kGreater:
      return distance;
    case Alternative::kLess:
      return -distance;
    case Alternative::kTwoSided:
      break;
  }
  return std::abs(distance);
}

Walk walk_through(std::vector<double> x, std::vector<double> y, Alternative alternative) {
  std::sort(x.begin(), x.end());
  std::sort(y.begin(), y.end());
  Walk walk;
  walk.n = static_cast<Count>(x.size());
  walk.m = static_cast<Count>(y.size());
  walk.ends_a_step.assign(x.size() + y.size() + 1, false);
  std::size_t u = 0;
  std::size_t v = 0;
  while (u < x.size() || v < y.size()) {
    const double value = v == y.size() || (u < x.size() && x[u] <= y[v]) ? x[u] : y[v];
    while (u < x.size() && x[u] == value) {
      ++u;
    }
    while (v < y.size() && y[v] == value) {
      ++v;
    }
    walk.ends_a_step[u + v] = true;
    const Count distance = static_cast<Count>(u) * walk.m - static_cast<Count>(v) * walk.n;
    walk.largest = std::max(walk.largest, directed(distance, alternative));
  }
  return walk;
}

/// Share of all orders of n x and m y that reach the observed distance somewhere: of the ways to
/// (u, v), how many have reached it by then. Ways are counted, and divided once at the end: as long
/// as they are whole numbers below 2^53 the share is the number next to the true one, so that 1 of
/// 20 is 0.05. Only positive terms: small p-values keep their relative accuracy. No more than 1e59
/// ways, as n m is bounded.
double exact_p(const Walk& walk, Alternative alternative) {
  if (walk.largest == 0) {
    return 1.0;
  }
  const auto columns = static_cast<std::size_t>(walk.m) + 1;
  std::vector<double> ways(columns, 0.0);
  std::vector<double> reached(columns, 0.0);
  ways.front() = 1.0;
  for (Count u = 0; u <= walk.n; ++u) {
    for (Count v = 0; v <= walk.m; ++v) {
      const auto column = static_cast<std::size_t>(v);
      if (v > 0) {
        ways[column] += ways[column - 1];
        reached[column] += reached[column - 1];
      }
      if (walk.ends_a_step[static_cast<std::size_t>(u + v)] &&
          directed(u * walk.m - v * walk.n, alternative) >= walk.largest) {
        reached[column] = ways[column];
      }
    }
  }
  return std::min(1.0, reached.back() / ways.back());
}

double asymptotic_p(const Walk& walk, Alternative alternative) {
  const double n = static_cast<double>(walk.n);
  const double m = static_cast<double>(walk.m);
  const double scaled = std::sqrt(n * m / (n + m)) * static_cast<double>(walk.largest) / (n * m);
  return alternative == Alternative::kTwoSided ? kolmogorov_upper_tail(scaled)
                                               : std::min(1.0, std::exp(-2.0 * scaled * scaled));
}

}  // namespace

double kolmogorov_upper_tail(double x) {
  if (std::isnan(x)) {
    check::fail("kolmogorov_upper_tail", "x is NaN");
  }
  if (x <= 0.0) {
    return 1.0;
  }
  constexpr double kPi = std::numbers::pi;
  if (x < 1.0) {
    // Jacobi's theta transform converges fast for small x.
    double sum = 0.0;
    for (int k = 1; k <= 9; k += 2) {
      sum += std::exp(-k * k * kPi * kPi / (8.0 * x * x));
    }
    return std::clamp(1.0 - std::sqrt(2.0 * kPi) / x * sum, 0.0, 1.0);
  }
  double sum = 0.0;
  double sign = 1.0;
  for (int k = 1; k <= 9; ++k, sign = -sign) {
    sum += sign * std::exp(-2.0 * k * k * x * x);
  }
  return std::clamp(2.0 * sum, 0.0, 1.0);
}

KsTest kolmogorov_smirnov_test(std::span<const double> x, std::span<const double> y,
                               Alternative alternative, KsMethod method) {
  check::sample("kolmogorov_smirnov_test", x);
  check::sample("kolmogorov_smirnov_test", y);
  const Walk walk = walk_through({x.begin(), x.end()}, {y.begin(), y.end()}, alternative);
  KsTest test;
  test.statistic = static_cast<double>(walk.largest) /
                   (static_cast<double>(walk.n) * static_cast<double>(walk.m));
  constexpr Count kExactBelowProduct = 10000;
  test.exact = method == KsMethod::kAutomatic && walk.n * walk.m < kExactBelowProduct;
  test.p = test.exact ? exact_p(walk, alternative) : asymptotic_p(walk, alternative);
  return test;
}

}  // namespace invar::stats
