// Clock experiments on a real MPI library.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "record/clock_spec.hpp"

namespace invar::driver {

struct ClockOrder {
  std::string library = {};     // name of a profile
  std::uint32_t ranks = 0;      // 0: one a core
  record::ClockSpec spec = {};  // pinning and CPUs are filled in
};

// One line of the engine's clocks.csv (docs/clocks.md).
struct ClockError {
  std::string algorithm = {};  // with its parameters
  std::uint32_t repetition = 0;
  double seconds = 0;  // that the synchronisation took
  double after_s = 0;  // after its end
  std::uint32_t rank = 0;
  double error_ns = 0;
  double half_width_ns = 0;  // of what the error is known by; 0: exactly
};

struct ClockErrors {
  std::string library = {};  // "openmpi 4.1.4"
  std::uint32_t ranks = 0;
  std::vector<ClockError> errors = {};  // in the order of the experiment
};

// Throws base::UserError for orders that cannot be carried out, base::CommandError (exit 3) with
// the engine's words if it fails.
ClockErrors run_clocks(const ClockOrder& order);

// Throws std::invalid_argument for what the engine does not write.
std::vector<ClockError> read_clock_errors(const std::string& csv);

}  // namespace invar::driver
