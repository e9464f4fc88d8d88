// SimGrid's own calibration as data of a network.
#pragma once

#include <cstddef>
#include <string>

#include "analysis/network/network.hpp"
#include "analysis/network/network_data.hpp"
#include "analysis/network/network_model.hpp"
#include "platform/simgrid_csv.hpp"

namespace invar::analysis {

// Each file is cut into so many stretches of time with as many visits each.
inline constexpr std::size_t kStretches = 20;
// Every so many-th size is held out of fits.
inline constexpr std::size_t kHeldOutOfImport = 10;

// A ping-pong's exchanges are round trips, and its MPI_Send sends; MPI_Recv are late receives.
// There are no launches: consecutive calls of a size are a visit, and stretches of time take the
// place of launch groups. What reading the clock costs is MPI_Wtime's time, where that was
// measured.
NetworkData network_data(const platform::Calibration& calibration);

// The analyst's breaks, and its thresholds where pieces are named so: that below async
// "Asynchronous", and that below detached "Detached".
void take_breaks(const platform::Calibration& calibration, NetworkData& data,
                 ModelOptions& options);

// The answer's result of a folder that a calibration left. Throws as read_calibration() and
// network_model() do.
Network network_of_calibration(const std::string& folder);

}  // namespace invar::analysis
