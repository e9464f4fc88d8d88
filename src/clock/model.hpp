// Linear clock models and their algebra (Hunold and Carpen-Amarie, EuroMPI 2015, section 6).
#pragma once

#include <cstdint>

namespace invar::clock {

// difference(t) = local clock - reference clock when the local clock shows t:
//   difference(t) = offset_ps + skew (t - at_ps)
// The paper's slope and intercept are skew and difference(0). An intercept at 0 would lose
// precision with offsets of 1000 s, so the line is held by a point near the measurements, in whole
// picoseconds; only the part that the skew contributes is a double.
struct Model {
  std::int64_t at_ps = 0;      // local time of the reference point
  std::int64_t offset_ps = 0;  // difference there
  double skew = 0;             // above -1 and below 1; real clocks: below 1e-4

  [[nodiscard]] std::int64_t difference_ps(std::int64_t local_ps) const;
  // Local time -> reference time.
  [[nodiscard]] std::int64_t to_reference_ps(std::int64_t local_ps) const {
    return local_ps - difference_ps(local_ps);
  }
  // Reference time -> local time: the exact inverse, to a picosecond.
  [[nodiscard]] std::int64_t to_local_ps(std::int64_t reference_ps) const;
  // The same line, held by another point: what a model becomes when a newer offset is measured.
  [[nodiscard]] Model moved_to(std::int64_t local_ps) const;
};

// Equation (1): `to_middle` says how a clock differs from a middle one, `middle_to_reference` how
// that differs from the reference. s = s1 + s2 - s1 s2, i = i1 + i2 - i1 s2 with 1 = to_middle
// (here without the cancellation that intercepts at 0 bring). Associative up to rounding to
// picoseconds.
Model merge(const Model& to_middle, const Model& middle_to_reference);

}  // namespace invar::clock
