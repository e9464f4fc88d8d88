// One file per subcommand: it registers its options and says what to run. commands.cpp lists them.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace invar::cli {

// Set by the callback of the subcommand that was named; returns the exit status. Errors are thrown
// as base::CommandError.
struct Outcome {
  std::function<int()> run;
};

void add_mpi(CLI::App& app, Outcome& outcome);
void add_doctor(CLI::App& app, Outcome& outcome);
void add_ops(CLI::App& app, Outcome& outcome);
void add_init(CLI::App& app, Outcome& outcome);
void add_plan(CLI::App& app, Outcome& outcome);
void add_run(CLI::App& app, Outcome& outcome);
void add_race(CLI::App& app, Outcome& outcome);
void add_status(CLI::App& app, Outcome& outcome);
void add_verify(CLI::App& app, Outcome& outcome);
void add_env(CLI::App& app, Outcome& outcome);
void add_show(CLI::App& app, Outcome& outcome);
void add_compare(CLI::App& app, Outcome& outcome);
void add_export(CLI::App& app, Outcome& outcome);
void add_clocks(CLI::App& app, Outcome& outcome);
void add_self_test(CLI::App& app, Outcome& outcome);
void add_reproduce(CLI::App& app, Outcome& outcome);
void add_factors(CLI::App& app, Outcome& outcome);
void add_report(CLI::App& app, Outcome& outcome);

}  // namespace invar::cli
