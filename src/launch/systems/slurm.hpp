// Slurm: srun as a launcher, and the job that this process is part of.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "launch/systems/system.hpp"

namespace invar::launch {

// --overlap: the steps of a group share the job's cores and memory.
extern const LaunchSystem kSlurm;

// Slurm's "2(x3),4": 2, 2, 2, 4. Empty if it is something else.
std::vector<std::uint32_t> repeated_numbers(std::string_view text);

}  // namespace invar::launch
