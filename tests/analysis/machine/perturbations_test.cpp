// Stretches in which the machine was slower: found, told, kept, and named for a second measurement.
#include "analysis/machine/perturbations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/compare/compare.hpp"
#include "analysis/planted.hpp"

namespace invar::analysis {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

planted::Plan quiet() {
  planted::Plan plan;
  plan.groups = 6;
  plan.rounds = 20;  // of three cells: 60 blocks a group
  return plan;
}

std::vector<Perturbation> found(const store::Data& data, Pairing pairing = Pairing::kTurns) {
  return find_perturbations(data, summarize_visits(data, Runtime::kAuto, true), pairing);
}

TEST(Perturbations, QuietMachineHasNone) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    planted::Plan plan = quiet();
    plan.seed = seed;
    EXPECT_TRUE(found(planted::data(plan)).empty()) << seed;
  }
}

TEST(Perturbations, SlowedStretchIsItsWholeBlocksOfItsGroup) {
  planted::Plan plan = quiet();
  plan.slower = [](std::uint32_t group, std::uint32_t block, std::size_t) {
    return group == 4 && block >= 12 && block <= 15 ? 1.3 : 1.0;
  };
  const std::vector<Perturbation> stretches = found(planted::data(plan));
  ASSERT_EQ(stretches.size(), 1U);
  EXPECT_EQ(stretches[0].group, 4U);
  EXPECT_THAT(stretches[0].blocks, ElementsAre(12, 13, 14, 15));
  EXPECT_NEAR(stretches[0].slowdown, 0.3, 0.03);
  EXPECT_EQ(stretches[0].visits, 8U);
  EXPECT_DOUBLE_EQ(stretches[0].begin_s, 0.024);
  EXPECT_THAT(perturbation_warnings(stretches),
              Contains(HasSubstr("blocks 12 to 15 of group 4 ran 30 % slower")));
}

// Launches that follow each other have time lines of their own: that the other one was not slowed
// down says nothing.
TEST(Perturbations, LaunchesThatFollowEachOtherAreLookedAtOneByOne) {
  planted::Plan plan = quiet();
  plan.slower = [](std::uint32_t group, std::uint32_t block, std::size_t arm) {
    return group == 4 && arm == 0 && block >= 12 && block <= 24 ? 1.15 : 1.0;
  };
  const store::Data data = planted::data(plan);
  EXPECT_TRUE(found(data).empty()) << "every second visit is as usual";
  const std::vector<Perturbation> stretches = found(data, Pairing::kLaunches);
  ASSERT_EQ(stretches.size(), 1U);
  EXPECT_EQ(stretches[0].visits, 13U);
}

// A stretch that begins with the second arm's visit concerns the first one's block as well.
TEST(Perturbations, BlockThatIsTouchedInPartIsRepeatedWhole) {
  planted::Plan plan = quiet();
  plan.slower = [](std::uint32_t group, std::uint32_t block, std::size_t arm) {
    return group == 2 && (block == 30 || block == 31 || (block == 29 && arm == 1)) ? 1.5 : 1.0;
  };
  const store::Data data = planted::data(plan);
  EXPECT_THAT(blocks_to_repeat(data, found(data)),
              ElementsAre(RepeatedBlock{.group = 2, .round = 9, .block = 29, .cell = 2},
                          RepeatedBlock{.group = 2, .round = 10, .block = 30, .cell = 0},
                          RepeatedBlock{.group = 2, .round = 10, .block = 31, .cell = 1}));
}

TEST(Perturbations, SingleWildVisitsAreNoStretch) {
  planted::Plan plan = quiet();
  plan.slower = [](std::uint32_t, std::uint32_t block, std::size_t arm) {
    return block % 10 == 0 && arm == 0 ? 5.0 : 1.0;
  };
  EXPECT_TRUE(found(planted::data(plan)).empty());
}

TEST(Perturbations, ArmThatIsSlowEverywhereIsNone) {
  EXPECT_TRUE(found(planted::data([] {
                planted::Plan plan = quiet();
                plan.time_ns = [](std::size_t arm, std::size_t) {
                  return arm == 1 ? 3000. : 1000.;
                };
                return plan;
              }()))
                  .empty());
}

// Half of a launch is a regime of the machine, not a perturbation of it.
TEST(Perturbations, HalfALaunchIsARegime) {
  planted::Plan plan = quiet();
  plan.slower = [](std::uint32_t, std::uint32_t block, std::size_t) {
    return block >= 33 ? 1.5 : 1.0;
  };
  EXPECT_TRUE(found(planted::data(plan)).empty());
}

TEST(Perturbations, NothingIsDropped) {
  planted::Plan plan = quiet();
  plan.slower = [](std::uint32_t group, std::uint32_t block, std::size_t) {
    return group == 1 && block >= 10 && block < 20 ? 2.0 : 1.0;
  };
  const store::Data data = planted::data(plan);
  const Comparison result = compare(planted::study(data, Rules{}));
  EXPECT_EQ(result.perturbations.size(), 1U);
  EXPECT_EQ(result.cells[0].launches, 6U);
  const Summaries summaries = summarize_visits(data, Runtime::kAuto, true);
  EXPECT_EQ(summaries.visits.size(), 6U * 60 * 2);
  EXPECT_THAT(result.warnings, Contains(HasSubstr("of group 1 ran")));
}

// Two visits of an arm and cell have no usual time: their middle is each of them.
TEST(Perturbations, TooFewVisitsSayNothing) {
  planted::Plan plan = quiet();
  plan.rounds = 2;
  plan.slower = [](std::uint32_t, std::uint32_t block, std::size_t) {
    return block >= 3 ? 2.0 : 1.0;
  };
  EXPECT_TRUE(found(planted::data(plan)).empty());
}

}  // namespace
}  // namespace invar::analysis
