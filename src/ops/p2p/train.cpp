// A train of messages from one rank to another, with a delay between two of them, and an empty
// answer to the last one: the parametrised round trip PRTT(n, d, s) of Hoefler, Lichei and Rehm
// (2007), from which the gap between messages follows. n is the window, d the factor train_delay.
#include <array>
#include <cstddef>

#include "ops/overlap/kernels.hpp"
#include "ops/p2p/all_messages.hpp"
#include "ops/p2p/choose.hpp"
#include "ops/p2p/verify.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int send_train(Call& c) {
  const Peers& peers = *c.peers;
  const auto messages = static_cast<std::size_t>(peers.window);
  for (std::size_t message = 0; message < messages; ++message) {
    if (message > 0) run_chain(peers.delay_steps);
    const int error =
        send_now<SendMode::kStandard>(outgoing<Packing::kType>(c, message), peers.to[0], c.comm);
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

template <bool Posted>
int train_there(Call& c) {
  if (c.role == record::Role::kStarts) return send_train(c);
  if constexpr (Posted) {
    return wait_for(c, 0, messages_in(*c.peers));
  } else {
    return receive_all_now<Packing::kType, false>(c);
  }
}

MessageCalls calls_of_trains(const record::P2pLevels& levels) {
  return {.call =
              levels.posted ? acknowledged<train_there<true>> : acknowledged<train_there<false>>};
}

constexpr std::array kTrainTimes{
    Time{.name = "round trip",
         .summary = "of the sender: until it has the answer to its last message",
         .kind = record::TimeKind::kOwn},
    Time{.name = "receiving",
         .summary = "of the receiver: until it has answered",
         .kind = record::TimeKind::kOwn,
         .from_role = record::Role::kAnswers,
         .to_role = record::Role::kAnswers}};

}  // namespace

extern constexpr Operation kTrain{
    .name = "train",
    .summary = "messages one behind the other from the first of each pair, answered in the end",
    .chain = record::Chain::kOne,
    .buffers = kMessagesToMessages,
    .requests = requests_for(1, 1),
    .messages = record::Messages::kPairs,
    .windowed = true,
    .delays = true,
    .overheads = true,
    .chooses = record::CallChoice::kReceives,
    .of_cell = of_levels<calls_of_trains>,
    .batches = false,
    .times = kTrainTimes,
    .call = acknowledged<train_there<false>>,
    .verify = slots_of_senders,
};

}  // namespace invar::ops
