#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

// Straight lines in pieces, with jumps between them: times over sizes, where a library changes its
// protocol (docs/methods.md, "Piecewise lines").
namespace invar::stats {

/// A size and the mean time there. The variance is that of the mean, so that squares over it count
/// in units of the noise.
struct WeightedPoint {
  double x = 0.0;
  double y = 0.0;
  double variance = 1.0;  ///< > 0
};

/// What a piece may be. Network times grow from a latency: both bounds. Memory times may have a
/// negative intercept: none for it.
struct PieceLimits {
  bool slope_at_least_0 = true;
  bool intercept_at_least_0 = true;
  std::size_t least_points = 5;  ///< of a piece, >= 2
  std::size_t most_pieces = 12;  ///< >= 1
  double cost = 3.0;             ///< of a piece, times log(number of points); >= 0
};

struct LinePiece {
  std::size_t first = 0;  ///< indices of points, both included
  std::size_t last = 0;
  double intercept = 0.0;  ///< at x = 0
  double slope = 0.0;
  double rss = 0.0;  ///< sum of squared residuals, each over its point's variance
  bool slope_on_bound = false;
  bool intercept_on_bound = false;
};

struct SegmentedFit {
  std::vector<LinePiece> pieces = {};
  double rss = 0.0;  ///< of all pieces
};

/// The pieces that make (weighted squares of residuals) + (cost log n for every piece) least, n the
/// number of points: exact, by dynamic programming over all places of breaks (Bai and Perron, J.
/// Appl. Econometrics 18, 2003). Bounds are a part of what a piece costs: a division is judged by
/// lines that it may have. cost = 3 is Schwarz's criterion: a piece has a slope, an intercept and a
/// place. n^2 most_pieces steps. The x are distinct and ascending. Throws std::invalid_argument
/// where they are not, on NaN and infinity, where a variance is not positive, and where there are
/// fewer points than a piece must have.
SegmentedFit fit_segmented(std::span<const WeightedPoint> points, const PieceLimits& limits);

/// The best one with 1, 2, ... pieces, up to most_pieces or to as many as there are points for.
/// Throws as above.
std::vector<SegmentedFit> segmented_fits(std::span<const WeightedPoint> points,
                                         const PieceLimits& limits);

/// How many pieces a break that somebody wrote leaves: no line with an error through fewer points.
inline constexpr std::size_t kLeastPointsBetweenBreaks = 3;

/// The lines between breaks that somebody wrote, who knows better: a break b lies between the
/// points x <= b and x > b. Of the limits only the bounds hold. Throws base::UserError with every
/// fault (breaks that are not finite, not ascending, or outside of the data; pieces of fewer than 3
/// points); what is wrong with points is std::invalid_argument, as above.
SegmentedFit fit_with_breaks(std::span<const WeightedPoint> points, std::span<const double> breaks,
                             const PieceLimits& limits);

/// The line's value at x. A piece holds for x up to its last point; what lies between two pieces is
/// taken for the later one, as a simulator does that is told the last size before a break. Outside
/// of the data the outer pieces go on. `points` are those of the fit, which has at least one piece,
/// else std::invalid_argument.
double predicted(const SegmentedFit& fit, std::span<const WeightedPoint> points, double x);

}  // namespace invar::stats
