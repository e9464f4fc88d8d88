// A bcast as a scatter of the vector, padded, whose shares an allgather puts together again (paper
// 003, GL10; reference 5 there).
#include "ops/mockups/bodies/bcast.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_bcast_by_scatter_and_allgather(Call& c) {
  return body::bcast_by_scatter_and_allgather(vector_of_bcast(c), c.count, elements_of(c), c.root,
                                              group_of(c), c.scratch);
}

}  // namespace

extern constexpr Operation kBcastByScatterAndAllgather = mockup({
    .of = kPromisedBcast,
    .name = "bcast=scatter+allgather",
    .summary = "bcast by scatter and allgather of shares",
    .parts = {{{"scatter", PartSize::kShare}, {"allgather", PartSize::kShare}}},
    .scratch = on_all_ranks(kPadded),
    .counted = kPadded,
    .call = call_bcast_by_scatter_and_allgather,
});

}  // namespace invar::ops
