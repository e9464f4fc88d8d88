// What a sender spins between the messages of a train.
#include "record/p2p/train_delay.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/p2p/message_factors.hpp"

namespace invar::record {
namespace {

using testing::HasSubstr;

const OperationInfo kTrainInfo{
    .name = "train", .messages = Messages::kPairs, .windowed = true, .delays = true};

TEST(TrainDelay, IsOffATimeOrAMultipleOfTheCall) {
  EXPECT_EQ(parse_train_delay("off"), Amount{});
  EXPECT_EQ(parse_train_delay("10000ns"), Amount{.ns = 10000});
  EXPECT_EQ(parse_train_delay("1x"), Amount{.calls = 1});
  for (const char* text : {"", "none", "10us", "only:1x", "0x"}) {
    EXPECT_FALSE(parse_train_delay(text)) << text;
  }
}

TEST(TrainDelay, AsPeopleWriteItHasAnyUnitOfTime) {
  EXPECT_EQ(train_delay_level("10us").text, "10000ns");
  EXPECT_EQ(train_delay_level("1x").text, "1x");
  EXPECT_EQ(train_delay_level("off").text, "off");
  EXPECT_EQ(train_delay_level("2s").complaint, "is longer than 1 s or 1000 calls");
  EXPECT_THAT(train_delay_level("only:1x").complaint, HasSubstr("no delay between messages"));
}

// One less than there are messages.
TEST(TrainDelay, StandsBetweenTheMessages) {
  EXPECT_NEAR(train_delay_s({.window = 10, .train_delay = "10000ns"}, 1e-3), 1e-5, 1e-15);
  EXPECT_NEAR(train_delays_s({.window = 10, .train_delay = "10000ns"}, 1e-3), 9e-5, 1e-15);
  EXPECT_NEAR(train_delays_s({.window = 10, .train_delay = "1x"}, 1e-3), 9e-3, 1e-15);
  EXPECT_EQ(train_delays_s({.window = 10}, 1e-3), 0);
}

// As several levels they would be measured several times under names that mean nothing.
TEST(TrainDelay, OfASingleMessageIsNone) {
  Cell cell{.window = 1, .train_delay = "1x"};
  settle_train_delay(kTrainInfo, cell);
  EXPECT_EQ(cell.train_delay, "off");
  cell = {.window = 2, .train_delay = "1x"};
  settle_train_delay(kTrainInfo, cell);
  EXPECT_EQ(cell.train_delay, "1x");
}

TEST(CheckTrainDelay, LimitsAllDelaysOfACall) {
  const auto checked = [](std::uint32_t window, const char* delay) {
    return check_train_delay(kTrainInfo, {.window = window, .train_delay = delay});
  };
  EXPECT_EQ(checked(1001, "1000000ns").complaint, "");
  EXPECT_EQ(checked(1001, "1x").complaint, "");
  EXPECT_EQ(checked(1, "1000000000ns").complaint, "") << "nothing is between one message";
  const LevelText long_train = checked(1002, "1000000ns");
  EXPECT_EQ(long_train.complaint,
            "train: 1002 messages with 1000000ns between them take longer than 1 s or 1000 calls");
  EXPECT_EQ(long_train.remedy, "write a shorter train-delay, or a smaller window");
  EXPECT_NE(checked(1002, "1x").complaint, "");
}

}  // namespace
}  // namespace invar::record
