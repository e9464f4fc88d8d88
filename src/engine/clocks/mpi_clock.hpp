// MPI_Wtime as a clock, on request: ticks are picoseconds since the rank's first reading, so that
// small differences keep their digits (as seconds since 1970 they are quantised to 238 ns). Where
// all ranks read one exact MPI_Wtime they are those since its own beginning.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "engine/machine/machine.hpp"

namespace invar::engine {

struct MpiWtimeClock {
  double origin_s = Machine::has_exact_wtime() ? 0 : MPI_Wtime();
  [[nodiscard]] std::int64_t now() const {
    return static_cast<std::int64_t>((MPI_Wtime() - origin_s) * 1e12);
  }
};

}  // namespace invar::engine
