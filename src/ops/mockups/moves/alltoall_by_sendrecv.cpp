// An alltoall as an exchange with one rank after the other.
#include "ops/mockups/bodies/alltoall.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_alltoall_by_sendrecv(Call& c) {
  return body::alltoall_by_sendrecv(c.input(), c.recv, c.count, elements_of(c), group_of(c),
                                    c.scratch);
}

}  // namespace

extern constexpr Operation kAlltoallBySendrecv = mockup({
    .of = kPromisedAlltoall,
    .name = "alltoall=sendrecv",
    .summary = "alltoall by sendrecv with one rank after the other",
    .parts = {{{"sendrecv"}}},
    .scratch = in_place_only(kAllBlocks),
    .call = call_alltoall_by_sendrecv,
});

}  // namespace invar::ops
