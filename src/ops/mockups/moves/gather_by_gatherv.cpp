// A gather whose counts are all the same.
#include "ops/mockups/bodies/gather.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_gather_by_gatherv(Call& c) {
  return body::gather_by_gatherv(c.root_input(), c.recv, c.count, elements_of(c), c.root,
                                 group_of(c), blocks_of(c));
}

}  // namespace

extern constexpr Operation kGatherByGatherv = mockup({
    .of = kPromisedGather,
    .name = "gather=gatherv",
    .summary = "gather by gatherv",
    .parts = {{{"gatherv"}}},
    .arrays = Arrays::kCounts,
    .call = call_gather_by_gatherv,
});

}  // namespace invar::ops
