#include "stats/model/segmented.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "stats/check.hpp"
#include "stats/lines/allowed_line.hpp"
#include "stats/lines/open_pieces.hpp"

namespace invar::stats {
namespace {

constexpr double kNoPiece = std::numeric_limits<double>::infinity();

void check_points(const char* function, std::span<const WeightedPoint> points) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    const WeightedPoint& point = points[i];
    if (!std::isfinite(point.x) || !std::isfinite(point.y)) {
      check::fail(function, "a point is NaN or infinite");
    }
    check::positive(function, "variance", point.variance);
    check::positive(function, "1 / variance", 1 / point.variance);
    if (i > 0 && !(point.x > points[i - 1].x)) {
      check::fail(function, "the points' x must be distinct and ascending");
    }
  }
}

void check_limits(const char* function, std::span<const WeightedPoint> points,
                  const PieceLimits& limits) {
  if (limits.least_points < 2) check::fail(function, "a piece has at least 2 points");
  if (limits.most_pieces < 1) check::fail(function, "there is at least one piece");
  check::not_negative(function, "cost", limits.cost);
  if (points.size() < limits.least_points) {
    check::fail(function, "a piece has at least " + std::to_string(limits.least_points) +
                              " points, but there are " + std::to_string(points.size()));
  }
}

LineBounds bounds_of(const PieceLimits& limits) {
  return {limits.slope_at_least_0, limits.intercept_at_least_0};
}

// For every number of pieces and of points that they cover: the least cost, and where the last one
// starts.
class BestDivisions {
 public:
  BestDivisions(std::span<const WeightedPoint> points, const PieceLimits& limits)
      : points_(points.size()),
        most_(std::min(limits.most_pieces, points.size() / limits.least_points)),
        cost_(most_ + 1, std::vector<double>(points_ + 1, kNoPiece)),
        start_(most_ + 1, std::vector<std::uint32_t>(points_ + 1, 0)) {
    cost_[0][0] = 0;
    const LineBounds bounds = bounds_of(limits);
    OpenPieces open(points_);
    for (std::size_t last = 0; last < points_; ++last) {
      open.add(points[last].x, points[last].y, points[last].variance);
      const std::span<const double> last_piece = open.costs(bounds, limits.least_points);
      for (std::size_t pieces = 1; pieces <= most_; ++pieces) {
        extend(pieces, last + 1, last_piece, (pieces - 1) * limits.least_points);
      }
    }
  }

  [[nodiscard]] std::size_t most() const { return most_; }

  // Where each piece starts, and at last the number of points.
  [[nodiscard]] std::vector<std::size_t> starts(std::size_t pieces) const {
    std::vector<std::size_t> starts(pieces + 1, points_);
    for (std::size_t i = pieces; i > 0; --i) starts[i - 1] = start_[i][starts[i]];
    return starts;
  }

 private:
  void extend(std::size_t pieces, std::size_t end, std::span<const double> last_piece,
              std::size_t first_start) {
    const std::vector<double>& before = cost_[pieces - 1];
    double least = kNoPiece;
    std::size_t best = 0;
    for (std::size_t start = first_start; start < last_piece.size(); ++start) {
      const double total = before[start] + last_piece[start];
      if (total < least) {
        least = total;
        best = start;
      }
    }
    cost_[pieces][end] = least;
    start_[pieces][end] = static_cast<std::uint32_t>(best);
  }

  std::size_t points_;
  std::size_t most_;
  std::vector<std::vector<double>> cost_;
  std::vector<std::vector<std::uint32_t>> start_;
};

LineMoments moments_of(std::span<const WeightedPoint> points) {
  LineMoments of;
  for (const WeightedPoint& point : points) {
    of.weight += 1 / point.variance;
    of.mean_x += point.x / point.variance;
    of.mean_y += point.y / point.variance;
  }
  of.mean_x /= of.weight;
  of.mean_y /= of.weight;
  double sxy = 0;
  for (const WeightedPoint& point : points) {
    const double dx = point.x - of.mean_x;
    of.sxx += dx * dx / point.variance;
    sxy += dx * (point.y - of.mean_y) / point.variance;
  }
  of.slope = of.sxx > 0 ? sxy / of.sxx : 0;
  return of;
}

LinePiece piece_of(std::span<const WeightedPoint> points, std::size_t first, std::size_t last,
                   const LineBounds& bounds) {
  const std::span<const WeightedPoint> own = points.subspan(first, last - first + 1);
  const LineMoments of = moments_of(own);
  const AllowedLine line = bounds.best(of);
  LinePiece piece{.first = first,
                  .last = last,
                  .intercept = line.intercept,
                  .slope = line.slope,
                  .slope_on_bound = line.slope_on_bound,
                  .intercept_on_bound = line.intercept_on_bound};
  // Around the middle, where a line of large sizes has no large intercept.
  const double middle_y = line.intercept_on_bound ? line.slope * of.mean_x : of.mean_y;
  for (const WeightedPoint& point : own) {
    const double residual = (point.y - middle_y) - line.slope * (point.x - of.mean_x);
    piece.rss += residual * residual / point.variance;
  }
  return piece;
}

// `starts`: of each piece, and at last the number of points.
SegmentedFit fit_between(std::span<const WeightedPoint> points, std::span<const std::size_t> starts,
                         const PieceLimits& limits) {
  const LineBounds bounds = bounds_of(limits);
  SegmentedFit fit;
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    fit.pieces.push_back(piece_of(points, starts[i], starts[i + 1] - 1, bounds));
    fit.rss += fit.pieces.back().rss;
  }
  return fit;
}

// Index of the first point of every piece between the breaks, and at last the number of points.
std::vector<std::size_t> starts_of_pieces(std::span<const WeightedPoint> points,
                                          std::span<const double> breaks) {
  const double least = points.front().x;
  const double most = points.back().x;
  base::Faults faults;
  double before = -std::numeric_limits<double>::infinity();  // the last one that is right
  std::vector<std::size_t> starts{0};
  const auto name = [&](std::size_t i) {
    return "break " + std::to_string(i + 1) + " of " + std::to_string(breaks.size()) + " (" +
           base::shortest_text(breaks[i]) + ")";
  };
  for (std::size_t i = 0; i < breaks.size(); ++i) {
    if (!std::isfinite(breaks[i])) {
      faults.add("breaks", name(i) + " is not a number", "write a size, such as 4096");
    } else if (breaks[i] < least || breaks[i] >= most) {
      faults.add("breaks", name(i) + " is outside of the data",
                 "write sizes from " + base::shortest_text(least) + " to below " +
                     base::shortest_text(most));
    } else if (breaks[i] <= before) {
      faults.add("breaks", name(i) + " is not above the one before it",
                 "write them in ascending order, each once");
    } else {
      before = breaks[i];
      const auto beyond = std::ranges::upper_bound(points, breaks[i], {}, &WeightedPoint::x);
      starts.push_back(static_cast<std::size_t>(beyond - points.begin()));
    }
  }
  starts.push_back(points.size());
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    // Beside a break that is wrong there is no piece to speak of.
    if (starts.size() != breaks.size() + 2) break;
    const std::size_t count = starts[i + 1] - starts[i];
    if (count >= kLeastPointsBetweenBreaks) continue;
    const std::string where =
        i == 0 ? "up to " + base::shortest_text(breaks[0])
               : "above " + base::shortest_text(breaks[i - 1]) +
                     (i < breaks.size() ? " up to " + base::shortest_text(breaks[i]) : "");
    faults.add("breaks", "the piece " + where + " has " + base::count_text(count, "size"),
               "leave out a break, or measure more sizes there: a line needs 3");
  }
  faults.throw_if_any();
  return starts;
}

}  // namespace

std::vector<SegmentedFit> segmented_fits(std::span<const WeightedPoint> points,
                                         const PieceLimits& limits) {
  check_points("segmented_fits", points);
  check_limits("segmented_fits", points, limits);
  const BestDivisions best(points, limits);
  std::vector<SegmentedFit> fits;
  for (std::size_t pieces = 1; pieces <= best.most(); ++pieces) {
    fits.push_back(fit_between(points, best.starts(pieces), limits));
  }
  return fits;
}

SegmentedFit fit_segmented(std::span<const WeightedPoint> points, const PieceLimits& limits) {
  std::vector<SegmentedFit> fits = segmented_fits(points, limits);
  const double each = limits.cost * std::log(static_cast<double>(points.size()));
  std::size_t best = 0;
  for (std::size_t i = 1; i < fits.size(); ++i) {
    if (fits[i].rss + each * static_cast<double>(i - best) < fits[best].rss) best = i;
  }
  return std::move(fits[best]);
}

SegmentedFit fit_with_breaks(std::span<const WeightedPoint> points, std::span<const double> breaks,
                             const PieceLimits& limits) {
  check_points("fit_with_breaks", points);
  if (points.size() < kLeastPointsBetweenBreaks) {
    check::fail("fit_with_breaks", "a line needs three points");
  }
  const std::vector<std::size_t> starts = starts_of_pieces(points, breaks);
  return fit_between(points, starts, limits);
}

double predicted(const SegmentedFit& fit, std::span<const WeightedPoint> points, double x) {
  if (fit.pieces.empty() || fit.pieces.back().last >= points.size()) {
    check::fail("predicted", "these are not the points of the fit");
  }
  const auto holds = std::ranges::find_if(
      fit.pieces, [&](const LinePiece& piece) { return x <= points[piece.last].x; });
  const LinePiece& piece = holds == fit.pieces.end() ? fit.pieces.back() : *holds;
  return piece.intercept + piece.slope * x;
}

}  // namespace invar::stats
