#include "design/campaign/hosts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "design/campaign/campaign.hpp"

namespace invar::design {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<Host> parsed(const std::vector<std::string>& words) {
  return parse_hosts(words, "hosts");
}

std::string fault_of(std::string_view file) {
  try {
    read_hostfile(file, "nodes");
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "none";
}

TEST(Hosts, SlotsStandBehindAColon) {
  EXPECT_THAT(parsed({"a", "b:4"}), ElementsAre(Host{"a", 0}, Host{"b", 4}));
  EXPECT_EQ(host_text({"a", 0}), "a");
  EXPECT_EQ(host_text({"b", 4}), "b:4");
}

TEST(Hosts, HostThatStandsSeveralTimesHasAsManySlots) {
  EXPECT_THAT(parsed({"a", "b", "a", "a"}), ElementsAre(Host{"a", 3}, Host{"b", 0}));
  EXPECT_THAT(parsed({"a:2", "a:3"}), ElementsAre(Host{"a", 5}));
}

TEST(Hostfile, FormsOfBothWorldsAreRead) {
  EXPECT_THAT(read_hostfile("# nodes\nn1\r\n\n n2:4 # fat\nn3 slots=2 max_slots=8\n", "nodes"),
              ElementsAre(Host{"n1", 0}, Host{"n2", 4}, Host{"n3", 2}));
}

TEST(Hostfile, EveryFaultIsToldWithItsLine) {
  const std::string fault = fault_of("n1:none\nn2 slots=0\nn3 cores=2\n-x\nn5:2 slots=2\nok\n");
  for (const char* part :
       {"nodes:1: 'none' is not a number of slots of host 'n1'", "nodes:2: '0' is not a number",
        "nodes:3: 'cores=2' is not known", "nodes:4: '-x' is not the name of a host",
        "nodes:5: the slots of host 'n5' stand twice"}) {
    EXPECT_THAT(fault, HasSubstr(part));
  }
  EXPECT_THAT(fault, testing::Not(HasSubstr("nodes:6")));
}

TEST(Hostfile, FileWithoutHostsIsAFault) {
  EXPECT_THAT(fault_of("# nothing\n"), HasSubstr("no host is named"));
}

constexpr const char* kCampaign =
    "schema = 1\nname = \"x\"\nseed = 1\n[[cells]]\noperation = \"bcast\"\nsize = 8\n[engine]\n";

TEST(CampaignHosts, SurviveWritingAndReading) {
  const Campaign campaign = read_campaign(
      std::string(kCampaign) + "hosts = [\"a\", \"b:4\"]\nlauncher = \"srun\"\n", "c.toml");
  EXPECT_THAT(campaign.engine.hosts, ElementsAre(Host{"a", 0}, Host{"b", 4}));
  EXPECT_EQ(campaign.engine.launcher, "srun");
  EXPECT_EQ(read_campaign(campaign_toml(campaign), "c.toml"), campaign);
}

TEST(CampaignHosts, FaultsAreToldWhereTheyStand) {
  try {
    read_campaign(std::string(kCampaign) + "hosts = [\"a\", \"b:x\", 3]\nhostfile = \"f\"\n",
                  "c.toml");
    FAIL() << "no fault";
  } catch (const base::UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("c.toml:8:15: 'x' is not a number of slots of host 'b'"));
    EXPECT_THAT(error.what(), HasSubstr("hosts and hostfile are both written"));
  }
}

}  // namespace
}  // namespace invar::design
