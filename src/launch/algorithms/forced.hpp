// Arms whose library is told an algorithm when it starts: for libraries that cannot be told later.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "design/campaign/campaign.hpp"
#include "launch/algorithms/told_level.hpp"
#include "tuning/probes/forced_arms.hpp"

namespace invar::launch {

// The arms of the levels that this library has, in their order. Levels that it does not know are
// left out.
std::vector<tuning::ForcedArm> forced_arms(const Profile& profile,
                                           std::span<const ToldLevel> levels);

// The arm with these settings on top of its own: a setting of the same name is replaced. Its label
// is "BASE+bcast-chain".
design::Arm forced_arm(const design::Arm& base, const tuning::ForcedArm& forced);

}  // namespace invar::launch
