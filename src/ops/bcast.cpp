// The vector of the root goes to all ranks. The root sends from `send` and the others receive into
// `recv`, so that data which a rank must not touch are on every rank.
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_bcast(Call& c) {
  std::byte* const vector = c.rank == c.root ? c.send : c.recv;
  return MPI_Bcast(vector, c.count, c.type, c.root, c.comm);
}

void root_to_others(const Call& c, Checker& checker) {
  const std::uint64_t elements = block_elements(c, c.rank);
  if (c.rank == c.root) {
    checker.expect_untouched(0, elements);
  } else {
    checker.expect_block(0, c.root, 0, elements);
  }
}

}  // namespace

extern constexpr Operation kBcast{
    .name = "bcast",
    .summary = "the vector of the root goes to every rank",
    .rooted = true,
    .buffers = block_to_block,
    .call = call_bcast,
    .verify = root_to_others,
};

}  // namespace invar::ops
