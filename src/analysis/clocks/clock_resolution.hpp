// What clocks cost and resolve, from every rank's readings.
#pragma once

#include <string>
#include <vector>

#include "analysis/clocks/clock_csv.hpp"

namespace invar::analysis {

struct ClockSourceRow {
  std::string source = {};
  bool trusted = true;
  std::string reason = {};                                    // not trusted: why
  double cost_q1_ns = 0, cost_median_ns = 0, cost_q3_ns = 0;  // of a read, over all ranks
  double smallest_step_ns = 0;                                // above 0; the smallest of all ranks
  double step_ns = 0;    // by which readings advance; the coarsest rank's
  double reads = 0;      // of each rank
  double backwards = 0;  // reads below the one before, all ranks
  double backwards_most_ns = 0;
  bool shared = false;  // ranks of a host read one clock, and it was looked at between them
  double shared_backwards = 0;
  double shared_most_ns = 0;
  // Against CLOCK_MONOTONIC_RAW, rank 0's; and how far other ranks' rates are away from it.
  double ticks_per_s = 0;
  double half_width_per_s = 0;
  double rates_apart_ppm = 0;
};

// In the order of the engine. Throws UserError for quantities that no engine writes.
std::vector<ClockSourceRow> read_clock_resolution(const ClockCsv& table);

}  // namespace invar::analysis
