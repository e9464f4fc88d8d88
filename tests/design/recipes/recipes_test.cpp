// Campaigns that commands make, without a machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "design/campaign/campaign.hpp"
#include "design/campaign/presets.hpp"
#include "design/helpers.hpp"
#include "design/recipes/factors_campaign.hpp"
#include "design/recipes/nrep_campaign.hpp"
#include "design/recipes/race_campaign.hpp"
#include "design/recipes/repeated_campaign.hpp"
#include "design/recipes/self_test_campaign.hpp"
#include "design/recipes/start_campaigns.hpp"
#include "design/recipes/suite_campaign.hpp"

namespace invar::design {
namespace {

using test::faults_of;
using test::Names;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Arm arm(const std::string& text) { return parse_arm(text, "race"); }

QuickOrder two_arms() {
  return {.arms = {arm("openmpi"), arm("mpich")},
          .operations = {"bcast", "barrier"},
          .sizes_bytes = {8, 1024},
          .engine_levels = {{"sync", {"window"}}, {"dither", {"0"}}},
          .budget_s = 20,
          .seed = 5};
}

std::vector<std::string> labels(const Campaign& campaign) {
  std::vector<std::string> all;
  for (const Arm& one : campaign.arms) all.push_back(one.label);
  return all;
}

TEST(RaceCampaign, OwnOperationsAreOfEveryEngineAndOfNoProgram) {
  RaceOrder order{.quick = two_arms(), .operations = "/own"};
  order.quick.arms = {arm("openmpi")};
  order.program = {.command = "osu {size}", .parse = "osu"};
  const Campaign campaign = race_campaign(order);
  EXPECT_EQ(campaign.arms.at(0).operations, "/own");
  EXPECT_EQ(campaign.arms.at(1).operations, "");
  EXPECT_EQ(labels(campaign).at(0), "openmpi") << "as without";
  order.quick.arms = two_arms().arms;
  EXPECT_THAT(faults_of([&] { (void)race_campaign(order); }), ElementsAre(HasSubstr("--ops")));
}

TEST(RaceCampaign, OfTwoLibrariesTakesTurnsAndIsMadeForCompare) {
  RaceOrder order{.quick = two_arms()};
  order.quick.cell_levels["ranks"] = {"2"};
  const Campaign campaign = race_campaign(order);
  EXPECT_EQ(campaign.name, "race");
  EXPECT_EQ(campaign.seed, 5U);
  EXPECT_EQ(campaign.budget_s, 20);
  EXPECT_EQ(campaign.analysis.question, Question::kCompare);
  EXPECT_EQ(campaign.stopping, Stopping::kLooks);
  EXPECT_EQ(campaign.launches, kLookLaunches);
  order.sequential = false;
  EXPECT_EQ(race_campaign(order).launches, kQuickLaunches);
  EXPECT_EQ(campaign.engine.pairing, "turns");
  EXPECT_EQ(campaign.engine.levels.at("sync"), Names{"window"});
  EXPECT_THAT(labels(campaign), ElementsAre("openmpi", "mpich"));
  ASSERT_EQ(campaign.cells.size(), 1U);
  EXPECT_EQ(campaign.cells[0].sizes_bytes, (std::vector<std::uint64_t>{8, 1024}));
  EXPECT_EQ(campaign.cells[0].levels.at("ranks"), Names{"2"});
  EXPECT_THAT(conflicts(campaign), IsEmpty());
}

TEST(RaceCampaign, OfMoreRanksThanCoresIsFixedUnpinnedAndSaysWhatItCannotHave) {
  RaceOrder order{.quick = two_arms()};
  order.quick.engine_levels["sync"] = {"dissemination"};
  order.quick.oversubscribe = true;
  const Campaign campaign = race_campaign(order);
  EXPECT_TRUE(campaign.engine.oversubscribe);
  EXPECT_EQ(campaign.engine.pinning, "none");
  EXPECT_EQ(campaign.stopping, Stopping::kFixed);
  EXPECT_THAT(conflicts(campaign), IsEmpty());
  order.sequential_written = true;
  order.quick.adaptive = {AdaptiveSizes()};
  order.quick.adaptive.front().high_bytes = 4096;
  EXPECT_THAT(faults_of([&] { (void)race_campaign(order); }),
              testing::IsSupersetOf({HasSubstr("--sequential: with --oversubscribe"),
                                     HasSubstr("--size: with --oversubscribe")}));
}

TEST(RaceCampaign, HasFewerRoundsTheMoreCellsAndSchemesThereAre) {
  RaceOrder order{.quick = two_arms()};
  EXPECT_EQ(race_campaign(order).rounds, 20U);
  order.quick.sizes_bytes.resize(5, 8);
  EXPECT_EQ(race_campaign(order).rounds, 12U);
  order.presets = {"osu"};
  EXPECT_EQ(race_campaign(order).rounds, 6U);
}

TEST(RaceCampaign, ThatLooksHasTheLaunchesOfLooks) {
  const Campaign campaign = race_campaign({.quick = two_arms(), .sequential = true});
  EXPECT_EQ(campaign.stopping, Stopping::kLooks);
  EXPECT_EQ(campaign.launches, kLookLaunches);
}

TEST(RaceCampaign, OfOneProgramAndOneLibraryComparesItWithOurOwnMeasurement) {
  RaceOrder order{.quick = two_arms(), .program = {.command = "osu {size}", .parse = "osu"}};
  order.quick.arms = {arm("mine=openmpi")};
  const Campaign campaign = race_campaign(order);
  EXPECT_THAT(labels(campaign), ElementsAre("mine", "mine+osu"));
  EXPECT_FALSE(campaign.arms[0].is_program());
  EXPECT_TRUE(campaign.arms[1].is_program());
  EXPECT_EQ(campaign.engine.pairing, "launches");
}

TEST(RaceCampaign, OfAProgramThatKnowsNoSizeHasNoneUnlessItIsWritten) {
  RaceOrder order{.quick = two_arms(),
                  .operations_written = false,
                  .sizes_written = false,
                  .program = {.command = "app", .parse = "osu"}};
  Campaign campaign = race_campaign(order);
  EXPECT_EQ(campaign.cells[0].operations, Names{"application"});
  EXPECT_THAT(campaign.cells[0].sizes_bytes, IsEmpty());
  order.sizes_written = true;
  EXPECT_EQ(race_campaign(order).cells[0].sizes_bytes.size(), 2U);
  order.sizes_written = false;
  order.program.command = "app {size}";
  EXPECT_EQ(race_campaign(order).cells[0].sizes_bytes.size(), 2U);
}

TEST(RaceCampaign, NamesAllItsFaultsAtOnceWithTheirOptions) {
  RaceOrder order{
      .quick = two_arms(), .operations_written = false, .program = {.command = "app {sise}"}};
  order.quick.arms.pop_back();
  EXPECT_THAT(
      faults_of([&] { (void)race_campaign(order); }),
      ElementsAre(HasSubstr("--exec: unknown placeholder"), HasSubstr("--parse: it is missing"),
                  HasSubstr("--operation: with one library")));
  order = {.quick = two_arms(), .program = {.unit = "us"}};
  order.quick.arms = {arm("openmpi")};
  EXPECT_THAT(faults_of([&] { (void)race_campaign(order); }),
              ElementsAre(HasSubstr("--unit: says how a program is read"),
                          HasSubstr("race: one arm has nobody to race against")));
  order = {.quick = two_arms()};
  order.quick.arms = {arm("a=openmpi"), arm("a=mpich")};
  EXPECT_THAT(faults_of([&] { (void)race_campaign(order); }), ElementsAre(HasSubstr("race: ")));
}

SelfTestOrder self_test_order() {
  SelfTestOrder order{.quick = two_arms(), .pairing = "launches"};
  order.quick.arms = {arm("openmpi")};
  return order;
}

TEST(SelfTestCampaign, BeginsWithAPilotWithoutDelays) {
  const Campaign pilot = self_test_pilot(self_test_order());
  EXPECT_THAT(labels(pilot), ElementsAre("openmpi"));
  EXPECT_EQ(pilot.launches, (Launches{.min = 3, .max = 3}));
  EXPECT_EQ(pilot.engine.pairing, "launches");
  ASSERT_EQ(pilot.cells.size(), 2U);
  EXPECT_EQ(pilot.cells[1].operations, Names{"barrier"});
  EXPECT_FALSE(pilot.cells[0].levels.contains("delay"));
}

TEST(SelfTestCampaign, PlantsSharesOfWhatTheCallTakesIntoTheLibraryTwice) {
  const Campaign pilot = self_test_pilot(self_test_order());
  const std::vector<PilotTime> times{
      {.cell = {.operation = "bcast", .size_bytes = 8}, .call_ns = 1000},
      {.cell = {.operation = "barrier"}, .call_ns = 40}};
  const Campaign campaign = self_test_campaign(pilot, times, 12);
  EXPECT_EQ(campaign.analysis.question, Question::kSelfTest);
  EXPECT_EQ(campaign.together, Names{"delay"});
  EXPECT_EQ(campaign.budget_s, 12);
  EXPECT_THAT(labels(campaign), ElementsAre("openmpi#1", "openmpi#2"));
  ASSERT_EQ(campaign.cells.size(), 2U);
  EXPECT_THAT(campaign.cells[0].levels.at("delay"),
              ElementsAre("0", "10", "20", "50", "100", "200"));
  // Whole nanoseconds that differ, also where a hundredth of the call is none.
  EXPECT_THAT(campaign.cells[1].levels.at("delay"), ElementsAre("0", "1", "2", "3", "4", "8"));
  EXPECT_THAT(campaign.cells[1].sizes_bytes, IsEmpty());
  EXPECT_THAT(conflicts(campaign), IsEmpty());
}

TEST(SelfTestCampaign, HasASecondEvenIfThePilotTookAllTime) {
  const Campaign pilot = self_test_pilot(self_test_order());
  EXPECT_EQ(self_test_campaign(pilot, {}, -3).budget_s, 1);
}

TEST(StartCampaigns, HaveTheSameCellsAfterEveryWayToStart) {
  QuickOrder order = two_arms();
  order.engine_levels["sync"] = {"barrier", "window"};
  order.engine_levels["dither"] = {"0", "1000"};
  const Campaign bias = sync_bias_campaign(order);
  EXPECT_EQ(bias.name, "sync-bias");
  EXPECT_EQ(bias.analysis.question, Question::kSyncBias);
  EXPECT_EQ(bias.repetitions, 100U);
  // 120 visits of an arm: 2 operations, 2 sizes, 2 synchronisations, 2 dithers.
  EXPECT_EQ(bias.rounds, 7U);
  EXPECT_THAT(conflicts(bias), IsEmpty());
  order.arms.pop_back();
  const Campaign local = local_global_campaign(order);
  EXPECT_EQ(local.analysis.question, Question::kLocalGlobal);
  EXPECT_EQ(local.repetitions, 50U);
  EXPECT_THAT(faults_of([&] { (void)sync_bias_campaign(order); }),
              ElementsAre(HasSubstr("--library: one library has nobody to be compared with")));
}

TEST(FactorsCampaign, IsTheWrittenOneUnlessItMayEndByWhatItFinds) {
  Campaign campaign = test::small_campaign(2, 3, 4);
  EXPECT_EQ(factors_campaign(campaign, "c.toml").analysis.question, Question::kFactors);
  campaign.stopping = Stopping::kLooks;
  EXPECT_THAT(faults_of([&] { (void)factors_campaign(campaign, "c.toml"); }),
              ElementsAre(HasSubstr("c.toml: looks at the results end it")));
}

TEST(RepeatedCampaign, LeavesSuitesToCampaignsOfTheirOwn) {
  Campaign written = test::small_campaign(2, 1, 4);
  written.analysis.presets = {"osu", "imb"};
  EXPECT_THAT(repeated_campaign(written, true, "c.toml").analysis.presets, IsEmpty());
  const Campaign suite = suite_campaign(written, *find_preset("osu"));
  EXPECT_EQ(suite.analysis.presets, Names{"osu"});
  EXPECT_FALSE(suite.analysis.own_visits);
  EXPECT_EQ(suite.engine.pairing, "launches");
}

TEST(RepeatedCampaign, IsRefusedWhereItsVisitsAreNotOursAndForProgramsUnderSuites) {
  Campaign written = test::small_campaign(2, 1, 4);
  written.analysis.method = "osu";
  written.arms[1].program.command = "app";
  EXPECT_THAT(faults_of([&] { (void)repeated_campaign(written, true, "c.toml"); }),
              ElementsAre(HasSubstr("c.toml: method 'osu' is another suite's"),
                          HasSubstr("--presets: another suite cannot measure a program")));
  written.analysis.method = "invar";
  EXPECT_EQ(repeated_campaign(written, false, "c.toml").arms.size(), 2U);
}

TEST(RepeatedCampaign, HasRandomSizesDrawnOnceForEveryOperation) {
  Campaign written = test::small_campaign(1, 1, 4);
  CellsBlock random{.operations = {"bcast", "allreduce"}, .random_sizes = {{.count = 2}}};
  written.cells.push_back(random);
  std::vector<std::string> asked;
  const Campaign drawn = with_drawn_sizes(written, [&](const Campaign& alone) {
    asked.push_back(alone.cells.at(0).operations.at(0));
    const std::uint64_t first = asked.size() * 100;
    return std::vector<record::Cell>{
        {.size_bytes = first}, {.size_bytes = first + 1}, {.size_bytes = first}};
  });
  EXPECT_THAT(asked, ElementsAre("bcast", "allreduce"));
  ASSERT_EQ(drawn.cells.size(), 3U);
  EXPECT_EQ(drawn.cells[0], written.cells[0]);
  EXPECT_THAT(drawn.cells[1].sizes_bytes, ElementsAre(100, 101));
  EXPECT_THAT(drawn.cells[2].sizes_bytes, ElementsAre(200, 201));
  EXPECT_THAT(drawn.cells[2].random_sizes, IsEmpty());
}

// A draw that launch groups have parts of stays one: all repeats draw the same sizes from it.
TEST(RepeatedCampaign, CommonDrawsGetTheSeedOfTheCampaign) {
  Campaign written = test::small_campaign(2, 1, 1);
  written.launches = {.min = 25, .max = 25};
  written.cells.front().random_sizes = {
      {.high_bytes = 4096, .count = 40, .per_launch = 10, .hold_out = 10}};
  const Campaign drawn = with_drawn_sizes(written, [](const Campaign&) {
    ADD_FAILURE() << "nothing has to be resolved for it";
    return std::vector<record::Cell>{};
  });
  ASSERT_EQ(drawn.cells.size(), 1U);
  EXPECT_EQ(drawn.cells.front().random_sizes.front().seed, written.seed);
  EXPECT_EQ(drawn.cells.front().sizes_bytes, written.cells.front().sizes_bytes);
  Campaign other = drawn;
  other.seed = written.seed + 1;
  EXPECT_EQ(test::resolved(other).cells.size(), test::resolved(drawn).cells.size());
  EXPECT_EQ(test::resolved(other).samples.front().sizes_bytes,
            test::resolved(drawn).samples.front().sizes_bytes);
}

TEST(NrepCampaign, MeasuresTheMostOfTheRangeInEveryOneOfThreeLaunches) {
  NrepOrder order{.quick = two_arms(), .rule = usual_rule()};
  order.quick.arms = {arm("openmpi")};
  order.rule.max = 600;
  const Campaign campaign = nrep_campaign(order);
  EXPECT_EQ(campaign.launches, (Launches{.min = 3, .max = 3}));
  EXPECT_EQ(campaign.rounds, 1U);
  EXPECT_EQ(campaign.repetitions, 600U);
  EXPECT_EQ(campaign.prediction, order.rule);
  EXPECT_EQ(campaign.analysis.question, Question::kNrep);
  EXPECT_THAT(labels(campaign), ElementsAre("openmpi"));
  EXPECT_THAT(conflicts(campaign), IsEmpty());
  EXPECT_EQ(read_campaign(campaign_toml(campaign), "c.toml"), campaign);
}

TEST(SuiteCampaign, RepeatsAsTheSuiteDoesWhateverOursPredicts) {
  Campaign own = nrep_campaign({.quick = two_arms(), .rule = usual_rule()});
  own.analysis.question = Question::kCompare;
  const Campaign campaign = suite_campaign(own, *find_preset("osu"));
  EXPECT_FALSE(campaign.prediction);
  EXPECT_THAT(conflicts(campaign), IsEmpty());
}

}  // namespace
}  // namespace invar::design
