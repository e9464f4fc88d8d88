// A network's model as a simulator needs it (src/platform).
#pragma once

#include <string>
#include <string_view>

#include "analysis/network/network_data.hpp"
#include "analysis/network/network_model.hpp"
#include "platform/platform_model.hpp"

namespace invar::analysis {

// The collectives that SimGrid has after a library's own: "ompi", "mpich", "impi", "mvapich2", by
// the first line of MPI_Get_library_version. Empty: none of these.
std::string selector_of(std::string_view library_version);

struct PlatformAsked {
  std::string selector = {};
  bool noise = true;  // each piece with how repetitions spread around it, and interruptions
};

// Pieces of half round trips and of isends; of sends those that do not wait, of late receives those
// that contain no transfer (without any: nothing, which no simulator asks for there); a break is
// the last size before it, or what the analyst wrote; a threshold the last size below it and one.
// Latency: LogGP's L where it is identified and above 0, else half a round trip of the smallest
// messages, which factors divide again. Bandwidth of a pair: the most bytes in half a round trip's
// time; of several pairs: SharedBandwidth's most. Interruptions: repetitions of round trips that
// are beyond 3 times their visit's median and beyond 5 robust spreads of their piece; they are no
// part of any noise. Throws UserError with every fault: operations that were not measured, with
// what would measure them, and what platform::check_model() finds. `data`: what the model was made
// of.
platform::PlatformModel platform_model(const NetworkModel& model, const NetworkData& data,
                                       const PlatformAsked& asked);

}  // namespace invar::analysis
