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

// What will be started.
struct ClockRun {
  std::string library = {};          // name of its profile
  std::string library_version = {};  // "4.1.4"
  std::uint32_t ranks = 0;
  record::ClockSpec spec = {};
};

// Throws base::UserError for orders that cannot be carried out.
ClockRun prepare_clocks(const ClockOrder& order);

// The engine's clocks.csv (record/clock_spec.hpp). Throws base::CommandError (exit 3) with the
// engine's words if it fails.
std::string run_clocks(const ClockRun& run);

}  // namespace invar::driver
