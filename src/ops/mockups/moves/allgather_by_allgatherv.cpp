// An allgather whose counts are all the same.
#include "ops/mockups/bodies/allgather.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_allgather_by_allgatherv(Call& c) {
  return body::allgather_by_allgatherv(c.input(), c.recv, c.count, elements_of(c), group_of(c),
                                       blocks_of(c));
}

}  // namespace

extern constexpr Operation kAllgatherByAllgatherv = mockup({
    .of = kPromisedAllgather,
    .name = "allgather=allgatherv",
    .summary = "allgather by allgatherv",
    .parts = {{{"allgatherv"}}},
    .arrays = Arrays::kCounts,
    .call = call_allgather_by_allgatherv,
});

}  // namespace invar::ops
