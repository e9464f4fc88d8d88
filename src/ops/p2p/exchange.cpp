// Head to head: both ranks of a pair send to each other at once. Blocking, that is MPI_Irecv,
// MPI_Send and a wait: two MPI_Send that face each other end only as long as the library takes them
// out of their buffers.
#include <array>

#include "ops/p2p/all_messages.hpp"
#include "ops/p2p/choose.hpp"
#include "ops/p2p/verify.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

constexpr std::array kExchangeTimes{
    Time{.name = "whole", .summary = "until every rank has sent its message and has the other's"},
    Time{.name = "pair",
         .summary = "from the start of the one to the end of the other",
         .kind = record::TimeKind::kPair,
         .to_role = record::Role::kAnswers}};

}  // namespace

extern constexpr Operation kExchange{
    .name = "exchange",
    .summary = "two ranks send a message to each other at once",
    .chain = record::Chain::kOne,
    .buffers = kMessagesToMessages,
    .requests = requests_for(1, 1),
    .messages = record::Messages::kMatched,
    .both_ways = true,
    .of_cell = of_levels<calls_of_messages>,
    .times = kExchangeTimes,
    .call = all_blocking<SendMode::kStandard, Packing::kType, false>,
    .start = start_non_blocking<SendMode::kStandard, Packing::kType, false>,
    .finish = finish_all<Packing::kType>,
    .verify = slots_of_senders,
};

}  // namespace invar::ops
