// SimGrid 3.32's cost model, by which emitted files are judged: read in its sources, compared with
// smpirun in tests/platform.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "platform/simgrid_platform.hpp"

namespace invar::platform {

// What the sections give for a message of this size: seconds, never below 0, because SimGrid takes
// no time where the section gives less.
double overhead_s(const std::vector<OverheadSection>& sections, std::uint64_t size_bytes);
// For a message of this size, whose envelope is added here.
double factor_at(const std::vector<FactorSection>& sections, std::uint64_t size_bytes);

// From the start of the flow to its end, of a flow that shares nothing. None: smpirun aborts,
// because the bandwidth factor is not above 0.
std::optional<double> wire_s(const SimgridPlatform& platform, std::uint64_t size_bytes);
// Half of a round trip by MPI_Send and MPI_Recv, whose receiver waits. None: as wire_s().
std::optional<double> predicted_half_round_trip_s(const SimgridPlatform& platform,
                                                  std::uint64_t size_bytes);
// How long MPI_Send takes whose receiver waits already. None: as wire_s().
std::optional<double> predicted_send_s(const SimgridPlatform& platform, std::uint64_t size_bytes);

}  // namespace invar::platform
