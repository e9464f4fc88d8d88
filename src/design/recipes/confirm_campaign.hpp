// The campaigns of `invar tune --confirm`: every cell that was raced, in the arm as its user gave
// it and in the same arm with the tuned file, by turns.
#pragma once

#include <cstdint>
#include <vector>

#include "design/campaign/campaign.hpp"
#include "design/recipes/tune_campaign.hpp"
#include "tuning/decision_table.hpp"

namespace invar::design {

// What the second arm is called.
inline constexpr const char* kTunedArm = "tuned";

struct ConfirmOrder {
  Campaign race = {};                // as it was sealed
  std::vector<TuneCell> cells = {};  // of its races, with those that were born under way
  Settings tuned = {};               // of the tuned arm, all of them
  tuning::DecisionTable table = {};  // not empty
  double budget_s = 0;
  std::uint64_t seed = 0;
};

// The cells have the levels that the race had. Throws std::invalid_argument for an order without
// cells or entries.
Campaign confirm_campaign(const ConfirmOrder& order);

// The cells that a campaign races.
std::vector<TuneCell> raced_cells(const std::vector<RaceBlock>& races);

}  // namespace invar::design
