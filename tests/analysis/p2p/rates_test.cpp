// A rate follows from a time, and its interval from the time's.
#include "analysis/p2p/rates.hpp"

#include <gtest/gtest.h>

namespace invar::analysis {
namespace {

constexpr TimeEstimate kRatedTime{.median_ns = 1000,
                                  .interval_ns = stats::Interval{800, 1250, 0.95}};

TEST(Rates, HaveTheEndsOfTheTimeExchanged) {
  const std::optional<Rate> bandwidth = bandwidth_gb_s(kRatedTime, 10'000);
  ASSERT_TRUE(bandwidth && bandwidth->interval);
  EXPECT_DOUBLE_EQ(bandwidth->value, 10);
  EXPECT_DOUBLE_EQ(bandwidth->interval->low, 8);
  EXPECT_DOUBLE_EQ(bandwidth->interval->high, 12.5);
  EXPECT_EQ(bandwidth->interval->confidence, 0.95);
  EXPECT_DOUBLE_EQ(messages_per_s(kRatedTime, 64)->value, 64e6);
}

TEST(Rates, OfNoTimeAreNone) {
  EXPECT_FALSE(bandwidth_gb_s({.median_ns = 0}, 8));
  const std::optional<Rate> open =
      bandwidth_gb_s({.median_ns = 10, .interval_ns = stats::Interval{-1, 20, 0.95}}, 8);
  ASSERT_TRUE(open);
  EXPECT_FALSE(open->interval) << "how fast it may be at most nobody knows";
}

TEST(BytesOfCall, AreThoseOfAllPairsWindowsAndDirections) {
  record::OperationInfo info{.name = "stream", .messages = record::Messages::kDirected};
  record::Cell cell{.operation = "stream", .size_bytes = 8, .ranks = 4};
  cell.window = 64;
  EXPECT_EQ(bytes_of_call(cell, info), 512) << "the usual pattern is one pair";
  cell.pattern = "bisection";
  EXPECT_EQ(bytes_of_call(cell, info), 1024);
  info.both_ways = true;
  EXPECT_EQ(bytes_of_call(cell, info), 2048) << "both send";
  EXPECT_EQ(messages_of_call(cell, info), 256U);
  info = {.name = "halo", .messages = record::Messages::kPartners};
  cell.pattern = "grid:1";
  cell.window = 1;
  EXPECT_EQ(messages_of_call(cell, info), 8U) << "every rank to both neighbours";
  EXPECT_EQ(bytes_of_call(cell, {.name = "bcast"}), 0);
}

TEST(MovedBytes, AreOfMessagesThoseOfTheCallOrOfThePairOfCollectivesTheSize) {
  record::OperationInfo info{.name = "bistream", .messages = record::Messages::kMatched};
  info.both_ways = true;
  record::Cell cell{.operation = "bistream", .size_bytes = 8, .ranks = 4};
  cell.window = 64;
  cell.pattern = "bisection";
  EXPECT_EQ(moved_bytes(cell, info, false), 2048) << "two pairs, both ways";
  EXPECT_EQ(moved_bytes(cell, info, true), 1024) << "the time is that of one of them";
  EXPECT_EQ(moved_bytes(cell, {.name = "bcast"}, false), 8);
  info.overheads = true;
  EXPECT_FALSE(moved_bytes(cell, info, false)) << "nothing need have come in such a time";
  info.overheads = false;
  cell.size_bytes = 0;
  EXPECT_FALSE(moved_bytes(cell, info, false));
  cell.size_bytes.reset();
  EXPECT_FALSE(moved_bytes(cell, {.name = "barrier"}, false));
}

// osu_bw's time is that of a window, which only an engine says.
TEST(MovedBytes, OfProgramsAreKnownWhereSomebodyDescribesTheOperation) {
  record::Cell cell{.operation = "stream", .size_bytes = 8, .ranks = 2};
  store::Data data;
  data.arms = {{.label = "openmpi"}};
  data.arms[0].program = "osu_bw";
  EXPECT_FALSE(moved_bytes(data, 0, cell, false)) << "8 B over the time of 64 messages";
  cell.window = 64;
  data.arms.push_back(
      {.label = "ours",
       .operations = {{.name = "stream", .messages = record::Messages::kDirected}}});
  EXPECT_EQ(moved_bytes(data, 0, cell, false), 512);
  EXPECT_EQ(moved_bytes(data, 1, cell, false), 512);
  data.arms = {{.label = "of an earlier version"}};
  cell.operation = "bcast";
  EXPECT_EQ(moved_bytes(data, 0, cell, false), 8) << "a collective of our own";
}

}  // namespace
}  // namespace invar::analysis
