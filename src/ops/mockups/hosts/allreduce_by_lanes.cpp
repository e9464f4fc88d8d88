// An allreduce by lanes: a share of the vector inside the host, by lanes, and inside the hosts
// all shares.
#include "ops/mockups/bodies/lanes.hpp"
#include "ops/mockups/hosts/host_groups.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_allreduce_by_lanes(Call& c) {
  return body::allreduce_by_lanes(c.input(), c.recv, c.count, elements_of(c), c.reduction,
                                  hosts_of(c), c.scratch);
}

}  // namespace

extern constexpr Operation kAllreduceByLanes = mockup({
    .of = kPromisedAllreduce,
    .name = "allreduce=full-lane",
    .summary = "allreduce by lanes: reduce_scatter_block, allreduce by lanes, allgather",
    .scratch = on_all_ranks({.shares_per_rank = 2}),
    .counted = kPadded,
    .hosts = HostNeed::kEven,
    .equip = make_lanes,
    .call = call_allreduce_by_lanes,
});

}  // namespace invar::ops
