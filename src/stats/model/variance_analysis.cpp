#include "stats/model/variance_analysis.hpp"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>
#include <map>

#include "stats/check.hpp"
#include "stats/describe/moments.hpp"
#include "stats/describe/ranks.hpp"

namespace invar::stats {
namespace {

/// Sums of squares below this share of the values' own size are rounding errors.
constexpr double kRounding = 1e-24;

void check_blocks(const char* function, const BlockedValues& values) {
  if (values.size() < 2 || values.front().size() < 2) {
    check::fail(function, "at least two blocks of two levels are needed");
  }
  for (const std::vector<double>& block : values) {
    check::sample(function, block);
    if (block.size() != values.front().size()) {
      check::fail(function, "every block needs a value for every level");
    }
  }
}

FTest chi_squared_test(double statistic, double df) {
  FTest test{.statistic = statistic, .df1 = df};
  test.p = chi_squared_upper_tail(std::max(statistic, 0.0), df);
  return test;
}

FTest f_test(double ms, double ms_error, double df1, double df2, double magnitude) {
  FTest test{.df1 = df1, .df2 = df2};
  if (df1 < 1 || df2 < 1 || ms_error <= kRounding * magnitude) {
    return test;
  }
  test.statistic = ms / ms_error;
  test.p = f_upper_tail(test.statistic, df1, df2);
  return test;
}

/// Mean of every block; throws on values that are not finite.
std::map<std::size_t, double> block_means(const char* function, std::span<const UnitValue> values) {
  std::map<std::size_t, double> means;
  std::map<std::size_t, double> counts;
  for (const UnitValue& value : values) {
    check::sample(function, {&value.value, 1});
    means[value.block] += value.value;
    counts[value.block] += 1.0;
  }
  for (auto& [block, mean] : means) mean /= counts.at(block);
  return means;
}

}  // namespace

double f_upper_tail(double f, double df1, double df2) {
  check::not_negative("f_upper_tail", "f", f);
  check::positive("f_upper_tail", "df1", df1);
  check::positive("f_upper_tail", "df2", df2);
  return boost::math::cdf(boost::math::complement(boost::math::fisher_f(df1, df2), f));
}

double f_quantile(double probability, double df1, double df2) {
  check::open_unit("f_quantile", "probability", probability);
  check::positive("f_quantile", "df1", df1);
  check::positive("f_quantile", "df2", df2);
  return boost::math::quantile(boost::math::fisher_f(df1, df2), probability);
}

double chi_squared_upper_tail(double x, double df) {
  check::not_negative("chi_squared_upper_tail", "x", x);
  check::positive("chi_squared_upper_tail", "df", df);
  return boost::math::cdf(boost::math::complement(boost::math::chi_squared(df), x));
}

BlocksAnova blocks_anova(const BlockedValues& values) {
  check_blocks("blocks_anova", values);
  const auto n = static_cast<double>(values.size());
  const std::size_t levels = values.front().size();
  const auto k = static_cast<double>(levels);
  std::vector<double> block_means;
  std::vector<double> level_means(levels, 0.0);
  double magnitude = 0.0;
  for (const std::vector<double>& block : values) {
    block_means.push_back(mean(block));
    for (std::size_t level = 0; level < levels; ++level) {
      level_means[level] += block[level] / n;
      magnitude = std::max(magnitude, block[level] * block[level]);
    }
  }
  const double grand = mean(level_means);
  double ss_levels = 0.0;
  for (const double level : level_means) {
    ss_levels += n * (level - grand) * (level - grand);
  }
  double ss_error = 0.0;
  for (std::size_t block = 0; block < values.size(); ++block) {
    for (std::size_t level = 0; level < levels; ++level) {
      const double rest = values[block][level] - block_means[block] - level_means[level] + grand;
      ss_error += rest * rest;
    }
  }
  const double df1 = k - 1.0;
  const double df2 = df1 * (n - 1.0);
  BlocksAnova result;
  result.error_variance = ss_error / df2;
  result.level_variance = ss_levels / (n * k) - df1 / k * result.error_variance / n;
  result.f = f_test(ss_levels / df1, result.error_variance, df1, df2, magnitude);
  return result;
}

FTest friedman_test(const BlockedValues& values) {
  check_blocks("friedman_test", values);
  const auto n = static_cast<double>(values.size());
  const std::size_t levels = values.front().size();
  const auto k = static_cast<double>(levels);
  std::vector<double> sums(levels, 0.0);
  double ties = 0.0;
  for (const std::vector<double>& block : values) {
    const Ranks ranks = midranks(block);
    ties += ranks.tie_term;
    for (std::size_t level = 0; level < levels; ++level) {
      sums[level] += ranks.rank[level];
    }
  }
  double squares = 0.0;
  for (const double sum : sums) {
    squares += (sum - n * (k + 1.0) / 2.0) * (sum - n * (k + 1.0) / 2.0);
  }
  const double scale = n * k * (k + 1.0) - ties / (k - 1.0);
  if (scale <= 0.0) {
    return {.df1 = k - 1.0};
  }
  return chi_squared_test(12.0 * squares / scale, k - 1.0);
}

std::optional<RandomUnits> random_units(std::span<const UnitValue> values, double confidence) {
  check::open_unit("random_units", "confidence", confidence);
  if (values.empty()) {
    check::fail("random_units", "the list is empty");
  }
  const std::map<std::size_t, double> blocks = block_means("random_units", values);
  struct Stratum {
    double count = 0.0;
    std::map<std::size_t, double> units = {};  // how many values each of its units has
  };
  std::map<std::size_t, Stratum> strata;
  std::map<std::size_t, std::vector<double>> units;
  double magnitude = 0.0;
  for (const UnitValue& value : values) {
    strata[value.stratum].count += 1.0;
    strata[value.stratum].units[value.unit] += 1.0;
    units[value.unit].push_back(value.value - blocks.at(value.block));
    magnitude = std::max(magnitude, value.value * value.value);
  }
  RandomUnits result;
  double ss_units = 0.0;
  double ss_error = 0.0;
  for (const auto& [unit, residuals] : units) {
    const double of_unit = mean(residuals);
    const auto count = static_cast<double>(residuals.size());
    ss_units += count * of_unit * of_unit;
    for (const double residual : residuals) {
      ss_error += (residual - of_unit) * (residual - of_unit);
    }
  }
  const auto n = static_cast<double>(values.size());
  const double df_units = static_cast<double>(units.size()) - static_cast<double>(strata.size());
  const double df_error = n - static_cast<double>(blocks.size()) - df_units;
  if (df_units < 1.0 || df_error < 1.0) {
    return std::nullopt;
  }
  // Values a unit; where they differ, what makes the estimate unbiased: the units' part of
  // E SS(units) is the sum over strata of N - sum n^2 / N (Searle and others, 3.6).
  double expected = n;
  for (const auto& [stratum, of] : strata) {
    for (const auto& [unit, count] : of.units) expected -= count * count / of.count;
  }
  const double per_unit = expected / df_units;
  result.error_variance = ss_error / df_error;
  result.unit_variance = (ss_units / df_units - result.error_variance) / per_unit;
  result.f = f_test(ss_units / df_units, result.error_variance, df_units, df_error, magnitude);
  if (result.f.p) {
    const double tail = (1.0 - confidence) / 2.0;
    const auto end = [&](double probability) {
      const double quantile = f_quantile(probability, df_units, df_error);
      const double ratio = (result.f.statistic / quantile - 1.0) / per_unit;
      return std::sqrt(std::max(ratio, 0.0) * result.error_variance);
    };
    result.unit_sd = Interval{end(1.0 - tail), end(tail), confidence};
  }
  return result;
}

FTest units_rank_test(std::span<const UnitValue> values) {
  if (values.empty()) {
    check::fail("units_rank_test", "the list is empty");
  }
  const std::map<std::size_t, double> blocks = block_means("units_rank_test", values);
  std::map<std::size_t, std::vector<std::size_t>> strata;
  for (std::size_t i = 0; i < values.size(); ++i) strata[values[i].stratum].push_back(i);
  std::vector<UnitValue> ranked(values.begin(), values.end());
  for (const auto& [stratum, members] : strata) {
    std::vector<double> aligned;
    aligned.reserve(members.size());
    for (const std::size_t i : members) {
      aligned.push_back(values[i].value - blocks.at(values[i].block));
    }
    const Ranks ranks = midranks(aligned);
    for (std::size_t i = 0; i < members.size(); ++i) ranked[members[i]].value = ranks.rank[i];
  }
  constexpr double kUnused = 0.5;  // confidence of an interval that nobody reads
  const std::optional<RandomUnits> result = random_units(ranked, kUnused);
  return result ? result->f : FTest{};
}

}  // namespace invar::stats
