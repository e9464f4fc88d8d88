#include "stats/lines/open_pieces.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.hpp"

namespace invar::stats {
namespace {

struct OpenPoint {
  double x = 0;
  double y = 0;
  double variance = 1;
};

// Squares around the least squares line, the textbook's way, with digits to spare.
double squares_in_long_double(const std::vector<OpenPoint>& points, std::size_t first) {
  using Long = long double;
  Long weight = 0;
  Long mean_x = 0;
  Long mean_y = 0;
  for (std::size_t i = first; i < points.size(); ++i) {
    const Long own = 1 / static_cast<Long>(points[i].variance);
    weight += own;
    mean_x += own * points[i].x;
    mean_y += own * points[i].y;
  }
  mean_x /= weight;
  mean_y /= weight;
  Long xx = 0;
  Long xy = 0;
  for (std::size_t i = first; i < points.size(); ++i) {
    const Long dx = points[i].x - mean_x;
    xx += dx * dx / points[i].variance;
    xy += dx * (points[i].y - mean_y) / points[i].variance;
  }
  Long squares = 0;
  for (std::size_t i = first; i < points.size(); ++i) {
    const Long off = (points[i].y - mean_y) - xy / xx * (points[i].x - mean_x);
    squares += off * off / points[i].variance;
  }
  return static_cast<double>(squares);
}

// A fit that is good to a millionth: 10^-12 of the squares of the times are left.
TEST(OpenPieces, CostsOfAllPiecesHaveNineDigitsFromOneByteToAGigabyte) {
  base::Random random(3);
  std::vector<OpenPoint> points;
  OpenPieces open(300);
  for (std::size_t i = 0; i < 300; ++i) {
    const double x = static_cast<double>(i) + std::round(std::exp2(.1 * static_cast<double>(i)));
    const double line = 300 + .25 * x;
    points.push_back({.x = x,
                      .y = line * (1 + 1e-6 * (random.uniform() - .5)),
                      .variance = 1e-12 * line * line * (.5 + random.uniform())});
    open.add(points.back().x, points.back().y, points.back().variance);
    const std::span<const double> costs = open.costs({false, false}, 3);
    ASSERT_EQ(costs.size(), i < 2 ? 0 : i - 1);
    for (std::size_t first = 0; first < costs.size(); first += 13) {
      const double expected = squares_in_long_double(points, first);
      EXPECT_NEAR(costs[first], expected, 1e-9 * expected + 1e-12) << first << " to " << i;
    }
  }
}

TEST(OpenPieces, TwoPointsHaveALineThroughBothUnlessABoundForbidsIt) {
  OpenPieces open(2);
  open.add(1, 5, 1);
  EXPECT_TRUE(open.costs({false, false}, 2).empty());
  open.add(2, 3, 1);
  EXPECT_EQ(open.costs({false, false}, 2)[0], 0);
  EXPECT_EQ(open.costs({true, false}, 2)[0], 2);
}

}  // namespace
}  // namespace invar::stats
