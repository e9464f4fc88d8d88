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
  data.arms = {{.label = "a", .components = {{"pml", "ob1"}, {"btl", "vader"}, {"coll", "tuned"}}},
               {.label = "b", .components = {{"pml", "ob1"}, {"btl", "vader"}}}};
  EXPECT_EQ(scope_text(data, false),
            "2 ranks, 1 host, shared memory (pml ob1, btl vader), this session");
  data.arms.push_back({.label = "c", .components = {{"netmod", "ucx"}}});
  data.arms.push_back({.label = "silent"});
  EXPECT_EQ(scope_text(data, false),
            "2 ranks, 1 host, shared memory (a, b: pml ob1, btl vader; c: netmod ucx), this "
            "session");
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

}  // namespace
}  // namespace invar::analysis
