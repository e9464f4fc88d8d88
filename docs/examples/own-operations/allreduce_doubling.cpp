// An allreduce by recursive doubling: in each of log2(p) steps, a rank exchanges its partial result
// with the one whose number differs in one bit. It keeps the order of the ranks, so that operators
// need not be commutative. Ranks beyond the largest power of two hand their vector to a neighbour
// first, and get the result back at the end.
#include <cstring>

#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

constexpr int kTag = 1;

// Local copies belong to the call. Gaps of a datatype stay as they are.
int copy(const Call& c, const std::byte* from, std::byte* to) {
  if (!c.element->has_gaps()) {
    std::memcpy(to, from, c.block_bytes);
    return MPI_SUCCESS;
  }
  return MPI_Sendrecv(from, c.count, c.type, c.rank, kTag, to, c.count, c.type, c.rank, kTag,
                      c.comm, MPI_STATUS_IGNORE);
}

int call_allreduce_doubling(Call& c) {
  std::byte* const incoming = c.scratch;
  if (const int error = copy(c, c.send, c.recv); error != MPI_SUCCESS) return error;
  int power = 1;
  while (2 * power <= c.ranks) power *= 2;
  // The first 2 * rest ranks are pairs of which the second goes on.
  const int rest = c.ranks - power;
  const bool waits = c.rank < 2 * rest && c.rank % 2 == 0;
  if (waits) {
    const int error = MPI_Send(c.recv, c.count, c.type, c.rank + 1, kTag, c.comm);
    if (error != MPI_SUCCESS) return error;
    return MPI_Recv(c.recv, c.count, c.type, c.rank + 1, kTag, c.comm, MPI_STATUS_IGNORE);
  }
  if (c.rank < 2 * rest) {
    const int error =
        MPI_Recv(incoming, c.count, c.type, c.rank - 1, kTag, c.comm, MPI_STATUS_IGNORE);
    if (error != MPI_SUCCESS) return error;
    MPI_Reduce_local(incoming, c.recv, c.count, c.type, c.reduction);
  }
  const int number = c.rank < 2 * rest ? c.rank / 2 : c.rank - rest;
  for (int bit = 1; bit < power; bit *= 2) {
    const int other = number ^ bit;
    const int partner = other < rest ? 2 * other + 1 : other + rest;
    const int error = MPI_Sendrecv(c.recv, c.count, c.type, partner, kTag, incoming, c.count,
                                   c.type, partner, kTag, c.comm, MPI_STATUS_IGNORE);
    if (error != MPI_SUCCESS) return error;
    if (other < number) {  // theirs is of lower ranks: theirs op ours
      MPI_Reduce_local(incoming, c.recv, c.count, c.type, c.reduction);
    } else {
      MPI_Reduce_local(c.recv, incoming, c.count, c.type, c.reduction);
      if (const int copied = copy(c, incoming, c.recv); copied != MPI_SUCCESS) return copied;
    }
  }
  if (c.rank < 2 * rest) return MPI_Send(c.recv, c.count, c.type, c.rank - 1, kTag, c.comm);
  return MPI_SUCCESS;
}

}  // namespace

extern constexpr Operation kAllreduceDoubling{
    .name = "allreduce_doubling",
    .summary = "allreduce by recursive doubling, written with MPI_Sendrecv",
    .reduces = true,
    .emulates = "allreduce",
    .parts = {{{"sendrecv"}, {"reduce_local"}}},
    .buffers = with_scratch(kBlockToBlock, kBlock),  // for what comes in
    .call = call_allreduce_doubling,
    .verify = reduced_over_all,
};

}  // namespace invar::ops
