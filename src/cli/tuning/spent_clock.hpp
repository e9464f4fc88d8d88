// What a command took since it began: of its budget, which is a limit.
#pragma once

#include <chrono>

#include "launch/libraries/profile.hpp"

namespace invar::cli {

// Engines and shims that had to be built do not count: nothing can be measured before, and once is
// enough.
class SpentClock {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count() -
           (launch::making_ready_s() - made_s_);
  }

 private:
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  double made_s_ = launch::making_ready_s();
};

}  // namespace invar::cli
