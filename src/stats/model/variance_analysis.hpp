#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "stats/types.hpp"

// Analysis of variance, and the rank tests that go with it, for the levels of a factor and for what
// varies by itself (launches).
namespace invar::stats {

/// P(F >= f) with df1, df2 > 0; f >= 0.
double f_upper_tail(double f, double df1, double df2);
/// Inverse of the distribution function; probability in (0, 1).
double f_quantile(double probability, double df1, double df2);
/// P(chi-squared >= x) with df > 0; x >= 0.
double chi_squared_upper_tail(double x, double df);

struct FTest {
  double statistic = 0.0;
  double df1 = 0.0;
  double df2 = 0.0;
  std::optional<double> p = std::nullopt;  ///< empty where nothing is left to compare with
};

/// A value for each block (outer) and level (inner): equally many levels, at least 2, in each of at
/// least 2 blocks. Else std::invalid_argument.
using BlockedValues = std::vector<std::vector<double>>;

/// Levels in randomised complete blocks, y = block + level + error: F = MS(levels) / MS(levels x
/// blocks), df k - 1 and (k - 1)(n - 1) (Fisher 1935; R: anova(lm(y ~ block + level))). For two
/// levels F is the square of the paired t.
struct BlocksAnova {
  FTest f = {};
  double error_variance = 0.0;  ///< MS(levels x blocks)
  /// Variance of the levels' true means around their mean, sum of tau^2 / k, by the method of
  /// moments: sum of squared mean deviations / k - (k - 1)/k MS(levels x blocks) / n. May be below
  /// 0.
  double level_variance = 0.0;
};
BlocksAnova blocks_anova(const BlockedValues& values);

/// Friedman's test (1937) of the same layout, corrected for ties, chi-squared approximation (R:
/// friedman.test). p is empty if all values of every block are tied.
FTest friedman_test(const BlockedValues& values);

/// A value of a unit (a launch) in a block (a cell). Units and blocks belong to a stratum (an arm),
/// and are numbered over all of them.
struct UnitValue {
  std::size_t stratum = 0;
  std::size_t block = 0;
  std::size_t unit = 0;
  double value = 0.0;
};

/// y = block + unit + error, units drawn at random, within strata; exact where every unit of a
/// stratum has equally many values of each of its blocks.
struct RandomUnits {
  FTest f = {};  ///< MS(units) / MS(error)
  double error_variance = 0.0;
  /// (MS(units) - MS(error)) / values a unit (Searle, Casella and McCulloch 1992, chapter 3). May
  /// be below 0.
  double unit_variance = 0.0;
  /// The interval of the units' standard deviation, from that of unit_variance / error_variance
  /// (same source, section 3.5c). Its ends are at least 0.
  std::optional<Interval> unit_sd = std::nullopt;
};

/// Empty if there are not two units in a stratum, or no degrees of freedom are left for the error.
/// Throws std::invalid_argument on an empty list, NaN, infinity, confidence outside (0, 1).
std::optional<RandomUnits> random_units(std::span<const UnitValue> values, double confidence);

/// The same F on ranks: values less their block's mean (Hodges and Lehmann 1962), ranked in each
/// stratum by itself, midranks for ties. In one stratum with one block it is Kruskal and Wallis' H
/// by its F (Conover and Iman, Am. Stat. 35, 1981): F = (H / df1) / ((n - 1 - H) / df2). A sum of H
/// over strata against chi-squared is not used: aligning makes it reject several times too often
/// where a unit has few values in each of many blocks. p is empty where random_units is, or if
/// nothing scatters inside the units. Throws as random_units.
FTest units_rank_test(std::span<const UnitValue> values);

}  // namespace invar::stats
