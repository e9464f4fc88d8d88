// A clock that is wrong by a known amount, on top of a real one: the truth for experiments on a
// machine whose ranks all read the same real clock.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.hpp"

namespace invar::clock {

class VirtualClock {
 public:
  // The real clock itself.
  VirtualClock() = default;
  // offset_s: at `origin_ps` of the real clock; skew: 13e-6 gains 13 us in a second; wander: random
  // walk of the skew, standard deviation after one second. Deterministic by seed.
  VirtualClock(std::int64_t origin_ps, double offset_s, double skew, double wander,
               std::uint64_t seed);

  // What it shows when the real clock shows that. Times before the origin: without wander.
  [[nodiscard]] std::int64_t at_ps(std::int64_t real_ps) const {
    const std::int64_t since_ps = real_ps - origin_ps_;
    return real_ps + offset_ps_ + static_cast<std::int64_t>(skew_ * static_cast<double>(since_ps)) +
           (walk_.empty() ? 0 : wandered_ps(since_ps));
  }

 private:
  // The skew walks in steps of 10 ms, so the deviation is a line in each of them.
  struct Step {
    double deviation_ps = 0;  // at its start
    double skew = 0;
  };
  [[nodiscard]] std::int64_t wandered_ps(std::int64_t since_ps) const;

  std::int64_t origin_ps_ = 0;
  std::int64_t offset_ps_ = 0;
  double skew_ = 0;
  std::vector<Step> walk_ = {};  // ten minutes; afterwards the skew stays
};

}  // namespace invar::clock
