// On which host each rank of a cell is: whether two ranks talk inside a host or between two follows
// from the cell alone.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "record/cell.hpp"

namespace invar::record {

// By rank in the call's communicator the number of its host, from 0; as the engine places ranks
// (group/team_ranks.hpp). None where every launch group shuffles them over several hosts.
std::optional<std::vector<std::uint32_t>> hosts_of_ranks(const Cell& cell);

}  // namespace invar::record
