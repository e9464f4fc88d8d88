// Predicted repetitions: what the pilot group measured decides how many the groups after it have,
// and does so again from every line at which a driver may have been killed.
#include "driver/decide/repetitions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "driver/decide/driven_campaign.hpp"
#include "driver/decide/plans.hpp"
#include "store/synthetic.hpp"
#include "store/test_dir.hpp"

namespace invar::driver {
namespace {

using test::campaign_of;
using testing::AllOf;
using testing::Each;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Le;
using testing::Pair;
using testing::SizeIs;
using testing::UnorderedElementsAre;

constexpr std::uint32_t kPlannedGroups = 4;
constexpr std::uint32_t kVisitsOfALaunch = 2;
constexpr std::uint32_t kMostOfALaunch = 200;  // repetitions of a launch

// `rule`: between the braces.
synthetic::Options predicting(const std::string& rule) {
  synthetic::Options options{.groups = kPlannedGroups,
                             .rounds = kVisitsOfALaunch,
                             .repetitions = kMostOfALaunch / kVisitsOfALaunch,
                             .noise_sd = 0.05};
  options.toml = synthetic::campaign_toml(options);
  const std::string number = "repetitions = " + std::to_string(options.repetitions) + "\n";
  const std::size_t at = options.toml.find(number);
  options.toml.replace(at, number.size(), "repetitions = { " + rule + " }\n");
  return options;
}

// 0.05 / sqrt(n) is below it from 25 on.
const std::string kUsual = "predict = \"rse\", rse = 0.01, range = \"20:200:10\"";

// Repetitions of a visit in all rows of a group, by cell.
std::map<std::uint32_t, std::set<std::uint32_t>> repetitions_in(const store::State& state,
                                                                std::uint32_t group) {
  std::map<std::uint32_t, std::set<std::uint32_t>> all;
  for (const record::PlanRow& row : plan_of(state, group).rows) {
    if (row.group == group) all[row.cell].insert(row.repetitions);
  }
  return all;
}

TEST(PredictedRepetitions, GroupsAfterThePilotHaveAsManyAsItNeeded) {
  const store::TestDir scratch;
  const synthetic::Options written = predicting(kUsual);
  store::CampaignDir dir = test::begin_planted(scratch / "c", {.written = written});
  test::drive_planted(dir, {.written = written});
  ASSERT_THAT(dir.state().decided, SizeIs(1));
  EXPECT_EQ(dir.state().decided[0].decision, "repetitions");
  EXPECT_THAT(dir.state().decided[0].why, HasSubstr("repetitions of a launch that are enough: "));
  EXPECT_THAT(dir.state().decided[0].not_judging, IsEmpty()) << "the pilot has more, and judges";
  const auto decided = decided_repetitions(dir.state());
  // 20 to 40 of a launch, half of them in each of its two visits.
  EXPECT_THAT(decided, UnorderedElementsAre(Pair(0, AllOf(Ge(10U), Le(20U))),
                                            Pair(1, AllOf(Ge(10U), Le(20U)))));
  EXPECT_THAT(repetitions_in(dir.state(), 1),
              Each(Pair(testing::_, std::set<std::uint32_t>{kMostOfALaunch / kVisitsOfALaunch})));
  for (std::uint32_t group = 2; group <= kPlannedGroups; ++group) {
    for (const auto& [cell, repetitions] : repetitions_in(dir.state(), group)) {
      EXPECT_EQ(repetitions, std::set<std::uint32_t>{decided.at(cell)}) << "of all arms";
    }
  }
  const store::Data data = store::read_campaign_dir(scratch / "c");
  EXPECT_THAT(data.groups, SizeIs(kPlannedGroups));
  EXPECT_EQ(store::verify_campaign_dir(scratch / "c").status(), base::Exit::kDone);
}

TEST(PredictedRepetitions, AreTheMostWhereThePilotHasNotEnough) {
  const store::TestDir scratch;
  const synthetic::Options written =
      predicting("predict = \"rse\", rse = 0.0001, range = \"20:200:10\"");
  store::CampaignDir dir = test::begin_planted(scratch / "c", {.written = written});
  test::drive_planted(dir, {.written = written});
  EXPECT_THAT(decided_repetitions(dir.state()),
              Each(Pair(testing::_, kMostOfALaunch / kVisitsOfALaunch)));
  EXPECT_THAT(dir.state().decided.at(0).why, HasSubstr("none; 200 are not for allreduce"));
}

TEST(PredictedRepetitions, AreTheSameFromWhereverADriverWasKilled) {
  const store::TestDir scratch;
  const synthetic::Options written = predicting(kUsual);
  {
    store::CampaignDir dir = test::begin_planted(scratch / "c", {.written = written});
    test::drive_planted(dir, {.written = written});
  }
  ASSERT_THAT(test::in_force(scratch / "c"), SizeIs(3)) << "two plans, one decision";
  test::expect_same_wherever_killed(scratch / "c", scratch / "killed", {.written = written});
}

// Before a group is timed in batches nobody knows how many of them are enough.
TEST(PredictedRepetitions, WaitForTheFirstGroupThatIsTimedInBatches) {
  const synthetic::Options written = predicting(kUsual);
  const Prepared campaign = campaign_of(written);
  store::State state{.plans = {synthetic::make_plan(written)},
                     .groups = {{.group = 1, .complete = true}},
                     .batches = record::Calls{{0, 60}}};
  const std::set<std::uint32_t> finished{1};
  const auto measured = []() -> const store::Data& {
    throw std::logic_error("there is nothing to look at");
  };
  const Step step = decide_repetitions({.prepared = campaign,
                                        .state = state,
                                        .finished = finished,
                                        .groups_complete = 1,
                                        .measured = measured});
  EXPECT_TRUE(std::holds_alternative<std::monostate>(step.line));
}

TEST(PredictedRepetitions, OfAGivenPlanStayAsTheyStandThere) {
  const synthetic::Options written = predicting(kUsual);
  const Prepared campaign = campaign_of(written);
  const store::State state{.plans = {synthetic::make_plan(written)},
                           .groups = {{.group = 1, .complete = true}},
                           .batches = record::Calls{},
                           .decided = {given_repetitions()}};
  const std::set<std::uint32_t> finished{1};
  const Step step = decide_repetitions(
      {.prepared = campaign, .state = state, .finished = finished, .groups_complete = 1});
  EXPECT_TRUE(std::holds_alternative<std::monostate>(step.line));
  EXPECT_THAT(decided_repetitions(state), IsEmpty());
}

TEST(PredictedRepetitions, AreNotDecidedWhereTheCampaignIsMadeToFindThemOut) {
  Prepared campaign = campaign_of(predicting(kUsual));
  EXPECT_TRUE(predicts_repetitions(campaign));
  campaign.campaign.analysis.question = design::Question::kNrep;
  EXPECT_FALSE(predicts_repetitions(campaign));
  campaign.campaign.analysis.question = design::Question::kCompare;
  campaign.campaign.prediction.reset();
  EXPECT_FALSE(predicts_repetitions(campaign));
}

TEST(PredictedRepetitions, EveryLaterPlanHasThemEqualInAFamily) {
  Prepared campaign = campaign_of(predicting(kUsual));
  for (record::Cell& cell : campaign.cells.cells) cell.family = "together-1";
  store::State state;
  state.decided = {{.decision = "repetitions",
                    .fields = "{\"repetitions\":[{\"cell\":0,\"visit\":12},"
                              "{\"cell\":1,\"visit\":17}]}"}};
  for (const record::PlanRow& row : plan_after(campaign, state, 3, {.groups = 1}).rows) {
    EXPECT_EQ(row.repetitions, 17U);
  }
}

TEST(PredictedRepetitions, ThatCannotBeReadAreNeverGuessed) {
  for (const char* fields : {"{}", "{\"repetitions\":[{\"cell\":0,\"visit\":1.5}]}",
                             "{\"repetitions\":[{\"cell\":-1,\"visit\":15}]}", "["}) {
    store::State state;
    state.decided = {{.decision = "repetitions", .fields = fields}};
    EXPECT_THROW((void)decided_repetitions(state), base::UserError) << fields;
  }
}

}  // namespace
}  // namespace invar::driver
