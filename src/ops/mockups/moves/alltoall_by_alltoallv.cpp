// An alltoall whose counts are all the same.
#include "ops/mockups/bodies/alltoall.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_alltoall_by_alltoallv(Call& c) {
  return body::alltoall_by_alltoallv(c.input(), c.recv, elements_of(c), group_of(c), blocks_of(c));
}

}  // namespace

extern constexpr Operation kAlltoallByAlltoallv = mockup({
    .of = kPromisedAlltoall,
    .name = "alltoall=alltoallv",
    .summary = "alltoall by alltoallv",
    .parts = {{{"alltoallv"}}},
    .arrays = Arrays::kCounts,
    .call = call_alltoall_by_alltoallv,
});

}  // namespace invar::ops
