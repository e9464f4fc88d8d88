// Which unknowns there are at which sizes, and the fit that is bounded at 0.
#include "analysis/network/fit/joint_fit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace invar::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<SeriesPoint> points_by(const std::function<double(double)>& time_ns,
                                   std::uint64_t up_to = 4096) {
  std::vector<SeriesPoint> points;
  for (std::uint64_t size = 1; size <= up_to; size *= 2) {
    points.push_back({.size_bytes = size, .mean_ns = time_ns(static_cast<double>(size))});
  }
  return points;
}

JointPoints exact_points() {
  return {.half_round_trip = points_by(
              [](double s) { return 100 + 0.1 * s + 50 + 500 + 0.3 * (s - 1) + 0.2 * s; }),
          .send = points_by([](double s) { return 100 + 0.1 * s; }),
          .late_receive = points_by([](double s) { return 50 + 0.2 * s; }),
          .gap = points_by([](double s) { return 200 + 0.3 * (s - 1); })};
}

const JointBreaks kNoBreaks{.half_round_trip = {1}, .send = {1}, .late_receive = {1}, .gap = {1}};

double unknown(const JointFit& fit, const JointSolution& solution, const JointColumn& column) {
  return solution.unknowns.at(fit.column(column).value());
}

TEST(JointFit, GivesBackWhatTheTimesWereMadeOf) {
  const JointPoints points = exact_points();
  JointShape shape = joint_shape(points, kNoBreaks, {}, {});
  shape.gap_parts.front().shares_gap = true;
  const JointFit fit(shape);
  const std::optional<JointSolution> solution = fit.solve(points);
  ASSERT_TRUE(solution);
  EXPECT_NEAR(unknown(fit, *solution, {JointTerm::kWire}), 500, 1e-6);
  EXPECT_NEAR(unknown(fit, *solution, {JointTerm::kWire, 0, true}), 0.3, 1e-9);
  EXPECT_NEAR(unknown(fit, *solution, {JointTerm::kSend}), 100, 1e-6);
  EXPECT_NEAR(unknown(fit, *solution, {JointTerm::kReceive, 0, true}), 0.2, 1e-9);
  EXPECT_NEAR(unknown(fit, *solution, {JointTerm::kGap}), 200, 1e-6);
  EXPECT_FALSE(fit.column({JointTerm::kGap, 0, true})) << "its G is that of round trips";
  EXPECT_NEAR(fit.half_round_trip(100)->value(solution->unknowns), 709.7, 1e-6);
}

TEST(JointFit, WhatWouldBeBelow0IsOnItsBound) {
  JointPoints points = exact_points();
  for (SeriesPoint& point : points.half_round_trip) point.mean_ns -= 600;
  const JointFit fit(joint_shape(points, kNoBreaks, {}, {}));
  const std::optional<JointSolution> solution = fit.solve(points);
  const std::size_t wire = fit.column({JointTerm::kWire}).value();
  EXPECT_NEAR(solution->unknowns[wire], -100, 1e-6);
  EXPECT_TRUE(solution->on_bound[wire]);
  EXPECT_NEAR(unknown(fit, *solution, {JointTerm::kSend}), 100, 1e-6)
      << "what overlaps is not taken from overheads that were measured alone";
  EXPECT_NEAR(unknown(fit, *solution, {JointTerm::kReceive, 0, true}), 0.2, 1e-9);
}

// A sum of things that take time.
TEST(JointFit, WithoutOverheadsAConstantIsAtLeast0) {
  JointPoints points;
  points.half_round_trip = points_by([](double s) { return 0.3 * s + 0.001 * s * s; });
  const JointFit fit(joint_shape(points, kNoBreaks, {}, {}));
  const std::optional<JointSolution> solution = fit.solve(points);
  const std::size_t wire = fit.column({JointTerm::kWire}).value();
  EXPECT_EQ(solution->unknowns[wire], 0);
  EXPECT_TRUE(solution->on_bound[wire]);
}

TEST(JointFit, HeldOutSizesAreNotSeen) {
  JointPoints points = exact_points();
  points.send[3].held_out = true;
  points.send[3].mean_ns = 1e6;
  const JointFit fit(joint_shape(points, kNoBreaks, {}, {}));
  EXPECT_NEAR(unknown(fit, *fit.solve(points), {JointTerm::kSend}), 100, 1e-6);
}

TEST(JointShape, OverheadsEndWhereTheyCannotBeSeenAnyMore) {
  const JointPoints points = exact_points();
  const Threshold detached{.last_bytes = 512, .first_bytes = 1024, .known = true};
  const Threshold async{.last_bytes = 32, .first_bytes = 64, .known = true};
  const JointFit fit(joint_shape(points, kNoBreaks, detached, async));
  EXPECT_THAT(fit.shape().ranges,
              ElementsAre(ByteRange{1, 32}, ByteRange{64, 512}, ByteRange{1024, 4096}));
  EXPECT_FALSE(fit.lacks_receive(0));
  EXPECT_TRUE(fit.lacks_receive(1));
  EXPECT_FALSE(fit.lacks_send(1));
  EXPECT_TRUE(fit.lacks_send(2));
  EXPECT_FALSE(fit.send(1024));
  EXPECT_TRUE(fit.send(512));
  // From async on a late receive is o_r + L + G s, and says nothing where the sender waits, too.
  EXPECT_THAT(fit.late_receive(128)->parts, SizeIs(2));
  EXPECT_EQ(fit.columns()[fit.late_receive(128)->parts[0].column].term, JointTerm::kWire);
  EXPECT_FALSE(fit.late_receive(2048));
  // Half a round trip of the three ranges: all four numbers of overheads, two, none.
  EXPECT_THAT(fit.half_round_trip(8)->parts, SizeIs(6));
  EXPECT_THAT(fit.half_round_trip(128)->parts, SizeIs(4));
  EXPECT_THAT(fit.half_round_trip(2048)->parts, SizeIs(2));
}

TEST(JointShape, RangesOfTooFewSizesAreLeftOut) {
  JointPoints points = exact_points();
  JointBreaks breaks = kNoBreaks;
  breaks.half_round_trip = {1, 64};
  const Threshold detached{.last_bytes = 64, .first_bytes = 128, .known = true};
  const JointFit fit(joint_shape(points, breaks, detached, {}));
  EXPECT_THAT(fit.shape().ranges, ElementsAre(ByteRange{1, 32}, ByteRange{128, 4096}))
      << "64 B lies between the break and the threshold";
  EXPECT_FALSE(fit.half_round_trip(64));
}

// A campaign adds sizes where a fit breaks: to that series alone, so that the threshold, which
// needs several, is not known as well.
TEST(JointShape, SizesBetweenBothEndsOfAThresholdAreOfNeitherSide) {
  JointPoints points = exact_points();
  for (std::vector<SeriesPoint>* series : {&points.late_receive, &points.half_round_trip}) {
    for (const std::uint64_t size : {70U, 80U, 90U, 100U, 110U}) {
      series->push_back({.size_bytes = size, .mean_ns = 1e4});
    }
    std::ranges::sort(*series, {}, &SeriesPoint::size_bytes);
  }
  JointBreaks breaks = kNoBreaks;
  breaks.late_receive = {1, 70};
  breaks.half_round_trip = {1, 70};
  const Threshold async{.last_bytes = 64, .first_bytes = 128, .known = true};
  const JointFit fit(joint_shape(points, breaks, {}, async));
  EXPECT_THAT(fit.shape().receive_pieces, ElementsAre(ByteRange{1, 64}));
  EXPECT_THAT(fit.shape().ranges, ElementsAre(ByteRange{1, 64}, ByteRange{128, 4096}));
  EXPECT_FALSE(fit.late_receive(80));
  EXPECT_FALSE(fit.half_round_trip(80));
}

// Each series has added sizes of its own around one and the same break.
TEST(JointShape, ASizeBetweenAnotherSeriesPiecesHasNoSum) {
  JointPoints points = exact_points();
  points.half_round_trip.push_back({.size_bytes = 70, .mean_ns = 1e4});
  std::ranges::sort(points.half_round_trip, {}, &SeriesPoint::size_bytes);
  JointBreaks breaks = kNoBreaks;
  breaks.half_round_trip = {1, 70};
  breaks.send = {1, 128};
  const JointFit fit(joint_shape(points, breaks, {}, {}));
  EXPECT_THAT(fit.shape().send_pieces, ElementsAre(ByteRange{1, 64}, ByteRange{128, 4096}));
  EXPECT_THAT(fit.shape().ranges, ElementsAre(ByteRange{1, 64}, ByteRange{70, 4096}));
  EXPECT_FALSE(fit.half_round_trip(70)) << "nobody knows which of both its send is";
  EXPECT_TRUE(fit.half_round_trip(64));
  EXPECT_TRUE(fit.half_round_trip(128));
}

TEST(JointShape, WithoutOverheadsOnlyTheirSumIsKnown) {
  JointPoints points = exact_points();
  points.send.clear();
  points.late_receive.clear();
  const JointFit fit(joint_shape(points, kNoBreaks, {}, {}));
  EXPECT_TRUE(fit.lacks_send(0));
  EXPECT_TRUE(fit.lacks_receive(0));
  EXPECT_NEAR(unknown(fit, *fit.solve(points), {JointTerm::kWire}), 650.3, 1e-6);
}

TEST(JointShape, OfNothingHasNoRange) {
  const JointFit fit(joint_shape({}, {}, {}, {}));
  EXPECT_THAT(fit.shape().ranges, IsEmpty());
  EXPECT_FALSE(fit.solve({}));
  EXPECT_FALSE(fit.half_round_trip(8));
}

}  // namespace
}  // namespace invar::analysis
