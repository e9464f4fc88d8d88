// Whom the others wait for, and for how long they do.
#include "group/partners.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "group/forked.hpp"

namespace invar::group::test {
namespace {

RankSeen rank_of(std::uint32_t arm, std::int32_t rank, Doing doing,
                 ProcessState state = ProcessState::kAsleep) {
  return {.arm = arm,
          .local_rank = static_cast<std::uint32_t>(rank),
          .rank = rank,
          .pid = 100 + rank,
          .doing = doing,
          .state = state};
}

// Two arms of two ranks; `first` and `second`: what the ranks of each are at.
std::vector<RankSeen> group_of(const std::vector<Activity>& first,
                               const std::vector<Activity>& second) {
  std::vector<RankSeen> ranks;
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    ranks.push_back(rank_of(0, rank, {first.at(static_cast<std::size_t>(rank))}));
  }
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    ranks.push_back(rank_of(1, rank, {second.at(static_cast<std::size_t>(rank))}));
  }
  return ranks;
}

constexpr Activity kWaits = Activity::kWaiting;

TEST(Suspects, AreThoseStillInTheStepThatOthersOfTheArmHaveMade) {
  const auto chosen =
      suspects(group_of({kWaits, kWaits}, {Activity::kLeaving, Activity::kVisiting}), 1, false);
  ASSERT_EQ(chosen.size(), 1U);
  EXPECT_EQ(chosen[0].arm, 1U);
  EXPECT_EQ(chosen[0].rank, 1);
}

// The turn is still the last arm's, which has made its last step long ago.
TEST(Suspects, AtTheEndAreThoseThatStillWriteAndNotTheArmThatHadTheLastTurn) {
  const auto chosen = suspects(group_of({Activity::kWriting, Activity::kFinished},
                                        {Activity::kFinished, Activity::kFinished}),
                               1, false);
  ASSERT_EQ(chosen.size(), 1U);
  EXPECT_EQ(chosen[0].arm, 0U);
  EXPECT_EQ(suspects_text(chosen, {}), "rank 0 (pid 100, asleep) while records were written");
}

TEST(Suspects, OfTheArmOnTurnComeBeforeThoseOfOneThatWrites) {
  const auto chosen = suspects(group_of({Activity::kWriting, Activity::kFinished},
                                        {Activity::kLeaving, Activity::kVisiting}),
                               1, false);
  ASSERT_EQ(chosen.size(), 1U);
  EXPECT_EQ(chosen[0].arm, 1U);
}

TEST(Suspects, AreAllOfTheArmOnTurnWhereNobodyIsBehind) {
  const auto chosen =
      suspects(group_of({kWaits, kWaits}, {Activity::kLeaving, Activity::kLeaving}), 1, false);
  ASSERT_EQ(chosen.size(), 2U);
  EXPECT_EQ(chosen[0].arm, 1U);
}

TEST(Suspects, WhileItStartsAreThoseThatHaveNotCome) {
  const auto chosen =
      suspects(group_of({kWaits, kWaits}, {Activity::kStarting, Activity::kWaiting}), 0, true);
  ASSERT_EQ(chosen.size(), 1U);
  EXPECT_EQ(chosen[0].arm, 1U);
  EXPECT_EQ(chosen[0].rank, 0);
}

// A file system may take longer than any visit, also when the turn is no longer the writer's.
TEST(LongSteps, ArePreparingAndWritingOfAnyArm) {
  const std::string name = page_name("long");
  const Page::Shape shape{.arms = 2, .local_ranks = 1};
  const Page first = Page::attach(name, shape, {.arm = 0});
  const Page second = Page::attach(name, shape, {.arm = 1});
  second.note({Activity::kWaiting});
  const auto takes_long = [&](Doing doing) {
    first.note(doing);
    return prepares_or_writes(second);
  };
  EXPECT_TRUE(takes_long({Activity::kPreparing})) << "clocks";
  EXPECT_TRUE(takes_long({Activity::kWriting}));
  EXPECT_FALSE(takes_long({Activity::kPreparing, 1})) << "a cell is verified";
  EXPECT_FALSE(takes_long({Activity::kVisiting, 3}));
  EXPECT_FALSE(takes_long({Activity::kLeaving, 3}));
  EXPECT_FALSE(takes_long({Activity::kFinished}));
}

}  // namespace
}  // namespace invar::group::test
