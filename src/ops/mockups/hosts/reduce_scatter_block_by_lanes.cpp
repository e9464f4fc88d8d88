// A reduce_scatter_block by lanes: the blocks of the own lane inside the host, and each rank
// its own by lanes.
#include "ops/mockups/bodies/lanes.hpp"
#include "ops/mockups/hosts/host_groups.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_reduce_scatter_block_by_lanes(Call& c) {
  return body::reduce_scatter_block_by_lanes(c.input(), c.recv, c.count, elements_of(c),
                                             c.reduction, hosts_of(c), c.scratch);
}

}  // namespace

extern constexpr Operation kReduceScatterBlockByLanes = mockup({
    .of = kPromisedReduceScatterBlock,
    .name = "reduce_scatter_block=full-lane",
    .summary = "reduce_scatter_block by lanes: reduce_scatter_block in the host and by lanes",
    .scratch = on_all_ranks({.per_rank = 2}),
    .counted = kAllBlocks,
    .hosts = HostNeed::kEven,
    .equip = make_lanes,
    .call = call_reduce_scatter_block_by_lanes,
});

}  // namespace invar::ops
