#include "analysis/questions/show.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "analysis/planted.hpp"
#include "analysis/planted_ticks.hpp"
#include "base/error.hpp"

namespace invar::analysis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

planted::Plan shown_plan() {
  planted::Plan plan;
  plan.time_ns = [](std::size_t arm, std::size_t cell) {
    return 1000.0 * static_cast<double>((arm + 1) * (cell + 1));
  };
  return plan;
}

TEST(Show, OneRowPerCellAndArmInTheCampaignsOrder) {
  const store::Data data = planted::data(shown_plan());
  const Show shown = show(planted::study(data, Rules{}));
  EXPECT_THAT(shown.by, ElementsAre("operation", "size_bytes", "arm"));
  ASSERT_EQ(shown.groups.size(), 6U);
  const ShownGroup& second = shown.groups[1];
  EXPECT_THAT(second.levels, ElementsAre(Pair("operation", "allreduce"), Pair("size_bytes", "8"),
                                         Pair("arm", "mpich")));
  EXPECT_EQ(second.launches, 8U);
  EXPECT_EQ(second.visits, 32U);
  EXPECT_EQ(second.observations, 480U);
  EXPECT_NEAR(second.median.median_ns, 2000, 400);
  EXPECT_LT(second.min_ns, second.q1_ns);
  EXPECT_LT(second.q1_ns, second.q3_ns);
  EXPECT_LT(second.q3_ns, second.p95_ns);
  EXPECT_LT(second.p95_ns, second.p99_ns);
  EXPECT_EQ(shown.sentence,
            "3 cells of 2 arms, 2880 observations: 2 ranks, 1 host, shared memory, this session.");
}

TEST(Show, SpreadBetweenLaunchesAndBetweenVisitsAreToldApart) {
  planted::Plan spread = shown_plan();
  spread.groups = 40;
  spread.group_sd = 0.1;
  spread.visit_sd = 0.02;
  const Show shown = show(planted::study(planted::data(spread), Rules{}));
  EXPECT_NEAR(*shown.groups[0].sd_launches, 0.1, 0.04);
  EXPECT_NEAR(*shown.groups[0].sd_visits, 0.02, 0.006);
}

TEST(Show, RowsThatMixRegimesAreADoubtUnlessTheyAreTakenApart) {
  planted::Plan plan = shown_plan();
  const auto mixing = [](const Show& shown) {
    return std::ranges::count_if(shown.warnings, [](const Warning& warning) {
      return warning.gravity == Gravity::kDoubt &&
             warning.text.find(
                 "and rows mix them: with --by regime,operation,size_bytes,arm each "
                 "has its own") != std::string::npos;
    });
  };
  EXPECT_EQ(mixing(show(planted::study(planted::data(plan), Rules{}))), 0) << "one regime";
  plan.canary_ns = [](std::uint32_t group) {
    return (group <= 4 ? 130.0 : 500.0) * (1 + 0.01 * (group % 5));
  };
  const store::Data data = planted::data(plan);
  const Show shown = show(planted::study(data, Rules{}));
  EXPECT_EQ(mixing(shown), 1);
  EXPECT_THAT(shown.warnings,
              testing::Contains(HasSubstr("the machine was in 2 regimes (canary 0.13")));
  ShowOptions options;
  options.by = {"regime", "operation", "size_bytes", "arm"};
  EXPECT_EQ(mixing(show(planted::study(data, Rules{}), options)), 0);
  options.by = {"group", "operation", "size_bytes", "arm"};
  EXPECT_EQ(mixing(show(planted::study(data, Rules{}), options)), 0) << "each is of one";
}

TEST(Show, RowsThatPoolDifferentThingsAreWarnedOf) {
  ShowOptions options;
  options.by = {"group"};
  EXPECT_THAT(show(planted::study(planted::data(shown_plan()), Rules{}), options).warnings,
              testing::Contains("rows pool what differs in size_bytes and arm: their times are of "
                                "a mixture; with --by size_bytes,arm,group each has its own row"));
  const auto pools = testing::Contains(HasSubstr("rows pool"));
  options.by = {"size_bytes", "arm", "group"};
  EXPECT_THAT(show(planted::study(planted::data(shown_plan()), Rules{}), options).warnings,
              testing::Not(pools));
  EXPECT_THAT(show(planted::study(planted::data(shown_plan()), Rules{})).warnings,
              testing::Not(pools));
}

TEST(Show, AnyGroupingWorks) {
  ShowOptions options;
  options.by = {"arm"};
  EXPECT_EQ(show(planted::study(planted::data(shown_plan()), Rules{}), options).groups.size(), 2U);
  options.by = {"round", "arm"};
  EXPECT_EQ(show(planted::study(planted::data(shown_plan()), Rules{}), options).groups.size(), 8U);
  options.by = {"launch"};
  const Show launches = show(planted::study(planted::data(shown_plan()), Rules{}), options);
  ASSERT_EQ(launches.groups.size(), 16U);
  EXPECT_TRUE(launches.groups[0].this_launch_only);
  EXPECT_FALSE(launches.groups[0].sd_launches.has_value());
  // Numbers are sorted as numbers.
  EXPECT_EQ(launches.groups[9].levels[0].second, "10");
}

TEST(Show, UnknownFactorsAndArmsAreRefused) {
  ShowOptions options;
  options.by = {"operatoin", "arm", "arm"};
  try {
    (void)show(planted::study(planted::data(shown_plan()), Rules{}), options);
    FAIL();
  } catch (const base::UserError& error) {
    EXPECT_EQ(error.faults().size(), 2U);
    EXPECT_THAT(error.what(), HasSubstr("unknown factor 'operatoin'; did you mean 'operation'?"));
  }
  options.by = {};
  options.arms = {"mpitch"};
  EXPECT_THROW((void)show(planted::study(planted::data(shown_plan()), Rules{}), options),
               base::UserError);
}

TEST(Show, FailedCellOfAnArmIsNotShown) {
  store::Data data = planted::data(shown_plan());
  data.failed_cells = {{.cell = 0, .arm = "mpich", .reason = "wrong result"}};
  const Show shown = show(planted::study(data, Rules{}));
  EXPECT_EQ(shown.groups.size(), 5U);
  EXPECT_TRUE(shown.health.measurement_failed());
}

TEST(Show, ArmsComeInTheOrderAskedFor) {
  ShowOptions options;
  options.arms = {"mpich", "openmpi"};
  EXPECT_EQ(show(planted::study(planted::data(shown_plan()), Rules{}), options)
                .groups[0]
                .levels.back()
                .second,
            "mpich");
}

TEST(Show, IntervalsOfTwoLaunchesComeWithAWarning) {
  planted::Plan two = shown_plan();
  two.groups = 2;
  EXPECT_THAT(show(planted::study(planted::data(two), Rules{})).warnings,
              testing::Contains(HasSubstr("intervals of two launches are")));
  EXPECT_THAT(show(planted::study(planted::data(shown_plan()), Rules{})).warnings,
              testing::Not(testing::Contains(HasSubstr("take 5 or more"))));
}

TEST(ShowTimes, HeadlineIsNamedWhereItIsNotTheWhole) {
  planted::Plan plan = shown_plan();
  plan.group_sd = 0;
  const Show shown = show(planted::study(planted::handovers(plan, {"posting", "whole"}), Rules{}));
  EXPECT_TRUE(shown.has_times);
  EXPECT_EQ(shown.groups[0].time, "posting");
  EXPECT_NEAR(shown.groups[0].median.median_ns, 300, 5);
  EXPECT_NEAR(shown.groups[0].mean_ns, 300, 5) << "all observations are of it, too";
  EXPECT_THAT(answer_of(shown).notes[0], HasSubstr("'posting' of a call"));
  const Show whole = show(planted::study(planted::data(plan), Rules{}));
  EXPECT_FALSE(whole.has_times);
  EXPECT_THAT(answer_of(whole).notes[0], HasSubstr("from the first start to the last end;"));
}

TEST(ShowTimes, AllOfThemAreARowEachBehindTheirHeadline) {
  planted::Plan plan = shown_plan();
  plan.group_sd = 0;
  const store::Data data = planted::handovers(plan, {"waiting", "whole", "giving"}, {}, false);
  ShowOptions options;
  options.all_times = true;
  const Show shown = show(planted::study(data, Rules{}), options);
  ASSERT_EQ(shown.groups.size(), 12U) << "3 cells, 2 arms, 2 times";
  EXPECT_EQ(shown.groups[0].time, "waiting");
  EXPECT_EQ(shown.groups[1].time, "whole");
  EXPECT_EQ(shown.groups[0].levels, shown.groups[1].levels);
  EXPECT_NEAR(shown.groups[1].median.median_ns / shown.groups[0].median.median_ns, 1 / 0.6, 0.01);
  EXPECT_THAT(texts_of(shown.warnings),
              testing::UnorderedElementsAre(HasSubstr("3 cells of openmpi left out (handover, 8 B"),
                                            HasSubstr("3 cells of mpich left out (handover, 8 B")));
  EXPECT_THAT(texts_of(shown.warnings)[0],
              HasSubstr("without the time 'giving': single ranks' ends were not recorded"));
  EXPECT_EQ(shown.time, "all");
  EXPECT_THAT(shown.sentence, HasSubstr("3 cells of 2 arms, 2880 observations: "))
      << "each repetition once";
}

// Without single ranks' ends in the cell nothing tells what giving took there.
store::Data without_giving(std::uint32_t cell, std::uint32_t groups) {
  store::Data data = planted::handovers(shown_plan(), {"giving", "whole"});
  for (store::Group& group : data.groups) {
    if (group.group > groups) continue;
    for (store::Launch& launch : group.launches) {
      for (store::Visit& visit : launch.visits) {
        if (visit.line.cell == cell) visit.rank_records = {};
      }
    }
  }
  return data;
}

TEST(ShowTimes, CellsWithoutAHeadlineStandBehindTheOthersAndAreToldOnce) {
  ShowOptions options;
  options.all_times = true;
  const Show shown = show(planted::study(without_giving(2, 8), Rules{}), options);
  ASSERT_EQ(shown.groups.size(), 10U);
  for (const auto& [row, arm] : {std::pair(8U, "openmpi"), {9U, "mpich"}}) {
    EXPECT_EQ(shown.groups[row].time, "whole");
    EXPECT_EQ(shown.groups[row].levels[1].second, "16384");
    EXPECT_EQ(shown.groups[row].levels.back().second, arm);
  }
  EXPECT_THAT(shown.sentence, HasSubstr("3 cells of 2 arms, 2880 observations: "));
  EXPECT_THAT(texts_of(shown.warnings),
              testing::UnorderedElementsAre(HasSubstr("1 cell of openmpi left out"),
                                            HasSubstr("1 cell of mpich left out")));
}

TEST(ShowTimes, VisitsWithoutTheHeadlineLeaveTheCellIn) {
  const Show shown = show(planted::study(without_giving(2, 1), Rules{}));
  EXPECT_EQ(shown.groups.size(), 6U);
  ASSERT_EQ(shown.warnings.size(), 2U);
  EXPECT_THAT(shown.warnings[0].text, HasSubstr("4 visits of openmpi to handover, 16 KiB"));
  EXPECT_THAT(shown.warnings[0].text, HasSubstr(" left out: single ranks' ends were not recorded"));
  EXPECT_EQ(shown.warnings[0].gravity, Gravity::kNote);
}

}  // namespace
}  // namespace invar::analysis
