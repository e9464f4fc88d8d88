// What every experiment with clocks does: measure (or read an old directory), keep, answer.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "cli/answer.hpp"
#include "driver/clock_run.hpp"
#include "record/clock_spec.hpp"
#include "store/clock_dir.hpp"

namespace invar::cli {

struct MeasureWords {
  std::string output = {};
  std::string from = {};
  std::string command = {};  // as it was given, without where its data go
  AnswerWords answer = {};
};

// Registers --format, -o and --from. To be called when the command has all its other options:
// --from excludes them.
void add_measure_options(CLI::App& command, MeasureWords& words);

// The command again, word by word, from the options that were given.
std::string command_text(const CLI::App& command);

// Gives the raw rows to the listener, and returns which launches are not in them.
using ClockMeasurement =
    std::function<std::vector<store::FailedClockLaunch>(const driver::ClockListener&)>;

struct ClockJob {
  store::ClockHead head = {};  // without experiment, host and command
  record::ClockSpec spec = {};
  ClockMeasurement measure = {};
};

// A measurement that gives all its rows at once and cannot fail: a simulation.
ClockMeasurement all_at_once(std::function<std::string()> rows);

// `prepare` parses the words: it throws UserError before anything is measured. Returns the exit
// status: 3 where a launch failed.
int run_clock_job(const std::string& experiment, const MeasureWords& words,
                  const std::function<ClockJob()>& prepare);

// Prints what a directory holds, whichever experiment it is.
int show_clock_dir(const std::string& dir, const AnswerOptions& options);

}  // namespace invar::cli
