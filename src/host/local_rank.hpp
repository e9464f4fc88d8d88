// Which of its host's ranks a process is, as launchers tell it in the environment before MPI_Init.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

namespace invar::host {

// What one launcher tells its ranks.
struct LauncherVariables {
  std::string_view launcher;
  std::string_view local_rank;
  std::string_view local_ranks;  // how many ranks the host has; empty: it does not tell
};

// Those of a library's own launcher first, which a batch system may have started, then launchers of
// machines, then batch systems: theirs may be of the job around the launch.
std::span<const LauncherVariables> launcher_variables();

// A variable's value; null: it is not set.
using Environment = std::function<const char*(const char* name)>;

// From the first launcher that tells it. `expected`: ranks that this launch has on a host, where
// that is known; a launcher that tells of another number, or a rank that is not below it, is one of
// a launch around this one. Where a launcher around it tells no number, all ranks may inherit one
// rank: whoever binds by it looks again when MPI tells. None: nobody tells.
std::optional<std::uint32_t> local_rank(const Environment& environment,
                                        std::optional<std::uint32_t> expected = {});

}  // namespace invar::host
