// A bcast as an allgatherv in place to which only the root gives something.
#include "ops/mockups/bodies/bcast.hpp"
#include "ops/mockups/mockup.hpp"
#include "ops/mockups/shares.hpp"

namespace invar::ops {
namespace {

int call_bcast_by_allgatherv(Call& c) {
  return body::bcast_by_allgatherv(vector_of_bcast(c), elements_of(c), group_of(c),
                                   share_of_root(c));
}

}  // namespace

extern constexpr Operation kBcastByAllgatherv = mockup({
    .of = kPromisedBcast,
    .name = "bcast=allgatherv",
    .summary = "bcast by allgatherv, all blocks but the root's empty",
    .parts = {{{"allgatherv", PartSize::kShare}}},
    .equip = make_shares_of_roots,
    .call = call_bcast_by_allgatherv,
});

}  // namespace invar::ops
