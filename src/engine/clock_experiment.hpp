// How good synchronisations are on a real MPI library: the engine's part of `invar clocks`.
#pragma once

#include <mpi.h>

#include <string>

#include "record/clock_spec.hpp"

namespace invar::engine {

// Runs every algorithm of the spec as often as it says and writes DIR/clocks.csv on rank 0, one
// line a rank and time: algorithm, repetition, seconds (the synchronisation took), after_s, rank,
// error_ns (the model's reference time - the reference's clock), half_width_ns (of what the error
// is known by; 0: exactly). The error is known exactly where all ranks read one real clock; else it
// is measured by ping-pongs at that time. Collective. Throws base::UserError.
void run_clock_experiment(MPI_Comm world, const std::string& dir, const record::ClockSpec& spec);

}  // namespace invar::engine
