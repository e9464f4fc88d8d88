// The campaigns of `invar self-test`: a library against itself, with planted delays. How long these
// should be follows from a pilot without them.
#pragma once

#include <span>
#include <string>

#include "design/recipes/quick_order.hpp"

namespace invar::design {

struct SelfTestOrder {
  QuickOrder quick = {};  // with one arm
  std::string pairing = "turns";
};

// A few launches of the library alone, which tell what a call takes.
Campaign self_test_pilot(const SelfTestOrder& order);

struct PilotTime {
  record::Cell cell = {};
  double call_ns = 0;  // above 0
};

// Every cell without and with five delays, and the library twice. `pilot`: as it was resolved, with
// its ranks; `budget_s`: what the pilot left of its own, at least a second is taken.
Campaign self_test_campaign(const Campaign& pilot, std::span<const PilotTime> times,
                            double budget_s);

}  // namespace invar::design
