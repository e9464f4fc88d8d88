#include "analysis/words/numbers.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace invar::analysis {
namespace {

TEST(PText, IsShortAndNeverZero) {
  EXPECT_EQ(p_text(0), "<1e-9");
  EXPECT_EQ(p_text(4e-10), "<1e-9");
  EXPECT_EQ(p_text(3.2e-6), "3e-6");
  EXPECT_EQ(p_text(9.7e-6), "1e-5");
  EXPECT_EQ(p_text(0.00041), ".0004");
  EXPECT_EQ(p_text(0.0096), ".01");
  EXPECT_EQ(p_text(0.04), ".04");
  EXPECT_EQ(p_text(0.0994), ".1");
  EXPECT_EQ(p_text(0.27), ".27");
  EXPECT_EQ(p_text(0.5), ".5");
  EXPECT_EQ(p_text(0.998), "1");
  EXPECT_EQ(p_text(1), "1");
}

TEST(TimeText, IntervalHasTheUnitAndDecimalsOfTheEstimate) {
  const EstimateText text =
      time_text({.median_ns = 8434, .interval_ns = stats::Interval{8371, 8502, 0.95}});
  EXPECT_EQ(text.estimate, "8.43 us");
  EXPECT_EQ(text.interval, "[8.37, 8.50]");
  // Ends a hundred times apart say nothing; those of a difference have two signs.
  EXPECT_EQ(
      time_text({.median_ns = 787000, .interval_ns = stats::Interval{100, 42e6, 0.95}}).interval,
      "-");
  EXPECT_EQ(time_text({.median_ns = 512, .interval_ns = stats::Interval{-60, 5000, 0.95}}).interval,
            "[-0.060, 5.000]");
  EXPECT_EQ(time_text({.median_ns = 512}).estimate, "0.512 us");
  EXPECT_EQ(time_text({.median_ns = 512}).interval, "");
  EXPECT_EQ(time_text({.median_ns = 2.5e6}).estimate, "2.50 ms");
  EXPECT_EQ(time_text({.median_ns = 4}).estimate, "4.00 ns");
}

TEST(RatioText, NarrowIntervalsGetAnotherDecimal) {
  EXPECT_EQ(ratio_text(1.3, stats::Interval{1.27, 1.33, 0.95}).interval, "[1.27, 1.33]");
  EXPECT_EQ(ratio_text(1.0042, stats::Interval{0.9981, 1.0103, 0.95}).estimate, "1.004");
  EXPECT_EQ(ratio_text(19.14, stats::Interval{18.2, 20.1, 0.95}).estimate, "19.1");
}

TEST(RatioText, IntervalsWithoutEndAreWritten) {
  EXPECT_EQ(ratio_text(1.5, stats::Interval{0, 1.0 / 0.0, 0.95}).interval, "[0.00, inf]");
  EXPECT_EQ(ratio_text(1.5, stats::Interval{-1e-12, 3.2e9, 0.95}).interval, "[-1e-12, 3e+09]");
}

TEST(RatioText, SmallRatiosKeepThreeDigits) {
  const EstimateText text = ratio_text(0.000341, stats::Interval{0.00021, 0.0073, 0.95});
  EXPECT_EQ(text.estimate, "0.000341");
  EXPECT_EQ(text.interval, "[0.000210, 0.007300]");
  EXPECT_EQ(ratio_text(0.0341, std::nullopt).estimate, "0.0341");
}

TEST(TimeText, WhatExistsIsNeverWrittenAsZero) {
  const EstimateText text =
      time_text({.median_ns = 8434, .interval_ns = stats::Interval{-2e-5, 1e16, 0.95}});
  EXPECT_EQ(text.interval, "[-2e-08, 1e+13]");
}

TEST(LogSdText, IsAPercentageOrAFactor) {
  EXPECT_EQ(log_sd_text(std::log(1.5)), "50 %");
  EXPECT_EQ(log_sd_text(std::log(77.4)), "factor 77");
  EXPECT_EQ(log_sd_text(std::log(2.4)), "factor 2.4");
  EXPECT_EQ(log_sd_text(std::nullopt), "");
}

TEST(AsterisksText, AreThoseOfThePaper) {
  EXPECT_EQ(asterisks_text(0.06), "");
  EXPECT_EQ(asterisks_text(0.05), "*");
  EXPECT_EQ(asterisks_text(0.01), "**");
  EXPECT_EQ(asterisks_text(0.001), "***");
}

}  // namespace
}  // namespace invar::analysis
