// Two campaigns that ran while the machine was in the same regimes, in other shares of them, or in
// others altogether.
#include "analysis/machine/campaign_regimes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/compare/compare.hpp"
#include "analysis/planted.hpp"
#include "base/error.hpp"

namespace invar::analysis {
namespace {

using stats::Verdict;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr double kFast = 130;
constexpr double kSlow = 500;
constexpr double kSlowdown = 3;  // of everything, in the slow regime

// `slow(group, block)`: where the machine is slow. The library itself takes `factor` times as long.
store::Data campaign(const std::string& dir, double factor, std::uint64_t seed,
                     const std::function<bool(std::uint32_t, std::uint32_t)>& slow) {
  planted::Plan plan;
  plan.arms = {"openmpi"};
  plan.cells = {planted::cell("allreduce", 8)};
  plan.groups = 10;
  plan.rounds = 20;
  plan.group_sd = 0.01;
  plan.seed = seed;
  plan.time_ns = [factor](std::size_t, std::size_t) { return 1000 * factor; };
  plan.block_canary_ns = [slow](std::uint32_t group, std::uint32_t block) {
    return (slow(group, block) ? kSlow : kFast) * (1 + 0.01 * ((group + block) % 5));
  };
  plan.slower = [slow](std::uint32_t group, std::uint32_t block, std::size_t) {
    return slow(group, block) ? kSlowdown : 1.0;
  };
  store::Data data = planted::data(plan);
  data.dir = dir;
  return data;
}

// The first `of_ten` of every ten blocks of a launch are slow.
auto share(std::uint32_t of_ten) {
  return [of_ten](std::uint32_t, std::uint32_t block) { return block % 10 < of_ten; };
}

// Whole launches are: the first `slow` of them.
auto launches(std::uint32_t slow) {
  return [slow](std::uint32_t group, std::uint32_t) { return group <= slow; };
}

Comparison compared(const store::Data& first, const store::Data& second) {
  return compare_campaigns(planted::both(first, second, Rules{}));
}

TEST(TwoCampaignsRegimes, OneRegimeInBothIsNotSpokenOf) {
  const Comparison result =
      compared(campaign("day1", 1, 1, share(0)), campaign("day2", 1.3, 2, share(0)));
  ASSERT_EQ(result.cells.size(), 1U);
  EXPECT_EQ(result.cells[0].verdict, Verdict::kFaster);
  EXPECT_EQ(result.regimes.found.size(), 1U);
  EXPECT_THAT(result.sentence, Not(HasSubstr("regime")));
}

TEST(TwoCampaignsRegimes, BatchesAreNotComparedWithSingleCallsInARegimeEither) {
  store::Data batches = campaign("day2", 1.3, 2, share(4));
  for (store::Group& group : batches.groups) {
    for (store::Launch& launch : group.launches) {
      for (store::Visit& visit : launch.visits) visit.line.calls = 3;
    }
  }
  const Comparison result = compared(campaign("day1", 1, 1, share(4)), batches);
  ASSERT_EQ(result.cells.size(), 1U);
  EXPECT_EQ(result.cells[0].doubt, Doubt::kBatches);
}

TEST(TwoCampaignsRegimes, TheHeadlineIsOfTheReferenceRegimeOfBoth) {
  const Comparison result =
      compared(campaign("day1", 1, 1, share(4)), campaign("day2", 1.3, 2, share(4)));
  ASSERT_EQ(result.cells.size(), 3U);
  EXPECT_EQ(result.cells[0].verdict, Verdict::kFaster);
  EXPECT_NEAR(*result.cells[0].ratio, 1.3, 0.05);
  EXPECT_EQ(result.cells[1].regime, result.regimes.found[1].name);
  EXPECT_EQ(result.cells[2].regime, kAllRegimes);
  for (std::size_t i = 1; i < 3; ++i) {
    EXPECT_EQ(result.cells[i].verdict, Verdict::kFaster);
    EXPECT_NEAR(*result.cells[i].ratio, 1.3, 0.05);
  }
  EXPECT_EQ(result.comparisons, 1U) << "nobody decides by the others";
  EXPECT_EQ(result.cells[0].doubt, Doubt::kNone);
}

// The libraries are alike. Three launches of ten are slow on one day and six on the other.
TEST(TwoCampaignsRegimes, OtherSharesGiveNoRatioOverEverythingButOnePerRegime) {
  const Comparison result =
      compared(campaign("day1", 1, 1, launches(3)), campaign("day2", 1, 2, launches(6)));
  ASSERT_EQ(result.cells.size(), 2U) << "everything together would speak of the machine";
  EXPECT_EQ(result.cells[0].doubt, Doubt::kNone);
  EXPECT_EQ(result.cells[0].launches, 4U);
  EXPECT_EQ(result.cells[1].regime, result.regimes.found[1].name);
  for (const ComparedCell& row : result.cells) {
    EXPECT_NEAR(*row.ratio, 1, 0.05);
    EXPECT_NE(row.verdict, Verdict::kFaster);
    EXPECT_NE(row.verdict, Verdict::kSlower);
  }
  EXPECT_EQ(result.comparisons, 1U) << "what is not asked is not of the family";
  EXPECT_THAT(result.scope, HasSubstr(", canary 0.13"));
}

// Without regimes the slow machine alone would make day2 "slower" by a plausible factor; with them
// a library that is really faster is found to be.
TEST(TwoCampaignsRegimes, TheMachineDoesNotHideWhatTheLibraryDid) {
  const Comparison result =
      compared(campaign("day1", 1, 1, share(2)), campaign("day2", 0.8, 2, share(8)));
  ASSERT_EQ(result.cells.size(), 2U);
  EXPECT_EQ(result.cells[0].verdict, Verdict::kSlower);
  EXPECT_NEAR(*result.cells[0].ratio, 0.8, 0.04);
  EXPECT_EQ(result.cells[1].verdict, Verdict::kSlower);
  EXPECT_THAT(result.sentence,
              HasSubstr("openmpi was 1.2 times faster in campaign day2 than in day1"));
}

TEST(TwoCampaignsRegimes, NoCommonRegimeNoVerdict) {
  const Comparison result =
      compared(campaign("day1", 1, 1, share(0)), campaign("day2", 1, 2, share(10)));
  ASSERT_EQ(result.cells.size(), 1U);
  EXPECT_EQ(result.cells[0].doubt, Doubt::kShares);
  EXPECT_FALSE(result.cells[0].ratio);
  EXPECT_FALSE(result.cells[0].verdict);
  EXPECT_EQ(result.comparisons, 0U);
  EXPECT_THAT(result.sentence, HasSubstr(": 100 % of visits in day1, 0 % in day2; canary"));
  EXPECT_THAT(result.sentence, HasSubstr("no regime has launches enough of both"));
}

// Equal times in different regimes prove nothing: what the regime costs may be what the library
// gained.
TEST(TwoCampaignsRegimes, NoCommonRegimeIsNoEquivalenceEither) {
  const Comparison result =
      compared(campaign("day1", kSlowdown, 1, share(0)), campaign("day2", 1, 2, share(10)));
  EXPECT_NEAR(result.cells[0].time_a->median_ns, result.cells[0].time_b->median_ns, 50);
  EXPECT_FALSE(result.cells[0].verdict);
}

// Regimes in which this cell's times are the same do no harm, whatever their shares.
TEST(TwoCampaignsRegimes, OtherSharesOfRegimesThatDoNotTouchTheCellDoNoHarm) {
  const auto untouched = [](const std::string& dir, double factor, std::uint64_t seed,
                            std::uint32_t of_ten) {
    planted::Plan plan;
    plan.arms = {"openmpi"};
    plan.cells = {planted::cell("allreduce", 8)};
    plan.rounds = 20;
    plan.group_sd = 0.01;
    plan.seed = seed;
    plan.time_ns = [factor](std::size_t, std::size_t) { return 1000 * factor; };
    plan.block_canary_ns = [of_ten](std::uint32_t, std::uint32_t block) {
      return block % 10 < of_ten ? kSlow : kFast;
    };
    store::Data data = planted::data(plan);
    data.dir = dir;
    return data;
  };
  const Comparison result = compared(untouched("day1", 1, 1, 2), untouched("day2", 1.3, 2, 8));
  EXPECT_EQ(result.cells[0].verdict, Verdict::kFaster);
  EXPECT_EQ(result.cells[0].doubt, Doubt::kNone);
}

store::Data looked(store::Data data, std::optional<base::CanaryBand> band) {
  data.looks = {planted::look_after(1, 10)};
  data.looks[0].regime = band;
  return data;
}

constexpr base::CanaryBand kFastBand{.low_ns = 100, .high_ns = 200};
constexpr base::CanaryBand kSlowBand{.low_ns = 400, .high_ns = 700};

TEST(TwoCampaignsRegimes, ARegimeThatOneOfThemWasNeverInIsRefused) {
  const store::Data first = campaign("day1", 1, 1, share(5));
  const store::Data second = campaign("day2", 1, 2, share(0));
  try {
    compare_campaigns(planted::both(first, second, Rules{.regime = kSlowBand}));
    ADD_FAILURE() << "no visit of day2 is in it";
  } catch (const base::CommandError& error) {
    EXPECT_EQ(error.status(), base::Exit::kUsage);
    EXPECT_THAT(error.faults().front().text(),
                HasSubstr("day2: no visit is in the reference regime 400ns:700ns"));
  }
  EXPECT_TRUE(campaigns_lack(planted::both(first, second, Rules{.regime = kSlowBand})));
  EXPECT_FALSE(campaigns_lack(planted::both(first, second, Rules{.regime = kFastBand})));
}

TEST(TwoCampaignsRegimes, ANamedRegimeIsTheReferenceAlsoWhereTheCanariesAreOneHeap) {
  const Comparison result = compare_campaigns(
      planted::both(campaign("day1", 1, 1, share(0)), campaign("day2", 1, 2, share(0)),
                    Rules{.regime = base::CanaryBand{.low_ns = 131, .high_ns = 140}}));
  ASSERT_TRUE(result.reference);
  EXPECT_TRUE(result.reference->split);
  EXPECT_EQ(result.regimes.found.size(), 1U);
}

TEST(TwoCampaignsRegimes, LooksOfTheSecondChooseWhereTheFirstHadNone) {
  const store::Data first = campaign("day1", 1, 1, share(5));
  const store::Data second = campaign("day2", 1, 2, share(5));
  const Comparison ours = compared(looked(first, kSlowBand), looked(second, kFastBand));
  EXPECT_EQ(ours.reference->band, kSlowBand) << "the first one is the baseline";
  EXPECT_THAT(ours.warnings,
              Contains(HasSubstr("the looks of day1 were at regime 400ns:700ns, those of day2 at "
                                 "100ns:200ns; this is about the first: --regime chooses")));
  const Comparison theirs = compared(first, looked(second, kSlowBand));
  EXPECT_EQ(theirs.reference->band, kSlowBand);
  EXPECT_THAT(theirs.warnings, Not(Contains(HasSubstr("--regime chooses"))));
  const base::CanaryBand nearly{.low_ns = 390, .high_ns = 680};
  EXPECT_THAT(compared(looked(first, kSlowBand), looked(second, nearly)).warnings,
              Not(Contains(HasSubstr("--regime chooses"))));
}

TEST(TwoCampaignsRegimes, ThatEachNamesForItselfAreSaidUnlessAnOptionChooses) {
  const auto named = [](store::Data data, const base::CanaryBand& band,
                        const CompareOptions& options) {
    design::Campaign campaign;
    campaign.analysis.regime = band;
    return Study(std::move(data), campaign, Rules{.regime = band}, options);
  };
  const auto warnings = [&](const Study& second, const CompareOptions& options) {
    const Study first = named(campaign("day1", 1, 1, share(5)), kSlowBand, options);
    return compare_campaigns(Study(first, second)).warnings;
  };
  const store::Data day2 = campaign("day2", 1, 2, share(5));
  EXPECT_THAT(warnings(named(day2, kFastBand, {}), {}),
              Contains(HasSubstr("day1 is about regime 400ns:700ns, day2 about 100ns:200ns; this "
                                 "is about the first: --regime chooses")));
  EXPECT_THAT(warnings(planted::study(looked(day2, kFastBand)), {}),
              Contains(HasSubstr("day2 about 100ns:200ns; this is about the first")));
  EXPECT_THAT(warnings(named(day2, kSlowBand, {}), {}),
              Not(Contains(HasSubstr("--regime chooses"))));
  const CompareOptions chosen{.regime = kSlowBand};
  EXPECT_THAT(warnings(named(day2, kFastBand, chosen), chosen),
              Not(Contains(HasSubstr("--regime chooses"))));
}

// The larger campaign does not outvote the other one's regime.
TEST(TwoCampaignsRegimes, EachCampaignHasTheSameWeightInTheSplit) {
  planted::Plan few;
  few.arms = {"openmpi"};
  few.cells = {planted::cell("allreduce", 8)};
  few.groups = 3;
  few.block_canary_ns = [](std::uint32_t, std::uint32_t block) { return kSlow + block % 5; };
  few.rounds = 8;
  store::Data second = planted::data(few);
  second.dir = "day2";
  const store::Data first = campaign("day1", 1, 1, share(0));
  planted::Plan many = few;
  many.block_canary_ns = [](std::uint32_t, std::uint32_t block) { return kFast + block % 5; };
  many.rounds = 400;
  store::Data large = planted::data(many);
  large.dir = "day3";
  EXPECT_EQ(compared(first, second).regimes.found.size(), 2U);
  const Comparison outnumbered = compared(large, second);
  ASSERT_EQ(outnumbered.regimes.found.size(), 2U);
  EXPECT_EQ(outnumbered.regimes.found[0].campaign_shares, (std::vector<double>{1, 0}));
  EXPECT_FALSE(outnumbered.cells[0].verdict);
}

TEST(TwoCampaignsRegimes, WithoutCanariesOfOneTheAnswerSaysWhose) {
  store::Data second = campaign("day2", 1.3, 2, share(5));
  for (store::Group& group : second.groups) {
    for (store::Launch& launch : group.launches) {
      for (store::Visit& visit : launch.visits) visit.line.canary_ps.clear();
    }
  }
  const Comparison result = compared(campaign("day1", 1, 1, share(5)), second);
  EXPECT_EQ(result.regimes.why_none, "day2: no canary was measured");
  EXPECT_EQ(result.cells.size(), 1U);
}

// One launch far away pulls the mean of the logs over to the other side of the times.
TEST(TwoCampaignsRegimes, RatioThatContradictsItsTimesIsNotPrinted) {
  ComparedCell row;
  row.time_a = TimeEstimate{.median_ns = 1000};
  row.time_b = TimeEstimate{.median_ns = 990};
  row.verdict = Verdict::kFaster;
  EXPECT_TRUE(times_contradict(row, 0.02));
  row.verdict = Verdict::kSlower;
  EXPECT_FALSE(times_contradict(row, 0.02));
  row.verdict = Verdict::kEquivalent;
  EXPECT_FALSE(times_contradict(row, 0.02));
  row.time_b = TimeEstimate{.median_ns = 950};
  EXPECT_TRUE(times_contradict(row, 0.02));
  row.verdict = Verdict::kUndecided;
  EXPECT_FALSE(times_contradict(row, 0.02));
}

// A gate's verdict is about its margin, and so is what contradicts it.
TEST(TwoCampaignsRegimes, TimesContradictAGateByItsMargin) {
  constexpr double kMargin = 0.05;
  ComparedCell row;
  row.time_a = TimeEstimate{.median_ns = 1000};
  row.verdict = Verdict::kViolated;
  row.time_b = TimeEstimate{.median_ns = 1040};
  EXPECT_TRUE(times_contradict(row, 0.02, kMargin));
  row.time_b = TimeEstimate{.median_ns = 1060};
  EXPECT_FALSE(times_contradict(row, 0.02, kMargin));
  row.verdict = Verdict::kHolds;
  EXPECT_TRUE(times_contradict(row, 0.02, kMargin));
  row.time_b = TimeEstimate{.median_ns = 1040};
  EXPECT_FALSE(times_contradict(row, 0.02, kMargin));
}

// A slow first launch is not a regime of its own (the canary did not see it). Times over launches
// say that day2 took less, the means of logs that it took more.
TEST(TwoCampaignsRegimes, ContradictingRowsAreMarkedAndExplained) {
  const auto day = [](const std::string& dir, double factor, std::uint32_t slow,
                      std::uint64_t seed) {
    planted::Plan plan;
    plan.arms = {"openmpi"};
    plan.cells = {planted::cell("allreduce", 8)};
    plan.groups = 40;
    plan.group_sd = 0.001;
    plan.seed = seed;
    plan.time_ns = [factor](std::size_t, std::size_t) { return 1000 * factor; };
    plan.slower = [slow](std::uint32_t group, std::uint32_t, std::size_t) {
      return group <= slow ? 2.0 : 1.0;
    };
    store::Data data = planted::data(plan);
    data.dir = dir;
    return data;
  };
  const Comparison result = compared(day("day1", 1, 0, 1), day("day2", 0.97, 10, 2));
  ASSERT_EQ(result.cells.size(), 1U);
  EXPECT_EQ(result.cells[0].doubt, Doubt::kTimes);
  EXPECT_FALSE(result.cells[0].ratio);
  EXPECT_THAT(result.warnings, Contains(HasSubstr("no ratio in 1 row")));
}

CellVisits visits_at(const std::vector<std::pair<double, double>>& canaries_and_times) {
  CellVisits arm;
  LaunchVisits& launch = arm.launches.emplace_back();
  for (const auto& [canary_ns, time_ns] : canaries_and_times) {
    VisitSummary visit;
    visit.canary_ns = canary_ns;
    visit.median_ns = time_ns;
    launch.visits.push_back(visit);
  }
  return arm;
}

Regimes two_regimes() {
  return {.found = {{.name = "fast"}, {.name = "slow"}}, .cuts_ns = {250}, .members = {0U, 1U}};
}

TEST(RegimePart, IsTheDifferenceOfSharesTimesWhatTheRegimeCosts) {
  const CellVisits a =
      visits_at({{130, 100}, {130, 100}, {130, 100}, {500, 300}, {500, 300}, {500, 300}});
  const CellVisits b = visits_at({{130, 100},
                                  {130, 100},
                                  {130, 100},
                                  {500, 300},
                                  {500, 300},
                                  {500, 300},
                                  {500, 300},
                                  {500, 300},
                                  {500, 300}});
  const RegimePart part = regime_part(a, b, two_regimes());
  EXPECT_NEAR(part.log_ratio, (2.0 / 3 - 0.5) * std::log(3), 1e-12);
  EXPECT_EQ(part.unmatched, 0);
  EXPECT_NEAR(regime_part(b, a, two_regimes()).log_ratio, -part.log_ratio, 1e-12);
  EXPECT_NEAR(regime_part(a, a, two_regimes()).log_ratio, 0, 1e-12);
  EXPECT_TRUE(regimes_matter(part, 0.02));
  EXPECT_FALSE(regimes_matter(RegimePart{.log_ratio = 0.009}, 0.02));
  EXPECT_TRUE(regimes_matter(RegimePart{.log_ratio = 0.011}, 0.02));
}

TEST(RegimePart, WhatTheOtherArmHardlyHasIsUnmatched) {
  const CellVisits a = visits_at({{130, 100}, {130, 100}, {130, 100}, {130, 100}});
  const CellVisits b = visits_at({{130, 100}, {130, 100}, {130, 100}, {500, 100}});
  EXPECT_EQ(regime_part(a, b, two_regimes()).unmatched, 0.25);
  EXPECT_TRUE(regimes_matter(RegimePart{.unmatched = 0.06}, 0.02));
  EXPECT_FALSE(regimes_matter(RegimePart{.unmatched = 0.04}, 0.02));
}

}  // namespace
}  // namespace invar::analysis
