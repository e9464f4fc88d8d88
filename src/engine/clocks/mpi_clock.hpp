// MPI_Wtime as a clock, on request: ticks are picoseconds since the rank's first reading, so that
// small differences keep their digits (as seconds since 1970 they are quantised to 238 ns).
#pragma once

#include <mpi.h>

#include <cstdint>

namespace invar::engine {

struct MpiWtimeClock {
  double origin_s = MPI_Wtime();
  [[nodiscard]] std::int64_t now() const {
    return static_cast<std::int64_t>((MPI_Wtime() - origin_s) * 1e12);
  }
};

}  // namespace invar::engine
