// Where and how often an experiment with clocks starts a library: the options that all of them
// have.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/clocks/clocks_options.hpp"
#include "driver/clock_run.hpp"

namespace invar::cli {

struct LaunchWords {
  std::string ranks = {};
  bool several_ranks = false;  // of one experiment, a launch each
  std::string hosts = {};
  std::string hostfile = {};
  std::string pinning = {};
  std::string launches = "1";
};

// --hosts, --hostfile, --pinning and, where pooling makes sense, --launches. `library`: the option
// that they need, where there is one.
void add_launch_options(CLI::App& command, LaunchWords& words, CLI::Option* library, bool launches);

// Takes them into the order.
void read_launch_words(const LaunchWords& words, FaultReader& reader, driver::ClockOrder& order);

// Virtual clocks need ranks of one host: throws UserError for others.
void check_virtual_hosts(const driver::ClockOrder& order);

}  // namespace invar::cli
