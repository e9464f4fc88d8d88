#include "stats/lines/open_pieces.hpp"

#include <algorithm>

namespace invar::stats {

OpenPieces::OpenPieces(std::size_t points)
    : weight_(points),
      mean_x_(points),
      mean_y_(points),
      sxx_(points),
      slope_(points),
      squares_(points),
      cost_(points) {}

void OpenPieces::add(double x, double y, double variance) {
  if (points_ > 1) add_to_lines(x, y, variance, points_ - 1);
  if (points_ > 0) add_to_single(x, y, variance, points_ - 1);
  weight_[points_] = 1 / variance;
  mean_x_[points_] = x;
  mean_y_[points_] = y;
  ++points_;
}

// To the first `lines`, which have two points and more.
void OpenPieces::add_to_lines(double x, double y, double variance, std::size_t lines) {
  const double new_weight = 1 / variance;
  // Pointers of their own tell the compiler that nobody else changes what stands there.
  double* const __restrict weight = weight_.data();
  double* const __restrict mean_x = mean_x_.data();
  double* const __restrict mean_y = mean_y_.data();
  double* const __restrict sxx = sxx_.data();
  double* const __restrict slope = slope_.data();
  double* const __restrict squares = squares_.data();
  for (std::size_t i = 0; i < lines; ++i) {
    const double dx = x - mean_x[i];
    const double dy = y - mean_y[i];
    const double lever = dx / sxx[i];
    const double error = dy - slope[i] * dx;
    const double scaled = error / (variance + 1 / weight[i] + dx * lever);
    squares[i] += error * scaled;
    slope[i] += lever * scaled;
    const double sum = weight[i] + new_weight;
    const double share = new_weight / sum;
    sxx[i] += share * weight[i] * dx * dx;
    mean_x[i] += share * dx;
    mean_y[i] += share * dy;
    weight[i] = sum;
  }
}

// A line through both.
void OpenPieces::add_to_single(double x, double y, double variance, std::size_t at) {
  const double dx = x - mean_x_[at];
  const double dy = y - mean_y_[at];
  const double sum = weight_[at] + 1 / variance;
  const double share = 1 / variance / sum;
  slope_[at] = dy / dx;
  sxx_[at] = share * weight_[at] * dx * dx;
  mean_x_[at] += share * dx;
  mean_y_[at] += share * dy;
  weight_[at] = sum;
}

std::span<const double> OpenPieces::costs(const LineBounds& bounds, std::size_t least_points) {
  const std::size_t pieces = points_ < least_points ? 0 : points_ + 1 - least_points;
  std::copy_n(squares_.begin(), pieces, cost_.begin());
  for (std::size_t i = 0; bounds.any() && i < pieces; ++i) {
    cost_[i] += bounds
                    .best({.weight = weight_[i],
                           .mean_x = mean_x_[i],
                           .mean_y = mean_y_[i],
                           .sxx = sxx_[i],
                           .slope = slope_[i]})
                    .added;
  }
  return {cost_.data(), pieces};
}

}  // namespace invar::stats
