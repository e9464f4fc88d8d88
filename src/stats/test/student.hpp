#pragma once

#include <optional>
#include <span>

#include "stats/types.hpp"

// Student's t: quantiles, intervals and tests (formulas as R's t.test).
namespace invar::stats {

/// Inverse of the t distribution; probability in (0, 1), df > 0 (need not be whole), else
/// std::invalid_argument.
double t_quantile(double probability, double df);
/// P(T <= t).
double t_cdf(double t, double df);

/// mean +- t se, two-sided. standard_error >= 0, df > 0, confidence in (0, 1).
Interval t_interval(double mean, double standard_error, double df, double confidence);

struct TTest {
  double estimate = 0.0;  ///< mean, mean difference, or mean(x) - mean(y)
  double standard_error = 0.0;
  double statistic = 0.0;  ///< (estimate - hypothesis) / standard_error
  double df = 0.0;
  double p = 1.0;
  Interval interval;  ///< of the quantity estimated; one-sided (with an infinite end) for one-sided
                      ///< alternatives
};

/// What is asked: the hypothesis about the mean (difference), the direction, the level of the
/// interval.
struct TQuestion {
  double hypothesis = 0.0;
  Alternative alternative = Alternative::kTwoSided;
  double confidence = 0.95;
};

/// From an estimate and its standard error. Empty if the standard error is 0 or below 10 units in
/// the last place of the estimate ("the data are essentially constant" in R): such data allow no t.
std::optional<TTest> t_test_from(double estimate, double standard_error, double df,
                                 const TQuestion& question = {});

/// Mean of x against the hypothesis. Empty for a single value or constant data. Throws on an empty
/// sample, NaN, infinity.
std::optional<TTest> t_test(std::span<const double> x, const TQuestion& question = {});

/// The same for x[i] - y[i]; throws std::invalid_argument if the lengths differ.
std::optional<TTest> t_test_paired(std::span<const double> x, std::span<const double> y,
                                   const TQuestion& question = {});

/// mean(x) - mean(y), variances not assumed equal, Welch and Satterthwaite's df. Empty if a sample
/// has one value only, or both are constant.
std::optional<TTest> t_test_welch(std::span<const double> x, std::span<const double> y,
                                  const TQuestion& question = {});

/// mean(x) - mean(y), equal variances, n + m - 2 df. Empty if n + m < 3 or the data are constant.
std::optional<TTest> t_test_pooled(std::span<const double> x, std::span<const double> y,
                                   const TQuestion& question = {});

}  // namespace invar::stats
