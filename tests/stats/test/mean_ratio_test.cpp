#include "stats/test/mean_ratio.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "stats/test/student.hpp"

namespace invar::stats {
namespace {

const std::vector<double> kX{112, 98, 105, 120, 101, 99};
const std::vector<double> kY{90, 93, 88, 97, 95};

TEST(MeanRatio, WelchsTestHasAlphaAtBothEnds) {
  const MeanRatio ratio = mean_ratio(kX, kY, 0.9);
  EXPECT_NEAR(ratio.ratio, (635.0 / 6) / (463.0 / 5), 1e-12);
  for (const double end : {ratio.interval->low, ratio.interval->high}) {
    std::vector<double> scaled = kY;
    for (double& value : scaled) value *= end;
    EXPECT_NEAR(t_test_welch(kX, scaled)->p, 0.1, 1e-9);
  }
  EXPECT_LT(ratio.interval->low, ratio.ratio);
  EXPECT_GT(ratio.interval->high, ratio.ratio);
}

TEST(MeanRatio, OneLiesOutsideWhereTheTestRejects) {
  const MeanRatio apart = mean_ratio(kX, kY, 0.95);
  EXPECT_LT(t_test_welch(kX, kY)->p, 0.05);
  EXPECT_GT(apart.interval->low, 1);
  const double p = t_test_welch(kX, kY)->p;
  EXPECT_LT(mean_ratio(kX, kY, 1 - p / 2).interval->low, 1);
}

TEST(MeanRatio, HasNoIntervalWhereThereIsNoTestOrNoEnd) {
  EXPECT_FALSE(mean_ratio(std::vector<double>{3.0}, kY).interval);
  EXPECT_FALSE(mean_ratio(std::vector<double>{3, 3}, std::vector<double>{4, 4}).interval);
  // These means cannot be told from 0, so that no ratio is too large.
  EXPECT_FALSE(mean_ratio(kX, std::vector<double>{1e-3, 200}).interval);
  EXPECT_DOUBLE_EQ(mean_ratio(std::vector<double>{3, 3}, std::vector<double>{4, 4}).ratio, 0.75);
}

TEST(MeanRatio, RefusesWhatHasNoRatio) {
  EXPECT_THROW(mean_ratio({}, kY), std::invalid_argument);
  EXPECT_THROW(mean_ratio(kX, std::vector<double>{1, 0}), std::invalid_argument);
  EXPECT_THROW(mean_ratio(kX, kY, 1), std::invalid_argument);
}

}  // namespace
}  // namespace invar::stats
