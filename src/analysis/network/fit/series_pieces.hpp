// A series of times over sizes as straight lines in pieces, with what resampled launch groups say
// of their numbers and of where they end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/network/fit/joint_fit.hpp"
#include "analysis/network/fit/resamples.hpp"
#include "stats/model/segmented_intervals.hpp"

namespace invar::analysis {

// A line with a break in it needs so many sizes; fits of fewer say nothing.
inline constexpr std::size_t kLeastSizesOfSeries = 5;

struct ModelPiece {
  ByteRange sizes = {};    // the first and the last one that the fit saw
  std::size_t points = 0;  // sizes
  ModelEstimate intercept_ns = {};
  ModelEstimate slope_ns = {};  // a byte
  bool intercept_on_bound = false;
  bool slope_on_bound = false;
  // Spread around it, relative: of a launch group's value, less what the group's sizes have in
  // common, and of a repetition in its visit: medians over visits and sizes.
  double group_sd = 0;
  double repetition_sd = 0;
};

// Between the last size of a piece and the first one of the next.
struct ModelBreak {
  std::uint64_t last_bytes = 0;
  std::uint64_t first_bytes = 0;
  std::optional<stats::Interval> interval_bytes = {};  // holds both
  double jump_ns = 0;  // from the one line to the other, half way between these sizes
  std::optional<double> written_bytes = {};  // the analyst's: sizes up to it are below; else none
};

struct ModelSeries {
  SeriesKey key = {};
  std::vector<SeriesPoint> points = {};  // ascending, held out sizes among them
  std::vector<ModelPiece> pieces = {};   // empty: no fit was asked for, or there are too few sizes
  std::vector<ModelBreak> breaks = {};   // one fewer
  std::vector<stats::WeightedPoint> fitted = {};
  stats::SegmentedFit fit = {};

  // None: there is no fit.
  [[nodiscard]] std::optional<double> predicted_ns(std::uint64_t size_bytes) const;
  // First sizes of the pieces.
  [[nodiscard]] std::vector<std::uint64_t> begins_bytes() const;
};

struct PiecesQuestion {
  double confidence = 0.95;
  double min_effect = 0.02;
  double step_ns = 0;
  std::size_t resamples = 399;
  std::uint64_t seed = 1;
  std::vector<double> breaks_bytes = {};  // the analyst's; empty: they are looked for
};

// Throws UserError with every fault of the analyst's breaks (stats::fit_with_breaks).
ModelSeries fit_series(const SeriesTimes& times, const PiecesQuestion& question);
// Points alone.
ModelSeries points_alone(const SeriesTimes& times, const PiecesQuestion& question);

// A threshold is known between sizes that all of its series have, a break of one series between
// sizes of its own, of which a campaign adds some there. The one break that lies in the gap of the
// threshold is the threshold; of none and of several it stays as it is.
Threshold narrowed(const Threshold& threshold, std::span<const ModelBreak> breaks);

}  // namespace invar::analysis
