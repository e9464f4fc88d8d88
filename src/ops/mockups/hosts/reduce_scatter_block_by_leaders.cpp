// A reduce_scatter_block through leaders: all blocks to the leader of each host, the blocks of
// their hosts among the leaders, inside the hosts to their ranks.
#include "ops/mockups/bodies/leaders.hpp"
#include "ops/mockups/hosts/host_groups.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_reduce_scatter_block_by_leaders(Call& c) {
  return body::reduce_scatter_block_by_leaders(c.input(), c.recv, c.count, elements_of(c),
                                               c.reduction, hosts_of(c), c.scratch);
}

}  // namespace

extern constexpr Operation kReduceScatterBlockByLeaders = mockup({
    .of = kPromisedReduceScatterBlock,
    .name = "reduce_scatter_block=hierarchical",
    .summary = "reduce_scatter_block by hosts: reduce, reduce_scatter of leaders, scatter",
    .scratch = on_all_ranks(kAllBlocks),
    .counted = kAllBlocks,
    .hosts = HostNeed::kTogether,
    .equip = make_leaders_of_blocks,
    .call = call_reduce_scatter_block_by_leaders,
});

}  // namespace invar::ops
