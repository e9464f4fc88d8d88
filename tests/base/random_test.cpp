#include "base/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "base/csv.hpp"
#include "golden.hpp"

namespace invar::base {
namespace {

// All values of one row name in design_random.csv, which design_golden.py computes from the
// published algorithms.
std::vector<std::string> golden_values(const std::string& what) {
  std::vector<std::string> values;
  for (const CsvRow& row : read_csv(test::golden("design_random.csv"), "design_random.csv")) {
    if (row.fields.at(0) == what) values.push_back(row.fields.at(1));
  }
  EXPECT_FALSE(values.empty()) << what;
  return values;
}

TEST(Random, NumbersAreThoseOfThePublishedGenerator) {
  for (const std::uint64_t seed : {0U, 42U}) {
    Random random(seed);
    for (const std::string& value : golden_values("next " + std::to_string(seed))) {
      EXPECT_EQ(std::to_string(random.next()), value);
    }
  }
}

TEST(Random, StreamOfAPlaceIsFixed) {
  Random random = Random::of({7, 1, 2});
  for (const std::string& value : golden_values("of 7 1 2")) {
    EXPECT_EQ(std::to_string(random.next()), value);
  }
}

TEST(Random, StreamsOfDifferentPlacesDiffer) {
  std::set<std::uint64_t> first;
  for (std::uint64_t a = 0; a < 20; ++a) {
    for (std::uint64_t b = 0; b < 20; ++b) first.insert(Random::of({a, b}).next());
  }
  EXPECT_EQ(first.size(), 400U);
  EXPECT_NE(Random::of({1}).next(), Random::of({1, 0}).next());
}

TEST(Below, RejectedDrawsAreDrawnAgain) {
  Random random(1);
  for (const std::string& value : golden_values("below")) {
    EXPECT_EQ(std::to_string(random.below((std::uint64_t{1} << 63U) + 1)), value);
  }
}

TEST(Below, AllValuesAreEquallyLikely) {
  Random random(2);
  std::array<int, 10> seen{};
  for (int i = 0; i < 100'000; ++i) ++seen.at(random.below(10));
  // Four standard deviations of a binomial count.
  for (const int count : seen) EXPECT_NEAR(count, 10'000, 4 * 95);
}

TEST(Below, BoundOfOneIsAlwaysZero) {
  Random random(3);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(random.below(1), 0U);
}

TEST(Uniform, ValuesLieInTheHalfOpenUnitInterval) {
  Random random(4);
  double sum = 0;
  for (int i = 0; i < 10'000; ++i) {
    const double value = random.uniform();
    ASSERT_GE(value, 0);
    ASSERT_LT(value, 1);
    sum += value;
  }
  EXPECT_NEAR(sum / 10'000, 0.5, 0.012);
}

TEST(Shuffle, OrderIsTheGoldenOne) {
  std::vector<int> items(8);
  std::iota(items.begin(), items.end(), 0);
  Random(3).shuffle(std::span(items));
  std::string text;
  for (const int item : items) text += (text.empty() ? "" : " ") + std::to_string(item);
  EXPECT_EQ(text, golden_values("shuffle 8").at(0));
}

TEST(Shuffle, EveryOrderIsEquallyLikely) {
  Random random(5);
  std::array<int, 6> seen{};
  for (int i = 0; i < 60'000; ++i) {
    std::array<int, 3> items{0, 1, 2};
    random.shuffle(std::span<int>(items));
    const int order = items[0] * 2 + (items[1] > items[2] ? 1 : 0);
    ++seen.at(static_cast<std::size_t>(order));
  }
  for (const int count : seen) EXPECT_NEAR(count, 10'000, 4 * 92);
}

TEST(Shuffle, NothingAndOneItemStay) {
  std::vector<int> none;
  Random(1).shuffle(std::span(none));
  std::vector<int> one{7};
  Random(1).shuffle(std::span(one));
  EXPECT_EQ(one, std::vector<int>{7});
}

}  // namespace
}  // namespace invar::base
