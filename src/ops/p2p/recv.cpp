// What MPI_Recv costs its rank if the message has come before: with a receiver that is late
// (arrival = "last-late:..."). Where both begin at once, the time has the wait for the message in
// it. receives = "before": what MPI_Wait costs for a receive that was posted early.
#include <array>

#include "ops/p2p/one_message.hpp"

namespace invar::ops {
namespace {

constexpr std::array kRecvTimes{kReceiverTime, kSenderTime};

}  // namespace

extern constexpr Operation kRecv = one_message_operation<send_one<SendMode::kStandard>>(
    "recv", "a message of each pair; the receiver's MPI_Recv", kRecvTimes);

}  // namespace invar::ops
