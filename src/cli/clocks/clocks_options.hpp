// The options of `invar clocks`: as words, and what they mean.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/clocks/clocks_measure.hpp"
#include "clock/algorithm.hpp"
#include "clocksim/accuracy.hpp"

namespace invar::cli {

struct ClockWords {
  std::string link = "simulated";
  std::string network = "quiet";
  std::string ranks = {};
  std::string ranks_per_host = "1";
  std::string algorithms = "all";
  std::string seeds = "10";
  std::string after = "0s,5s,20s";
  std::string duration = "1s";
  std::string interval = "1s";
  std::string virtual_skew = {};
  std::string library = {};
  std::string clock = "auto";
  MeasureWords measure = {};
};

// Up to an hour. Throws UserError naming the option.
double parse_seconds(const std::string& option, const std::string& text, bool zero);
// A number from 0 to 1e-3.
double parse_skew(const std::string& option, const std::string& text);
// "all", or NAME:parameter=value,...
std::vector<clock::Settings> parse_algorithms(const std::string& option, const std::string& text);
// The same time for all that can use it, unless the user gave one.
std::vector<clock::Settings> filling(const std::vector<clock::Settings>& algorithms,
                                     double duration_s);

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
  std::vector<int> ranks = {};
  std::vector<clock::Settings> algorithms = {};
  std::vector<double> after_s = {};
  double duration_s = 1;
  double interval_s = 1;
  int seeds = 1;
};
// Throws UserError with every fault.
ClockOptions parse_clock_options(const ClockWords& words);

}  // namespace invar::cli
