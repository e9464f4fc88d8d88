// The batch job that this process is part of.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "design/campaign/hosts.hpp"

namespace invar::launch {

// Hosts of the Slurm job that this runs in, with their slots; none outside of a job, or where the
// job has only the host that this runs on. Throws UserError where Slurm cannot be asked for them.
std::vector<design::Host> job_hosts();

// True inside of a job of Slurm in which srun can start ranks.
bool in_slurm_job();

// Slurm's "2(x3),4": 2, 2, 2, 4. Empty if it is something else.
std::vector<std::uint32_t> repeated_numbers(std::string_view text);

}  // namespace invar::launch
