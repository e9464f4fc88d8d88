#include "stats/plateaus/knee_shape.hpp"

#include <algorithm>
#include <cmath>

#include "stats/check.hpp"

namespace invar::stats {
namespace {

// P(Poisson(mean) >= ways).
double overfull(double mean) {
  double term = std::exp(-mean);
  double below = 0;
  for (int count = 1; count <= kShapeWays; ++count) {
    below += term;
    term *= mean / count;
  }
  return std::clamp(1 - below, 0.0, 1.0);
}

// 1 - exp(-m ratio) is concave in m: from 1 down Newton's steps never pass the solution.
double random_misses(double ratio) {
  if (ratio <= 1) return 0;
  constexpr int kMostSteps = 60;
  constexpr double kCloseEnough = 1e-14;
  double share = 1;
  for (int step = 0; step < kMostSteps; ++step) {
    const double hit = std::exp(-share * ratio);
    const double change = (share - 1 + hit) / (1 - ratio * hit);
    share -= change;
    if (std::abs(change) < kCloseEnough) break;
  }
  return std::clamp(share, 0.0, 1.0);
}

}  // namespace

std::string_view to_string(KneeShape shape) {
  switch (shape) {
    case KneeShape::kJump:
      return "jump";
    case KneeShape::kWays:
      return "ways";
    case KneeShape::kPages:
      return "pages";
    case KneeShape::kRandom:
      return "random";
    case KneeShape::kIndependent:
      break;
  }
  return "independent";
}

double missing_share(KneeShape shape, double ratio) {
  check::positive("missing_share", "ratio", ratio);
  switch (shape) {
    case KneeShape::kJump:
      return ratio > 1 ? 1 : 0;
    case KneeShape::kWays:
      return std::clamp((kShapeWays + 1) * (1 - 1 / ratio), 0.0, 1.0);
    case KneeShape::kPages:
      return overfull(kShapeWays * ratio);
    case KneeShape::kRandom:
      return random_misses(ratio);
    case KneeShape::kIndependent:
      break;
  }
  return std::max(1 - 1 / ratio, 0.0);
}

double ratio_of_share(KneeShape shape, double share) {
  check::open_unit("ratio_of_share", "share", share);
  if (shape == KneeShape::kJump) return 1;
  // Bisection of the logarithm: all shapes are far on at these ends.
  double low = -10;
  double high = 40;
  constexpr int kSteps = 60;
  for (int step = 0; step < kSteps; ++step) {
    const double middle = (low + high) / 2;
    (missing_share(shape, std::exp(middle)) < share ? low : high) = middle;
  }
  return std::exp(high);
}

}  // namespace invar::stats
