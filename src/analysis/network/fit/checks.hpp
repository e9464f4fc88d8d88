// How well a network's model holds: sizes that no fit saw, receives that are later still, and
// stretches of time in which everything was slower.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/network/fit/parameters.hpp"
#include "analysis/network/fit/series_pieces.hpp"

namespace invar::analysis {

// A size that no fit saw: what it takes, and what a model says of it.
struct HeldOutSize {
  std::string model = {};  // "pieces", "LogGP"
  SeriesKey key = {};
  std::uint64_t size_bytes = 0;
  double measured_ns = 0;
  double predicted_ns = 0;

  // |predicted / measured - 1|.
  [[nodiscard]] double error() const;
};

// Relative errors of all held out sizes of a series together.
struct HeldOutError {
  std::string model = {};
  SeriesKey key = {};
  std::size_t sizes = 0;
  double median = 0;
  double most = 0;  // 95th percentile
};

struct HeldOut {
  std::vector<HeldOutSize> sizes = {};
  std::vector<HeldOutError> errors = {};
};

// "LogGP" is what the table of parameters says, where what would be below 0 is 0.
HeldOut held_out_errors(std::span<const ModelSeries> series, const JointParameters& joint);

// What a model cannot say, as sentences: no intervals of anything (one launch group) or of some of
// the round trips' sizes, nothing that was held out. `launches` as NetworkData has it.
std::vector<std::string> lacking_of_model(bool launches, std::size_t groups,
                                          std::span<const SeriesPoint> half_round_trip,
                                          const HeldOut& held_out);

// Receives that came twice as late take as long as others, if these were late enough.
struct LatenessControl {
  std::size_t sizes = 0;
  std::size_t groups = 0;
  double lateness_ns = 0;  // medians
  double later_ns = 0;
  ModelEstimate ratio = {};  // of the later ones' time to the others', over launch groups
  // The interval lies beyond the smallest effect, on one side.
  bool differs = false;
};

// Compares the same sizes in the same launch groups. None: no group has a size in both series.
std::optional<LatenessControl> lateness_control(const NetworkData& data, double confidence,
                                                double min_effect);

// A stretch of time in which all series took longer than usual, of three visits at least.
struct SlowStretch {
  std::uint32_t group = 0;
  double begin_s = 0;
  double end_s = 0;
  double slowdown = 0;  // median of (time / the model's) - 1
  std::size_t visits = 0;
};

// Change points of all visits of a launch group, in order of time, each against the series' own
// line and the group's usual level (docs/methods.md, "Perturbations": the same rule, with what the
// model says in the place of other visits of the cell). By group, then by time.
std::vector<SlowStretch> slow_stretches(const NetworkData& data,
                                        std::span<const ModelSeries> series);

// "group 4 ran 30 % slower from 1.20 s to 1.35 s ...": the worst ones. None: there are none.
std::optional<Warning> stretches_warning(std::span<const SlowStretch> stretches);

}  // namespace invar::analysis
