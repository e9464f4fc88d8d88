// Sequential campaigns: the looks decide, and what comes in later changes nothing.
#include "analysis/compare/looks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/compare/compare.hpp"
#include "analysis/compare/tuning.hpp"
#include "analysis/planted.hpp"

namespace invar::analysis {
namespace {

using planted::look_after;
using stats::Verdict;
using testing::ElementsAre;
using testing::HasSubstr;

const Rules kSequential{.sequential = true};

// Cell 0 surely differs, cell 1 is the same, cell 2 is too noisy to tell.
planted::Plan easy_and_hard(std::uint32_t groups) {
  planted::Plan plan = planted::with_ratios({1.5, 1.0, 1.01});
  plan.groups = groups;
  plan.rounds = 10;
  return plan;
}

store::Data with_looks(const planted::Plan& plan, std::vector<store::LookLine> looks) {
  store::Data data = planted::data(plan);
  data.looks = std::move(looks);
  return data;
}

TEST(Looks, ACellIsDecidedByTheLookThatHadEnoughAndKeepsItsNumbers) {
  const store::Data early = with_looks(easy_and_hard(3), {look_after(1, 3)});
  const store::Data late =
      with_looks(easy_and_hard(8), {look_after(1, 3), look_after(2, 5), look_after(3, 8)});
  const ComparedCell before = compare(planted::study(early, kSequential)).cells[0];
  const ComparedCell after = compare(planted::study(late, kSequential)).cells[0];
  EXPECT_EQ(before.verdict, Verdict::kFaster);
  EXPECT_EQ(before.look, 1U);
  EXPECT_EQ(after.look, 1U);
  EXPECT_EQ(after.launches, 3U);
  EXPECT_EQ(after.ratio, before.ratio);
  EXPECT_EQ(after.p, before.p);
  EXPECT_EQ(after.ratio_interval, before.ratio_interval);
}

// Winners are sought among all arms, rows are those with the reference.
TEST(Looks, OfSeveralArmsCountEveryPair) {
  planted::Plan plan;
  plan.arms = {"openmpi", "mpich", "intel"};
  plan.cells = {planted::cell("allreduce", 8)};
  plan.groups = 5;
  plan.time_ns = [](std::size_t arm, std::size_t) { return 1000.0 * static_cast<double>(arm + 1); };
  const Comparison answer =
      compare(planted::study(with_looks(plan, {look_after(1, 5)}), kSequential));
  EXPECT_EQ(answer.cells.size(), 2U);
  EXPECT_EQ(answer.looks[0].questions, 3U);
  EXPECT_EQ(answer.looks[0].decided, 3U);
}

TEST(Looks, UndecidedCellsAreThoseOfTheLastLookNotOfGroupsAfterIt) {
  planted::Plan plan = easy_and_hard(8);
  plan.launch_sd = 0.05;
  const Comparison answer =
      compare(planted::study(with_looks(plan, {look_after(1, 3), look_after(2, 5)}), kSequential));
  EXPECT_EQ(answer.cells[2].verdict, Verdict::kUndecided);
  EXPECT_FALSE(answer.cells[2].look.has_value());
  EXPECT_EQ(answer.cells[2].launches, 5U);
  EXPECT_EQ(answer.looks.size(), 2U);
  EXPECT_EQ(answer.looks[1].questions, answer.cells.size());
  EXPECT_THAT(answer.sentence, HasSubstr("sequential, looks after 3 and 5 launch groups"));
}

TEST(Looks, WhatIsLeftOpenIsOneRemarkWithOneNumber) {
  planted::Plan plan = easy_and_hard(8);
  plan.launch_sd = 0.05;
  store::Data data = with_looks(plan, {look_after(1, 3), look_after(2, 5)});
  data.warnings = {
      store::LeftOpen{.reason = "all looks were taken", .undecided = 2, .questions = 3}};
  const auto about_it = [](const Comparison& answer) {
    std::vector<std::string> texts;
    for (const Warning& warning : answer.warnings) {
      if (warning.text.find("decided") != std::string::npos) texts.push_back(warning.text);
    }
    return texts;
  };
  EXPECT_THAT(about_it(compare(planted::study(data, kSequential))),
              ElementsAre(testing::MatchesRegex(
                  "2 of 3 comparisons undecided after 5 launch groups \\(all looks were taken\\); "
                  "about [0-9]+.* would bring every interval within 2 % .*")));
  // Nothing that is shown is open: no number is to be told, only how it ended.
  plan = planted::with_ratios({1.5, 1.5, 1.5});
  data = with_looks(plan, {look_after(1, 3), look_after(2, 5)});
  data.warnings = {store::LeftOpen{
      .reason = "the budget of 9 s is over after 8 s: another group takes about 1 s",
      .undecided = 1,
      .questions = 9}};
  EXPECT_THAT(about_it(compare(planted::study(data, kSequential))),
              ElementsAre("the budget of 9 s is over after 8 s: another group takes about 1 s: 1 "
                          "of 9 questions is not decided"));
}

TEST(Looks, ThatNoneWasTakenIsOneRemarkWithItsReason) {
  store::Data data = with_looks(easy_and_hard(2), {});
  const auto about_it = [&] {
    std::vector<std::string> texts;
    for (const Warning& warning : compare(planted::study(data, kSequential)).warnings) {
      const bool open = warning.text.find("not decided") != std::string::npos;
      if (open || warning.text.find(" look ") != std::string::npos) texts.push_back(warning.text);
    }
    return texts;
  };
  EXPECT_THAT(about_it(),
              ElementsAre("no look was taken yet: the first one is after 3 launch groups"));
  data.warnings = {
      store::LeftOpen{.reason = "the budget of 9 s is over", .undecided = 3, .questions = 3}};
  EXPECT_THAT(about_it(), ElementsAre("no look was taken (the budget of 9 s is over): the first "
                                      "one is after 3 launch groups"));
}

// Groups 3 and 6 are slow, and the ratio there is another one.
planted::Plan with_slow_groups(std::uint32_t groups) {
  const auto slow = [](std::uint32_t group) { return group % 3 == 0; };
  planted::Plan plan = easy_and_hard(groups);
  plan.canary_ns = [slow](std::uint32_t group) {
    return (slow(group) ? 500.0 : 130.0) * (1 + 0.01 * (group % 5));
  };
  plan.slower = [slow](std::uint32_t group, std::uint32_t, std::size_t arm) {
    return slow(group) ? (arm == 0 ? 6.0 : 2.0) : 1.0;
  };
  return plan;
}

TEST(Looks, AllOfThemSpeakOfTheRegimeOfTheFirst) {
  std::vector<store::LookLine> looks{look_after(1, 4), look_after(2, 7)};
  looks[0].regime = base::CanaryBand{.low_ns = 100, .high_ns = 200};
  const Comparison fast =
      compare(planted::study(with_looks(with_slow_groups(7), looks), kSequential));
  ASSERT_TRUE(fast.reference);
  EXPECT_EQ(fast.reference->band, looks[0].regime);
  EXPECT_EQ(fast.cells[0].verdict, Verdict::kFaster);
  EXPECT_NEAR(*fast.cells[0].ratio, 1.5, 0.03);
  EXPECT_EQ(fast.cells[0].launches, 3U) << "one of four groups is in another regime";
  EXPECT_EQ(fast.looks[0].launches, 4U);
  // What came in later, in whichever regime, changes nothing of it.
  looks.pop_back();
  const Comparison then =
      compare(planted::study(with_looks(with_slow_groups(4), looks), kSequential));
  EXPECT_EQ(fast.cells[0].ratio, then.cells[0].ratio);
  EXPECT_EQ(fast.cells[0].p, then.cells[0].p);
}

std::optional<std::string> lack_with_regime(const store::Data& data, base::CanaryBand regime) {
  Rules rules = kSequential;
  rules.regime = regime;
  const auto lack = comparison_lack(planted::study(data, rules, {.regime = regime}));
  return lack ? std::optional(lack->text()) : std::nullopt;
}

// Cells left the plan by what the looks saw there.
TEST(Looks, NoOtherRegimeThanThatOfTheLooksIsChosenAfterwards) {
  std::vector<store::LookLine> looks{look_after(1, 4), look_after(2, 7)};
  const base::CanaryBand fast{.low_ns = 100, .high_ns = 200};
  const base::CanaryBand slow{.low_ns = 400, .high_ns = 700};
  looks[0].regime = fast;
  store::Data data = with_looks(with_slow_groups(7), looks);
  EXPECT_EQ(lack_with_regime(data, slow), "the looks of this campaign were at regime 100ns:200ns");
  EXPECT_FALSE(lack_with_regime(data, fast));
  data.looks[0].regime.reset();
  EXPECT_EQ(lack_with_regime(data, slow),
            "the looks of this campaign were at all regimes together");
  // What no visit was in has decided nothing.
  data.looks[0].regime = base::CanaryBand{.low_ns = 10, .high_ns = 20};
  EXPECT_FALSE(lack_with_regime(data, slow));
  data.looks.clear();
  EXPECT_FALSE(lack_with_regime(data, slow));
}

TEST(Looks, ACampaignFromBeforeThereWereBandsMixesItsRegimesAndSaysSo) {
  const Comparison mixed =
      compare(planted::study(with_looks(with_slow_groups(7), {look_after(1, 7)}), kSequential));
  EXPECT_FALSE(mixed.reference);
  EXPECT_EQ(mixed.cells[0].launches, 7U);
  EXPECT_THAT(mixed.warnings,
              testing::Contains(HasSubstr("which the looks of this campaign did not "
                                          "tell apart")));
}

TEST(LookGround, GroupsInAnotherRegimeDoNotCount) {
  const store::Data data = planted::data(with_slow_groups(7));
  const LookGround ground = look_ground(data, kSequential);
  ASSERT_TRUE(ground.regime);
  EXPECT_TRUE(ground.regime->contains(131));
  EXPECT_EQ(ground.outside, 2U);
  Rules named = kSequential;
  named.regime = base::CanaryBand{.low_ns = 400, .high_ns = 600};
  EXPECT_EQ(look_ground(data, named).outside, 5U);
  EXPECT_EQ(look_ground(planted::data(easy_and_hard(7)), kSequential).outside, 0U);
}

TEST(LookGround, NobodyWaitsForARegimeThatHardlyComes) {
  planted::Plan plan = with_slow_groups(6);
  plan.canary_ns = [](std::uint32_t group) {
    return (group < 3 ? 130.0 : 500.0) * (1 + 0.01 * (group % 5));
  };
  // Two of six groups make no first look of three: it is of the next regime, which has four.
  const LookGround ground = look_ground(planted::data(plan), kSequential);
  ASSERT_TRUE(ground.regime);
  EXPECT_TRUE(ground.regime->contains(510));
  EXPECT_EQ(ground.outside, 2U);
  plan.groups = 5;  // not yet
  EXPECT_TRUE(look_ground(planted::data(plan), kSequential).regime->contains(131));
  EXPECT_EQ(look_ground(planted::data(plan), kSequential).outside, 3U);
}

TEST(LookGround, WhereNoRegimeHasGroupsEnoughTheFirstLookIsOverEverything) {
  planted::Plan plan = with_slow_groups(6);
  plan.canary_ns = [](std::uint32_t group) {
    return (group < 3 ? 130.0 : (group < 5 ? 500.0 : 1400.0)) * (1 + 0.01 * (group % 5));
  };
  const LookGround ground = look_ground(planted::data(plan), kSequential);
  EXPECT_FALSE(ground.regime) << "two groups each";
  EXPECT_EQ(ground.outside, 0U);
}

TEST(Looks, WhereTheLastOneWouldNotDoACampaignWithoutThemIsNamed) {
  planted::Plan plan = easy_and_hard(5);
  plan.launch_sd = 0.1;
  const Comparison answer =
      compare(planted::study(with_looks(plan, {look_after(1, 3), look_after(2, 5)}), kSequential));
  EXPECT_THAT(answer.warnings, testing::Contains(testing::MatchesRegex(
                                   ".*; about [0-9]+, in a new campaign with --fixed .in a file "
                                   "stopping = .fixed.., would bring every interval.*")));
}

TEST(Looks, CellsThatLeftThePlanNeedNoLaterGroups) {
  store::Data data = with_looks(easy_and_hard(5), {look_after(1, 3), look_after(2, 5)});
  const ComparedCell whole = compare(planted::study(data, kSequential)).cells[0];
  for (store::Group& group : data.groups) {
    if (group.group <= 3) continue;
    for (store::Launch& launch : group.launches) {
      std::erase_if(launch.visits, [](const store::Visit& one) { return one.line.cell == 0; });
    }
  }
  const ComparedCell left = compare(planted::study(data, kSequential)).cells[0];
  EXPECT_EQ(left.look, 1U);
  EXPECT_EQ(left.ratio, whole.ratio);
  EXPECT_EQ(left.p, whole.p);
}

TEST(Looks, BeforeTheFirstOneThereIsNeitherPNorVerdict) {
  const Comparison answer = compare(planted::study(with_looks(easy_and_hard(2), {}), kSequential));
  for (const ComparedCell& row : answer.cells) {
    EXPECT_EQ(row.verdict, Verdict::kUndecided);
    EXPECT_FALSE(row.p.has_value());
    EXPECT_TRUE(row.ratio.has_value());
  }
  EXPECT_THAT(answer.sentence, HasSubstr("no look yet"));
}

TEST(Looks, AQuestionIsDecidedAmongAllThatTheCampaignComparesWhateverIsPrinted) {
  planted::Plan plan = easy_and_hard(5);
  plan.arms = {"a", "b", "c"};
  plan.time_ns = [](std::size_t arm, std::size_t) { return arm == 1 ? 1080.0 : 1000.0; };
  plan.launch_sd = 0.01;
  const store::Data data = with_looks(plan, {look_after(1, 3), look_after(2, 5)});
  const Comparison all = compare(planted::study(data, kSequential, {.all_pairs = true}));
  const Comparison some = compare(planted::study(data, kSequential, {.arms = {"b", "a"}}));
  ASSERT_EQ(some.cells.size(), 3U);
  EXPECT_EQ(some.cells[0].arm_a, "b");
  EXPECT_NEAR(*some.cells[0].ratio * *all.cells[0].ratio, 1, 1e-12);
  EXPECT_NEAR(*some.cells[0].p_adjusted, *all.cells[0].p_adjusted, 1e-12);
  EXPECT_EQ(some.cells[0].look, all.cells[0].look);
  EXPECT_EQ(some.comparisons, 9U);
  EXPECT_TRUE(some.best.empty());
}

TEST(Standings, WhatIsDecidedNeedsNoMoreVisits) {
  planted::Plan plan = easy_and_hard(3);
  plan.launch_sd = 0.01;
  const store::Data data = with_looks(plan, {look_after(1, 3)});
  const Standings standings = stand(data, kSequential);
  EXPECT_THAT(standings.done(data), ElementsAre(record::ArmCell{0, 0}, record::ArmCell{0, 1}));
}

TEST(Standings, ACellOfOneArmIsSettledByThePrecisionOfItsTime) {
  planted::Plan plan = easy_and_hard(8);
  plan.group_sd = 0.001;
  store::Data data = with_looks(plan, {look_after(1, 3), look_after(2, 5)});
  planted::remove_cell(data, 1, 1);
  const Standings standings = stand(data, kSequential);
  ASSERT_EQ(standings.looks.lonely.size(), 1U);
  EXPECT_EQ(standings.looks.lonely[0].look, 2U) << "five launches at least";
}

GroupCosts costs(double startup_s, double visit_s, double repetition_s) {
  GroupCosts found{.group_s = 1, .startup_s = startup_s};
  for (std::uint32_t cell = 0; cell < 3; ++cell) {
    for (const std::uint32_t arm : {0U, 1U}) {
      found.visits[{cell, arm}] = {.visit_s = visit_s, .repetition_s = repetition_s};
    }
  }
  return found;
}

Tuning tuned(const planted::Plan& plan, const GroupCosts& of_group) {
  const store::Data data = with_looks(plan, {});
  return tune(data, stand(data, kSequential), kSequential, of_group, 10, 40);
}

TEST(Tuning, WhereGroupsDifferLittleAndCostMuchTheyBecomeLong) {
  planted::Plan plan = easy_and_hard(3);
  plan.launch_sd = 0.0001;
  plan.visit_sd = 0.05;
  EXPECT_EQ(tuned(plan, costs(0.5, 1e-4, 1e-6)).rounds, 40U) << "four times as many at most";
}

TEST(Tuning, WhereGroupsDifferMuchTheyBecomeShort) {
  planted::Plan plan = easy_and_hard(3);
  plan.launch_sd = 0.1;
  plan.visit_sd = 0.001;
  const Tuning short_one = tuned(plan, costs(0.01, 1e-3, 1e-5));
  EXPECT_EQ(short_one.rounds, 4U);
  ASSERT_EQ(short_one.repetitions.size(), 3U);
}

TEST(Tuning, RepetitionsGoWithTheirNoise) {
  planted::Plan plan = easy_and_hard(3);
  plan.visit_sd = 0.02;
  plan.noise_sd = 0.001;
  const std::uint32_t quiet = tuned(plan, costs(0.1, 1e-3, 1e-5)).repetitions.at(0);
  plan.visit_sd = 0.0001;
  plan.noise_sd = 0.2;
  const std::uint32_t noisy = tuned(plan, costs(0.1, 1e-3, 1e-5)).repetitions.at(0);
  EXPECT_EQ(quiet, 10U);
  EXPECT_EQ(noisy, 160U);
}

TEST(GroupCosts, AGroupCostsItsStartUpAndItsVisits) {
  const GroupCosts found = costs(0.5, 2e-3, 1e-5);
  // Two visits of cell 0 a round, 100 repetitions each; cell 1 as usual.
  EXPECT_NEAR(found.seconds({{0, 0}, {0, 1}, {1, 0}}, 10, {{0, 100}}, 50),
              0.5 + 10 * (2 * (2e-3 + 1e-3) + 2e-3 + 5e-4), 1e-12);
}

// With 20 rounds two runs of a program of half a second each seemed to take 20 s: no further group
// fitted into the budget.
TEST(GroupCosts, AProgramRunsOnceAGroupHoweverManyRoundsThereAre) {
  planted::Plan plan;
  plan.arms = {"intel", "intel+IMB-MPI1"};
  store::Data data = planted::data(plan);
  data.arms[1].program = "IMB-MPI1 PingPong";
  const GroupCosts found = group_costs(data, 1);
  const GroupCosts::OfVisit& own = found.visits.at({0, 0});
  const GroupCosts::OfVisit& program = found.visits.at({0, 1});
  ASSERT_GT(program.visit_s, 0);
  EXPECT_NEAR(found.seconds({{0, 0}, {0, 1}}, 20, {}, 50),
              found.startup_s + 20 * (own.visit_s + 50 * own.repetition_s) + program.visit_s +
                  50 * program.repetition_s,
              1e-9);
}

// 5 of 15 repetitions were too far apart and made once more. They took the time of any other, and
// are none of what a visit takes beside its repetitions.
TEST(GroupCosts, RepetitionsThatDoNotCountTookTheirTimeAsWell) {
  store::Data data = planted::data({});
  for (store::Group& group : data.groups) {
    for (store::Launch& launch : group.launches) {
      for (store::Visit& visit : launch.visits) {
        visit.line.valid = 10;
        visit.line.apart = 5;
        // The records are the test's own; each begins 10 us after the one before.
        for (const record::Timing& timing : visit.records) {
          const_cast<record::Timing&>(timing).start_ps =
              std::int64_t{10'000'000} * timing.repetition;
        }
      }
    }
  }
  const GroupCosts found = group_costs(data, 1);
  ASSERT_EQ(found.visits.size(), 6U);
  for (const auto& [place, cost] : found.visits) {
    EXPECT_NEAR(cost.repetition_s, 1e-5, 1e-12);
    EXPECT_NEAR(cost.visit_s, 0.9e-3 - 15 * 1e-5, 1e-12);
  }
}

}  // namespace
}  // namespace invar::analysis
