// What a launch refuses: ranks, variables, hosts or cores other than the campaign's.
#include "group/checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <vector>

#include "group/forked.hpp"

namespace invar::group::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// What a check says; empty: it lets pass.
std::string said(const std::function<void()>& check) {
  try {
    check();
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

const RankPlace kPlace{.rank = 3, .host = "node2", .local_rank = 1, .cpu = 4};

TEST(RankCount, IsTheOneThatWasStarted) {
  EXPECT_EQ(said([] { check_rank_count({.ranks = 4}, 4); }), "");
  // The launcher of another library starts programs of one rank each.
  EXPECT_THAT(said([] { check_rank_count({.ranks = 4}, 1); }),
              AllOf(HasSubstr("there are 1 ranks where 4 were started"),
                    HasSubstr("do not belong together")));
}

class Environment : public testing::Test {
 protected:
  static std::string checked(const std::vector<std::string>& settings) {
    return said([&] { check_environment({.environment = settings}, kPlace); });
  }
  Environment() {
    setenv("INVAR_TEST_A", "x=1", 1);
    setenv("INVAR_TEST_PATH", "/site:/own/lib:/more", 1);
    unsetenv("INVAR_TEST_B");
  }
  ~Environment() override {
    unsetenv("INVAR_TEST_A");
    unsetenv("INVAR_TEST_PATH");
  }
};

TEST_F(Environment, OfTheArmHasReachedTheRank) {
  EXPECT_EQ(checked({}), "");
  EXPECT_EQ(checked({"INVAR_TEST_A=x=1"}), "");
}

TEST_F(Environment, WhatIsMissingOrDifferentIsToldWithTheRankAndItsHost) {
  const std::string error = checked({"INVAR_TEST_B=1", "INVAR_TEST_A=x=2"});
  EXPECT_THAT(error,
              HasSubstr("INVAR_TEST_B=1 did not reach rank 3 on node2: it is not set there"));
  EXPECT_THAT(error, HasSubstr("INVAR_TEST_A=x=2 did not reach rank 3 on node2: it is x=1"));
  EXPECT_THAT(checked({"INVAR_TEST_A=x"}), HasSubstr("it is x=1")) << "no part of a value will do";
}

TEST_F(Environment, PathsMayHaveGotMoreEntries) {
  EXPECT_EQ(checked({"INVAR_TEST_PATH=/own/lib"}), "");
  EXPECT_EQ(checked({"INVAR_TEST_PATH=/own/lib:/more"}), "");
  EXPECT_THAT(checked({"INVAR_TEST_PATH=/own"}), HasSubstr("did not reach")) << "a whole entry";
  EXPECT_THAT(checked({"INVAR_TEST_PATH=/more:/own/lib"}), HasSubstr("did not reach")) << "order";
}

std::string hosts_said(std::uint32_t hosts, const std::vector<std::uint32_t>& host_of_rank,
                       const std::vector<std::string>& names) {
  const auto ranks = static_cast<std::uint32_t>(host_of_rank.size());
  return said([&] { check_hosts({.ranks = ranks, .hosts = hosts}, host_of_rank, names); });
}

TEST(RanksOfHosts, AreAsManyOnEach) {
  EXPECT_EQ(hosts_said(1, {0, 0}, {"a", "a"}), "");
  EXPECT_EQ(hosts_said(2, {0, 0, 1, 1}, {"a", "a", "b", "b"}), "");
  EXPECT_EQ(hosts_said(2, {0, 1, 0, 1}, {"a", "b", "a", "b"}), "") << "in any order";
}

TEST(RanksOfHosts, ElsewhereOrUnevenAreTold) {
  EXPECT_THAT(
      hosts_said(2, {0, 0, 0, 1}, {"a", "a", "a", "b"}),
      HasSubstr("put the ranks elsewhere: 3 on a, 1 on b; wanted are 2 on each of 2 hosts"));
  EXPECT_THAT(hosts_said(1, {0, 1}, {"a", "b"}),
              HasSubstr("1 on a, 1 on b; wanted are 2 on each of 1 host; a launch"));
  EXPECT_THAT(hosts_said(2, {0, 0}, {"a", "a"}),
              AllOf(HasSubstr("2 on a; wanted are 1 on each of 2 hosts"),
                    HasSubstr("are two of the names one host?")));
}

TEST(RanksCpu, IsTheOneOfItsPlaceOnTheHost) {
  const record::LaunchSpec spec{.pinning = "core", .cpus = {2, 4}};
  EXPECT_EQ(said([&] { check_cpu(spec, kPlace); }), "");
  RankPlace moved = kPlace;
  moved.cpu = 2;
  EXPECT_THAT(said([&] { check_cpu(spec, moved); }),
              HasSubstr("rank 3 on node2 should run on CPU 4 but is bound to 2"));
  moved.cpu = -1;
  EXPECT_THAT(said([&] { check_cpu(spec, moved); }), HasSubstr("but is bound to several"));
  EXPECT_EQ(said([&] { check_cpu({.pinning = "none", .cpus = {2, 4}}, moved); }), "");
}

TEST(RanksCpu, IsSharedWhereThereAreMoreRanksThanCpus) {
  RankPlace third = kPlace;
  third.local_rank = 2;
  third.cpu = 2;
  EXPECT_EQ(said([&] { check_cpu({.pinning = "core", .cpus = {2, 4}}, third); }), "");
}

TEST(Maps, OfAllArmsAreThatOfTheFirst) {
  const Page page = Page::attach(page_name("maps"), {.arms = 2, .local_ranks = 2}, {.arm = 1});
  for (std::uint32_t arm = 0; arm < 2; ++arm) {
    for (int rank = 0; rank < 2; ++rank) {
      RankSlot& slot = page.slot(arm, static_cast<std::uint32_t>(rank));
      slot.rank = rank;
      slot.cpu = 4 + rank;
    }
  }
  const record::LaunchSpec spec{.arms = {"old", "new"}, .arm = 1};
  EXPECT_EQ(said([&] { check_maps(spec, page); }), "");
  page.slot(1, 0).cpu = 5;
  page.slot(1, 1).cpu = 4;
  EXPECT_THAT(said([&] { check_maps(spec, page); }),
              HasSubstr("'old' has rank 0 on CPU 4, rank 1 on CPU 5; 'new' has rank 0 on CPU 5, "
                        "rank 1 on CPU 4"));
  // Ranks that are not pinned have no map, whichever arm they are of.
  page.slot(1, 0).cpu = -1;
  page.slot(1, 1).cpu = -1;
  EXPECT_EQ(said([&] { check_maps(spec, page); }), "");
  EXPECT_EQ(said([&] { check_maps({.arms = {"old", "new"}, .arm = 0}, page); }), "");
  page.slot(0, 0).cpu = -1;
  page.slot(0, 1).cpu = -1;
  page.slot(1, 0).cpu = 4;
  page.slot(1, 1).cpu = 5;
  EXPECT_EQ(said([&] { check_maps(spec, page); }), "");
}

TEST(ClockSource, ThatChangesIsTheMachinesFault) {
  std::string sys = (std::filesystem::temp_directory_path() / "invar-test-XXXXXX").string();
  ASSERT_NE(mkdtemp(sys.data()), nullptr);
  const std::filesystem::path folder =
      std::filesystem::path(sys) / "devices/system/clocksource/clocksource0";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "current_clocksource") << "tsc\n";
  setenv("INVAR_SYSFS_ROOT", sys.c_str(), 1);
  EXPECT_EQ(clock_source_now(), "tsc");
  EXPECT_EQ(said([] { check_clock_source("tsc"); }), "");
  std::ofstream(folder / "current_clocksource") << "hpet\n";
  // No arm is dropped for what begins so.
  EXPECT_THAT(
      said([] { check_clock_source("tsc"); }),
      AllOf(StartsWith(std::string(record::kMachine)), HasSubstr("changed from 'tsc' to 'hpet'")));
  unsetenv("INVAR_SYSFS_ROOT");
  std::filesystem::remove_all(sys);
}

}  // namespace
}  // namespace invar::group::test
