// How good synchronisations are where the truth is known.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "clock/algorithm.hpp"
#include "clocksim/network.hpp"

namespace invar::clocksim {

// One synchronisation: what every link with a known truth gives, simulated or with virtual clocks.
struct Trial {
  double seconds = 0;              // from the first rank's start to the last one's end
  std::vector<double> worst_ns;    // largest |error| over ranks, one for every `after`
  std::vector<double> typical_ns;  // median of |error| over ranks
  // Share of the ranks whose error is at most what the algorithm states with 95 %; empty: it states
  // nothing.
  std::vector<double> covered = {};
};

struct Machine {
  Network network = {};
  int ranks = 2;
  int ranks_per_host = 1;
};

// Error of a rank = its model's global time - rank 0's clock, `after_s` after the last rank's end.
Trial run_trial(const Machine& machine, const clock::Settings& settings,
                const std::vector<double>& after_s, std::uint64_t seed);

// Quartiles over seeds, the extremes, and what 95 % are at most.
struct Spread {
  double least = 0, lower = 0, median = 0, upper = 0, most = 0, high = 0;
};
Spread spread_of(std::vector<double> values);

// Runs every algorithm with the seeds 1 ... seeds, on as many threads as there are processors. The
// result does not depend on their number.
std::vector<std::vector<Trial>> trials(const Machine& machine,
                                       const std::vector<clock::Settings>& algorithms,
                                       const std::vector<double>& after_s, int seeds);

// What no synchronisation gives: the spread of exits of a dissemination barrier, and when it ends.
std::vector<Trial> barrier_trials(const Machine& machine, int seeds);

// An algorithm over a sweep of its parameters.
std::vector<clock::Settings> sweep_of(const clock::Algorithm& algorithm);

// A campaign's clock: synchronised once by mesh, then tracked. Errors are worst over ranks, for
// every 10 ms of the time: by the first model only, by the prediction from the last epoch (what
// starts repetitions), and by the smoothed clock afterwards (what results use), in ns.
struct TrackingTrial {
  std::vector<double> untracked_ns, predicted_ns, smoothed_ns;
  // Error of the smoothed clock / its stated uncertainty, over all ranks and times: worst and
  // median.
  double worst_sigmas = 0, typical_sigmas = 0;
};
TrackingTrial run_tracking(const Machine& machine, const clock::Settings& mesh, double seconds,
                           double interval_s, std::uint64_t seed);
// Seeds 1 ... seeds, as trials().
std::vector<TrackingTrial> tracking(const Machine& machine, const clock::Settings& mesh,
                                    double seconds, double interval_s, int seeds);

}  // namespace invar::clocksim
