// No rank leaves before all have entered.
#include "ops/forms.hpp"
#include "ops/shapes.hpp"
#include "ops/waiting.hpp"

namespace invar::ops {
namespace {

int call_barrier(Call& c) { return MPI_Barrier(c.comm); }

int start_ibarrier(Call& c) { return MPI_Ibarrier(c.comm, c.requests); }

int prepare_barrier(Call& c) { return INVAR_INIT(c, Barrier, c.comm); }

// As `operation`, checked by calls of its own.
template <int (*barrier)(Call&)>
constexpr Operation checked(Operation operation) {
  operation.verify = nobody_leaves_early<barrier>;
  operation.verify_calls = true;
  return operation;
}

}  // namespace

extern constexpr Operation kBarrier = checked<call_barrier>({
    .name = "barrier",
    .summary = "no rank leaves before all have entered",
    .sized = false,
    .buffers = kNoBuffers,
    .call = call_barrier,
    .verify = nullptr,
});
extern constexpr Operation kIbarrier =
    checked<call_in_parts<start_ibarrier>>(nonblocking<start_ibarrier>(kBarrier, "ibarrier"));
extern constexpr Operation kBarrierInit =
    checked<call_in_parts<start_request>>(persistent(kBarrier, "barrier_init", prepare_barrier));

}  // namespace invar::ops
