#include "analysis/study/scope.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace invar::analysis {
namespace {

using ::testing::HasSubstr;

// Three groups of one launch with 2000 calls each, that sent `packets` over lo.
store::Data data_with_packets(std::uint64_t packets) {
  store::Data data;
  data.scope = "2 ranks, 1 host";
  data.sessions = {"2026-11-21.3f2a91c0"};
  for (std::uint32_t group = 1; group <= 3; ++group) {
    store::Launch launch{.launch = group, .group = group};
    launch.network_packets = packets;
    launch.network_interface = "lo";
    for (int i = 0; i < 20; ++i) launch.visits.push_back({.line = {.calls = 1, .records = 100}});
    data.groups.push_back({.group = group, .launches = {launch}});
  }
  return data;
}

TEST(ScopeText, FewPacketsAreTheLauncherAndNotTheMessages) {
  EXPECT_EQ(scope_text(data_with_packets(120), false),
            "2 ranks, 1 host, shared memory, this session");
  EXPECT_FALSE(transport_warning(data_with_packets(120)));
}

TEST(ScopeText, PacketForEveryCallIsNoSharedMemory) {
  const store::Data data = data_with_packets(2000);
  EXPECT_EQ(scope_text(data, false), "2 ranks, 1 host, not only shared memory, this session");
  EXPECT_THAT(*transport_warning(data), HasSubstr("went over lo (up to 2000 packets"));
}

TEST(ScopeText, OneBusyMomentOfSomebodyElseChangesNothing) {
  store::Data data = data_with_packets(100);
  data.groups[1].launches[0].network_packets = 50000;
  EXPECT_EQ(scope_text(data, false), "2 ranks, 1 host, shared memory, this session");
}

TEST(ScopeText, ResumedOnAnotherDayCountsItsSessions) {
  store::Data data = data_with_packets(100);
  data.sessions.emplace_back("2026-11-22.3f2a91c0");
  EXPECT_EQ(scope_text(data, false), "2 ranks, 1 host, shared memory, 2 sessions");
}

TEST(ScopeText, OneGroupIsThisLaunchOnly) {
  EXPECT_EQ(scope_text(data_with_packets(0), true),
            "2 ranks, 1 host, shared memory, this launch only");
}

TEST(ScopeText, NamesWhatCarriesTheMessages) {
  store::Data data = data_with_packets(0);
  data.arms = {{.label = "a",
                .components = {{"pml", "ob1"}, {"btl", "vader"}, {"coll", "tuned, libnbc, basic"}}},
               {.label = "b", .components = {{"pml", "ob1"}, {"btl", "vader"}}}};
  EXPECT_EQ(scope_text(data, false),
            "2 ranks, 1 host, shared memory (a: pml ob1, btl vader, coll tuned; b: pml ob1, btl "
            "vader), this session");
  data.arms[1].components.emplace_back("coll", "tuned");
  EXPECT_EQ(scope_text(data, false),
            "2 ranks, 1 host, shared memory (pml ob1, btl vader, coll tuned), this session");
  data.arms.push_back({.label = "c", .components = {{"netmod", "ucx"}}});
  data.arms.push_back({.label = "silent"});
  EXPECT_EQ(scope_text(data, false),
            "2 ranks, 1 host, shared memory (a, b: pml ob1, btl vader, coll tuned; c: netmod ucx), "
            "this session");
  data.scope = "2 ranks, 2 hosts";
  EXPECT_EQ(scope_text(data, false), "2 ranks, 2 hosts, this session")
      << "what a launch on one host chose says nothing of two";
}

TEST(ScopeText, NamesVariablesThatNoCampaignSays) {
  store::Data data = data_with_packets(0);
  data.variables.emplace();
  data.variables->emplace_back("OMPI_MCA_btl", "tcp,self");
  EXPECT_EQ(scope_text(data, false),
            "2 ranks, 1 host, shared memory, with OMPI_MCA_btl=tcp,self set outside, this session");
  data.variables->emplace_back("UCX_TLS", "sm");
  data.variables->emplace_back("FI_PROVIDER", "tcp");
  EXPECT_THAT(scope_text(data, false),
              HasSubstr(", with OMPI_MCA_btl=tcp,self and UCX_TLS=sm and 1 more variable set "));
}

TEST(ScopeText, OfTwoCampaignsSaysOnceWhatBothHaveAndOfEachWhatDiffers) {
  store::Data first = data_with_packets(0);
  first.arms = {{.label = "a", .components = {{"btl", "vader"}}},
                {.label = "b", .components = {{"netmod", "ucx"}}}};
  store::Data second = first;
  const auto both = [&] {
    return scope_text({.data = first, .name = "day1"}, {.data = second, .name = "day2"});
  };
  EXPECT_EQ(both(),
            "2 ranks, 1 host, shared memory (a: btl vader; b: netmod ucx), two campaigns, includes "
            "the machine's change");
  second.arms[0].components = {{"btl", "tcp"}};
  first.variables.emplace();
  second.variables.emplace();
  second.variables->emplace_back("OMPI_MCA_btl", "tcp,self");
  EXPECT_EQ(both(),
            "2 ranks, 1 host, shared memory (a@day1: btl vader; b: netmod ucx; a@day2: btl tcp), "
            "with OMPI_MCA_btl=tcp,self set outside in day2 only, two campaigns, includes the "
            "machine's change");
  first.variables->emplace_back("UCX_TLS", "sm");
  EXPECT_THAT(both(), HasSubstr(", with UCX_TLS=sm set outside in day1 and OMPI_MCA_btl=tcp,self "
                                "set outside in day2, two"));
  first.variables = second.variables;
  EXPECT_THAT(both(), HasSubstr(", with OMPI_MCA_btl=tcp,self set outside, two"));
  second.scope = "4 ranks, 1 host";
  EXPECT_THAT(both(), testing::StartsWith(
                          "2 ranks, 1 host, shared memory against 4 ranks, 1 host, shared memory"));
}

}  // namespace
}  // namespace invar::analysis
