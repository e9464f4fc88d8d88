#include "stats/test/student.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "stats/check.hpp"
#include "stats/describe/moments.hpp"

namespace invar::stats {
namespace {

/// R's limit for "essentially constant".
bool resolvable(double standard_error, double magnitude) {
  return standard_error > 10.0 * std::numeric_limits<double>::epsilon() * std::abs(magnitude);
}

}  // namespace

double t_quantile(double probability, double df) {
  check::open_unit("t_quantile", "probability", probability);
  check::positive("t_quantile", "df", df);
  return boost::math::quantile(boost::math::students_t(df), probability);
}

double t_cdf(double t, double df) {
  check::positive("t_cdf", "df", df);
  if (std::isnan(t)) {
    check::fail("t_cdf", "t is NaN");
  }
  return boost::math::cdf(boost::math::students_t(df), t);
}

Interval t_interval(double mean, double standard_error, double df, double confidence) {
  check::not_negative("t_interval", "standard_error", standard_error);
  check::open_unit("t_interval", "confidence", confidence);
  if (!std::isfinite(mean)) {
    check::fail("t_interval", "the mean must be finite");
  }
  const double reach = -t_quantile((1.0 - confidence) / 2.0, df) * standard_error;
  return {mean - reach, mean + reach, confidence};
}

std::optional<TTest> t_test_from(double estimate, double standard_error, double df,
                                 const TQuestion& question) {
  check::not_negative("t_test", "standard_error", standard_error);
  check::positive("t_test", "df", df);
  check::open_unit("t_test", "confidence", question.confidence);
  if (!std::isfinite(estimate) || !std::isfinite(question.hypothesis)) {
    check::fail("t_test", "the estimate and the hypothesis must be finite");
  }
  if (!resolvable(standard_error, estimate)) {
    return std::nullopt;
  }
  TTest test;
  test.estimate = estimate;
  test.standard_error = standard_error;
  test.df = df;
  test.statistic = (estimate - question.hypothesis) / standard_error;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double confidence = question.confidence;
  switch (question.alternative) {
    case Alternative::kTwoSided:
      test.p = std::min(1.0, 2.0 * t_cdf(-std::abs(test.statistic), df));
      test.interval = t_interval(estimate, standard_error, df, confidence);
      break;
    case Alternative::kLess:
      test.p = t_cdf(test.statistic, df);
      test.interval = {-kInfinity, estimate + t_quantile(confidence, df) * standard_error,
                       confidence};
      break;
    case Alternative::kGreater:
      test.p = t_cdf(-test.statistic, df);
      test.interval = {estimate - t_quantile(confidence, df) * standard_error, kInfinity,
                       confidence};
      break;
  }
  return test;
}

std::optional<TTest> t_test(std::span<const double> x, const TQuestion& question) {
  check::sample("t_test", x);
  const std::optional<double> squared = variance(x);
  if (!squared) {
    return std::nullopt;
  }
  const double n = static_cast<double>(x.size());
  return t_test_from(mean(x), std::sqrt(*squared / n), n - 1.0, question);
}

std::optional<TTest> t_test_paired(std::span<const double> x, std::span<const double> y,
                                   const TQuestion& question) {
  check::sample("t_test_paired", x);
  check::sample("t_test_paired", y);
  if (x.size() != y.size()) {
    check::fail("t_test_paired", "paired samples must have the same length");
  }
  std::vector<double> differences(x.size());
  std::transform(x.begin(), x.end(), y.begin(), differences.begin(),
                 [](double a, double b) { return a - b; });
  return t_test(differences, question);
}

std::optional<TTest> t_test_welch(std::span<const double> x, std::span<const double> y,
                                  const TQuestion& question) {
  check::sample("t_test_welch", x);
  check::sample("t_test_welch", y);
  const std::optional<double> variance_x = variance(x);
  const std::optional<double> variance_y = variance(y);
  if (!variance_x || !variance_y) {
    return std::nullopt;
  }
  const double n = static_cast<double>(x.size());
  const double m = static_cast<double>(y.size());
  const double part_x = *variance_x / n;
  const double part_y = *variance_y / m;
  const double squared = part_x + part_y;
  const double mean_x = mean(x);
  const double mean_y = mean(y);
  if (!resolvable(std::sqrt(squared), std::max(std::abs(mean_x), std::abs(mean_y)))) {
    return std::nullopt;
  }
  // In shares of the variance: squares of variances could underflow.
  const double share_x = part_x / squared;
  const double share_y = part_y / squared;
  const double df = 1.0 / (share_x * share_x / (n - 1.0) + share_y * share_y / (m - 1.0));
  return t_test_from(mean_x - mean_y, std::sqrt(squared), df, question);
}

std::optional<TTest> t_test_pooled(std::span<const double> x, std::span<const double> y,
                                   const TQuestion& question) {
  check::sample("t_test_pooled", x);
  check::sample("t_test_pooled", y);
  if (x.size() + y.size() < 3) {
    return std::nullopt;
  }
  const double n = static_cast<double>(x.size());
  const double m = static_cast<double>(y.size());
  const double df = n + m - 2.0;
  const double pooled =
      ((n - 1.0) * variance(x).value_or(0.0) + (m - 1.0) * variance(y).value_or(0.0)) / df;
  const double standard_error = std::sqrt(pooled * (1.0 / n + 1.0 / m));
  const double mean_x = mean(x);
  const double mean_y = mean(y);
  if (!resolvable(standard_error, std::max(std::abs(mean_x), std::abs(mean_y)))) {
    return std::nullopt;
  }
  return t_test_from(mean_x - mean_y, standard_error, df, question);
}

}  // namespace invar::stats
