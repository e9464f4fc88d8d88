#include "stats/test/binomial.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace invar::stats {
namespace {

// R: qbinom(0.99, n, 0.05)
TEST(Binomial, LimitIsRsQuantile) {
  EXPECT_EQ(binomial_limit(1, 0.05, 0.01), 1U);
  EXPECT_EQ(binomial_limit(10, 0.05, 0.01), 3U);
  EXPECT_EQ(binomial_limit(60, 0.05, 0.01), 7U);
  EXPECT_EQ(binomial_limit(600, 0.05, 0.01), 43U);
}

// R: uniroot(function(p) pbinom(limit, n, p, lower.tail = FALSE) - 0.95, c(0, 1))
TEST(Binomial, DetectableShareIsTheRootOfItsTail) {
  EXPECT_NEAR(binomial_detectable(6, 2, 0.95), 0.72866, 2e-4);
  EXPECT_NEAR(binomial_detectable(52, 7, 0.95), 0.23803, 2e-4);
  EXPECT_EQ(binomial_detectable(2, 2, 0.95), 1);
}

TEST(Binomial, EndsOfTheRange) {
  EXPECT_EQ(binomial_limit(0, 0.5, 0.01), 0U);
  EXPECT_EQ(binomial_limit(7, 0, 0.01), 0U);
  EXPECT_EQ(binomial_limit(7, 1, 0.01), 7U);
}

TEST(Binomial, WhatIsNoProbabilityIsRefused) {
  EXPECT_THROW(binomial_limit(7, 1.1, 0.01), std::invalid_argument);
  EXPECT_THROW(binomial_limit(7, 0.1, 0), std::invalid_argument);
}

}  // namespace
}  // namespace invar::stats
