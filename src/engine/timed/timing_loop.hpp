// The timed region. It fits on a screen, and nothing stands between the two clock reads but the
// operation.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "ops/operation.hpp"

namespace invar::engine {

// Where one visit's ticks go: arrays that were written before (no first touch here).
struct TickArrays {
  std::int64_t* begin = nullptr;
  std::int64_t* end = nullptr;
  std::uint16_t* flags = nullptr;  // all 0
};

// For runs that have no hooks at all, as those of experiments with clocks.
struct NothingAround {
  static void before(ops::Call& /*call*/, std::uint32_t /*repetition*/) {}
  static void behind(ops::Call& /*call*/, std::uint32_t /*repetition*/) {}
};

struct LoopResult {
  std::uint32_t repetitions = 0;
  int error = MPI_SUCCESS;  // the last one that a call returned
};

// Repeats until the synchronisation ends the visit. `around` is what hooks do untimed:
// before(call, i) before repetition i is synchronised, behind(call, i) once it is over. `delay()`
// belongs to the call
// (engine/timed/delay.hpp). A rank whose call returns an error goes on: the others would wait for
// it.
template <typename Clock, typename Sync, typename Delay, typename Around>
LoopResult timing_loop(Clock clock, Sync& sync, const ops::Operation& operation, ops::Call& call,
                       Delay delay, TickArrays ticks, Around&& around) {
  LoopResult result;
  std::uint32_t i = 0;
  for (around.before(call, i); sync.wait(ticks.flags[i]); around.before(call, ++i)) {
    ticks.begin[i] = clock.now();
    const int error = operation.call(call);
    delay();
    ticks.end[i] = clock.now();
    if (error != MPI_SUCCESS) [[unlikely]] {
      result.error = error;
      sync.note_error();
    }
    around.behind(call, i);
  }
  result.repetitions = i;
  return result;
}

// The same for a batch of calls between two clock reads. `after(call)` follows every call of it:
// nothing of ours, but what a suite does there that measures so.
template <typename Clock, typename Sync, typename Around, typename After>
LoopResult batch_loop(Clock clock, Sync& sync, const ops::Operation& operation, ops::Call& call,
                      std::uint32_t calls, TickArrays ticks, Around&& around, After after) {
  LoopResult result;
  std::uint32_t i = 0;
  for (around.before(call, i); sync.wait(ticks.flags[i]); around.before(call, ++i)) {
    int error = MPI_SUCCESS;
    ticks.begin[i] = clock.now();
    for (std::uint32_t n = 0; n < calls; ++n) {
      const int status = operation.call(call);
      if (status != MPI_SUCCESS) [[unlikely]] {
        error = status;
      }
      after(call);
    }
    ticks.end[i] = clock.now();
    if (error != MPI_SUCCESS) [[unlikely]] {
      result.error = error;
      sync.note_error();
    }
    around.behind(call, i);
  }
  result.repetitions = i;
  return result;
}

}  // namespace invar::engine
