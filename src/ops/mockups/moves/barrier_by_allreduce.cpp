// A barrier as an allreduce of one element.
#include "ops/mockups/bodies/barrier.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_barrier_by_allreduce(Call& c) { return body::barrier_by_allreduce(c.comm); }

}  // namespace

extern constexpr Operation kBarrierByAllreduce = mockup({
    .of = promised_barrier<call_barrier_by_allreduce>(),
    .name = "barrier=allreduce",
    .summary = "barrier by allreduce of one element",
    .parts = {{{"allreduce", PartSize::kOne}}},
    .call = call_barrier_by_allreduce,
});

}  // namespace invar::ops
