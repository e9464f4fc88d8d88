// Experiments with clocks on a real MPI library: the engine's part of `invar clocks`.
#pragma once

#include <mpi.h>

#include <string>

#include "record/clock_spec.hpp"

namespace invar::engine {

// Carries out the spec's experiment (clock_experiments.hpp) and writes DIR/clocks.csv on rank 0, or
// DIR/clocks.refused where all ranks find that it makes no sense here. Collective. Throws
// base::UserError.
void run_clock_experiment(MPI_Comm world, const std::string& dir, const record::ClockSpec& spec);

}  // namespace invar::engine
