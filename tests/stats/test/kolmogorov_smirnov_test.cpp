#include "stats/test/kolmogorov_smirnov.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "base/random.hpp"
#include "stats/golden.hpp"

namespace invar::stats {
namespace {

TEST(KolmogorovSmirnov, AllSamplesAndAlternativesAgreeWithR) {
  for (const golden::Row& row : golden::read("stats_kolmogorov_smirnov.csv")) {
    const golden::Samples& data = golden::samples("two", row.at("case"));
    const KsMethod method =
        row.at("automatic") == "1" ? KsMethod::kAutomatic : KsMethod::kAsymptotic;
    const KsTest test =
        kolmogorov_smirnov_test(data.x, data.y, golden::alternative(row.at("alternative")), method);
    const std::string what = row.at("case") + " " + row.at("alternative");
    EXPECT_NEAR(test.statistic, *golden::number(row.at("statistic")), 1e-14) << what;
    EXPECT_EQ(test.exact, row.at("exact") == "1") << what;
    // R subtracts from 1: its smallest p-values are good to 1e-16 absolutely, not relatively.
    EXPECT_NEAR(test.p, *golden::number(row.at("p")), 1e-10) << what;
  }
}

TEST(KolmogorovSmirnov, ExactTailsOfSeparatedSamplesKeepTheirRelativeAccuracy) {
  // Only two (one-sided: one) of the C(98, 49) orders separate the samples fully.
  const golden::Samples& data = golden::samples("two", "far_tail");
  double orders = 1.0;
  for (int i = 1; i <= 49; ++i) {
    orders *= (49.0 + i) / i;
  }
  EXPECT_NEAR(kolmogorov_smirnov_test(data.x, data.y).p * orders, 2.0, 1e-10);
  EXPECT_NEAR(kolmogorov_smirnov_test(data.x, data.y, Alternative::kGreater).p * orders, 1.0,
              1e-10);
}

TEST(KolmogorovSmirnov, ExactPWithTiesEqualsTheEnumerationOfAllAssignments) {
  base::Random random(17);
  for (int trial = 0; trial < 30; ++trial) {
    const std::size_t n = 2 + random.below(4);
    const std::size_t m = 2 + random.below(5);
    std::vector<double> pooled(n + m);
    for (double& value : pooled) {
      value = static_cast<double>(random.below(5));
    }
    const auto split = [&](unsigned subset) {
      std::vector<double> x;
      std::vector<double> y;
      for (std::size_t i = 0; i < n + m; ++i) {
        ((subset >> i & 1U) != 0 ? x : y).push_back(pooled[i]);
      }
      return std::pair(x, y);
    };
    const unsigned observed = (1U << n) - 1U;
    for (const Alternative alternative :
         {Alternative::kTwoSided, Alternative::kLess, Alternative::kGreater}) {
      const auto [x, y] = split(observed);
      const KsTest test = kolmogorov_smirnov_test(x, y, alternative);
      double extreme = 0.0;
      double total = 0.0;
      for (unsigned subset = 0; subset < (1U << (n + m)); ++subset) {
        const auto [a, b] = split(subset);
        if (a.size() == n) {
          total += 1.0;
          const double d = kolmogorov_smirnov_test(a, b, alternative).statistic;
          extreme += d >= test.statistic - 1e-12 ? 1.0 : 0.0;
        }
      }
      EXPECT_NEAR(test.p, extreme / total, 1e-13) << trial;
    }
  }
}

TEST(KolmogorovSmirnov, SameValuesGiveDistanceZeroAndPOne) {
  const std::vector<double> x{1.0, 2.0, 3.0};
  EXPECT_EQ(kolmogorov_smirnov_test(x, x).statistic, 0.0);
  EXPECT_EQ(kolmogorov_smirnov_test(x, x).p, 1.0);
}

TEST(KolmogorovUpperTail, BothSeriesMeetAndKnownQuantilesHold) {
  EXPECT_NEAR(kolmogorov_upper_tail(std::nextafter(1.0, 0.0)), kolmogorov_upper_tail(1.0), 1e-14);
  EXPECT_NEAR(kolmogorov_upper_tail(1.3580986393225505), 0.05, 1e-10);
  EXPECT_EQ(kolmogorov_upper_tail(0.0), 1.0);
  EXPECT_EQ(kolmogorov_upper_tail(1e-3), 1.0);
  EXPECT_NEAR(kolmogorov_upper_tail(5.0) / (2.0 * std::exp(-50.0)), 1.0, 1e-12);
}

TEST(KolmogorovSmirnov, InvalidInputThrows) {
  const std::vector<double> good{1.0};
  EXPECT_THROW(kolmogorov_smirnov_test(std::vector<double>{}, good), std::invalid_argument);
  EXPECT_THROW(kolmogorov_smirnov_test(good, std::vector{golden::kNaN}), std::invalid_argument);
  EXPECT_THROW(kolmogorov_upper_tail(golden::kNaN), std::invalid_argument);
}

}  // namespace
}  // namespace invar::stats
