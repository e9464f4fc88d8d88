// The options of `invar clocks`: as words, and what they mean.
#pragma once

#include <CLI/CLI.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/clocks/clocks_measure.hpp"
#include "clock/algorithm.hpp"
#include "clocksim/accuracy.hpp"

namespace invar::cli {

// Names of options that were given, with their dashes.
using GivenOptions = std::set<std::string>;
GivenOptions given_options(const CLI::App& command);

struct ClockWords {
  std::string link = "simulated";
  std::string network = "quiet";
  std::string ranks = {};
  std::string ranks_per_host = "1";
  std::string algorithms = "all";
  std::string seeds = "10";
  std::string after = "0s,5s,20s";
  std::string duration = "1s";
  bool several_ranks = false;
  std::string interval = "1s";
  std::string virtual_skew = {};
  std::string library = {};
  std::string clock = "auto";
  GivenOptions given = {};
  MeasureWords measure = {};
};

// Up to an hour. Throws UserError naming the option.
double parse_seconds(const std::string& option, const std::string& text, bool zero);
// A number from 0 to 1e-3.
double parse_skew(const std::string& option, const std::string& text);
// "all", or NAME:parameter=value,...
std::vector<clock::Settings> parse_algorithms(const std::string& option, const std::string& text);

// A time for synchronisations, from a command's option.
struct DurationWord {
  const char* option;
  double duration_s = 0;
  bool given = false;  // by the user, not the command's default
};
// The same time for all that can use it, unless the user gave one, be it 0. Throws UserError where
// none can use what was given.
std::vector<clock::Settings> filling(const std::vector<clock::Settings>& algorithms,
                                     const DurationWord& word);

// No two ranks exchange two messages in less.
constexpr double kLeastRoundTripS = 1e-7;

// What is known of the link before anything runs.
struct LinkFacts {
  int ranks = 2;
  int ranks_per_host = 1;
  double least_round_trip_s = 0;
  double round_trip_s = 0;  // on average; of a library also less than any takes
};
// What a round trip takes on the simulated network; with --library, bounds that hold for any.
LinkFacts link_facts(const ClockWords& words, const clocksim::Machine& machine, int ranks);
// Throws UserError with every duration that was given and is below what its exchanges take. `word`:
// where it may have come from, if not from the algorithm's own parameters.
void check_durations(const std::vector<clock::Settings>& algorithms, const DurationWord& word,
                     const LinkFacts& link);
// Throws UserError with every parameter that does nothing before clocks are tracked.
void check_untracked(const std::vector<clock::Settings>& algorithms);

// Collects what is wrong with one option after the other, so that all is said at once.
class FaultReader {
 public:
  template <typename Body>
  void read(Body body) {
    try {
      body();
    } catch (const base::UserError& error) {
      for (const base::Fault& fault : error.faults()) faults_.add(fault);
    }
  }
  void done() const { faults_.throw_if_any(); }

 private:
  base::Faults faults_;
};

struct ClockOptions {
  clocksim::Machine machine = {};
  std::vector<int> ranks = {};  // of a simulation, and of a library where they were said
  std::vector<clock::Settings> algorithms = {};
  std::vector<double> after_s = {};
  double duration_s = 1;
  double interval_s = 1;
  int seeds = 1;
};
// Throws UserError with every fault.
ClockOptions parse_clock_options(const ClockWords& words);

}  // namespace invar::cli
