// A message from each rank that sends to the one that receives. Many of them in a row are a stream:
// they are never timed together, and what nobody times is acknowledged.
#include <array>

#include "ops/p2p/all_messages.hpp"
#include "ops/p2p/choose.hpp"
#include "ops/p2p/untimed.hpp"
#include "ops/p2p/verify.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

constexpr std::array kOneWayTimes{
    Time{.name = "one way",
         .summary = "from the first sender's start to the last receiver's end",
         .kind = record::TimeKind::kAcross,
         .to_role = record::Role::kAnswers},
    Time{.name = "sending",
         .summary = "until a sender may use its buffer again",
         .kind = record::TimeKind::kOwn},
    Time{.name = "receiving",
         .summary = "a receiver's own call",
         .kind = record::TimeKind::kOwn,
         .from_role = record::Role::kAnswers,
         .to_role = record::Role::kAnswers},
    Time{.name = "pair",
         .summary = "from a sender's start to the end of its receiver",
         .kind = record::TimeKind::kPair,
         .to_role = record::Role::kAnswers}};

}  // namespace

extern constexpr Operation kOneWay{
    .name = "oneway",
    .summary = "a message from each sender to its receiver",
    .chain = record::Chain::kOne,
    .buffers = kMessagesToMessages,
    .requests = requests_for(1, 1),
    .messages = record::Messages::kDirected,
    .of_cell = of_levels<calls_of_messages>,
    .batches = false,
    .times = kOneWayTimes,
    .call = all_blocking<SendMode::kStandard, Packing::kType, false>,
    .behind_untimed = acknowledge_untimed,
    .start = start_non_blocking<SendMode::kStandard, Packing::kType, false>,
    .finish = finish_all<Packing::kType>,
    .verify = slots_of_senders,
};

}  // namespace invar::ops
