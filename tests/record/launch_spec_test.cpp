#include "record/launch_spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "golden.hpp"

namespace invar::record {
namespace {

using testing::ElementsAre;

// Every key differs from its default.
LaunchSpec unusual() {
  return {.group_id = "invar-7-3",
          .group = 7,
          .launch = 14,
          .arms = {"openmpi", "a,b\\c", "two\nlines\r", " spaced ", ""},
          .arm = 1,
          .ranks = 8,
          .record = "per-rank",
          .pinning = "none",
          .aslr = "off",
          .thp = "never",
          .environment_size = "4096",
          .verification = "0.25",
          .placement_in_host = "spread",
          .clock_sync = "hca3:fit-points=500",
          .starts_again = true,
          .oversubscribe = true,
          .progress = "probe",
          .connect = "pattern",
          .communicator = "world",
          .cpus = {0, 2, 4},
          .cpus_host = "8b2e-77 node1 time:[4026531834]",
          .warmup_repetitions = 5,
          .warmup_ns = 7,
          .warmup_min = 1,
          .retry_cap = 1.0000000001,
          .skew_limit_ns = 77,
          .visit_limit_ns = 123456789012,
          .start_limit_ns = 210987654321,
          .seed = 0xffffffffffffffffU,
          .failed_cells = {3, 1},
          .late_by_cells = {0, 0, 2},
          .decided_loops = {0, 64},
          .switches = {"bcast algorithm:chain at-making coll_tuned_bcast_algorithm=2"},
          .full_environment = true};
}

TEST(LaunchSpec, WhatIsWrittenReadsBack) {
  EXPECT_EQ(read_launch_spec(launch_spec_text(unusual()), "launch.spec"), unusual());
  EXPECT_EQ(read_launch_spec(launch_spec_text({}), "launch.spec"), LaunchSpec{});
}

TEST(LaunchSpec, TextIsAsUserWroteIt) {
  LaunchSpec spec = unusual();
  for (const char* text : {"", " ", "a=b # c", "\\", "\\n", "a\tb", "\t", "x,y"}) {
    spec.group_id = text;
    spec.arms = {text, text};
    EXPECT_EQ(read_launch_spec(launch_spec_text(spec), "launch.spec"), spec) << '"' << text << '"';
  }
}

TEST(LaunchSpec, LinesMayEndInCarriageReturns) {
  std::string text;
  for (const char c : launch_spec_text(unusual())) text += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_EQ(read_launch_spec(text, "launch.spec"), unusual());
}

// "s:6: " for the line in which the key stands.
std::string place_of(const std::string& key, const std::string& file = "s") {
  const std::string text = launch_spec_text({});
  const auto before = text.begin() + static_cast<std::ptrdiff_t>(text.find("\n" + key + " = "));
  return file + ":" + std::to_string(2 + std::count(text.begin(), before, '\n')) + ": ";
}

TEST(LaunchSpec, EveryFaultIsReportedWithItsLine) {
  std::string text = launch_spec_text({});
  text.erase(text.find("seed = "),
             text.find('\n', text.find("seed = ")) + 1 - text.find("seed = "));
  text = "rank = 2\n" + text + "ranks = 4\n";
  const auto last = std::to_string(std::count(text.begin(), text.end(), '\n'));
  EXPECT_THAT(test::faults_of([&] { (void)read_launch_spec(text, "launch.spec"); }),
              ElementsAre("launch.spec:1: unknown key 'rank'",
                          "launch.spec:" + last + ": 'ranks' stands twice",
                          "launch.spec: the key 'seed' is missing"));
}

TEST(LaunchSpec, MalformedValuesAreRefused) {
  const auto fault = [](const std::string& key, const std::string& value) {
    std::string text = launch_spec_text({});
    const std::size_t begin = text.find("\n" + key + " = ") + 1;
    text.replace(begin, text.find('\n', begin) - begin, key + " = " + value);
    return test::faults_of([&] { (void)read_launch_spec(text, "s"); });
  };
  for (const char* wrong : {"", "-1", "8x", "1e3", "3.9", "4294967296"}) {
    EXPECT_THAT(fault("ranks", wrong),
                ElementsAre(place_of("ranks") + "'" + wrong + "' is not a value of 'ranks'"));
  }
  EXPECT_THAT(fault("oversubscribe", "true"),
              ElementsAre(place_of("oversubscribe") + "'true' is not a value of 'oversubscribe'"));
  EXPECT_THAT(fault("cpus", "0,,1"),
              ElementsAre(place_of("cpus") + "'0,,1' is not a value of 'cpus'"));
  EXPECT_THAT(fault("retry_cap", "inf"),
              ElementsAre(place_of("retry_cap") + "'inf' is not a value of 'retry_cap'"));
  EXPECT_THAT(fault("record", "a,b"),
              ElementsAre(place_of("record") + "'a,b' is not a value of 'record'"));
}

TEST(LaunchSpec, LineWithoutEqualsSignIsRefused) {
  std::string text = launch_spec_text({});
  text.replace(text.find("ranks = 0"), 9, "ranks");
  EXPECT_THAT(test::faults_of([&] { (void)read_launch_spec(text, "s"); }),
              ElementsAre(place_of("ranks") + "'' is not a value of 'ranks'"));
}

TEST(ShareOf, IsFromNothingToAll) {
  EXPECT_EQ(share_of("0"), 0.0);
  EXPECT_EQ(share_of("0.25"), 0.25);
  EXPECT_EQ(share_of("1"), 1.0);
  for (const char* none : {"", "-0.1", "1.01", "nan", "default", "0.1x"}) {
    EXPECT_EQ(share_of(none), std::nullopt) << none;
  }
}

}  // namespace
}  // namespace invar::record
