// Nothing: what the timing loop itself costs.
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_empty(Call& /*call*/) { return MPI_SUCCESS; }

}  // namespace

extern constexpr Operation kEmpty{
    .name = "empty",
    .summary = "does nothing: measures the timing loop itself",
    .sized = false,
    .chain = record::Chain::kNone,
    .buffers = kNoBuffers,
    .call = call_empty,
    .verify = nothing_received,
};

}  // namespace invar::ops
