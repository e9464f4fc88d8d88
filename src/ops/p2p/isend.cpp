// What MPI_Isend costs its rank. The call goes on until the message is complete, behind a mark.
#include <array>
#include <cstddef>

#include "ops/p2p/one_message.hpp"

namespace invar::ops {
namespace {

constexpr std::size_t kPostedMark = 0;
constexpr std::array kIsendMarks{
    Mark{.name = "posted", .summary = "MPI_Isend has returned, and the wait begins"}};
constexpr std::array kIsendTimes{Time{.name = "posting",
                                      .summary = "of the sender: MPI_Isend alone",
                                      .kind = record::TimeKind::kOwn,
                                      .to = "posted"},
                                 kSenderTime, kReceiverTime};

int post_and_wait(Call& c) {
  const Packet p = outgoing<Packing::kType>(c, 0);
  const int error = send_later<SendMode::kStandard>(p, c.peers->to[0], c.comm, c.requests);
  c.mark(kPostedMark);
  return error == MPI_SUCCESS ? MPI_Wait(c.requests, MPI_STATUS_IGNORE) : error;
}

constexpr Operation isend_operation() {
  Operation operation = one_message_operation<post_and_wait>(
      "isend", "a message of each pair; the sender's MPI_Isend", kIsendTimes);
  operation.marks = kIsendMarks;
  return operation;
}

}  // namespace

extern constexpr Operation kIsend = isend_operation();

}  // namespace invar::ops
