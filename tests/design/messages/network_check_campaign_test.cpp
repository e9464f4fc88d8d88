// The campaigns of `invar network DIR --check`.
#include "design/messages/network_check_campaign.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "design/campaign/campaign.hpp"
#include "design/factors/simulated.hpp"

namespace invar::design {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Key;

TEST(CheckedSizes, GrowByAFactorOfFourUpToTheModelsLargest) {
  EXPECT_THAT(checked_sizes(1000), ElementsAre(4U, 16U, 64U, 256U));
  EXPECT_THAT(checked_sizes(1024), ElementsAre(4U, 16U, 64U, 256U, 1024U));
  EXPECT_THAT(checked_sizes(3), IsEmpty());
}

TEST(MeasuredCheckCampaign, HasWhatNothingIsFittedTo) {
  Campaign network;
  network.arms = {parse_arm("openmpi", "network")};
  network.analysis.question = Question::kNetwork;
  const Campaign made = measured_check_campaign({.network = network,
                                                 .ranks = {.ranks = 4},
                                                 .sizes_bytes = {4, 16},
                                                 .budget_s = 9,
                                                 .seed = 3});
  EXPECT_EQ(made.budget_s, 9);
  EXPECT_EQ(made.arms, network.arms);
  EXPECT_EQ(made.analysis.question, Question::kShow);
  ASSERT_EQ(made.cells.size(), 2U);
  EXPECT_THAT(made.cells[0].operations, ElementsAre("bcast", "allreduce", "halo"));
  EXPECT_THAT(made.cells[0].levels.at("ranks"), ElementsAre("4"));
  // Calls in a row would hide what one takes.
  EXPECT_THAT(made.cells[0].levels.at("batches"), ElementsAre("never"));
  EXPECT_THAT(made.cells[1].operations, ElementsAre("reduce_local"));
}

TEST(MeasuredCheckCampaign, BetweenHostsHasARankOnEach) {
  const Campaign made =
      measured_check_campaign({.ranks = {.ranks = 3, .between_hosts = true}, .sizes_bytes = {4}});
  EXPECT_THAT(made.cells[0].levels.at("nodes"), ElementsAre("3"));
  EXPECT_THAT(made.cells[0].levels.at("ppn"), ElementsAre("1"));
  EXPECT_THAT(made.cells[0].levels, testing::Not(Contains(Key("ranks"))));
}

TEST(SimulatedCheckCampaign, IsOneLaunchGroupThatASimulatorTakes) {
  Campaign made = simulated_check_campaign(
      {.arms = {parse_arm("simgrid:platform=p.xml", "check")},
       .messages = {{.operation = "pingpong", .arrival = "none", .sizes_bytes = {1, 70}},
                    {.operation = "recv", .arrival = "last-late:3x", .sizes_bytes = {1}}},
       .ranks = 8,
       .sizes_bytes = {4}});
  EXPECT_EQ(made.launches, (Launches{.min = 1, .max = 1}));
  ASSERT_EQ(made.cells.size(), 3U);
  EXPECT_THAT(made.cells[0].sizes_bytes, ElementsAre(1U, 70U));
  EXPECT_THAT(made.cells[1].levels.at("arrival"), ElementsAre("last-late:3x"));
  EXPECT_THAT(made.cells[2].operations, ElementsAre("bcast", "allreduce", "halo", "reduce_local"));
  EXPECT_THAT(made.cells[2].levels.at("ranks"), ElementsAre("8"));
  EXPECT_THAT(make_simulated(made), IsEmpty());
  EXPECT_THAT(conflicts(made), IsEmpty());
  // What it became is what a file of it says.
  EXPECT_THAT(made.cells[1].levels.at("sync"), ElementsAre("round-time"));
}

}  // namespace
}  // namespace invar::design
