// A bcast as a scatterv of the vector, whose shares an allgatherv puts together again: nothing is
// padded.
#include "ops/mockups/bodies/bcast.hpp"
#include "ops/mockups/mockup.hpp"
#include "ops/mockups/shares.hpp"

namespace invar::ops {
namespace {

int call_bcast_by_scatterv_and_allgatherv(Call& c) {
  return body::bcast_by_scatterv_and_allgatherv(vector_of_bcast(c), elements_of(c), c.root,
                                                group_of(c), shares_of(c));
}

}  // namespace

extern constexpr Operation kBcastByScattervAndAllgatherv = mockup({
    .of = kPromisedBcast,
    .name = "bcast=scatterv+allgatherv",
    .summary = "bcast by scatterv and allgatherv of shares",
    .parts = {{{"scatterv", PartSize::kShare}, {"allgatherv", PartSize::kShare}}},
    .equip = make_shares,
    .call = call_bcast_by_scatterv_and_allgatherv,
});

}  // namespace invar::ops
