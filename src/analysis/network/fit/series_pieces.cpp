#include "analysis/network/fit/series_pieces.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "stats/describe/quantile.hpp"

namespace invar::analysis {
namespace {

std::uint64_t bytes_at(double size) { return static_cast<std::uint64_t>(std::llround(size)); }

// Root of the mean of squares.
class MeanSquare {
 public:
  void add(double value) {
    squares_ += value * value;
    ++count_;
  }
  [[nodiscard]] double root() const {
    return count_ == 0 ? 0 : std::sqrt(squares_ / static_cast<double>(count_));
  }

 private:
  double squares_ = 0;
  std::size_t count_ = 0;
};

void set_spread(const std::vector<SeriesPoint>& points, ModelPiece& piece) {
  MeanSquare groups;
  std::vector<double> repetitions;
  for (const SeriesPoint& point : points) {
    if (point.held_out || !piece.sizes.contains(point.size_bytes)) continue;
    groups.add(point.group_sd);
    repetitions.push_back(point.repetition_sd);
  }
  piece.group_sd = groups.root();
  if (!repetitions.empty()) piece.repetition_sd = stats::median_in_place(repetitions);
}

double jump_between(const stats::LinePiece& below, const stats::LinePiece& above, double size) {
  return (above.intercept + above.slope * size) - (below.intercept + below.slope * size);
}

bool is_in_gap(const Threshold& threshold, const ModelBreak& one) {
  return one.first_bytes > *threshold.last_bytes && one.last_bytes < *threshold.first_bytes;
}

}  // namespace

Threshold narrowed(const Threshold& threshold, std::span<const ModelBreak> breaks) {
  if (!threshold.last_bytes || !threshold.first_bytes) return threshold;
  const auto in_gap = [&](const ModelBreak& one) { return is_in_gap(threshold, one); };
  const auto found = std::ranges::find_if(breaks, in_gap);
  if (found == breaks.end() || found->written_bytes || std::ranges::count_if(breaks, in_gap) > 1) {
    return threshold;
  }
  Threshold made = threshold;
  made.last_bytes = std::max(*threshold.last_bytes, found->last_bytes);
  made.first_bytes = std::min(*threshold.first_bytes, found->first_bytes);
  const auto low = static_cast<double>(*threshold.last_bytes);
  const auto high = static_cast<double>(*threshold.first_bytes);
  // Where no resample has the threshold elsewhere, it is the break that is not known better.
  if (made.interval_bytes && found->interval_bytes && made.interval_bytes->low >= low &&
      made.interval_bytes->high <= high) {
    made.interval_bytes->low =
        std::clamp(found->interval_bytes->low, low, static_cast<double>(*made.last_bytes));
    made.interval_bytes->high =
        std::clamp(found->interval_bytes->high, static_cast<double>(*made.first_bytes), high);
  }
  return made;
}

std::optional<double> ModelSeries::predicted_ns(std::uint64_t size_bytes) const {
  if (fit.pieces.empty()) return std::nullopt;
  return stats::predicted(fit, fitted, static_cast<double>(size_bytes));
}

std::vector<std::uint64_t> ModelSeries::begins_bytes() const {
  std::vector<std::uint64_t> begins;
  for (const ModelPiece& piece : pieces) begins.push_back(piece.sizes.from_bytes);
  return begins;
}

ModelSeries points_alone(const SeriesTimes& times, const PiecesQuestion& question) {
  return {.key = times.key(),
          .points = all_points_of(times, question.min_effect, question.step_ns)};
}

ModelSeries fit_series(const SeriesTimes& times, const PiecesQuestion& question) {
  ModelSeries made = points_alone(times, question);
  if (times.fitted() == nullptr || fitted_points(made.points).size() < kLeastSizesOfSeries) {
    return made;
  }
  stats::SegmentedQuestion asked{
      .noise = {.min_effect = question.min_effect, .step = question.step_ns * times.share()},
      .confidence = question.confidence,
      .resamples = question.resamples,
      .seed = question.seed};
  if (!question.breaks_bytes.empty()) asked.breaks = question.breaks_bytes;
  stats::SegmentedEstimate estimate = stats::segmented_estimate(*times.fitted(), asked);
  for (std::size_t i = 0; i < estimate.fit.pieces.size(); ++i) {
    const stats::LinePiece& line = estimate.fit.pieces[i];
    ModelPiece piece{
        .sizes = {.from_bytes = bytes_at(estimate.points[line.first].x),
                  .to_bytes = bytes_at(estimate.points[line.last].x)},
        .points = line.last - line.first + 1,
        .intercept_ns = {.value = line.intercept, .interval = estimate.pieces[i].intercept},
        .slope_ns = {.value = line.slope, .interval = estimate.pieces[i].slope},
        .intercept_on_bound = line.intercept_on_bound,
        .slope_on_bound = line.slope_on_bound};
    set_spread(made.points, piece);
    made.pieces.push_back(piece);
  }
  for (std::size_t i = 0; i < estimate.breaks.size(); ++i) {
    const stats::BreakPlace& place = estimate.breaks[i];
    made.breaks.push_back(
        {.last_bytes = bytes_at(place.before),
         .first_bytes = bytes_at(place.after),
         .interval_bytes = place.interval,
         .jump_ns = jump_between(estimate.fit.pieces[i], estimate.fit.pieces[i + 1],
                                 (place.before + place.after) / 2),
         .written_bytes = asked.breaks ? std::optional(asked.breaks->at(i)) : std::nullopt});
  }
  made.fitted = std::move(estimate.points);
  made.fit = std::move(estimate.fit);
  return made;
}

}  // namespace invar::analysis
