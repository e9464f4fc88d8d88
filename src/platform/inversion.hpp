// The parameters for which SimGrid's own cost model gives back the measured lines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/platform_model.hpp"
#include "platform/simgrid_platform.hpp"

namespace invar::platform {

// A range of sizes whose lines no parameters give: what a message takes on the wire would have to
// be negative, or to fall with its size. The half round trip is kept, and the overheads give way,
// MPI_Recv's first.
struct Clipping {
  std::uint64_t first_bytes = 0;  // sizes, both included
  std::uint64_t last_bytes = 0;
  bool latency = false;    // would be negative
  bool bandwidth = false;  // would be infinite or negative
  double receive_ns = 0;   // by how much MPI_Recv's overhead is smaller, at most
  double send_ns = 0;      // likewise MPI_Send's
  // By how much the half round trip is too long, where there is nothing that could give way: the
  // largest share of it at either end.
  double too_long = 0;
  bool operator==(const Clipping&) const = default;
};

// Sizes that no piece and no threshold divides, and what they became. Each line's `from_bytes` is
// the last size before; its noise is the measured piece's, the wire's that of the half round trip.
struct InvertedSegment {
  std::uint64_t first_bytes = 0;  // sizes, both included
  std::uint64_t last_bytes = 0;
  Line send = {};
  Line receive = {};
  Line wire = {};  // without the overheads; its intercept has the envelope's bytes in it
};

struct Inversion {
  SimgridPlatform platform = {};
  std::vector<InvertedSegment> segments = {};  // by size, over all of them
  std::vector<Clipping> clippings = {};        // by size
};

// Exact on the common refinement of all pieces and the threshold `detached` (docs/methods.md,
// "SimGrid: the exact inversion"): for every size predicted_half_round_trip_s() is the model's
// half round trip, and the overheads are the model's, but where a clipping says otherwise. Throws
// UserError as check_model().
Inversion invert(const PlatformModel& model);

// "65.5 KiB to 263 KiB: ..."
std::string clipping_text(const Clipping& clipping);

}  // namespace invar::platform
