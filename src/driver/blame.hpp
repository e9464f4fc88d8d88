// Whose fault a failed group is. When one launch dies the others notice and end too, sometimes
// before the launcher of the first one: who ended first says little, what they said says more.
#pragma once

#include <optional>
#include <span>
#include <string>

namespace invar::driver {

// How far a launch of a failed group has come, in the order of the group's arms.
struct LaunchEnd {
  std::string label = {};
  std::optional<int> status = {};  // none: its launcher still runs
  std::string err = {};            // its standard error so far
};

struct Cause {
  std::string arm = {};
  std::string reason = {};  // "'openmpi' ended with signal 9: ..."
};

// At least one launch has a status other than 0. In this order: a launch whose engine gives a
// reason of its own; the launch whose rank the others miss; the first that failed.
Cause find_cause(std::span<const LaunchEnd> launches);

}  // namespace invar::driver
