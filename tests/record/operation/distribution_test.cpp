// How a total is distributed over blocks: exactly, and the same on every platform.
#include "record/operation/distribution.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "base/csv.hpp"
#include "base/text.hpp"
#include "golden.hpp"

namespace invar::record {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Lengths = std::vector<std::uint64_t>;

const std::vector<std::string> kLevels{
    "regular",  "linear",   "half-zero", "one-big",
    "random:0", "random:1", "random:42", "random:18446744073709551615"};
constexpr std::uint64_t kMeans[] = {0, 1, 2, 3, 7, 100, 1024, std::uint64_t{1} << 33U};

BlockLengths made(const std::string& level, std::uint64_t mean, std::uint64_t blocks) {
  return {*parse_distribution(level), mean, blocks};
}

Lengths all_of(const std::string& level, std::uint64_t mean, std::uint64_t blocks) {
  const BlockLengths lengths = made(level, mean, blocks);
  Lengths all;
  for (std::uint64_t i = 0; i < blocks; ++i) all.push_back(lengths.of(i));
  return all;
}

TEST(Distribution, TotalIsExactForAnyNumberOfBlocks) {
  for (const std::string& level : kLevels) {
    for (std::uint64_t blocks = 1; blocks <= 65; ++blocks) {
      for (const std::uint64_t mean : kMeans) {
        const Lengths all = all_of(level, mean, blocks);
        ASSERT_EQ(std::accumulate(all.begin(), all.end(), std::uint64_t{0}), mean * blocks)
            << level << ", " << mean << " elements in each of " << blocks;
        const BlockLengths lengths = made(level, mean, blocks);
        ASSERT_EQ(lengths.all(), mean * blocks);
        ASSERT_EQ(lengths.largest(), *std::max_element(all.begin(), all.end()))
            << level << ", " << mean << " elements in each of " << blocks;
      }
    }
  }
}

TEST(Distribution, LargestDisplacementIsWhatStandsBeforeTheLastBlock) {
  for (const std::string& level : kLevels) {
    for (const std::uint64_t blocks : {1U, 2U, 3U, 8U, 33U}) {
      for (const std::uint64_t mean : kMeans) {
        const BlockLengths lengths = made(level, mean, blocks);
        std::uint64_t of_pairs = 0;
        for (std::uint64_t rank = 0; rank < blocks; ++rank) {
          of_pairs = std::max({of_pairs, lengths.sent_before(rank, blocks - 1),
                               lengths.received_before(rank, blocks - 1)});
        }
        ASSERT_EQ(lengths.before_last(false), lengths.all() - lengths.of(blocks - 1)) << level;
        ASSERT_EQ(lengths.before_last(true), of_pairs)
            << level << ", " << mean << " elements in each of " << blocks;
      }
    }
  }
}

TEST(Distribution, BlocksFollowOneAnotherWithoutOverlap) {
  for (const std::string& level : kLevels) {
    const BlockLengths lengths = made(level, 100, 13);
    std::uint64_t end = 0;
    for (std::uint64_t i = 0; i < 13; ++i) {
      EXPECT_EQ(lengths.begin(i), end) << level;
      end += lengths.of(i);
    }
    EXPECT_EQ(lengths.begin(13), end) << level;
  }
}

TEST(Distribution, LevelsAreWhatTheirNamesSay) {
  EXPECT_THAT(all_of("regular", 100, 3), ElementsAre(100, 100, 100));
  EXPECT_THAT(all_of("linear", 100, 2), ElementsAre(66, 134));
  EXPECT_THAT(all_of("linear", 100, 4), ElementsAre(40, 80, 120, 160));
  EXPECT_THAT(all_of("half-zero", 100, 4), ElementsAre(0, 200, 0, 200));
  EXPECT_THAT(all_of("half-zero", 100, 5), ElementsAre(0, 250, 0, 250, 0));
  EXPECT_THAT(all_of("one-big", 100, 4), ElementsAre(0, 0, 0, 400));
  for (const std::string& level : kLevels) {
    EXPECT_THAT(all_of(level, 100, 1), ElementsAre(100)) << level << ": one block has it all";
  }
}

// Computed in Python from the description in docs/methods.md alone (tests/golden/design_golden.py).
TEST(Distribution, BlocksAreThoseOfTheDescriptionOnEveryPlatform) {
  std::size_t drawn = 0;
  for (const base::CsvRow& row :
       base::read_csv(test::golden("distributions.csv"), "distributions.csv")) {
    if (row.fields.at(0) == "level") continue;
    const auto mean = base::parse_u64(row.fields.at(1));
    const auto blocks = base::parse_u64(row.fields.at(2));
    ASSERT_TRUE(mean && blocks);
    std::string lengths;
    for (const std::uint64_t length : all_of(row.fields.at(0), *mean, *blocks)) {
      lengths += (lengths.empty() ? "" : " ") + std::to_string(length);
    }
    EXPECT_EQ(lengths, row.fields.at(3)) << row.fields.at(0) << ", mean " << *mean;
    drawn += row.fields.at(0).starts_with("random") ? 1U : 0U;
  }
  EXPECT_EQ(drawn, 4U * 4 * 6);
}

TEST(Distribution, DrawnBlocksDifferBySeedAndNotByAccident) {
  EXPECT_NE(all_of("random:1", 100, 8), all_of("random:2", 100, 8));
  EXPECT_EQ(all_of("random:1", 100, 8), all_of("random:1", 100, 8));
  const BlockLengths many = made("random:5", 1000, 20'000);
  double squares = 0;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const double share = static_cast<double>(many.of(i)) / 1000 - 1;
    squares += share * share;
  }
  EXPECT_NEAR(squares / 20'000, 1.0 / 3, 0.02) << "uniform up to twice the mean";
}

// What rank i sends to rank j, for all i and j.
std::vector<Lengths> matrix_of(const BlockLengths& lengths, std::uint64_t ranks) {
  std::vector<Lengths> matrix(ranks, Lengths(ranks));
  for (std::uint64_t from = 0; from < ranks; ++from) {
    for (std::uint64_t to = 0; to < ranks; ++to) matrix[from][to] = lengths.between(from, to);
  }
  return matrix;
}

TEST(DistributionOfPairs, EveryRankSendsAndReceivesTheTotal) {
  for (const std::string& level : kLevels) {
    for (std::uint64_t ranks = 1; ranks <= 17; ++ranks) {
      const std::vector<Lengths> matrix = matrix_of(made(level, 10, ranks), ranks);
      for (std::uint64_t rank = 0; rank < ranks; ++rank) {
        std::uint64_t sent = 0;
        std::uint64_t received = 0;
        for (std::uint64_t other = 0; other < ranks; ++other) {
          sent += matrix[rank][other];
          received += matrix[other][rank];
        }
        ASSERT_EQ(sent, 10 * ranks) << level << ", rank " << rank << " of " << ranks;
        ASSERT_EQ(received, 10 * ranks) << level << ", rank " << rank << " of " << ranks;
      }
    }
  }
}

TEST(DistributionOfPairs, BlocksStandInTheOrderOfTheRanksOnBothSides) {
  for (const std::string& level : kLevels) {
    constexpr std::uint64_t kRanks = 7;
    const BlockLengths lengths = made(level, 23, kRanks);
    const std::vector<Lengths> matrix = matrix_of(lengths, kRanks);
    for (std::uint64_t rank = 0; rank < kRanks; ++rank) {
      std::uint64_t sent = 0;
      std::uint64_t received = 0;
      for (std::uint64_t other = 0; other < kRanks; ++other) {
        ASSERT_EQ(lengths.sent_before(rank, other), sent) << level << ", " << rank << other;
        ASSERT_EQ(lengths.received_before(rank, other), received) << level << ", " << rank << other;
        sent += matrix[rank][other];
        received += matrix[other][rank];
      }
    }
  }
}

TEST(DistributionOfPairs, WhatTwoRanksExchangeDiffersByDirection) {
  const BlockLengths lengths = made("linear", 100, 4);
  EXPECT_EQ(lengths.between(0, 1), lengths.of(1));
  EXPECT_EQ(lengths.between(1, 0), lengths.of(3));
  EXPECT_EQ(lengths.between(2, 2), lengths.of(0)) << "its own";
}

TEST(DistributionLevel, IsWrittenAsItIsRead) {
  for (const std::string& level : kLevels) {
    EXPECT_EQ(distribution_level(level).text, level);
  }
  EXPECT_EQ(parse_distribution("random:42")->seed, 42U);
}

TEST(DistributionLevel, OfAnyOtherTextIsRefusedWithThoseThatThereAre) {
  for (const char* text : {"", "Linear", "random", "random:", "random:x", "random:-1", "random:01",
                           "random:18446744073709551616", "one-big:2", "half_zero"}) {
    const LevelText level = distribution_level(text);
    EXPECT_FALSE(level.text.has_value()) << text;
    EXPECT_THAT(level.complaint, HasSubstr("no distribution")) << text;
    EXPECT_THAT(level.remedy, HasSubstr("\"random:SEED\"")) << text;
  }
}

}  // namespace
}  // namespace invar::record
