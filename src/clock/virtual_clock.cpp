#include "clock/virtual_clock.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace invar::clock {
namespace {

constexpr std::int64_t kStepPs = 10'000'000'000;
constexpr std::size_t kSteps = 60'000;

// Box and Muller 1958.
double normal(base::Random& random) {
  const double first = 1 - random.uniform();
  const double second = random.uniform();
  return std::sqrt(-2 * std::log(first)) * std::cos(2 * std::numbers::pi * second);
}

}  // namespace

VirtualClock::VirtualClock(std::int64_t origin_ps, double offset_s, double skew, double wander,
                           std::uint64_t seed)
    : origin_ps_(origin_ps),
      offset_ps_(static_cast<std::int64_t>(std::llround(offset_s * 1e12))),
      skew_(skew) {
  if (!(wander > 0)) return;
  base::Random random(seed);
  const double step_s = static_cast<double>(kStepPs) * 1e-12;
  walk_.reserve(kSteps);
  Step step;
  for (std::size_t i = 0; i < kSteps; ++i) {
    walk_.push_back(step);
    step.deviation_ps += step.skew * static_cast<double>(kStepPs);
    step.skew += wander * std::sqrt(step_s) * normal(random);
  }
}

std::int64_t VirtualClock::wandered_ps(std::int64_t since_ps) const {
  if (since_ps <= 0) return 0;
  const auto place = std::min(static_cast<std::size_t>(since_ps / kStepPs), walk_.size() - 1);
  const std::int64_t into_ps = since_ps - static_cast<std::int64_t>(place) * kStepPs;
  return static_cast<std::int64_t>(walk_[place].deviation_ps +
                                   walk_[place].skew * static_cast<double>(into_ps));
}

}  // namespace invar::clock
