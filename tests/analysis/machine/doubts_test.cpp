// Data that are damaged, incomplete or suspicious, and questions that cannot be answered.
#include "analysis/compare/compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/planted.hpp"
#include "base/error.hpp"

namespace invar::analysis {
namespace {

using stats::Verdict;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

Comparison compared_plan(const planted::Plan& plan, const Rules& rules = {},
                         const CompareOptions& options = {}) {
  return compare(planted::study(planted::data(plan), rules, options));
}

base::Exit exit_of(const store::Data& data, const Rules& rules = {},
                   const CompareOptions& options = {}) {
  try {
    (void)compare(planted::study(data, rules, options));
  } catch (const base::CommandError& error) {
    return error.status();
  }
  return base::Exit::kDone;
}

std::string refusal_of(const store::Data& data, const Rules& rules = {},
                       const CompareOptions& options = {}) {
  try {
    (void)compare(planted::study(data, rules, options));
  } catch (const base::CommandError& error) {
    return error.what();
  }
  return "";
}

TEST(Doubts, FailedCellIsComparedAmongTheArmsThatHaveIt) {
  planted::Plan plan;
  plan.arms = {"openmpi", "mpich", "intel"};
  store::Data data = planted::data(plan);
  data.failed_cells = {{.cell = 1, .arm = "openmpi", .reason = "wrong result on rank 1"}};
  const Comparison result = compare(planted::study(data, Rules{}));
  ASSERT_EQ(result.cells.size(), 5U);
  EXPECT_EQ(result.cells[2].arm_a, "mpich");
  EXPECT_EQ(result.cells[2].arm_b, "intel");
  EXPECT_TRUE(result.health.measurement_failed());
  EXPECT_THAT(result.warnings, Contains(HasSubstr("wrong result on rank 1")));
}

TEST(Doubts, DroppedArmIsNamedWithItsReason) {
  store::Data data = planted::data({});
  data.dropped_arms = {{.arm = "mpich", .reason = "failed three groups"}};
  const Comparison result = compare(planted::study(data, Rules{}));
  EXPECT_TRUE(result.health.measurement_failed());
  EXPECT_THAT(result.warnings,
              Contains(Warning("mpich was dropped from later groups: failed three groups",
                               Gravity::kDoubt)));
}

TEST(Doubts, FailedAndDamagedGroupsPutVerdictsInDoubtAndMadeUpOnesDoNot) {
  store::Data data = planted::data({});
  data.failed_groups = {{.group = 9, .reason = "killed"}};
  data.damage = {{.place = "launches/3", .what = "truncated"}};
  data.warnings = {"group 2 failed and was whole when it was measured again: killed"};
  const Comparison result = compare(planted::study(data, Rules{}));
  const auto is_told = [&](const std::string& begin, Gravity gravity) {
    return std::any_of(result.warnings.begin(), result.warnings.end(), [&](const Warning& one) {
      return one.text.starts_with(begin) && one.gravity == gravity;
    });
  };
  EXPECT_TRUE(is_told("1 launch group failed: group 9: killed", Gravity::kDoubt));
  EXPECT_TRUE(is_told("damaged data, their launch groups are left out", Gravity::kDoubt));
  EXPECT_TRUE(is_told("group 2 failed and was whole", Gravity::kNote));
}

TEST(Doubts, GlobalTimesWithoutAStatedErrorAreDoubtful) {
  const std::string words = "clocks were synchronised by an algorithm that states no error";
  planted::Plan plan;
  plan.flags = [](std::size_t arm, std::size_t, std::uint32_t) {
    return static_cast<std::uint16_t>(arm == 1 ? record::kErrorUnstated : 0);
  };
  Rules global;
  global.runtime = Runtime::kGlobal;
  const auto told = [&](const Rules& rules) {
    for (const Warning& warning : compared_plan(plan, rules).warnings) {
      if (warning.text.starts_with(words))
        return warning.text + (warning.gravity == Gravity::kDoubt ? "!" : "");
    }
    return std::string();
  };
  EXPECT_THAT(told(global), testing::EndsWith("off: 'mpich'!"));
  Rules local;
  local.runtime = Runtime::kLocal;
  EXPECT_EQ(told(local), "") << "run-times on each rank's own clock need no synchronisation";
  const Comparison automatic = compared_plan(plan, Rules{});
  EXPECT_FALSE(automatic.global_runtime) << "nobody takes what may drift without asking for it";
  EXPECT_THAT(automatic.warnings,
              Contains(Warning("in some cells no time from the first start to the last end is "
                               "valid: all times here are of the rank that took longest")));
  EXPECT_THAT(told(Rules{}), testing::EndsWith("count only with runtime \"global\""));
}

TEST(Doubts, GlobalTimesThatMayBeFarOffAreNamedWhereTheyWereAskedFor) {
  planted::Plan plan;
  plan.arms = {"openmpi", "mpich"};
  store::Data data = planted::data(plan);
  for (store::Group& group : data.groups) {
    for (store::Visit& visit : group.launches[1].visits) {
      // The records are the test's own. 2 % of 1 us are 20 ns, but 0.2 us are allowed.
      for (const record::Timing& timing : visit.records) {
        const_cast<record::Timing&>(timing).uncertainty_ps =
            visit.line.cell == 1 ? 250'000 : 150'000;
      }
    }
  }
  Rules global;
  global.runtime = Runtime::kGlobal;
  EXPECT_THAT(compare(planted::study(data, global)).warnings,
              Contains(Warning("global times may be off by more than 2 % of them, by what the "
                               "clocks' synchronisation states: allreduce, 1 KiB, 2 ranks",
                               Gravity::kDoubt)));
  const Comparison automatic = compare(planted::study(data, Rules{}));
  EXPECT_THAT(automatic.warnings, Not(Contains(HasSubstr("may be off by more"))))
      << "nobody takes them there";
  EXPECT_EQ(automatic.local_cells.size(), 1U);
}

TEST(Doubts, SettingThatNothingCanVerifyPutsAnArmInDoubt) {
  store::Data data = planted::data({});
  data.arms[1].settings = {{"env:MY_TUNING", "1"}, {"UCX_TLS", "sm"}, {"OMPI_MCA_btl", "tcp"}};
  data.arms[1].settings_checked = {"passed on", "unverified", "accepted"};
  EXPECT_THAT(compare(planted::study(data, Rules{})).warnings,
              Contains(Warning("nothing tells whether the library took UCX_TLS=sm of 'mpich', "
                               "env:MY_TUNING=1 of 'mpich'",
                               Gravity::kDoubt)));
}

TEST(Doubts, WhatTellsTheShimPutsNoArmInDoubt) {
  store::Data data = planted::data({});
  data.arms[1].settings = {{"env:INVAR_TUNED_TABLE", "/t/table.csv"}};
  data.arms[1].settings_checked = {"of Invar's shim"};
  EXPECT_THAT(compare(planted::study(data, Rules{})).warnings,
              Not(Contains(HasSubstr("nothing tells whether"))));
}

TEST(Doubts, SettingOfAllArmsMakesNoDifferenceBetweenThem) {
  store::Data data = planted::data({});
  for (store::ArmRecord& arm : data.arms) {
    arm.settings = {{"UCX_TLS", "sm"}};
    arm.settings_checked = {"unverified"};
  }
  EXPECT_THAT(compare(planted::study(data, Rules{})).warnings,
              Contains(Warning("nothing tells whether the library took UCX_TLS=sm of all arms",
                               Gravity::kNote)));
}

TEST(Doubts, CellOfOneArmAloneIsNamedAndNotCompared) {
  store::Data data = planted::data({});
  planted::remove_cell(data, 1, 0);
  const Comparison result = compare(planted::study(data, Rules{}));
  EXPECT_EQ(result.cells.size(), 2U);
  EXPECT_THAT(result.warnings, Contains(HasSubstr("only openmpi has it: allreduce")));
}

TEST(Doubts, NoCommonCellSaysWhatEachArmHas) {
  store::Data data = planted::data({});
  planted::remove_cell(data, 0, 0);
  planted::remove_cell(data, 1, 1);
  planted::remove_cell(data, 1, 2);
  EXPECT_EQ(exit_of(data), base::Exit::kUsage);
  EXPECT_THAT(refusal_of(data), HasSubstr("mpich has allreduce, 8 B"));
}

TEST(Doubts, NoValidRepetitionIsAnErrorAndNeverZero) {
  planted::Plan plan;
  plan.flags = [](std::size_t, std::size_t, std::uint32_t) { return record::kLate; };
  const store::Data data = planted::data(plan);
  EXPECT_EQ(exit_of(data), base::Exit::kMeasurementFailed);
  EXPECT_THAT(refusal_of(data), HasSubstr("no valid repetition"));
}

TEST(Doubts, CellWithoutAValidRepetitionHasNoRowOfZeros) {
  planted::Plan plan;
  plan.flags = [](std::size_t arm, std::size_t cell, std::uint32_t) {
    return static_cast<std::uint16_t>(arm == 1 && cell == 0 ? record::kLate : 0);
  };
  const Comparison result = compared_plan(plan);
  EXPECT_EQ(result.cells.size(), 2U);
  EXPECT_TRUE(result.health.measurement_failed());
  EXPECT_THAT(result.warnings, Contains(HasSubstr("without a valid repetition")));
}

TEST(Doubts, OversubscribedDataGetNoVerdictAndNoP) {
  planted::Plan plan = planted::with_ratios({2, 2, 2});
  plan.flags = [](std::size_t, std::size_t, std::uint32_t) { return record::kOversubscribed; };
  const Comparison result = compared_plan(plan);
  for (const ComparedCell& row : result.cells) {
    EXPECT_FALSE(row.verdict.has_value());
    EXPECT_FALSE(row.p.has_value());
    EXPECT_TRUE(row.ratio.has_value());
  }
  EXPECT_EQ(result.sentence,
            "No verdicts: more ranks than cores (oversubscribed): 2 ranks, 1 host, shared memory, "
            "this session.");
}

TEST(Doubts, UnpinnedDataGetNoVerdict) {
  design::Campaign campaign;
  campaign.engine.pinning = "none";
  const Rules rules = make_rules(campaign, {});
  EXPECT_FALSE(compared_plan(planted::with_ratios({2, 2, 2}), rules).cells[0].verdict.has_value());
}

TEST(Doubts, DamageAndUnfinishedCampaignAreSaid) {
  store::Data data = planted::data({});
  data.damage = {{.place = "launches/0003-mpich/timings.bin", .what = "CRC differs"}};
  data.ended = false;
  data.planned_groups = 38;
  const Comparison result = compare(planted::study(data, Rules{}));
  EXPECT_EQ(result.health.damaged, 1U);
  EXPECT_EQ(result.health.unfinished, 1U);
  EXPECT_THAT(result.warnings, Contains(HasSubstr("launches/0003-mpich/timings.bin: CRC differs")));
  EXPECT_THAT(result.warnings,
              Contains("the campaign is unfinished: 8 launch groups of 38 measured "
                       "(invar run --resume -o om goes on)"));
}

TEST(Doubts, NoGroupAtAllHasTheStatusOfItsReason) {
  store::Data data = planted::data({});
  data.groups.clear();
  data.ended = false;
  EXPECT_EQ(exit_of(data), base::Exit::kIncomplete);
  data.failed_groups = {{.group = 1, .reason = "rank 1 on node3 was killed"}};
  EXPECT_EQ(exit_of(data), base::Exit::kMeasurementFailed);
  EXPECT_THAT(refusal_of(data), HasSubstr("rank 1 on node3 was killed"));
  data.damage = {{.place = "manifest.jsonl:4", .what = "CRC differs"}};
  EXPECT_EQ(exit_of(data), base::Exit::kDamaged);
}

TEST(Doubts, UnknownArmIsRefusedWithWhatWasMeant) {
  CompareOptions options;
  options.arms = {"openmp", "mpich"};
  const store::Data data = planted::data({});
  EXPECT_EQ(exit_of(data, {}, options), base::Exit::kUsage);
  EXPECT_THAT(refusal_of(data, {}, options),
              HasSubstr("unknown arm 'openmp'; did you mean 'openmpi'?"));
}

TEST(Doubts, ArmNamedTwiceOrAloneIsRefused) {
  CompareOptions options;
  options.arms = {"mpich", "mpich"};
  EXPECT_THAT(refusal_of(planted::data({}), {}, options), HasSubstr("arm 'mpich' is named twice"));
  EXPECT_EQ(exit_of(planted::data({}), {}, options), base::Exit::kUsage);
  options.arms = {"mpich"};
  EXPECT_THAT(refusal_of(planted::data({}), {}, options), HasSubstr("a comparison needs two arms"));
}

TEST(Doubts, UndecidedCellsSayHowManyGroupsWouldDo) {
  planted::Plan plan;
  plan.groups = 3;
  plan.launch_sd = 0.05;
  const Comparison result = compared_plan(plan);
  EXPECT_THAT(result.warnings, Contains(testing::MatchesRegex(
                                   "3 of 3 comparisons undecided after 3 launch groups; about "
                                   "[0-9]+ would bring every interval within 2 % .*")));
}

TEST(Doubts, GroupsThatResembleTheOneBeforeAreSaid) {
  planted::Plan plan;
  plan.groups = 24;
  EXPECT_THAT(compared_plan(plan).warnings, Not(Contains(HasSubstr("the group before"))));
  // One arm slower for eight groups in a row.
  plan.slower = [](std::uint32_t group, std::uint32_t, std::size_t arm) {
    return arm == 1 && group > 8 && group <= 16 ? 1.05 : 1.0;
  };
  EXPECT_THAT(compared_plan(plan).warnings,
              Contains(HasSubstr("resemble those of the group before (correlation 0.")));
}

TEST(Doubts, SuspiciousRepetitionsAreNamed) {
  planted::Plan plan;
  plan.flags = [](std::size_t arm, std::size_t, std::uint32_t repetition) {
    unsigned flags = 0;
    if (arm == 1 && repetition % 4 == 0) flags |= record::kLate;
    if (arm == 0 && repetition % 4 == 0) flags |= record::kInterrupted;
    return static_cast<std::uint16_t>(flags);
  };
  store::Data data = planted::data(plan);
  data.groups[0].launches[0].visits[0].line.retry_cap_reached = true;
  const std::vector<Warning> warnings = compare(planted::study(data, Rules{})).warnings;
  EXPECT_THAT(warnings, Contains(HasSubstr("of the repetitions of mpich started late")));
  EXPECT_THAT(warnings, Contains(HasSubstr("of the repetitions of openmpi were interrupted")));
  EXPECT_THAT(warnings,
              Contains(HasSubstr("1 visit of openmpi holds fewer repetitions than planned")));
}

TEST(Doubts, RankThatIsLateInMostOfTheRepetitionsThatWereIsNamed) {
  planted::Plan plan;
  plan.flags = [](std::size_t arm, std::size_t, std::uint32_t repetition) {
    return static_cast<std::uint16_t>(arm == 1 && repetition % 4 == 0 ? record::kLate : 0);
  };
  store::Data data = planted::data(plan);
  const auto told = [&](const std::vector<std::int64_t>& late_ranks) {
    for (store::Group& group : data.groups) {
      for (store::Visit& visit : group.launches[1].visits) visit.line.late_ranks = late_ranks;
    }
    return compare(planted::study(data, Rules{})).warnings;
  };
  // Four of the 15 repetitions behind the warm-up are late.
  EXPECT_THAT(told({}), Not(Contains(HasSubstr("of them)"))));
  EXPECT_THAT(told({3, 1, 0, 5, 1, 0, 7, 1, 0}), Not(Contains(HasSubstr("of them)"))));
  EXPECT_THAT(told({17, 3, 0, 5, 1, 0}),
              Contains(AllOf(HasSubstr("mpich started late"), HasSubstr("(rank 17 in "))));
}

// Who is late and who loses the processor are two things, of which the one says nothing of the
// other.
TEST(Doubts, RankThatIsLateIsNotTakenForOneThatLosesItsProcessor) {
  planted::Plan plan;
  plan.flags = [](std::size_t arm, std::size_t, std::uint32_t repetition) {
    if (arm == 0) return std::uint16_t{0};
    if (repetition % 4 == 0) return std::uint16_t{record::kLate};
    return static_cast<std::uint16_t>(repetition % 4 == 1 ? record::kLost | record::kApart : 0);
  };
  store::Data data = planted::data(plan);
  // Four of the 15 repetitions behind the warm-up are late, and three are lost.
  const auto told = [&](const std::vector<std::int64_t>& late_ranks) {
    for (store::Group& group : data.groups) {
      for (store::Visit& visit : group.launches[1].visits) {
        visit.line.lost = visit.line.apart = 3;
        visit.line.late_ranks = late_ranks;
      }
    }
    return compare(planted::study(data, Rules{})).warnings;
  };
  const auto late = testing::AllOf(HasSubstr("mpich started late"), HasSubstr("(rank "));
  const auto lost = testing::AllOf(HasSubstr("lost its processor when"), HasSubstr("(rank "));
  EXPECT_THAT(told({17, 4, 0, 5, 0, 1}),
              Contains(testing::AllOf(late, HasSubstr("(rank 17 in 100 % of them)"))));
  EXPECT_THAT(told({17, 4, 0, 5, 0, 1}), Not(Contains(lost))) << "it is never lost";
  EXPECT_THAT(
      told({17, 1, 0, 5, 0, 3}),
      Contains(testing::AllOf(lost, HasSubstr("(rank 5 in 100 % of those in which one did)"))));
  EXPECT_THAT(told({17, 1, 0, 5, 0, 3}), Not(Contains(late))) << "nobody is late often";
}

TEST(Doubts, ARestOfBurnInIsSeenAndAStationaryVisitIsNot) {
  planted::Plan plan;
  plan.burn_in = 1.3;
  EXPECT_THAT(compared_plan(plan).warnings,
              Contains(AllOf(HasSubstr("visits begin slower than they end in 6 of 6 cells of all "
                                       "arms, by "),
                             HasSubstr(" % at most ("), HasSubstr("more repetitions a visit"))))
      << "one line, however many cells";
  plan.burn_in = 1;
  EXPECT_THAT(compared_plan(plan).warnings, testing::IsEmpty());
}

TEST(Doubts, ACanaryThatMovedIsSaid) {
  planted::Plan plan;
  plan.canary_ns = [](std::uint32_t group) { return group < 4 ? 260.0 : 1400.0; };
  EXPECT_THAT(compared_plan(plan).warnings,
              Contains(AllOf(HasSubstr("the canary moved from 0.260 us to 1.40"),
                             HasSubstr("(5th and 95th percentile of the visits), absolute times "
                                       "mix both"))));
}

// With launch groups enough in the faster regime the answer is of that one alone.
TEST(Doubts, ACanaryThatMovedMixesNothingWhereOneRegimeWasChosen) {
  planted::Plan plan;
  plan.groups = 12;
  plan.block_canary_ns = [](std::uint32_t group, std::uint32_t block) {
    return (group < 6 ? 260.0 : 1400.0) * (1 + 0.01 * ((group + block) % 5));
  };
  const Comparison result = compared_plan(plan);
  EXPECT_THAT(result.warnings, Contains(HasSubstr("the canary moved from 0.260 us to 1.4")));
  EXPECT_THAT(result.warnings, Not(Contains(HasSubstr("mix both"))));
}

TEST(Doubts, AClockWhoseRateChangesIsNamedWithItsWorstLaunch) {
  store::Data data = planted::data({});
  store::Launch& launch = data.groups.at(1).launches.at(1);
  launch.rate_change_ppm = 0.9;
  EXPECT_THAT(compare(planted::study(data, Rules{})).warnings,
              Not(Contains(HasSubstr("clock's rate"))));
  launch.rate_change_ppm = 1.25;
  EXPECT_THAT(compare(planted::study(data, Rules{})).warnings,
              Contains(HasSubstr("changed by up to 1.25 ppm within a launch (launch " +
                                 std::to_string(launch.launch) + ", mpich)")));
}

TEST(Doubts, TimesOfZeroHaveNoRatio) {
  planted::Plan plan;
  plan.step_ns = 100;
  plan.time_ns = [](std::size_t, std::size_t cell) { return cell == 0 ? 1.0 : 1000.0; };
  const Comparison result = compared_plan(plan);
  EXPECT_FALSE(result.cells[0].ratio.has_value());
  EXPECT_EQ(result.cells[0].verdict, Verdict::kUndecided);
  EXPECT_THAT(result.warnings, Contains(HasSubstr("is shorter than the clock's step")));
}

TEST(Doubts, OptionsOutOfRangeAreAllRefusedAtOnce) {
  CompareOptions options;
  options.method = "invr";
  options.alpha = 1.5;
  options.correction = "bonferroni";
  try {
    (void)make_rules({}, options);
    FAIL();
  } catch (const base::UserError& error) {
    EXPECT_EQ(error.faults().size(), 3U);
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'invar'?"));
  }
}

}  // namespace
}  // namespace invar::analysis
