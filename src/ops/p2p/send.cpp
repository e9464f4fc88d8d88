// What MPI_Send costs its rank. A message above the library's eager limit waits for its receiver:
// with one that is late (arrival = "last-late:..."), so long is the call.
#include <array>

#include "ops/p2p/one_message.hpp"

namespace invar::ops {
namespace {

constexpr std::array kSendTimes{kSenderTime, kReceiverTime};

}  // namespace

extern constexpr Operation kSend = one_message_operation<send_one<SendMode::kStandard>>(
    "send", "a message of each pair; the sender's MPI_Send", kSendTimes);

}  // namespace invar::ops
