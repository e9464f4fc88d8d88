#include "design/factors/simulated.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "design/factors/levels.hpp"
#include "design/helpers.hpp"

namespace invar::design {
namespace {

using test::with_cells;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kSimulatedArm =
    "[[arm]]\nlibrary = \"simgrid\"\nsettings = { platform = \"p.xml\" }\n";

Campaign read_simulated(const std::string& more) {
  return read_campaign(with_cells(more + kSimulatedArm), "c.toml");
}

std::vector<std::string> complaints(const std::string& more) {
  Campaign campaign = read_simulated(more);
  std::vector<std::string> all;
  for (const Conflict& conflict : make_simulated(campaign)) {
    EXPECT_FALSE(conflict.remedy.empty()) << conflict.what;
    all.push_back(conflict.what);
  }
  return all;
}

TEST(Simulated, WhatFollowsIsFilledInAndStoredAndReadsBack) {
  Campaign campaign = read_simulated("");
  EXPECT_FALSE(is_simulated(campaign));
  EXPECT_THAT(make_simulated(campaign), IsEmpty());
  EXPECT_TRUE(is_simulated(campaign));
  EXPECT_EQ(campaign.engine.pairing, "launches");
  EXPECT_EQ(campaign.engine.progress, "none");
  EXPECT_THAT(levels_of(campaign, campaign.cells.front(), "sync"), ElementsAre("round-time"));
  EXPECT_THAT(levels_of(campaign, campaign.cells.front(), "clock"), ElementsAre("mpi-wtime"));
  EXPECT_THAT(conflicts(campaign), IsEmpty());
  Campaign stored = read_campaign(campaign_toml(campaign), "stored");
  EXPECT_EQ(stored, campaign);
  EXPECT_THAT(make_simulated(stored), IsEmpty());
  EXPECT_EQ(stored, campaign) << "a second time changes nothing";
}

TEST(Simulated, OtherSynchronisationByMessagesStays) {
  Campaign campaign = read_simulated("[engine]\nsync = \"none\"\n");
  EXPECT_THAT(make_simulated(campaign), IsEmpty());
  EXPECT_THAT(levels_of(campaign, campaign.cells.front(), "sync"), ElementsAre("none"));
}

// They read one clock, and agree by messages: late on purpose is late by that.
TEST(Simulated, AnAgreedMomentIsAllowedWhereItIsWritten) {
  Campaign campaign = read_simulated("[engine]\nsync = \"round-time\"\n");
  EXPECT_THAT(make_simulated(campaign), IsEmpty());
  EXPECT_THAT(levels_of(campaign, campaign.cells.front(), "sync"), ElementsAre("round-time"));
  EXPECT_THAT(conflicts(campaign), IsEmpty());
  EXPECT_EQ(read_campaign(campaign_toml(campaign), "stored"), campaign);
}

TEST(Simulated, WhatIsWrittenAndCannotBeIsRefusedWithTheReason) {
  EXPECT_THAT(complaints("[engine]\nsync = [\"barrier\", \"dissemination\"]\n"),
              ElementsAre(HasSubstr("sync = \"barrier\": simulated ranks begin together by")));
  EXPECT_THAT(complaints("[engine]\nsync = \"window\"\n"),
              ElementsAre(HasSubstr("sync = \"window\"")));
  EXPECT_THAT(complaints("[engine]\nclock = \"tsc\"\n"),
              ElementsAre(HasSubstr("live in the time of MPI_Wtime")));
  EXPECT_THAT(complaints("[engine]\npinning = \"none\"\nsync = \"none\"\n"),
              ElementsAre(HasSubstr("pinning = \"none\"")));
  EXPECT_THAT(complaints("[engine]\naslr = \"off\"\n"), ElementsAre(HasSubstr("aslr is a matter")));
  EXPECT_THAT(complaints("[engine]\noversubscribe = true\nsync = \"none\"\n"),
              ElementsAre(HasSubstr("need no cores")));
  EXPECT_THAT(complaints("[engine]\nlauncher = \"srun\"\n"),
              ElementsAre(HasSubstr("SimGrid's own launcher")));
}

TEST(Simulated, NobodyElseHasItsLevel) {
  Campaign campaign = read_campaign(
      with_cells("[engine]\npinning = \"simulated\"\n[[arm]]\nlibrary = \"mpich\"\n"), "c.toml");
  ASSERT_EQ(not_simulated(campaign).size(), 1U);
  campaign.engine.pinning = "core";
  EXPECT_THAT(not_simulated(campaign), IsEmpty());
}

}  // namespace
}  // namespace invar::design
