#include "stats/model/segmented_intervals.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "simulations.hpp"
#include "stats/describe/moments.hpp"
#include "stats/model/simulated_pieces.hpp"
#include "stats/test/student.hpp"

namespace invar::stats {
namespace {

using simulated::GroupedDesign;
using simulated::GroupedNoise;
using simulated::TrueLines;

SegmentedQuestion quick(std::uint64_t seed = 1) {
  SegmentedQuestion question;
  question.resamples = 99;
  question.seed = seed;
  return question;
}

bool holds(const std::optional<Interval>& interval, double truth) {
  return interval && interval->low <= truth && truth <= interval->high;
}

TEST(ResampledInterval, OfAMeanOverGroupsIsStudents) {
  base::Random random(31);
  for (const std::size_t groups : {5U, 12U}) {
    std::vector<double> values;
    for (std::size_t g = 0; g < groups; ++g) values.push_back(simulated::drawn_normal(random));
    std::vector<double> means;
    for (int i = 0; i < 20000; ++i) {
      const std::vector<double> weights = resampled_group_weights(groups, random);
      means.push_back(std::inner_product(values.begin(), values.end(), weights.begin(), 0.0) /
                      std::accumulate(weights.begin(), weights.end(), 0.0));
    }
    const Interval ours = resampled_interval(mean(values), means, groups, .95).value();
    const Interval students = t_test(values)->interval;
    EXPECT_NEAR((ours.high - ours.low) / (students.high - students.low), 1, .06);
    EXPECT_NEAR(ours.low, students.low, .15 * (students.high - students.low));
  }
}

TEST(ResampledInterval, HoldsTheEstimateThoughResamplesLieBesideIt) {
  const std::vector<double> resampled{5, 6, 7, 8};
  const Interval interval = resampled_interval(4, resampled, 8, .9).value();
  EXPECT_EQ(interval.low, 4);
  EXPECT_GT(interval.high, 8);
  EXPECT_EQ(interval.confidence, .9);
}

TEST(ResampledInterval, OneGroupHasNone) {
  EXPECT_FALSE(resampled_interval(4, std::vector<double>{4, 5}, 1, .95));
}

TEST(ResampledInterval, NonsenseThrows) {
  const std::vector<double> some{1, 2};
  EXPECT_THROW(resampled_interval(1, {}, 5, .95), std::invalid_argument);
  EXPECT_THROW(resampled_interval(1, some, 5, 1), std::invalid_argument);
  EXPECT_THROW(resampled_interval(std::numeric_limits<double>::quiet_NaN(), some, 5, .95),
               std::invalid_argument);
}

TEST(ResampledGroupWeights, AreExponential) {
  base::Random random(32);
  const std::vector<double> weights = resampled_group_weights(20000, random);
  EXPECT_NEAR(mean(weights), 1, .03);
  EXPECT_NEAR(variance(weights).value(), 1, .06);
  for (const double weight : weights) EXPECT_GT(weight, 0);
}

// What is found of machines with 2 to 5 breaks, or with a given number.
struct Found {
  std::size_t machines = 0;
  std::size_t right_number = 0;
  std::size_t more = 0;
  std::size_t all_breaks = 0;  // of those: whose breaks are all inside their intervals
  std::size_t lines = 0;       // slopes and intercepts
  std::size_t lines_inside = 0;
};

Found found_of(std::size_t machines, std::optional<std::size_t> breaks, const GroupedDesign& design,
               const GroupedNoise& noise) {
  Found found{.machines = machines};
  for (std::size_t i = 0; i < machines; ++i) {
    base::Random random(100 + i);
    const std::size_t count = breaks ? *breaks : 2 + random.below(4);
    const TrueLines truth = simulated::drawn_lines(count, design, random);
    const std::vector<double> sizes = simulated::drawn_sizes(design, random);
    const GroupedTimes times(simulated::measured(truth, sizes, design, noise, random));
    const SegmentedEstimate estimate = segmented_estimate(times, quick(i));
    if (estimate.fit.pieces.size() > truth.pieces.size()) ++found.more;
    if (estimate.fit.pieces.size() != truth.pieces.size()) continue;
    ++found.right_number;
    bool all = true;
    for (std::size_t p = 0; p < truth.pieces.size(); ++p) {
      found.lines += 2;
      if (holds(estimate.pieces[p].slope, truth.pieces[p].slope)) ++found.lines_inside;
      if (holds(estimate.pieces[p].intercept, truth.pieces[p].intercept)) ++found.lines_inside;
      if (p > 0) all = all && holds(estimate.breaks[p - 1].interval, truth.pieces[p].above);
    }
    found.all_breaks += all ? 1 : 0;
  }
  return found;
}

void expect_at_least(std::size_t count, std::size_t of, double share, const char* what) {
  EXPECT_GE(static_cast<int>(count), test::least_successes(of, share))
      << what << ": " << count << " of " << of;
}

TEST(SegmentedIntervals, FiveGroupsAreEnough) {
  const GroupedDesign design{.sizes = 80, .groups = 5, .groups_of_size = 5};
  const Found found = found_of(test::simulations(60), std::nullopt, design, {});
  expect_at_least(found.right_number, found.machines, .98, "number of pieces");
  expect_at_least(found.all_breaks, found.right_number, .98, "breaks");
  // Those of a machine share its groups' luck: counted as if each were half a machine's.
  EXPECT_GT(static_cast<double>(found.lines_inside), .9 * static_cast<double>(found.lines));
}

TEST(SegmentedIntervals, BurstsInventNoPiecesAndHideNone) {
  const GroupedDesign design{.sizes = 80, .groups = 8, .groups_of_size = 5};
  const Found found = found_of(test::simulations(60), std::nullopt, design, {.bursts = 1.5});
  expect_at_least(found.right_number, found.machines, .95, "number of pieces");
  expect_at_least(found.all_breaks, found.right_number, .95, "breaks");
  EXPECT_GT(static_cast<double>(found.lines_inside), .9 * static_cast<double>(found.lines));
}

TEST(SegmentedIntervals, NoiseAloneIsOnePiece) {
  const GroupedDesign design{.sizes = 80, .groups = 8, .groups_of_size = 5};
  for (const double bursts : {0.0, 1.5}) {
    const Found found = found_of(test::simulations(100), 0, design, {.sd = .03, .bursts = bursts});
    expect_at_least(found.machines - found.more, found.machines, .95, "one piece");
  }
}

TEST(SegmentedIntervals, HoldTheGapThatTheBreakLiesIn) {
  base::Random random(33);
  const GroupedDesign design;
  const TrueLines truth = simulated::drawn_lines(3, design, random);
  const std::vector<double> sizes = simulated::drawn_sizes(design, random);
  const GroupedTimes times(simulated::measured(truth, sizes, design, {}, random));
  const SegmentedEstimate estimate = segmented_estimate(times, quick());
  ASSERT_EQ(estimate.breaks.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const BreakPlace& place = estimate.breaks[i];
    EXPECT_EQ(place.before, estimate.points[estimate.fit.pieces[i].last].x);
    EXPECT_EQ(place.after, estimate.points[estimate.fit.pieces[i + 1].first].x);
    EXPECT_LE(place.interval->low, place.before);
    EXPECT_GE(place.interval->high, place.after);
  }
}

std::vector<GroupTime> flat_groups(std::size_t groups) {
  base::Random random(34);
  const TrueLines truth{.pieces = {{.above = 0, .intercept = 0, .slope = 2},
                                   {.above = 1000, .intercept = 9000, .slope = 0}}};
  const GroupedDesign design{.sizes = 40, .groups = groups, .groups_of_size = groups};
  const std::vector<double> sizes = simulated::drawn_sizes(design, random);
  return simulated::measured(truth, sizes, design, {}, random);
}

TEST(SegmentedIntervals, OnABoundTheyBeginThere) {
  const SegmentedEstimate estimate = segmented_estimate(GroupedTimes(flat_groups(6)), quick());
  ASSERT_EQ(estimate.pieces.size(), 2U);
  EXPECT_EQ(estimate.pieces[0].intercept->low, 0);
  EXPECT_GT(estimate.pieces[0].intercept->high, 0);
  EXPECT_EQ(estimate.pieces[1].slope->low, 0);
  SegmentedQuestion free = quick();
  free.limits.intercept_at_least_0 = false;
  EXPECT_LT(segmented_estimate(GroupedTimes(flat_groups(6)), free).pieces[0].intercept->low, 0);
}

TEST(SegmentedIntervals, AreTheSameOfTheSameSeed) {
  const GroupedTimes times(flat_groups(6));
  const SegmentedEstimate once = segmented_estimate(times, quick(5));
  const SegmentedEstimate again = segmented_estimate(times, quick(5));
  const SegmentedEstimate other = segmented_estimate(times, quick(6));
  EXPECT_EQ(once.pieces[0].slope, again.pieces[0].slope);
  EXPECT_NE(once.pieces[0].slope, other.pieces[0].slope);
  EXPECT_EQ(once.fit.pieces[0].slope, other.fit.pieces[0].slope);
}

TEST(SegmentedIntervals, AnalystsBreaksHaveNoneButTheirLinesHave) {
  SegmentedQuestion question = quick();
  question.breaks = {100, 1000};
  const SegmentedEstimate estimate = segmented_estimate(GroupedTimes(flat_groups(6)), question);
  ASSERT_EQ(estimate.breaks.size(), 2U);
  EXPECT_FALSE(estimate.breaks[0].interval);
  EXPECT_LE(estimate.breaks[0].before, 100);
  EXPECT_GT(estimate.breaks[0].after, 100);
  EXPECT_TRUE(holds(estimate.pieces[0].slope, 2));
  question.breaks = {1e9};
  EXPECT_THROW(segmented_estimate(GroupedTimes(flat_groups(6)), question), base::UserError);
}

TEST(SegmentedIntervals, OneGroupHasAFitAndNoIntervals) {
  const SegmentedEstimate estimate = segmented_estimate(GroupedTimes(flat_groups(1)), quick());
  EXPECT_FALSE(estimate.fit.pieces.empty());
  for (const PieceIntervals& piece : estimate.pieces) {
    EXPECT_FALSE(piece.slope);
    EXPECT_FALSE(piece.intercept);
  }
  for (const BreakPlace& place : estimate.breaks) EXPECT_FALSE(place.interval);
}

TEST(SegmentedIntervals, GroupsApartCountAsNone) {
  std::vector<GroupTime> times = flat_groups(1);
  times.push_back({.group = 9, .size = 3.5, .mean = 100});
  EXPECT_FALSE(segmented_estimate(GroupedTimes(times), quick()).pieces[0].slope);
}

}  // namespace
}  // namespace invar::stats
