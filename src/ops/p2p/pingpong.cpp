// Two ranks, one message there and one back. The time is that of the rank that starts, read on its
// own clock: what is between the two starts is in none of it.
#include <array>

#include "ops/p2p/choose.hpp"
#include "ops/p2p/ping_pong.hpp"
#include "ops/p2p/verify.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

constexpr std::array kPingPongTimes{Time{.name = "round trip",
                                         .summary = "of the rank that starts: there and back",
                                         .kind = record::TimeKind::kOwn},
                                    Time{.name = "whole", .summary = "until both ranks are done"}};

}  // namespace

extern constexpr Operation kPingPong{
    .name = "pingpong",
    .summary = "two ranks: a message there, and one back",
    .chain = record::Chain::kOne,
    .buffers = kMessagesToMessages,
    .requests = requests_for(1, 1),
    .messages = record::Messages::kMatched,
    .both_ways = true,
    .of_cell = of_levels<calls_of_ping_pongs>,
    .times = kPingPongTimes,
    .call = ping_pong<SendMode::kStandard, P2pForm::kBlocking, Packing::kType, false>,
    .verify = slots_of_senders,
};

}  // namespace invar::ops
