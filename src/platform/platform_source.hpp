// A platform as C++ source for smpirun -platform ./lib.so, where two classes of pairs differ, and
// times vary as they were measured.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "platform/inversion.hpp"
#include "platform/platform_model.hpp"

namespace invar::platform {

// How smpirun is told to run a program on any of these platforms, XML as well.
inline constexpr const char* kRunOptions =
    "--cfg=surf/precision:1e-12 --cfg=smpi/simulate-computation:no";

struct SourceOrder {
  PlatformModel inside_host = {};
  PlatformModel between_hosts = {};
  std::uint32_t hosts = 2;  // 1 or more, as cores
  std::uint32_t cores = 2;
  std::uint64_t seed = 1;         // of the noise
  std::string stem = "platform";  // it is in STEM.cpp, and its hosts in STEM.cpp.hosts
};

struct PlatformSource {
  std::string text = {};
  std::vector<Clipping> inside_clippings = {};
  std::vector<Clipping> between_clippings = {};
  // What the platform cannot say, beside what unmeasured() says of each model: sentences.
  std::vector<std::string> cautions = {};
};

// Compiles against SimGrid 3.32 (libsimgrid-dev): the commands to compile it and to run on it stand
// in its first lines, behind `comments`. Without noise every time is invert()'s. With it a half
// round trip, an MPI_Send, an MPI_Isend and an MPI_Recv each vary as their piece's parts say, with
// the line as their median, and a message that is interrupted is on the wire for so much longer:
// what the calls were off by is taken from or given to the wire, of which at least a hundredth is
// left. SimGrid has one pair of thresholds, which are those between hosts. Throws UserError as
// check_model() of both.
PlatformSource platform_source(const SourceOrder& order, std::span<const std::string> comments);

}  // namespace invar::platform
