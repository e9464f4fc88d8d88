// Campaigns whose ranks are simulated: all of them are one process, on hosts that an arm's platform
// describes, and live in simulated time (docs/guide.md, The simulator).
#pragma once

#include <string_view>
#include <vector>

#include "design/campaign/campaign.hpp"

namespace invar::design {

// The level of `pinning` of their launches; campaigns of real hosts have it nowhere.
constexpr std::string_view kSimulatedRanks = "simulated";

bool is_simulated(const Campaign& campaign);

// Gives the campaign what follows from that where nothing else is written: launch after launch,
// MPI_Wtime, a synchronisation by messages. Returns what is written and cannot be, each with the
// reason. Doing it again changes nothing.
std::vector<Conflict> make_simulated(Campaign& campaign);

// The other way round: simulated ranks are asked for, and no arm simulates.
std::vector<Conflict> not_simulated(const Campaign& campaign);

}  // namespace invar::design
