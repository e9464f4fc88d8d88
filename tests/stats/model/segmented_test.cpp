#include "stats/model/segmented.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "stats/golden.hpp"
#include "stats/model/simulated_pieces.hpp"

namespace invar::stats {
namespace {

using Points = std::vector<WeightedPoint>;
using Breaks = std::vector<double>;

constexpr PieceLimits kFree{.slope_at_least_0 = false, .intercept_at_least_0 = false};

// The last point of every piece but the last one.
std::vector<std::size_t> ends(const SegmentedFit& fit) {
  std::vector<std::size_t> last;
  for (const LinePiece& piece : fit.pieces) last.push_back(piece.last);
  last.pop_back();
  return last;
}

// Least squares with bounds by looking at everything that can be: no bound, either, both.
double squares_of_best_line(std::span<const WeightedPoint> points, const PieceLimits& limits) {
  using Long = long double;
  Long w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
  for (const WeightedPoint& point : points) {
    const Long weight = 1 / static_cast<Long>(point.variance);
    w += weight;
    wx += weight * point.x;
    wy += weight * point.y;
    wxx += weight * point.x * point.x;
    wxy += weight * point.x * point.y;
  }
  const auto squares = [&](Long intercept, Long slope) {
    Long sum = 0;
    for (const WeightedPoint& point : points) {
      const Long off = point.y - intercept - slope * point.x;
      sum += off * off / point.variance;
    }
    const bool allowed = (!limits.slope_at_least_0 || slope >= 0) &&
                         (!limits.intercept_at_least_0 || intercept >= 0);
    return allowed ? static_cast<double>(sum) : std::numeric_limits<double>::infinity();
  };
  const Long slope = (w * wxy - wx * wy) / (w * wxx - wx * wx);
  double best = squares((wy - slope * wx) / w, slope);
  if (limits.slope_at_least_0) best = std::min(best, squares(wy / w, 0));
  if (limits.intercept_at_least_0) best = std::min(best, squares(0, wxy / wxx));
  if (limits.slope_at_least_0 && limits.intercept_at_least_0) best = std::min(best, squares(0, 0));
  return best;
}

// Every division there is, one piece after the other.
double best_squares(std::span<const WeightedPoint> points, std::size_t pieces,
                    const PieceLimits& limits) {
  if (pieces == 1) {
    return points.size() < limits.least_points ? std::numeric_limits<double>::infinity()
                                               : squares_of_best_line(points, limits);
  }
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t n = limits.least_points; n < points.size(); ++n) {
    best = std::min(best, squares_of_best_line(points.first(n), limits) +
                              best_squares(points.subspan(n), pieces - 1, limits));
  }
  return best;
}

Points drawn_points(std::size_t n, base::Random& random) {
  Points points;
  double x = 0;
  for (std::size_t i = 0; i < n; ++i) {
    x += 1 + std::floor(20 * random.uniform());
    points.push_back({.x = x, .y = 20 * random.uniform() - 4, .variance = .2 + random.uniform()});
  }
  return points;
}

TEST(Segmented, IsTheBestOfAllDivisionsWithAndWithoutBounds) {
  base::Random random(21);
  for (int run = 0; run < 60; ++run) {
    PieceLimits limits{.slope_at_least_0 = random.below(2) == 0,
                       .intercept_at_least_0 = random.below(2) == 0,
                       .least_points = 2 + random.below(3),
                       .most_pieces = 3};
    const Points points = drawn_points(8 + random.below(6), random);
    const std::vector<SegmentedFit> fits = segmented_fits(points, limits);
    ASSERT_EQ(fits.size(), std::min<std::size_t>(3, points.size() / limits.least_points));
    for (std::size_t k = 0; k < fits.size(); ++k) {
      const double expected = best_squares(points, k + 1, limits);
      EXPECT_NEAR(fits[k].rss, expected, 1e-9 * (1 + expected)) << "run " << run;
      for (const LinePiece& piece : fits[k].pieces) {
        EXPECT_GE(piece.last + 1 - piece.first, limits.least_points);
        EXPECT_TRUE(!limits.slope_at_least_0 || piece.slope >= 0);
        EXPECT_TRUE(!limits.intercept_at_least_0 || piece.intercept >= 0);
      }
    }
  }
}

// The case's points in the golden file.
Points golden_points(const std::string& name) {
  for (const golden::Row& row : golden::read("stats_segmented.csv")) {
    if (row.at("kind") != "points" || row.at("case") != name) continue;
    const std::vector<double> x = golden::numbers(row.at("x"));
    const std::vector<double> y = golden::numbers(row.at("y"));
    const std::vector<double> variance = golden::numbers(row.at("variance"));
    Points points;
    for (std::size_t i = 0; i < x.size(); ++i) points.push_back({x[i], y[i], variance[i]});
    return points;
  }
  throw std::runtime_error("no points of " + name);
}

TEST(Segmented, AgreesWithRsStrucchange) {
  std::size_t compared = 0;
  std::string name;
  std::vector<SegmentedFit> fits;
  for (const golden::Row& row : golden::read("stats_segmented.csv")) {
    if (row.at("kind") != "fit") continue;
    if (row.at("case") != name) {
      name = row.at("case");
      fits = segmented_fits(golden_points(name), kFree);
    }
    const std::size_t pieces = std::stoul(row.at("pieces"));
    const std::string what = name + ", " + row.at("pieces") + " pieces";
    ASSERT_LE(pieces, fits.size()) << what;
    const SegmentedFit& fit = fits[pieces - 1];
    golden::expect_close(fit.rss, std::stod(row.at("rss")), 1e-9, what);
    std::vector<double> from_1;
    for (const std::size_t last : ends(fit)) from_1.push_back(static_cast<double>(last + 1));
    EXPECT_EQ(from_1, golden::numbers(row.at("breaks"))) << what;
    ++compared;
  }
  EXPECT_EQ(compared, 50U);
}

TEST(Segmented, SizesFromOneByteToAGigabyteLoseNoDigits) {
  // Deviations of a millionth around two lines: sums of squares are 10^-12 of what squares of times
  // would be.
  Points points;
  for (int i = 0; i < 60; ++i) {
    const double x = std::round(std::exp2(i / 2.0)) + i;
    const double line = i < 30 ? 300 + .5 * x : 9000 + .25 * x;
    points.push_back(
        {.x = x, .y = line * (1 + (i % 3 - 1) * 1e-6), .variance = line * line * 1e-12});
  }
  const SegmentedFit fit = fit_segmented(points, {});
  ASSERT_EQ(ends(fit), std::vector<std::size_t>{29});
  EXPECT_NEAR(fit.rss,
              squares_of_best_line(std::span(points).first(30), kFree) +
                  squares_of_best_line(std::span(points).subspan(30), kFree),
              1e-9 * fit.rss);
  EXPECT_NEAR(fit.pieces[1].slope, .25, 1e-6);
  EXPECT_NEAR(fit.pieces[0].intercept, 300, 1e-3);
}

TEST(Segmented, PieceThatMayNotFallIsFlat) {
  const Points points{{1, 10, 1}, {2, 9, 1}, {3, 8, 1}, {4, 7, 1}, {5, 6, 1}};
  const LinePiece piece = fit_segmented(points, {}).pieces.front();
  EXPECT_EQ(piece.slope, 0);
  EXPECT_TRUE(piece.slope_on_bound);
  EXPECT_FALSE(piece.intercept_on_bound);
  EXPECT_DOUBLE_EQ(piece.intercept, 8);
  EXPECT_DOUBLE_EQ(piece.rss, 10);
  EXPECT_DOUBLE_EQ(fit_segmented(points, kFree).pieces.front().slope, -1);
}

TEST(Segmented, PieceThatMayNotStartBelow0GoesThroughTheOrigin) {
  const Points points{{10, 10, 1}, {11, 13, 1}, {12, 16, 1}, {13, 19, 1}, {14, 22, 1}};
  const LinePiece piece = fit_segmented(points, {}).pieces.front();
  EXPECT_EQ(piece.intercept, 0);
  EXPECT_TRUE(piece.intercept_on_bound);
  EXPECT_FALSE(piece.slope_on_bound);
  EXPECT_DOUBLE_EQ(piece.slope, 990.0 / 730);  // sum xy / sum xx
  EXPECT_NEAR(fit_segmented(points, {.intercept_at_least_0 = false}).pieces.front().intercept, -20,
              1e-9);
}

TEST(Segmented, PieceBelow0IsTheCorner) {
  const Points points{{1, -1, 1}, {2, -2, 1}, {3, -2, 1}, {4, -3, 1}, {5, -4, 1}};
  const LinePiece piece = fit_segmented(points, {}).pieces.front();
  EXPECT_EQ(piece.slope, 0);
  EXPECT_EQ(piece.intercept, 0);
  EXPECT_TRUE(piece.slope_on_bound && piece.intercept_on_bound);
  EXPECT_DOUBLE_EQ(piece.rss, 34);
}

TEST(Segmented, BoundsDecideWhereTheBreakIs) {
  // Ten points fall and five rise: without bounds the break is between. A bound that comes after
  // the search leaves it there, with a flat line that is worse than what else there is.
  Points points;
  for (int i = 0; i < 10; ++i) points.push_back({1.0 + i, 20 - 1.0 * i, 1});
  for (int i = 10; i < 15; ++i) points.push_back({1.0 + i, 11 + 2.0 * (i - 10), 1});
  EXPECT_EQ(ends(segmented_fits(points, kFree)[1]), std::vector<std::size_t>{9});
  const SegmentedFit bounded = segmented_fits(points, {})[1];
  EXPECT_NE(ends(bounded), std::vector<std::size_t>{9});
  EXPECT_TRUE(bounded.pieces[0].slope_on_bound);
  EXPECT_LT(bounded.rss, .8 * fit_with_breaks(points, Breaks{10}, {}).rss);
}

TEST(Segmented, CostIsOfEveryPiece) {
  Points points;
  for (int i = 0; i < 20; ++i) points.push_back({1.0 + i, i < 10 ? 5.0 : 5.0 + 2, 1});
  // One line through all has 20 - 100^2 / 665 squares left, two have none.
  const auto pieces = [&](double cost) {
    return fit_segmented(points, {.cost = cost / std::log(20)}).pieces.size();
  };
  EXPECT_EQ(pieces(4.96), 2U);
  EXPECT_EQ(pieces(4.97), 1U);
  EXPECT_EQ(fit_segmented(points, {.most_pieces = 1, .cost = 0}).pieces.size(), 1U);
}

TEST(Segmented, FewPointsAreOnePieceAndFewerNone) {
  Points points{{1, 1, 1}, {2, 9, 1}, {3, 2, 1}, {4, 8, 1}, {5, 3, 1}, {6, 7, 1}, {7, 4, 1}};
  EXPECT_EQ(fit_segmented(points, {.cost = 0}).pieces.size(), 1U);
  points.resize(5);
  EXPECT_EQ(fit_segmented(points, {.cost = 0}).pieces.size(), 1U);
  points.resize(4);
  EXPECT_THROW(fit_segmented(points, {}), std::invalid_argument);
  EXPECT_THROW(fit_segmented({}, {}), std::invalid_argument);
}

TEST(Segmented, SameTimesEverywhereAreOneFlatPiece) {
  Points points;
  for (int i = 0; i < 40; ++i) points.push_back({1.0 + i, 7, .01});
  const SegmentedFit fit = fit_segmented(points, {});
  ASSERT_EQ(fit.pieces.size(), 1U);
  EXPECT_EQ(fit.pieces[0].intercept, 7);
  EXPECT_EQ(fit.pieces[0].slope, 0);
  EXPECT_FALSE(fit.pieces[0].slope_on_bound);
}

TEST(Segmented, NonsenseThrows) {
  const auto with = [](WeightedPoint wrong) {
    Points points{{1, 1, 1}, {2, 2, 1}, {3, 3, 1}, {4, 4, 1}, {5, 5, 1}};
    points[2] = wrong;
    return fit_segmented(points, {});
  };
  EXPECT_NO_THROW(with({3, 3, 1}));
  EXPECT_THROW(with({2, 3, 1}), std::invalid_argument);
  EXPECT_THROW(with({7, 3, 1}), std::invalid_argument);
  EXPECT_THROW(with({3, 3, 0}), std::invalid_argument);
  EXPECT_THROW(with({3, 3, -1}), std::invalid_argument);
  EXPECT_THROW(with({3, 3, 1e-320}), std::invalid_argument);
  EXPECT_THROW(with({3, golden::kNaN, 1}), std::invalid_argument);
  EXPECT_THROW(with({golden::kNaN, 3, 1}), std::invalid_argument);
  const Points points(5);
  EXPECT_THROW(fit_segmented(points, {.least_points = 1}), std::invalid_argument);
  EXPECT_THROW(fit_segmented(points, {.most_pieces = 0}), std::invalid_argument);
  EXPECT_THROW(fit_segmented(points, {.cost = -1}), std::invalid_argument);
}

Points ten_points() {
  Points points;
  for (int i = 0; i < 10; ++i) {
    points.push_back({std::exp2(i), i < 6 ? 100 + std::exp2(i) : 500 + 2 * std::exp2(i), 1});
  }
  return points;
}

TEST(SegmentedByHand, BreaksThatSomebodyWroteWin) {
  const Points points = ten_points();
  const SegmentedFit fit = fit_with_breaks(points, Breaks{4, 32}, {.cost = 1e9});
  EXPECT_EQ(ends(fit), (std::vector<std::size_t>{2, 5})) << "4 and 32 belong to the lower piece";
  EXPECT_NEAR(fit.pieces[2].intercept, 500, 1e-9);
}

TEST(SegmentedByHand, BoundsHoldThereToo) {
  Points points = ten_points();
  for (WeightedPoint& point : points) point.y = 1000 - point.x;
  EXPECT_TRUE(fit_with_breaks(points, Breaks{}, {}).pieces[0].slope_on_bound);
  EXPECT_DOUBLE_EQ(fit_with_breaks(points, Breaks{}, kFree).pieces[0].slope, -1);
}

std::string faults_of(const Points& points, const Breaks& breaks) {
  try {
    fit_with_breaks(points, breaks, {});
  } catch (const base::UserError& error) {
    std::string all;
    for (const base::Fault& fault : error.faults()) all += fault.text() + "\n";
    return all;
  }
  return {};
}

TEST(SegmentedByHand, AllThatIsWrongWithBreaksIsNamedAtOnce) {
  EXPECT_EQ(
      faults_of(ten_points(), Breaks{8, 0.5, 4, golden::kNaN, 512}),
      "breaks: break 2 of 5 (0.5) is outside of the data; write sizes from 1 to below 512\n"
      "breaks: break 3 of 5 (4) is not above the one before it; write them in ascending order, "
      "each once\n"
      "breaks: break 4 of 5 (nan) is not a number; write a size, such as 4096\n"
      "breaks: break 5 of 5 (512) is outside of the data; write sizes from 1 to below 512\n");
  EXPECT_EQ(
      faults_of(ten_points(), Breaks{2, 16, 128}),
      "breaks: the piece up to 2 has 2 sizes; leave out a break, or measure more sizes there: a "
      "line needs 3\n"
      "breaks: the piece above 128 has 2 sizes; leave out a break, or measure more sizes there: "
      "a line needs 3\n");
  EXPECT_EQ(
      faults_of(ten_points(), Breaks{4, 8}),
      "breaks: the piece above 4 up to 8 has 1 size; leave out a break, or measure more sizes "
      "there: a line needs 3\n");
  EXPECT_EQ(faults_of(ten_points(), Breaks{4, 32}), "");
}

TEST(SegmentedByHand, TwoPointsAreNoLine) {
  EXPECT_THROW(fit_with_breaks(Points{{1, 1, 1}, {2, 2, 1}}, Breaks{}, {}), std::invalid_argument);
  EXPECT_THROW(fit_with_breaks({}, Breaks{}, {}), std::invalid_argument);
}

TEST(SegmentedPrediction, BetweenTwoPiecesTheLaterOneHolds) {
  const Points points = ten_points();
  const SegmentedFit fit = fit_with_breaks(points, Breaks{32}, {});
  EXPECT_NEAR(predicted(fit, points, 32), 132, 1e-9);
  EXPECT_NEAR(predicted(fit, points, 33), 566, 1e-9);
  EXPECT_NEAR(predicted(fit, points, 64), 628, 1e-9);
  EXPECT_NEAR(predicted(fit, points, 0), 100, 1e-9);
  EXPECT_NEAR(predicted(fit, points, 4096), 500 + 2 * 4096, 1e-6);
}

TEST(SegmentedPrediction, PointsOfAnotherFitThrow) {
  const Points points = ten_points();
  const SegmentedFit fit = fit_with_breaks(points, Breaks{32}, {});
  EXPECT_THROW(predicted(fit, std::span(points).first(5), 1), std::invalid_argument);
  EXPECT_THROW(predicted({}, points, 1), std::invalid_argument);
}

}  // namespace
}  // namespace invar::stats
