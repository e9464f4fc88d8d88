// Which of a launch's ranks take part in a cell. Knows no MPI.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "record/cell.hpp"

namespace invar::group {

// World ranks by their rank in the cell's communicator: of each of the first `nodes` hosts (in the
// order of their lowest ranks) its first ranks, `ppn` of them or one less where they do not come
// out even; "packed" host after host, "round-robin" in turns over the hosts; then reversed, or
// shuffled by `seed`. `host_of_rank`: index of each world rank's host. Throws base::UserError if a
// host has too few ranks.
std::vector<std::uint32_t> team_ranks(const record::Cell& cell,
                                      std::span<const std::uint32_t> host_of_rank,
                                      std::uint64_t seed);

// The lowest of `ranks` (world ranks) on every host that has some, in the order in which they are
// given.
std::vector<std::uint32_t> lowest_on_hosts(std::span<const std::uint32_t> ranks,
                                           std::span<const std::uint32_t> host_of_rank);

}  // namespace invar::group
