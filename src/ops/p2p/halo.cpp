// Every rank sends a message to each of its neighbours on a grid or a circle, and receives one of
// each.
#include <array>

#include "ops/p2p/all_messages.hpp"
#include "ops/p2p/choose.hpp"
#include "ops/p2p/verify.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

constexpr std::array kHaloTimes{
    Time{.name = "whole", .summary = "until every rank has what its neighbours sent"},
    Time{.name = "pair",
         .summary = "from a rank's start to the end of a neighbour",
         .kind = record::TimeKind::kPair,
         .to_role = record::Role::kAnswers}};

// Neighbours on a circle, the usual pattern.
constexpr std::uint32_t kOnACircle = 2;

}  // namespace

extern constexpr Operation kHalo{
    .name = "halo",
    .summary = "every rank exchanges a message with each of its neighbours",
    .chain = record::Chain::kOne,
    .buffers = kMessagesToMessages,
    .requests = requests_for(kOnACircle, kOnACircle),
    .messages = record::Messages::kPartners,
    .of_cell = of_levels<calls_of_messages>,
    .times = kHaloTimes,
    .call = all_blocking<SendMode::kStandard, Packing::kType, false>,
    .start = start_non_blocking<SendMode::kStandard, Packing::kType, false>,
    .finish = finish_all<Packing::kType>,
    .verify = slots_of_senders,
};

}  // namespace invar::ops
