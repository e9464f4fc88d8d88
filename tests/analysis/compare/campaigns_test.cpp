// Two campaigns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/compare/compare.hpp"
#include "analysis/planted.hpp"
#include "base/error.hpp"

namespace invar::analysis {
namespace {

using testing::Contains;
using testing::HasSubstr;

store::Data campaign(const std::string& dir, double factor, std::vector<std::string> arms,
                     std::uint64_t seed) {
  planted::Plan plan;
  plan.arms = std::move(arms);
  plan.group_sd = 0.02;
  plan.seed = seed;
  plan.time_ns = [factor](std::size_t, std::size_t) { return 1000 * factor; };
  store::Data data = planted::data(plan);
  data.dir = dir;
  return data;
}

const std::vector<std::string> kBoth{"openmpi", "mpich"};

std::string refusal_of_both(const store::Data& first, const store::Data& second,
                            const CompareOptions& options = {}) {
  try {
    (void)compare_campaigns(planted::both(first, second, Rules{}, options));
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "";
}

TEST(TwoCampaigns, ArmsOfTheSameLabelAreComparedUnpaired) {
  const Comparison result = compare_campaigns(
      planted::both(campaign("day1", 1, kBoth, 1), campaign("day2", 1.5, kBoth, 2), Rules{}));
  ASSERT_EQ(result.cells.size(), 6U);
  EXPECT_EQ(result.cells[0].arm_a, "openmpi@day1");
  EXPECT_EQ(result.cells[0].arm_b, "openmpi@day2");
  EXPECT_EQ(result.cells[1].arm_a, "mpich@day1");
  EXPECT_NEAR(*result.cells[0].ratio, 1.5, 0.1);
  EXPECT_EQ(result.cells[0].verdict, stats::Verdict::kFaster);
  EXPECT_EQ(result.pairing, Pairing::kNone);
  EXPECT_THAT(result.sentence, HasSubstr("includes the machine's change"));
}

TEST(TwoCampaigns, BatchesAreNotComparedWithSingleCalls) {
  store::Data batches = campaign("day2", 1.5, kBoth, 2);
  for (store::Group& group : batches.groups) {
    for (store::Launch& launch : group.launches) {
      for (store::Visit& visit : launch.visits) {
        if (visit.line.cell == 0) visit.line.calls = 62;
      }
    }
  }
  const Comparison result =
      compare_campaigns(planted::both(campaign("day1", 1, kBoth, 1), batches, Rules{}));
  const ComparedCell& mixed = result.cells[0];
  EXPECT_EQ(mixed.doubt, Doubt::kBatches);
  EXPECT_FALSE(mixed.ratio.has_value());
  EXPECT_FALSE(mixed.p.has_value());
  EXPECT_FALSE(mixed.verdict.has_value());
  EXPECT_TRUE(mixed.time_a.has_value());
  EXPECT_GT(mixed.launches, 0U);
  EXPECT_EQ(result.cells[2].verdict, stats::Verdict::kFaster) << "others are judged";
  EXPECT_THAT(result.warnings, Contains(HasSubstr("no ratio in 2 rows: one campaign timed")));
  EXPECT_THAT(result.sentence, testing::Not(HasSubstr("regime")));
}

TEST(TwoCampaigns, OneThatLookedAtItsResultsIsNamed) {
  store::Data looked = campaign("day1", 1, kBoth, 1);
  looked.looks = {{.look = 1, .groups = {1, 2, 3}}};
  const Comparison result = compare_campaigns(
      planted::both(looked, campaign("day2", 1, kBoth, 2), Rules{.sequential = true}));
  EXPECT_THAT(result.warnings, Contains(HasSubstr("day1: looks at its results ended")));
  EXPECT_THAT(result.warnings, testing::Not(Contains(HasSubstr("day2: looks"))));
  EXPECT_FALSE(result.sequential);
  EXPECT_TRUE(result.cells[0].p.has_value()) << "its own looks are not this comparison's";
}

// The luck of the groups is part of the answer: unpaired intervals are wide.
TEST(TwoCampaigns, IntervalIsThatOfWelchAndNotOfPairs) {
  const store::Data first = campaign("day1", 1, kBoth, 1);
  const Comparison unpaired =
      compare_campaigns(planted::both(first, campaign("day2", 1, kBoth, 2), Rules{}));
  const Comparison paired = compare(planted::study(first, Rules{}));
  const auto width = [](const ComparedCell& row) {
    return row.ratio_interval->high - row.ratio_interval->low;
  };
  EXPECT_GT(width(unpaired.cells[0]), 2 * width(paired.cells[0]));
}

TEST(TwoCampaigns, WithoutACommonLabelAllMeetTheFirstArm) {
  const Comparison result = compare_campaigns(planted::both(
      campaign("day1", 1, {"old"}, 1), campaign("day2", 1.5, {"new", "newer"}, 2), Rules{}));
  ASSERT_EQ(result.cells.size(), 6U);
  EXPECT_EQ(result.cells[0].arm_b, "new@day2");
  EXPECT_EQ(result.cells[1].arm_a, "old@day1");
  EXPECT_EQ(result.cells[1].arm_b, "newer@day2");
}

TEST(TwoCampaigns, ArmsAreChosenByLabelWithOrWithoutTheCampaign) {
  const store::Data first = campaign("day1", 1, kBoth, 1);
  const store::Data second = campaign("day2", 1.5, kBoth, 2);
  CompareOptions options;
  options.arms = {"mpich"};
  EXPECT_EQ(compare_campaigns(planted::both(first, second, Rules{}, options)).cells.size(), 3U);
  options.arms = {"openmpi@day1", "mpich@day2"};
  const Comparison crossed = compare_campaigns(planted::both(first, second, Rules{}, options));
  ASSERT_EQ(crossed.cells.size(), 3U);
  EXPECT_EQ(crossed.cells[0].arm_b, "mpich@day2");
  options.arms = {"openmpi@day3"};
  EXPECT_THAT(refusal_of_both(first, second, options), HasSubstr("did you mean 'openmpi@day1'?"));
}

TEST(TwoCampaigns, OnlyCommonCellsAreCompared) {
  store::Data second = campaign("day2", 1, kBoth, 2);
  second.cells[1].size_bytes = 999;
  const Comparison result =
      compare_campaigns(planted::both(campaign("day1", 1, kBoth, 1), second, Rules{}));
  EXPECT_EQ(result.cells.size(), 4U);
  EXPECT_THAT(result.warnings, Contains(HasSubstr("2 cells not compared")));
}

TEST(TwoCampaigns, NoCommonCellSaysWhatEachHas) {
  store::Data second = campaign("day2", 1, kBoth, 2);
  for (record::Cell& cell : second.cells) cell.operation = "bcast";
  const std::string message = refusal_of_both(campaign("day1", 1, kBoth, 1), second);
  EXPECT_THAT(message, HasSubstr("day1: no common cell; this campaign has allreduce, 8 B"));
  EXPECT_THAT(message, HasSubstr("day2: this one has bcast, 8 B"));
}

TEST(TwoCampaigns, ACampaignIsNotComparedWithItself) {
  const store::Data first = campaign("day1", 1, kBoth, 1);
  EXPECT_THAT(refusal_of_both(first, first), HasSubstr("cannot be compared with itself"));
}

TEST(TwoCampaigns, DirectoriesOfTheSameNameHaveAsMuchOfTheirPathAsTellsThemApart) {
  const Comparison result =
      compare_campaigns(planted::both(campaign("/data/monday/om", 1, kBoth, 1),
                                      campaign("/data/friday/om/", 1, kBoth, 2), Rules{}));
  EXPECT_EQ(result.cells[0].arm_a, "openmpi@monday/om");
  EXPECT_EQ(result.cells[0].arm_b, "openmpi@friday/om");
}

TEST(TwoCampaigns, LocalTimesOfOneMakeBothLocal) {
  planted::Plan with_global;
  with_global.global_factor = 3;
  store::Data first = planted::data(with_global);
  first.dir = "day1";
  planted::Plan without;
  without.skip_global = true;
  store::Data second = planted::data(without);
  second.dir = "day2";
  const Comparison result = compare_campaigns(planted::both(first, second, Rules{}));
  EXPECT_FALSE(result.global_runtime);
  EXPECT_NEAR(*result.cells[0].ratio, 1, 0.3);
}

TEST(TwoCampaigns, TimesOfZeroHaveNoRatio) {
  planted::Plan plan;
  plan.step_ns = 100;
  plan.time_ns = [](std::size_t, std::size_t cell) { return cell == 0 ? 1.0 : 1000.0; };
  store::Data first = planted::data(plan);
  store::Data second = planted::data(plan);
  second.dir = "day2";
  const Comparison result = compare_campaigns(planted::both(first, second, Rules{}));
  EXPECT_FALSE(result.cells[0].ratio.has_value());
  EXPECT_EQ(result.cells[0].verdict, stats::Verdict::kUndecided);
}

}  // namespace
}  // namespace invar::analysis
