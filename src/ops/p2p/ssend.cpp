// What MPI_Ssend costs its rank: it is over when the receive has begun, however short the message.
#include <array>

#include "ops/p2p/one_message.hpp"

namespace invar::ops {
namespace {

constexpr std::array kSsendTimes{kSenderTime, kReceiverTime};

}  // namespace

extern constexpr Operation kSsend = one_message_operation<send_one<SendMode::kSynchronous>>(
    "ssend", "a message of each pair; the sender's MPI_Ssend", kSsendTimes);

}  // namespace invar::ops
