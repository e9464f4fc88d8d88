// Lets a rank that the library ends (abort, an invalid address, exit) leave a word in its state:
// launchers then end the others, and of many that are gone one wants to know the first.
#pragma once

#include "record/stress/stress_state.hpp"

namespace invar::engine {

// One at a time. Whoever else asked for the signals gets them behind us.
class StressDeath {
 public:
  explicit StressDeath(record::StressState& state);
  StressDeath(const StressDeath&) = delete;
  StressDeath& operator=(const StressDeath&) = delete;
  ~StressDeath();
};

}  // namespace invar::engine
