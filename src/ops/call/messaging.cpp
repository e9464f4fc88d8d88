#include "ops/call/messaging.hpp"

#include <cstdint>

#include "ops/p2p/tags.hpp"

namespace invar::ops {
namespace {

void append(std::vector<int>& peers, const std::vector<std::uint32_t>& ranks) {
  for (const std::uint32_t rank : ranks) peers.push_back(static_cast<int>(rank));
}

bool all_have(MPI_Comm comm, bool mine) {
  const int own = mine ? 1 : 0;
  int all = 0;
  MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, comm);
  return all == 1;
}

}  // namespace

Messaging::Messaging(const record::Cell& cell, const Operation& operation, const Call& call)
    : levels_(record::p2p_levels(cell, operation.messages)), other_(other_comm(call.comm)) {
  const auto rank = static_cast<std::uint32_t>(call.rank);
  append(to_, record::sends_to(levels_.pattern, cell.ranks, rank));
  append(from_, record::receives_from(levels_.pattern, cell.ranks, rank));
  if (operation.messages == record::Messages::kMatched) {
    // A pair talks both ways: who begins is the role.
    if (to_.empty()) to_ = from_;
    if (from_.empty()) from_ = to_;
  }
  made_ = all_have(call.comm, other_->get() != MPI_COMM_NULL);
  peers_.to = to_;
  peers_.from = from_;
  peers_.any_source = levels_.any_source;
  peers_.tag = levels_.any_tag ? MPI_ANY_TAG : kMessageTag;
  peers_.window = static_cast<int>(levels_.window);
  peers_.messages = record::messages_of(cell, operation.messages);
  peers_.packed = record::packed_messages_of(cell, operation.messages);
  peers_.other = other_->get();
}

}  // namespace invar::ops
