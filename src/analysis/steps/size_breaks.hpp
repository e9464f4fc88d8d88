// Where the fit of a curve of times over sizes by straight pieces breaks: what the driver asks
// between launch groups, to measure more sizes there.
#pragma once

#include <cstdint>
#include <vector>

#include "stats/model/size_curve.hpp"

namespace invar::analysis {

// A piece ends with the one size, and the next begins with the other: what lies between may belong
// to either.
struct SizeBreak {
  std::uint64_t last_bytes = 0;
  std::uint64_t first_bytes = 0;

  bool operator==(const SizeBreak&) const = default;
};

struct BreakRules {
  double min_effect = 0.02;  // differences that do not matter weigh no point more than others
  double step_ns = 0;        // of the clock
};

// Ascending. Of the points and by the fit that a network's model has
// (stats/model/group_factors.hpp, stats/model/segmented.hpp): means over launch groups without what
// these have in common, slopes and intercepts of at least 0. None where there are too few sizes for
// two pieces.
std::vector<SizeBreak> size_breaks(const stats::SizeCurve& curve, const BreakRules& rules);

}  // namespace invar::analysis
