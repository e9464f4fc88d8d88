// A reduce by lanes: a share of the vector inside the host, by lanes to the root's host, and
// there to the root.
#include "ops/mockups/bodies/lanes.hpp"
#include "ops/mockups/hosts/host_groups.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_reduce_by_lanes(Call& c) {
  return body::reduce_by_lanes(c.root_input(), c.recv, c.count, elements_of(c), c.reduction, c.root,
                               hosts_of(c), c.scratch);
}

}  // namespace

extern constexpr Operation kReduceByLanes = mockup({
    .of = kPromisedReduce,
    .name = "reduce=full-lane",
    .summary = "reduce by lanes: reduce_scatter_block, reduce by lanes, gather",
    .scratch = on_all_ranks({.shares_per_rank = 3}),
    .counted = kPadded,
    .hosts = HostNeed::kEven,
    .equip = make_lanes,
    .call = call_reduce_by_lanes,
});

}  // namespace invar::ops
