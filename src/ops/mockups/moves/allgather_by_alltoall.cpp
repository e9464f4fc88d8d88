// An allgather as an alltoall of copies of the own block (paper 003, GL5).
#include "ops/mockups/bodies/allgather.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_allgather_by_alltoall(Call& c) {
  return body::allgather_by_alltoall(c.input(), c.recv, c.count, elements_of(c), group_of(c),
                                     c.scratch);
}

}  // namespace

extern constexpr Operation kAllgatherByAlltoall = mockup({
    .of = kPromisedAllgather,
    .name = "allgather=alltoall",
    .summary = "allgather by alltoall of copies of the block",
    .parts = {{{"alltoall"}}},
    .scratch = on_all_ranks(kAllBlocks),
    .call = call_allgather_by_alltoall,
});

}  // namespace invar::ops
