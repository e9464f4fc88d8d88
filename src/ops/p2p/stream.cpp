// A window of messages to each receiver, each in a slot of its own, and an empty message back when
// all are there: without it a sender's time ends when the library has taken the messages. The same
// in both directions at once.
#include <array>

#include "ops/p2p/all_messages.hpp"
#include "ops/p2p/choose.hpp"
#include "ops/p2p/verify.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

constexpr Time kStreamPair{.name = "pair",
                           .summary = "from a sender's start to the end of its receiver",
                           .kind = record::TimeKind::kPair,
                           .to_role = record::Role::kAnswers};

constexpr std::array kStreamTimes{
    Time{.name = "span",
         .summary = "from the first sender's start to the last receiver's end",
         .kind = record::TimeKind::kAcross,
         .to_role = record::Role::kAnswers},
    kStreamPair,
    Time{.name = "acknowledged",
         .summary = "until a sender knows that all its messages are there",
         .kind = record::TimeKind::kOwn}};

constexpr std::array kBothStreamsTimes{
    Time{.name = "whole", .summary = "until every rank knows that all messages are there"},
    kStreamPair};

}  // namespace

extern constexpr Operation kStream{
    .name = "stream",
    .summary = "a window of messages to each receiver, acknowledged",
    .chain = record::Chain::kOne,
    .buffers = kMessagesToMessages,
    .requests = requests_for(1, 1),
    .messages = record::Messages::kDirected,
    .windowed = true,
    .of_cell = of_levels<calls_of_streams>,
    .times = kStreamTimes,
    .call = acknowledged<all_blocking<SendMode::kStandard, Packing::kType, false>>,
    .start = start_non_blocking<SendMode::kStandard, Packing::kType, false>,
    .finish = acknowledged<finish_all<Packing::kType>>,
    .verify = slots_of_senders,
};

extern constexpr Operation kBothStreams{
    .name = "bistream",
    .summary = "a window of messages in both directions at once, acknowledged",
    .chain = record::Chain::kOne,
    .buffers = kMessagesToMessages,
    .requests = requests_for(1, 1),
    .messages = record::Messages::kMatched,
    .both_ways = true,
    .windowed = true,
    .of_cell = of_levels<calls_of_streams>,
    .times = kBothStreamsTimes,
    .call = acknowledged<all_blocking<SendMode::kStandard, Packing::kType, false>>,
    .start = start_non_blocking<SendMode::kStandard, Packing::kType, false>,
    .finish = acknowledged<finish_all<Packing::kType>>,
    .verify = slots_of_senders,
};

}  // namespace invar::ops
