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
  // Time of a simulation passes at once up to just before then, not look by look. Whether it did:
  // elsewhere nothing happens.
  [[nodiscard]] bool let_pass_until(std::int64_t ticks) const {
    if (!Machine::has_exact_wtime()) return false;
    constexpr std::int64_t kLastLooksNs = 100;
    const std::int64_t left_ns = (ticks - now()) / 1000 - kLastLooksNs;
    if (left_ns <= 0) return false;
    Machine::nap(left_ns);
    return true;
  }
};

}  // namespace invar::engine
