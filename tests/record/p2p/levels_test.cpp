// How messages are sent and received, as texts of plans and as values.
#include "record/p2p/levels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace invar::record {
namespace {

using testing::HasSubstr;

TEST(Queue, IsReadAsItIsWritten) {
  for (const char* text : {"none", "same:1", "any:16", "other:65536"}) {
    const std::optional<Queue> queue = parse_queue(text);
    ASSERT_TRUE(queue) << text;
    EXPECT_EQ(queue_text(*queue), text);
  }
  EXPECT_EQ(parse_queue("any:16"), (Queue{.kind = QueueKind::kAnySource, .count = 16}));
  for (const char* text : {"", "same", "same:", "same:0", "same:65537", "same:01", "none:1",
                           "all:3", "any:1:2", "any:-1"}) {
    EXPECT_FALSE(parse_queue(text)) << text;
  }
}

TEST(Queue, OfReceivesMayBeOfAnySourceAndOfMessagesNot) {
  EXPECT_EQ(pending_level("any:4").text, "any:4");
  EXPECT_EQ(unexpected_level("same:4").text, "same:4");
  EXPECT_EQ(unexpected_level("any:4").complaint, "is 'any:4', and a message has a sender");
  EXPECT_THAT(pending_level("16").complaint, HasSubstr("no queue of pending receives"));
  EXPECT_THAT(pending_level("16").remedy, HasSubstr("1 to 65536"));
}

TEST(P2pLevels, OfACellThatSaysNothingAreTheUsualOnes) {
  const P2pLevels levels = p2p_levels(Cell{}, Messages::kMatched);
  EXPECT_EQ(levels.pattern, Pattern{});
  EXPECT_EQ(levels.mode, SendMode::kStandard);
  EXPECT_EQ(levels.form, P2pForm::kBlocking);
  EXPECT_FALSE(levels.any_source || levels.any_tag || levels.posted);
  EXPECT_EQ(levels.pending, Queue{});
  EXPECT_EQ(levels.window, 1U);
  EXPECT_EQ(levels.packing, Packing::kType);
  EXPECT_EQ(levels.others, Others::kAsleep);
  EXPECT_EQ(pattern_of(Cell{}, Messages::kPartners).kind, PatternKind::kGrid);
}

TEST(P2pLevels, AreThoseThatTheCellNames) {
  const Cell cell{.ranks = 4,
                  .pattern = "fan-in:3",
                  .form = "matched-probe",
                  .send_mode = "buffered",
                  .source = "any",
                  .tag = "any",
                  .receives = "before",
                  .pending = "other:7",
                  .unexpected = "same:2",
                  .window = 16,
                  .packing = "mpi",
                  .others = "traffic"};
  const P2pLevels levels = p2p_levels(cell, Messages::kDirected);
  EXPECT_EQ(levels.pattern, (Pattern{.kind = PatternKind::kFanIn, .number = 3}));
  EXPECT_EQ(levels.mode, SendMode::kBuffered);
  EXPECT_EQ(levels.form, P2pForm::kMatchedProbe);
  EXPECT_TRUE(levels.any_source && levels.any_tag && levels.posted);
  EXPECT_EQ(levels.pending, (Queue{.kind = QueueKind::kOtherCommunicator, .count = 7}));
  EXPECT_EQ(levels.unexpected, (Queue{.kind = QueueKind::kSamePeer, .count = 2}));
  EXPECT_EQ(levels.window, 16U);
  EXPECT_EQ(levels.packing, Packing::kByMpi);
  EXPECT_EQ(levels.others, Others::kTraffic);
  EXPECT_THROW((void)p2p_levels({.form = "telepathy"}, Messages::kMatched), std::invalid_argument);
  EXPECT_THROW((void)p2p_levels({.pattern = "all"}, Messages::kMatched), std::invalid_argument);
}

// A slot for every message, so that no two share a buffer.
TEST(MessagesOf, AreThoseOfTheWindowForEveryPeer) {
  const Cell fan{.ranks = 5, .pattern = "fan-out:3", .window = 64};
  EXPECT_EQ(messages_of(fan, Messages::kDirected), 192U);
  EXPECT_EQ(messages_of({.pattern = "grid:3", .window = 2}, Messages::kPartners), 12U);
  EXPECT_EQ(messages_of({.window = 64}, Messages::kMatched), 64U);
  EXPECT_EQ(messages_of({.window = 64}, Messages::kNone), 1U);
  EXPECT_EQ(packed_messages_of(fan, Messages::kDirected), 0U) << "the datatype packs";
  Cell packed = fan;
  packed.packing = "hand";
  EXPECT_EQ(packed_messages_of(packed, Messages::kDirected), 192U);
  Cell buffered = fan;
  buffered.send_mode = "buffered";
  EXPECT_EQ(buffered_messages_of(buffered, Messages::kDirected), 2 * 192U) << "of two calls";
  EXPECT_EQ(buffered_messages_of(fan, Messages::kDirected), 0U);
}

TEST(NamesOfLevels, StandInTheOrderOfTheValues) {
  EXPECT_EQ(name_of(SendMode::kBuffered), "buffered");
  EXPECT_EQ(name_of(P2pForm::kMatchedProbe), "matched-probe");
  EXPECT_EQ(name_of(Packing::kByMpi), "mpi");
  EXPECT_EQ(name_of(Others::kTraffic), "traffic");
}

}  // namespace
}  // namespace invar::record
