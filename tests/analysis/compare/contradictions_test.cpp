// No printed number contradicts a printed verdict: times come from the launch groups and blocks
// behind the ratio, and where they cannot show it the row says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "analysis/compare/compare.hpp"
#include "analysis/compare/several_arms.hpp"
#include "analysis/planted.hpp"

namespace invar::analysis {
namespace {

using stats::Verdict;
using testing::HasSubstr;

// An arm that is there no more from some group on.
void remove_launches(store::Data& data, std::uint32_t arm, std::uint32_t from_group) {
  for (store::Group& group : data.groups) {
    if (group.group < from_group) continue;
    std::erase_if(group.launches, [&](const store::Launch& launch) { return launch.arm == arm; });
  }
}

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

struct RandomCampaign {
  store::Data data = {};
  Rules rules = {};
};

RandomCampaign random_campaign(std::uint64_t seed) {
  base::Random random(seed);
  const auto chance = [&](double share) { return random.uniform() < share; };
  const auto below = [&](std::uint32_t count) {
    return static_cast<std::uint32_t>(random.uniform() * count);
  };
  planted::Plan plan;
  plan.seed = seed;
  plan.arms =
      chance(0.5) ? std::vector<std::string>{"a", "b"} : std::vector<std::string>{"a", "b", "c"};
  plan.cells.resize(2);
  plan.groups = 3 + below(8);
  plan.rounds = 2 + below(3);
  plan.repetitions = 4;
  plan.warm_up = 0;
  plan.launch_sd = chance(0.5) ? 0.003 : 0.05;
  constexpr std::array kRatios{1.0, 1.01, 0.97, 1.05, 0.8, 1.5};
  std::vector<double> ratios;
  ratios.reserve(6);
  for (std::size_t i = 0; i < 6; ++i) ratios.push_back(kRatios.at(below(kRatios.size())));
  plan.time_ns = [ratios](std::size_t arm, std::size_t cell) {
    return 1000 * ratios[2 * arm + cell];
  };
  // A machine that changes for good, and a group in which one arm had bad luck.
  const std::uint32_t slow_from = 1 + below(12);
  const std::uint32_t unlucky_group = 1 + below(20);
  const std::uint32_t unlucky_arm = below(3);
  plan.slower = [=](std::uint32_t group, std::uint32_t, std::size_t arm) {
    return (group >= slow_from ? 2.5 : 1.0) *
           (group == unlucky_group && arm == unlucky_arm ? 30.0 : 1.0);
  };
  RandomCampaign campaign{.data = planted::data(plan)};
  if (chance(0.5)) remove_launches(campaign.data, below(3), 2 + below(8));
  if (chance(0.3)) {
    campaign.rules.sequential = true;
    campaign.data.looks = {planted::look_after(1, 3)};
    if (plan.groups >= 5) campaign.data.looks.push_back(planted::look_after(2, 5));
  }
  return campaign;
}

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

// Of campaigns that have a gate, or have none.
Counted check_random_campaigns(std::optional<double> gate) {
  Counted counted;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    RandomCampaign campaign = random_campaign(seed);
    campaign.rules.gate = gate;
    const analysis::Study study = planted::study(campaign.data, campaign.rules);
    if (comparison_lack(study)) continue;
    const Comparison result = compare(study);
    for (const ComparedCell& row : result.cells) {
      if (!row.verdict || *row.verdict == Verdict::kUndecided) continue;
      ++counted.verdicts;
      counted.named += row.doubt == Doubt::kWeighs ? 1U : 0U;
      if (row.doubt == Doubt::kWeighs) continue;
      EXPECT_TRUE(times_agree(row, campaign.rules))
          << "seed " << seed << ": " << row.arm_b << '/' << row.arm_a << " ratio " << *row.ratio
          << ", times " << row.time_a->median_ns << " and " << row.time_b->median_ns;
    }
  }
  return counted;
}

// Naming is the exception: times of other groups than the ratio's would be named far more often.
void expect_named_rarely(const Counted& counted) {
  EXPECT_GT(counted.verdicts, 1000U);
  EXPECT_LT(static_cast<double>(counted.named), 0.02 * static_cast<double>(counted.verdicts));
}

TEST(Contradictions, ThousandRandomCampaignsHaveNoneThatIsNotNamed) {
  expect_named_rarely(check_random_campaigns({}));
}

TEST(Contradictions, ThousandRandomGatesHaveNoneThatIsNotNamed) {
  expect_named_rarely(check_random_campaigns(0.05));
}

}  // namespace
}  // namespace invar::analysis
