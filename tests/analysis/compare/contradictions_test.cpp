// No printed number contradicts a printed verdict: times come from the launch groups and blocks
// behind the ratio, and where they cannot show it the row says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/compare/compare.hpp"
#include "analysis/compare/several_arms.hpp"
#include "analysis/machine/campaign_regimes.hpp"
#include "analysis/planted.hpp"
#include "analysis/random_campaigns.hpp"
#include "analysis/words/numbers.hpp"
#include "simulations.hpp"

namespace invar::analysis {
namespace {

using random_campaigns::random_campaign;
using random_campaigns::RandomCampaign;
using random_campaigns::remove_launches;
using random_campaigns::Shape;
using stats::Verdict;
using testing::HasSubstr;

// A machine that becomes twice as slow for good, after an arm has left.
store::Data left_before_the_machine_slowed() {
  planted::Plan plan;
  plan.arms = {"openmpi", "rd", "linear"};
  plan.groups = 12;
  plan.group_sd = 0.01;
  plan.time_ns = [](std::size_t arm, std::size_t) { return arm == 2 ? 740.0 : 590.0; };
  plan.slower = [](std::uint32_t group, std::uint32_t, std::size_t) {
    return group > 5 ? 2.0 : 1.0;
  };
  store::Data data = planted::data(plan);
  remove_launches(data, 2, 6);
  return data;
}

TEST(Contradictions, TimesComeFromTheGroupsThatTheRatioComesFrom) {
  const Comparison result = compare(planted::study(left_before_the_machine_slowed()));
  for (const ComparedCell& row : result.cells) {
    if (row.arm_b != "linear") continue;
    EXPECT_EQ(row.verdict, Verdict::kFaster);
    EXPECT_EQ(row.doubt, Doubt::kNone);
    EXPECT_NEAR(row.time_b->median_ns / row.time_a->median_ns, *row.ratio, 0.02);
  }
}

TEST(Contradictions, TableOfSeveralArmsSaysWhatTheReferenceTookInThoseGroups) {
  const Comparison result = compare(planted::study(left_before_the_machine_slowed()));
  const TidyTable table = arms_table(result);
  const auto& text =
      std::get<std::string>(table.rows.front().at(column_index(table, "arm linear")).content);
  EXPECT_THAT(text, HasSubstr(" of "));
  EXPECT_THAT(text, HasSubstr(" x1.2"));
}

// One of eight groups is an hour in which an arm took fifty times as long: the mean of logs goes
// with it, a median does not.
TEST(Contradictions, AGroupThatWeighsMuchIsNamed) {
  planted::Plan plan = planted::with_ratios({0.97, 0.97, 0.97});
  plan.groups = 8;
  plan.group_sd = plan.launch_sd = plan.visit_sd = 0.001;
  plan.slower = [](std::uint32_t group, std::uint32_t, std::size_t arm) {
    return arm == 1 && group == 8 ? 50.0 : 1.0;
  };
  Rules rules;
  rules.decision.alpha = 0.5;  // the verdict is not the point here
  const Comparison result = compare(planted::study(planted::data(plan), rules));
  for (const ComparedCell& row : result.cells) {
    ASSERT_GT(*row.ratio, 1);
    ASSERT_LT(row.time_b->median_ns, row.time_a->median_ns);
    ASSERT_EQ(row.verdict, Verdict::kFaster);
    EXPECT_EQ(row.doubt, Doubt::kWeighs);
  }
  EXPECT_THAT(result.warnings, testing::Contains(HasSubstr("a few launch groups far from")));
}

TEST(Contradictions, ALaunchThatWeighsMuchInOneOfTwoCampaignsIsNamed) {
  const auto measured = [](const char* dir, double factor, double of_last) {
    planted::Plan plan;
    plan.arms = {"openmpi"};
    plan.group_sd = plan.launch_sd = plan.visit_sd = 0.001;
    plan.time_ns = [factor](std::size_t, std::size_t) { return 1000 * factor; };
    plan.slower = [of_last](std::uint32_t group, std::uint32_t, std::size_t) {
      return group == 8 ? of_last : 1.0;
    };
    store::Data data = planted::data(plan);
    data.dir = dir;
    return data;
  };
  Rules rules;
  rules.decision.alpha = 0.5;
  const Comparison result =
      compare_campaigns(planted::both(measured("day1", 1, 1), measured("day2", 1.2, 3), rules));
  for (const ComparedCell& row : result.cells) {
    EXPECT_EQ(row.doubt, Doubt::kWeighs);
    EXPECT_EQ(verdict_text(row), "openmpi@day1 faster (few weigh)");
  }
  EXPECT_THAT(result.warnings,
              testing::Contains(HasSubstr("in 3 rows a few launches far from the others")));
}

// The verdict agrees with the times, and still they do not give the ratio.
TEST(Contradictions, TimesFarFromTheRatioAreNamedWhateverTheVerdict) {
  ComparedCell row;
  row.ratio = 1.5;
  row.ratio_interval = stats::Interval{1.4, 1.6, 0.95};
  row.time_a = TimeEstimate{.median_ns = 1000};
  row.time_b = TimeEstimate{.median_ns = 1300};
  EXPECT_TRUE(times_miss_ratio(row, 0.02));
  row.time_b = TimeEstimate{.median_ns = 1410};
  EXPECT_FALSE(times_miss_ratio(row, 0.02)) << "within the interval";
  row.ratio_interval = stats::Interval{1.499, 1.501, 0.95};
  row.time_b = TimeEstimate{.median_ns = 1510};
  EXPECT_FALSE(times_miss_ratio(row, 0.02)) << "less than what matters";
  row.ratio_interval.reset();
  EXPECT_FALSE(times_miss_ratio(row, 0.02));
  row.time_b = TimeEstimate{.median_ns = 1560};
  EXPECT_TRUE(times_miss_ratio(row, 0.02)) << "no interval explains it";
}

TEST(Contradictions, AmongSeveralArmsAMarkNamesThem) {
  planted::Plan plan = planted::with_ratios({0.97, 0.97, 0.97});
  plan.arms = {"openmpi", "mpich", "intel"};
  plan.group_sd = plan.launch_sd = plan.visit_sd = 0.001;
  plan.slower = [](std::uint32_t group, std::uint32_t, std::size_t arm) {
    return arm == 1 && group == 8 ? 50.0 : 1.0;
  };
  Rules rules;
  rules.decision.alpha = 0.5;
  const Comparison result = compare(planted::study(planted::data(plan), rules));
  const TidyTable table = arms_table(result);
  const auto& row = table.rows.front();
  const auto text_of = [&](const char* arm) {
    return std::get<std::string>(row.at(column_index(table, arm)).content);
  };
  EXPECT_TRUE(text_of("arm mpich").ends_with(" !")) << text_of("arm mpich");
  EXPECT_FALSE(text_of("arm intel").ends_with(" !")) << text_of("arm intel");
  EXPECT_THAT(arms_legend(result), HasSubstr(", ! a few groups weigh"));
}

constexpr std::size_t kCampaignsTried = test::simulations(1000);

struct Counted {
  std::size_t verdicts = 0;
  std::size_t named = 0;
};

bool times_agree(const ComparedCell& row, const Rules& rules) {
  const double apart = row.time_b->median_ns / row.time_a->median_ns;
  switch (*row.verdict) {
    case Verdict::kFaster:
      return apart >= 1;
    case Verdict::kSlower:
      return apart <= 1;
    case Verdict::kViolated:
      return apart > 1 + *rules.gate;
    case Verdict::kHolds:
      return apart <= 1 + *rules.gate;
    default:
      return std::max(apart, 1 / apart) <= 1.02;
  }
}

void check_rows(const Comparison& result, const Rules& rules, std::uint64_t seed,
                Counted& counted) {
  for (const ComparedCell& row : result.cells) {
    if (!row.verdict || *row.verdict == Verdict::kUndecided) continue;
    // Where regimes are mixed on purpose times and ratios part more often.
    if (!row.regime) {
      ++counted.verdicts;
      counted.named += row.doubt == Doubt::kWeighs ? 1U : 0U;
    }
    if (row.doubt == Doubt::kWeighs) continue;
    EXPECT_TRUE(times_agree(row, rules))
        << "seed " << seed << ": " << row.arm_b << '/' << row.arm_a << " ratio " << *row.ratio
        << ", times " << row.time_a->median_ns << " and " << row.time_b->median_ns;
  }
}

Counted check_random_campaigns(const Shape& shape, std::uint64_t campaigns,
                               std::optional<double> gate = {}) {
  Counted counted;
  for (std::uint64_t seed = 0; seed < campaigns; ++seed) {
    RandomCampaign campaign = random_campaign(seed, shape);
    campaign.rules.gate = gate;
    const analysis::Study study = planted::study(campaign.data, campaign.rules);
    if (comparison_lack(study)) continue;
    check_rows(compare(study), campaign.rules, seed, counted);
  }
  return counted;
}

// Naming is the exception: times of other groups than the ratio's would be named far more often.
void expect_named_rarely(const Counted& counted, double most = 0.02) {
  EXPECT_GT(counted.verdicts, kCampaignsTried);
  EXPECT_LT(static_cast<double>(counted.named), most * static_cast<double>(counted.verdicts));
}

TEST(Contradictions, ThousandRandomCampaignsHaveNoneThatIsNotNamed) {
  expect_named_rarely(check_random_campaigns({}, kCampaignsTried));
}

TEST(Contradictions, ThousandRandomGatesHaveNoneThatIsNotNamed) {
  expect_named_rarely(check_random_campaigns({}, kCampaignsTried, 0.05));
}

TEST(Contradictions, RandomCampaignsInTwoRegimesHaveNoneThatIsNotNamed) {
  expect_named_rarely(check_random_campaigns({.regimes = true}, kCampaignsTried));
}

TEST(Contradictions, LevelsOfRandomCampaignsHaveNoneThatIsNotNamed) {
  expect_named_rarely(
      check_random_campaigns({.fewest_arms = 1, .two_levels = true}, kCampaignsTried));
  // Where too few groups are in one regime the headline mixes them, and of a group that changes
  // half way the two levels' medians are not of the same regime.
  expect_named_rarely(
      check_random_campaigns({.fewest_arms = 1, .regimes = true, .two_levels = true},
                             kCampaignsTried / 2),
      0.2);
}

// Rows of two campaigns that contradict their times have no verdict.
TEST(Contradictions, PairsOfRandomCampaignsHaveNone) {
  Counted counted;
  for (std::uint64_t seed = 0; seed < kCampaignsTried; ++seed) {
    const Shape shape{.regimes = seed % 2 == 0};
    const RandomCampaign first = random_campaign(seed, shape);
    RandomCampaign second = random_campaign(seed + 1'000'000, shape);
    second.data.dir = "later";
    const Study study = planted::both(first.data, second.data, first.rules);
    if (campaigns_lack(study)) continue;
    check_rows(compare_campaigns(study), first.rules, seed, counted);
  }
  EXPECT_GT(counted.verdicts, kCampaignsTried / 5);
  EXPECT_EQ(counted.named, 0U);
}

}  // namespace
}  // namespace invar::analysis
