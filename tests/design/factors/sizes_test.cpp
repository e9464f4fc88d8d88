#include "design/factors/sizes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/csv.hpp"
#include "design/helpers.hpp"
#include "design/plan/streams.hpp"

namespace invar::design {
namespace {

using test::faults_of;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(SizesByFactor, EndIsIncludedWhereTheFactorMeetsIt) {
  EXPECT_THAT(*sizes_by_factor(4, 64, 4).value, ElementsAre(4, 16, 64));
  EXPECT_THAT(*sizes_by_factor(4, 63, 4).value, ElementsAre(4, 16));
  EXPECT_THAT(*sizes_by_factor(5, 5, 2).value, ElementsAre(5));
}

TEST(SizesByFactor, LargestNumbersDoNotOverflow) {
  const std::uint64_t top = ~std::uint64_t{0};
  EXPECT_THAT(*sizes_by_factor(top - 1, top, 2).value, ElementsAre(top - 1));
  EXPECT_EQ(sizes_by_factor(1, top, 2).value->size(), 64U);
}

TEST(SizesByStep, EndIsIncludedWhereTheStepMeetsIt) {
  EXPECT_THAT(*sizes_by_step(0, 16, 8).value, ElementsAre(0, 8, 16));
  EXPECT_THAT(*sizes_by_step(1, 16, 8).value, ElementsAre(1, 9));
}

// Where adaptive sizes begin: powers of two, and the middles between them.
TEST(FirstSizes, ArePowersOfTwoAndTheirMiddlesBetweenBothEnds) {
  const auto first = [](std::uint64_t low, std::uint64_t high, std::uint64_t extent = 1) {
    return first_sizes({.low_bytes = low, .high_bytes = high}, extent);
  };
  EXPECT_THAT(first(0, 8), ElementsAre(0, 1, 2, 3, 4, 6, 8));
  EXPECT_THAT(first(5, 20), ElementsAre(5, 6, 8, 12, 16, 18, 20)) << "ends need be no powers";
  EXPECT_THAT(first(4, 4), ElementsAre(4));
  EXPECT_THAT(first(0, 32, 8), ElementsAre(0, 8, 16, 24, 32)) << "whole elements";
  EXPECT_THAT(first(3, 33, 4), ElementsAre(4, 8, 12, 16, 24, 32)) << "inside of both ends";
  EXPECT_THAT(first(5, 7, 4), testing::IsEmpty());
  EXPECT_EQ(first(1, 1U << 20U).size(), 40U);
}

TEST(FirstSizes, AreTheCellsOfTheFirstPlan) {
  Campaign campaign = test::small_campaign(1, 0, 1);
  campaign.cells[0].adaptive = {{.low_bytes = 0, .high_bytes = 4}};
  std::vector<std::uint64_t> sizes;
  for (const record::Cell& cell : test::resolved(campaign).cells) sizes.push_back(*cell.size_bytes);
  EXPECT_THAT(sizes, ElementsAre(0, 1, 2, 3, 4));
}

TEST(DrawSizes, AreThoseOfTheIndependentScript) {
  const auto rows = base::read_csv(test::golden("design_random.csv"), "design_random.csv");
  const RandomSizes request{.low_bytes = 1, .high_bytes = 1U << 20U, .count = 20};
  std::size_t found = 0;
  for (const auto& row : rows) {
    if (!row.fields[0].starts_with("loguniform")) continue;
    ++found;
    const std::uint64_t extent = row.fields[0].ends_with('4') ? 4 : 1;
    base::Random random = base::Random::of({20160412, kSizeStream, 0});
    std::string text;
    for (const std::uint64_t size : draw_sizes(request, extent, random)) {
      text += (text.empty() ? "" : " ") + std::to_string(size);
    }
    EXPECT_EQ(text, row.fields[1]);
  }
  EXPECT_EQ(found, 2U);
}

TEST(DrawSizes, StayInTheRangeAndAreMultiples) {
  base::Random random(1);
  for (const std::uint64_t size :
       draw_sizes({.low_bytes = 3, .high_bytes = 42, .count = 5000}, 4, random)) {
    EXPECT_GE(size, 4U) << "3 would be rounded down to 0, below the range";
    EXPECT_LE(size, 40U);
    EXPECT_EQ(size % 4, 0U);
  }
}

TEST(DrawSizes, EveryOctaveIsEquallyLikely) {
  base::Random random(2);
  std::vector<int> octaves(20);
  for (const std::uint64_t size :
       draw_sizes({.low_bytes = 1, .high_bytes = (1U << 20U) - 1, .count = 40'000}, 1, random)) {
    ++octaves.at(static_cast<std::size_t>(std::ilogb(static_cast<double>(size))));
  }
  // Four standard deviations of a binomial count.
  for (const int count : octaves) EXPECT_NEAR(count, 2000, 4 * 44);
}

TEST(DrawSizes, RangeOfOneSizeGivesThatSize) {
  base::Random random(3);
  EXPECT_THAT(draw_sizes({.low_bytes = 64, .high_bytes = 64, .count = 100}, 4, random), Each(64));
}

TEST(DrawSizes, RangeWithoutAMultipleGivesNothing) {
  base::Random random(4);
  EXPECT_TRUE(draw_sizes({.low_bytes = 5, .high_bytes = 7, .count = 3}, 4, random).empty());
}

TEST(ParseSizeList, SizesAndRangesByTwo) {
  EXPECT_THAT(parse_size_list("8,1KiB:8KiB", "--size"), ElementsAre(8, 1024, 2048, 4096, 8192));
  EXPECT_THAT(parse_size_list("8:64KiB", "--size").size(), 14U);
  EXPECT_THAT(parse_size_list("8, 16", "--size"), ElementsAre(8, 16));
}

TEST(ParseSizeList, EveryFaultIsReported) {
  EXPECT_THAT(
      faults_of([] { (void)parse_size_list("8x,,4:2,1:2q,-1,0:8", "--size"); }),
      ElementsAre(HasSubstr("--size: '8x' is not a size"), HasSubstr("--size: '' is not a size"),
                  "--size: '4:2': the range begins at 4 B and ends before it, at 2 B",
                  HasSubstr("'2q' is not a size"), HasSubstr("it is negative"),
                  HasSubstr("'0:8': 0 never grows by a factor")));
  EXPECT_THAT(faults_of([] { (void)parse_size_list("1:2:4", "--size"); }),
              ElementsAre(HasSubstr("'2:4' is not a size")));
}

}  // namespace
}  // namespace invar::design
