#include "stats/decide/multiplicity.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "stats/golden.hpp"

namespace invar::stats {
namespace {

using Absent = std::vector<std::optional<double>>;

Absent with_absent(const std::string& text) {
  Absent values;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) {
    values.push_back(word == "NA" ? std::nullopt : std::optional(std::stod(word)));
  }
  return values;
}

void expect_same(const Absent& actual, const Absent& expected, const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    golden::expect_close(actual[i], expected[i], 1e-14, what);
  }
}

TEST(Adjustment, AllFamiliesAgreeWithRAndAbsentTestsStayAbsent) {
  for (const golden::Row& row : golden::read("stats_adjust.csv")) {
    const Absent p = with_absent(row.at("p"));
    expect_same(holm(p), with_absent(row.at("holm")), row.at("case") + " Holm");
    expect_same(benjamini_hochberg(p), with_absent(row.at("bh")), row.at("case") + " BH");
  }
}

TEST(Adjustment, EmptyFamilyStaysEmpty) {
  EXPECT_TRUE(holm(std::vector<double>{}).empty());
  EXPECT_TRUE(benjamini_hochberg(std::vector<double>{}).empty());
}

TEST(Adjustment, InvalidPThrows) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(holm(std::vector{0.5, nan}), std::invalid_argument);
  EXPECT_THROW(benjamini_hochberg(std::vector{0.5, 1.5}), std::invalid_argument);
  EXPECT_THROW(benjamini_hochberg(Absent{0.5, -0.1}), std::invalid_argument);
}

TEST(SelectedConfidence, IsOneMinusAlphaTimesTheShareSelected) {
  EXPECT_DOUBLE_EQ(selected_confidence(0.05, 20, 20), 0.95);
  EXPECT_DOUBLE_EQ(selected_confidence(0.05, 1, 20), 0.9975);
  EXPECT_THROW(selected_confidence(0.05, 0, 20), std::invalid_argument);
  EXPECT_THROW(selected_confidence(0.05, 21, 20), std::invalid_argument);
  EXPECT_THROW(selected_confidence(0.0, 1, 20), std::invalid_argument);
}

TEST(SelectedConfidence, HolmIsNeverNarrower) {
  for (std::size_t rejected = 1; rejected <= 20; ++rejected) {
    EXPECT_GE(selected_confidence_holm(0.05, rejected, 20),
              selected_confidence(0.05, rejected, 20));
  }
}

TEST(Asterisks, BoundsBelongToTheStrongerClaim) {
  EXPECT_EQ(asterisks(0.001), 3);
  EXPECT_EQ(asterisks(0.0011), 2);
  EXPECT_EQ(asterisks(0.01), 2);
  EXPECT_EQ(asterisks(0.05), 1);
  EXPECT_EQ(asterisks(0.051), 0);
  EXPECT_THROW(asterisks(2.0), std::invalid_argument);
}

}  // namespace
}  // namespace invar::stats
