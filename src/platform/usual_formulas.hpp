// What SimGrid's own calibration makes of the same lines, for comparison.
#pragma once

#include "platform/platform_model.hpp"
#include "platform/simgrid_platform.hpp"

namespace invar::platform {

// platform-calibration's Analysis.Rmd: a transfer is (PP - Or) / 2 of a ping-pong's round trip PP,
// MPI_Send's overhead is not taken out of it; bandwidth factors above 1 become 1, latency factors
// below 1 become 1; sections begin at the first size behind a break, factors' too. A bandwidth
// factor may come out negative or infinite, and such a platform cannot be written. Throws UserError
// as check_model().
SimgridPlatform usual_formulas(const PlatformModel& model);

}  // namespace invar::platform
