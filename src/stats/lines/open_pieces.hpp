#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stats/lines/allowed_line.hpp"

// What every piece costs that ends with a point: the inner loop of piecewise lines.
namespace invar::stats {

/// The least squares lines from every point to the newest one. A point is added to all of them at
/// once: every quantity stands in an array over their first points, so that the compiler adds to
/// several at a time, and no table of n^2 numbers has to leave the cache. Squares only grow, by how
/// much the line before was wrong at the new point (the recursive residuals of Brown, Durbin and
/// Evans, J. R. Stat. Soc. B 37, 1975): a sum of squares less another one would leave few digits
/// where sizes go from 1 to 2^30.
class OpenPieces {
 public:
  /// For as many points as will be added.
  explicit OpenPieces(std::size_t points);

  /// x above those that are there, variance > 0; neither is checked.
  void add(double x, double y, double variance);

  /// Weighted squares of the best line that the bounds allow, of the pieces from point 0, 1, ... to
  /// the newest one, as far as they have `least_points` (>= 2). Valid until it is asked again.
  std::span<const double> costs(const LineBounds& bounds, std::size_t least_points);

 private:
  void add_to_lines(double x, double y, double variance, std::size_t lines);
  void add_to_single(double x, double y, double variance, std::size_t at);

  std::size_t points_ = 0;
  std::vector<double> weight_;
  std::vector<double> mean_x_;
  std::vector<double> mean_y_;
  std::vector<double> sxx_;
  std::vector<double> slope_;
  std::vector<double> squares_;
  std::vector<double> cost_;
};

}  // namespace invar::stats
