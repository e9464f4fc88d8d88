// A scatter through leaders: to the leader of the root's host, the blocks of their hosts to the
// leaders, inside the hosts to their ranks.
#include "ops/mockups/bodies/leaders.hpp"
#include "ops/mockups/hosts/host_groups.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_scatter_by_leaders(Call& c) {
  return body::scatter_by_leaders(c.send, c.root_output(), c.count, elements_of(c), c.root,
                                  hosts_of(c), c.scratch);
}

}  // namespace

extern constexpr Operation kScatterByLeaders = mockup({
    .of = kPromisedScatter,
    .name = "scatter=hierarchical",
    .summary = "scatter by hosts: scatterv of leaders, scatter",
    .scratch = {.others = kAllBlocks, .others_in_place = kAllBlocks, .root_in_place = kBlock},
    .counted = kAllBlocks,
    .hosts = HostNeed::kTogether,
    .equip = make_leaders_of_blocks,
    .call = call_scatter_by_leaders,
});

}  // namespace invar::ops
