// `invar clocks` on a real MPI library.
#pragma once

#include "cli/clocks/clocks_options.hpp"
#include "cli/commands.hpp"
#include "driver/clock_run.hpp"

namespace invar::cli {

// Throws UserError for orders that cannot be carried out.
ClockJob library_job(const driver::ClockOrder& order);

// The experiments that need a library: resolution, drift, barriers, runtime-over-time.
void add_library_clocks(CLI::App& clocks, Outcome& outcome);

}  // namespace invar::cli
