// One file per subcommand: it registers its options and says what to run. commands.def lists them.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace invar::cli {

// Set by the callback of the subcommand that was named; returns the exit status. Errors are thrown
// as base::CommandError.
struct Outcome {
  std::function<int()> run;
};

// add_mpi(), add_doctor(), ...
#define INVAR_COMMAND(name) void add_##name(CLI::App& app, Outcome& outcome);
#include "cli/commands.def"
#undef INVAR_COMMAND

}  // namespace invar::cli
