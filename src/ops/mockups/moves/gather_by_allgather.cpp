// A gather as an allgather, whose result only the root wants (paper 003, GL3).
#include "ops/mockups/bodies/gather.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_gather_by_allgather(Call& c) {
  return body::gather_by_allgather(c.root_input(), c.recv, c.count, elements_of(c), c.root,
                                   group_of(c), c.scratch);
}

}  // namespace

extern constexpr Operation kGatherByAllgather = mockup({
    .of = kPromisedGather,
    .name = "gather=allgather",
    .summary = "gather by allgather",
    .parts = {{{"allgather"}}},
    .scratch = {.others = kAllBlocks, .others_in_place = kAllBlocks, .root_in_place = kBlock},
    .call = call_gather_by_allgather,
});

}  // namespace invar::ops
