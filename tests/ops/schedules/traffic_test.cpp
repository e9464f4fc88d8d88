// What somebody sees of a reference algorithm who counts messages, and what only the order of steps
// tells.
#include "ops/schedules/traffic.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace invar::ops {

extern const Algorithm kAllreduceRecursiveDoubling;
extern const Algorithm kAlltoallBruck;
extern const Algorithm kAlltoallPairwise;
extern const Algorithm kAlltoallSpread;
extern const Algorithm kBcastBinomial;
extern const Algorithm kBcastChain;

namespace {

using testing::ElementsAre;

TEST(MessageCounts, OfATreeAreOneForEachOfItsEdges) {
  EXPECT_THAT(message_counts(kBcastBinomial, {.ranks = 4, .elements = 100}),
              ElementsAre(MessageCount{.from = 0, .to = 1, .messages = 1, .elements = 100},
                          MessageCount{.from = 0, .to = 2, .messages = 1, .elements = 100},
                          MessageCount{.from = 2, .to = 3, .messages = 1, .elements = 100}));
}

TEST(MessageCounts, OfSegmentsAddUpToTheVector) {
  EXPECT_THAT(message_counts(kBcastChain, {.ranks = 3, .elements = 100, .segment = 30}),
              ElementsAre(MessageCount{.from = 0, .to = 1, .messages = 4, .elements = 100},
                          MessageCount{.from = 1, .to = 2, .messages = 4, .elements = 100}));
}

TEST(MessageCounts, DoNotDependOnTheRankThatAsks) {
  const Position first{.ranks = 5, .elements = 8};
  const Position last{.ranks = 5, .rank = 4, .elements = 8};
  EXPECT_EQ(message_counts(kAllreduceRecursiveDoubling, first),
            message_counts(kAllreduceRecursiveDoubling, last));
}

TEST(MessageCounts, OfOneRankAreNone) {
  EXPECT_TRUE(message_counts(kBcastBinomial, {.ranks = 1, .elements = 8}).empty());
}

TEST(OrderOfSteps, IsOneForTreeAndChainOfTwoRanks) {
  const Position two{.ranks = 2, .elements = 8};
  const Position four{.ranks = 4, .elements = 8};
  EXPECT_EQ(order_of_steps(kBcastBinomial, two), order_of_steps(kBcastChain, two));
  EXPECT_NE(order_of_steps(kBcastBinomial, four), order_of_steps(kBcastChain, four));
}

// Each pair of ranks exchanges one message in both, which no counter tells apart.
TEST(OrderOfSteps, TellsApartWhatSendsTheSameMessages) {
  const Position at{.ranks = 4, .elements = 8};
  ASSERT_EQ(message_counts(kAlltoallPairwise, at), message_counts(kAlltoallSpread, at));
  EXPECT_NE(order_of_steps(kAlltoallPairwise, at), order_of_steps(kAlltoallSpread, at));
}

TEST(OrderOfSteps, KnowsWhatIsCopied) {
  const Position two{.ranks = 2, .elements = 8};
  ASSERT_EQ(message_counts(kAlltoallPairwise, two), message_counts(kAlltoallBruck, two));
  EXPECT_NE(order_of_steps(kAlltoallPairwise, two), order_of_steps(kAlltoallBruck, two));
  EXPECT_EQ(order_of_steps(kAlltoallBruck, two).size(), 16U);
}

}  // namespace
}  // namespace invar::ops
