// Arms that move the canaries of the blocks that they share with others, and launches that merely
// lie in another place.
#include "analysis/machine/moved_canaries.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "analysis/compare/compare.hpp"
#include "analysis/compare/looks.hpp"
#include "analysis/planted.hpp"
#include "simulations.hpp"
#include "stats/test/binomial.hpp"

namespace invar::analysis {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr std::array kCutNs{250.0};

planted::Plan canary_plan(std::uint32_t groups) {
  planted::Plan plan;
  plan.cells = {planted::cell("allreduce", 8)};
  plan.groups = groups;
  plan.rounds = 10;
  plan.repetitions = 2;
  plan.warm_up = 0;
  return plan;
}

double near(double canary_ns, std::uint32_t group, std::uint32_t block) {
  return canary_ns * (1 + 0.01 * ((group + block) % 5));
}

// mpich lies in the slow regime in `of_ten` of ten blocks, openmpi never.
planted::Plan mover(std::uint32_t groups, std::uint32_t of_ten) {
  planted::Plan plan = canary_plan(groups);
  plan.arm_canary_ns = [of_ten](std::uint32_t group, std::uint32_t block, std::size_t arm) {
    return near(arm == 1 && block % 10 < of_ten ? 500 : 130, group, block);
  };
  return plan;
}

std::optional<MovedCanaries> moved_in(const planted::Plan& plan) {
  const store::Data data = planted::data(plan);
  return moved_canaries(data, summarize_visits(data, Runtime::kAuto, true), kCutNs);
}

TEST(MovedCanaries, AnArmThatMovesThemIsFoundFromEightGroupsOn) {
  EXPECT_FALSE(moved_in(mover(7, 5))) << "seven groups cannot show it at 1 %";
  const auto moved = moved_in(mover(8, 5));
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->slow, 1U);
  EXPECT_EQ(moved->fast, 0U);
  EXPECT_EQ(moved->groups, 8U);
  EXPECT_EQ(moved_text(planted::data(mover(8, 5)), *moved),
            "'mpich' lies in a slower regime than 'openmpi' in the blocks that they share (8 of 8 "
            "launch groups where they differ)");
}

// All blocks of a group tell the same: that its launches have their pages somewhere.
TEST(MovedCanaries, LaunchesThatLieInAnotherPlaceAreFoundNoMoreOftenThanOnePercent) {
  constexpr std::size_t kCampaigns = test::simulations(500);
  std::size_t found = 0;
  base::Random random(11);
  for (std::size_t i = 0; i < kCampaigns; ++i) {
    planted::Plan plan = canary_plan(12);
    plan.rounds = 3;
    plan.repetitions = 1;
    std::array<std::array<bool, 13>, 2> slow{};
    for (auto& of_arm : slow) {
      for (bool& launch : of_arm) launch = random.uniform() < 0.5;
    }
    plan.arm_canary_ns = [slow](std::uint32_t group, std::uint32_t block, std::size_t arm) {
      return near(slow.at(arm).at(group) ? 500 : 130, group, block);
    };
    found += moved_in(plan) ? 1U : 0U;
  }
  EXPECT_LE(found, stats::binomial_limit(kCampaigns, 0.01, 0.01));
}

TEST(MovedCanaries, FewBlocksMakeNoRegime) {
  planted::Plan plan = mover(20, 0);
  plan.rounds = 50;
  const auto first_of = [](std::uint32_t blocks) {
    return [blocks](std::uint32_t group, std::uint32_t block, std::size_t arm) {
      return near(arm == 1 && block < blocks ? 500 : 130, group, block);
    };
  };
  plan.arm_canary_ns = first_of(2);
  EXPECT_FALSE(moved_in(plan)) << "in every group, but 4 % of the blocks";
  plan.arm_canary_ns = first_of(3);
  EXPECT_TRUE(moved_in(plan));
}

TEST(MovedCanaries, TheSameLibraryTwiceMovesNothing) {
  planted::Plan plan = mover(12, 10);
  plan.arms = {"openmpi#1", "openmpi#2"};
  EXPECT_FALSE(moved_in(plan));
  // Beside another arm they are asked about that one only.
  plan.arms = {"openmpi#1", "openmpi#2", "mpich"};
  const auto moved = moved_in(plan);
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->fast, 2U);
}

TEST(MovedCanaries, SeveralArmsNeedMoreGroups) {
  planted::Plan plan = mover(8, 10);
  plan.arms = {"a", "b", "c", "d", "e"};
  EXPECT_FALSE(moved_in(plan)) << "1 % over ten pairs";
  plan.groups = 11;
  EXPECT_TRUE(moved_in(plan));
}

TEST(MovedCanaries, WithoutCanariesNobodyIsAsked) {
  planted::Plan plan = mover(12, 10);
  plan.arm_canary_ns = [](std::uint32_t, std::uint32_t, std::size_t) { return 0.0; };
  EXPECT_FALSE(moved_in(plan));
}

// The library against itself under a load on one core: every launch has its place, and stays there.
TEST(MovedCanaries, OfOneLibraryTwiceNothingIsSaidAndNoBandIsGivenUp) {
  planted::Plan plan = mover(12, 3);
  plan.arms = {"openmpi#1", "openmpi#2"};
  const Comparison result = compare(planted::study(planted::data(plan)));
  EXPECT_THAT(result.warnings, Not(Contains(HasSubstr("slower regime"))));
  EXPECT_TRUE(result.reference && result.reference->split);
}

store::Data with_look(const planted::Plan& plan, std::optional<base::CanaryBand> band) {
  store::Data data = planted::data(plan);
  data.looks = {planted::look_after(1, 3), planted::look_after(2, plan.groups)};
  data.looks[0].regime = band;
  return data;
}

constexpr base::CanaryBand kFastRegime{.low_ns = 100, .high_ns = 200};
const Rules kMovedByLooks{.sequential = true};

// At three groups nobody could know. The band stays, because verdicts rest on it.
TEST(MovedCanaries, AfterTheFirstLookTheArmIsNamedAndTheBandStays) {
  const Comparison result =
      compare(planted::study(with_look(mover(8, 5), kFastRegime), kMovedByLooks));
  ASSERT_TRUE(result.reference);
  EXPECT_EQ(result.reference->band, kFastRegime);
  const auto told = std::ranges::find_if(result.warnings, [](const Warning& warning) {
    return warning.text.starts_with("'mpich' lies in a slower regime than 'openmpi'");
  });
  ASSERT_NE(told, result.warnings.end());
  EXPECT_EQ(told->gravity, Gravity::kDoubt);
  EXPECT_THAT(told->text, HasSubstr(": that is the arm's doing and not the machine's, and yet it "
                                    "decides which blocks are left out"));
}

TEST(MovedCanaries, LooksAtAllRegimesTogetherAreNotSaidToMixTheMachines) {
  const Comparison result =
      compare(planted::study(with_look(mover(8, 5), std::nullopt), kMovedByLooks));
  EXPECT_FALSE(result.reference);
  EXPECT_THAT(result.warnings, Contains(HasSubstr("'mpich' lies in a slower regime")));
  EXPECT_THAT(result.warnings, Not(Contains(HasSubstr("did not tell apart"))));
}

TEST(MovedCanaries, BeforeTheFirstLookNoBandIsChosen) {
  store::Data data = planted::data(mover(8, 5));
  EXPECT_FALSE(look_ground(data, kMovedByLooks).regime);
  EXPECT_TRUE(look_ground(planted::data(mover(5, 5)), kMovedByLooks).regime);
}

TEST(MovedCanaries, ANamedRegimeStaysAndTheArmIsNamed) {
  const Rules named{.regime = kFastRegime};
  const Comparison result = compare(planted::study(planted::data(mover(8, 5)), named));
  ASSERT_TRUE(result.reference);
  EXPECT_TRUE(result.reference->split);
  EXPECT_THAT(result.warnings, Contains(HasSubstr("'mpich' lies in a slower regime")));
  // One regime by its canaries, that the name cuts in two.
  planted::Plan plan = mover(8, 0);
  plan.arm_canary_ns = [](std::uint32_t, std::uint32_t block, std::size_t arm) {
    return (arm == 1 ? 205.0 : 195.0) + block % 2;
  };
  EXPECT_THAT(compare(planted::study(planted::data(plan), Rules{})).warnings,
              Not(Contains(HasSubstr("slower regime"))));
  EXPECT_THAT(compare(planted::study(planted::data(plan), named)).warnings,
              Contains(HasSubstr("'mpich' lies in a slower regime")));
}

TEST(MovedCanaries, InTwoCampaignsEachIsAskedByItself) {
  store::Data first = planted::data(mover(8, 5));
  first.dir = "day1";
  planted::Plan plan = mover(8, 5);
  plan.arm_canary_ns = [](std::uint32_t group, std::uint32_t block, std::size_t) {
    return near(block % 2 == 0 ? 500 : 130, group, block);
  };
  store::Data second = planted::data(plan);
  second.dir = "day2";
  const Comparison result = compare_campaigns(planted::both(first, second));
  EXPECT_FALSE(result.reference);
  EXPECT_THAT(result.warnings,
              Contains(AllOf(HasSubstr("day1: 'mpich' lies in a slower regime than 'openmpi'"),
                             HasSubstr("nothing is split by regimes"))));
  EXPECT_THAT(result.warnings, Not(Contains(HasSubstr("day2: 'mpich'"))));
  const Comparison named =
      compare_campaigns(planted::both(first, second, Rules{.regime = kFastRegime}));
  EXPECT_TRUE(named.reference);
  EXPECT_THAT(named.warnings, Contains(HasSubstr("day1: 'mpich' lies in a slower regime")));
}

}  // namespace
}  // namespace invar::analysis
