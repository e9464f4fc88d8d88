// A bcast through leaders: inside the root's host, among the leaders, inside the other hosts.
#include "ops/mockups/bodies/leaders.hpp"
#include "ops/mockups/hosts/host_groups.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_bcast_by_leaders(Call& c) {
  return body::bcast_by_leaders(vector_of_bcast(c), c.count, elements_of(c), c.root, hosts_of(c));
}

}  // namespace

extern constexpr Operation kBcastByLeaders = mockup({
    .of = kPromisedBcast,
    .name = "bcast=hierarchical",
    .summary = "bcast by hosts: bcast beside the root, of leaders, inside hosts",
    .equip = make_leaders,
    .call = call_bcast_by_leaders,
});

}  // namespace invar::ops
