// The campaign of `invar nrep`: how many repetitions of a launch are enough?
#pragma once

#include <cstdint>

#include "design/recipes/quick_order.hpp"
#include "design/repetitions/repetition_rule.hpp"

namespace invar::design {

// The paper's number of predictions, of which the largest counts (paper 003, IV.B).
constexpr std::uint32_t kNrepLaunches = 3;

struct NrepOrder {
  QuickOrder quick = {};  // with one arm
  RepetitionRule rule = {};
  std::uint32_t launches = kNrepLaunches;
};

// As many launches, each with one visit of every cell and the range's most repetitions in it:
// nothing is decided while it is measured, so that every rule may be tried on its data later.
Campaign nrep_campaign(const NrepOrder& order);

}  // namespace invar::design
