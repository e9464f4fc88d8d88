// `invar clocks` on a real MPI library.
#pragma once

#include "cli/clocks/clocks_options.hpp"
#include "cli/commands.hpp"

namespace invar::cli {

// accuracy and tracking with --library.
int run_library_accuracy(const ClockWords& words);
int run_library_tracking(const ClockWords& words);

// The experiments that need a library: resolution, drift, barriers, runtime-over-time.
void add_library_clocks(CLI::App& clocks, Outcome& outcome);

}  // namespace invar::cli
