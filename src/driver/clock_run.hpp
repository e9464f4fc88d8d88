// Clock experiments on a real MPI library.
#pragma once

#include <cstdint>
#include <string>

#include "record/clock_spec.hpp"

namespace invar::driver {

struct ClockOrder {
  std::string library = {};     // name of a profile
  std::uint32_t ranks = 0;      // 0: one a core
  record::ClockSpec spec = {};  // pinning and CPUs are filled in
};

struct ClockRun {
  std::string library = {};  // "openmpi 4.1.4"
  std::uint32_t ranks = 0;
  std::string csv = {};  // the engine's clocks.csv (engine/experiments/clock_experiments.hpp)
};

// Throws base::UserError for orders that cannot be carried out, base::CommandError (exit 3) with
// the engine's words if it fails.
ClockRun run_clocks(const ClockOrder& order);

}  // namespace invar::driver
