// What mpptest does behind its passes over all sizes: points that stick out of their curve are
// measured again, because a single long time may be a moment's load (docs/methods.md, "Measured
// again"). Our launches have further visits of every point; which of them mpptest would have made
// follows from the passes, and the others count for nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace invar::analysis {

// One size of a curve in one launch. Times are those of a call, by pass.
struct SweptPoint {
  double size = 0;
  std::vector<double> passes_ns = {};
  // The further visits, in their order. Nothing where a visit gave no time that counts.
  std::vector<std::optional<double>> again_ns = {};
};

struct KeptPasses {
  std::vector<double> times_ns = {};  // of the passes, then of what was measured again
  std::uint32_t again = 0;            // how many of these
};

// A point is measured again where its least time is above 1.1 times the straight line through its
// neighbours' (at an end of the curve through itself and the only one, as if it had a like one 4
// bytes further out); one after the other in ascending order, so that a point sees what those
// before it became; all over again until no point does, or the further visits are used up. Points
// without a pass are on no curve. `ascending`: by size; the result is as long.
std::vector<KeptPasses> kept_passes(std::span<const SweptPoint> ascending);

}  // namespace invar::analysis
