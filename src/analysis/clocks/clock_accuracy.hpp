// Errors of synchronisations and of a tracked clock on a real library.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace invar::analysis {

struct ClockError {
  std::string algorithm = {};  // with its parameters
  std::uint32_t repetition = 0;
  double seconds = 0;  // that the synchronisation took
  double after_s = 0;  // after its end
  std::uint32_t rank = 0;
  double error_ns = 0;
  double half_width_ns = 0;   // of what the error is known by; 0: exactly
  double tracking_share = 0;  // of the time; 0: not tracked
};
std::vector<ClockError> read_clock_errors(std::string_view csv);

// The worst rank's error at one time after the first synchronisation.
struct TrackedError {
  double seconds = 0;
  double untracked_ns = 0, predicted_ns = 0, smoothed_ns = 0;
  double sigma_ns = 0;  // stated by the smoothed clock
  double half_width_ns = 0;
  double tracking_share = 0;
};
std::vector<TrackedError> read_tracked_errors(std::string_view csv);

}  // namespace invar::analysis
