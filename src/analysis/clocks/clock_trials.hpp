// Synchronisations whose errors are known: what they took, and how wrong the ranks' clocks were.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/clocks/clock_answers.hpp"
#include "analysis/clocks/clock_means.hpp"

namespace invar::analysis {

// One algorithm, some time after its end, over seeds (a simulation) or the synchronisations of all
// launches.
struct TrialsRow {
  std::uint32_t ranks = 0;
  std::string algorithm = {};  // with its parameters
  double after_s = 0;
  std::size_t trials = 0;
  ClockSpread seconds = {};     // that it took
  ClockSpread worst_ns = {};    // largest |error| over the ranks
  ClockSpread typical_ns = {};  // median of them
  PooledMean worst_mean = {};   // of the largest errors
  // Share of ranks and trials whose error was at most what the algorithm says of it with 95 %;
  // none: it says nothing.
  std::optional<double> covered = {};
};

struct Trials {
  // Number of ranks by number of ranks and algorithm by algorithm, in the order of the raw rows;
  // each with its times in the order in which they were asked for.
  std::vector<TrialsRow> rows = {};
  double half_width_ns = 0;   // of what the errors are known by; 0: exactly
  double tracking_share = 0;  // of the time; 0: nothing was tracked
  std::size_t launches = 0;   // 0: simulated
};

Trials read_trials(const ClockInput& input);

// For every row: no other is both faster and more precise.
std::vector<bool> on_frontier(const std::vector<TrialsRow>& rows);

}  // namespace invar::analysis
