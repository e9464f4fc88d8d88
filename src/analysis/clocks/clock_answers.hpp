// What follows from the raw rows of each experiment with clocks, and words and tables that these
// answers share.
#pragma once

#include <string>
#include <vector>

#include "analysis/clocks/clock_experiments.hpp"

namespace invar::analysis {

Answer accuracy_answer(const ClockInput& input);
Answer pareto_answer(const ClockInput& input);
Answer scaling_answer(const ClockInput& input);
Answer tracking_answer(const ClockInput& input);
Answer resolution_answer(const ClockInput& input);
Answer drift_answer(const ClockInput& input);
Answer barriers_answer(const ClockInput& input);
Answer runtime_answer(const ClockInput& input);

// "mpich 4.0.2"; of a simulation "simulated".
std::string clock_link(const ClockInput& input);
// "mpich 4.0.2, 2 ranks" or "quiet network, simulated, 32 ranks (4 a host)".
std::string clock_scope(const ClockInput& input);
// The skew that clocks were given on purpose; 0: none.
double virtual_skew_of(const ClockInput& input);
// The network's name; of a library what its errors are known by, in a word or two.
std::string network_name(const ClockInput& input, double half_width_ns);
// What the errors of accuracy and tracking are known by, as a sentence.
std::string truth_text(const ClockInput& input, double half_width_ns);

// "tracking every 1 s takes 0.2 % of the time".
std::string tracking_cost_text(const ClockInput& input, double share);

// "median over seeds of the worst rank's error, 10 seeds"; of several launches with their number.
std::string trials_text(const ClockInput& input, std::size_t trials, std::size_t launches);

// Quartiles, extremes, and what 95 % are at most.
struct ClockSpread {
  double least = 0, lower = 0, median = 0, upper = 0, most = 0, high = 0;
};
// Needs at least one value.
ClockSpread clock_spread(std::vector<double> values);

// A column of a table that is for a terminal alone: texts, numbers among them with their units.
struct TextColumn {
  std::string header = {};
  bool left = false;
  bool glued = false;  // follows the one before it under its header
};
// Rows have as many texts as there are columns.
TidyTable terminal_table(const std::vector<TextColumn>& columns,
                         const std::vector<std::vector<std::string>>& rows);

}  // namespace invar::analysis
