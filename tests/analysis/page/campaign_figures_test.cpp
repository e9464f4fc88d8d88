// What a page draws of a campaign: the numbers behind every figure.
#include "analysis/page/campaign_figures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "analysis/machine/canary_series.hpp"
#include "analysis/machine/diagnosis.hpp"
#include "analysis/planted.hpp"
#include "analysis/questions/show.hpp"
#include "stats/test/normal.hpp"

namespace invar::analysis {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

struct Made {
  store::Data data;
  Summaries summaries;
  TimeAxis axis;
  CampaignFigures figures;
};

Made made(const planted::Plan& plan, Pairing pairing = Pairing::kTurns,
          const FigureResolution& resolution = figure_resolution(6)) {
  store::Data data = planted::data(plan);
  Summaries summaries = summarize_visits(data, Runtime::kLocal, false);
  TimeAxis axis(data, pairing);
  const CellTable table = sort_visits(summaries.visits, data.cells.size(), data.arms.size());
  CampaignFigures figures = campaign_figures(data, summaries, table, axis, 0.95, resolution);
  return {std::move(data), std::move(summaries), std::move(axis), std::move(figures)};
}

TEST(FigureResolution, FallsWithTheirNumberAndStaysReadable) {
  const FigureResolution few = figure_resolution(2);
  const FigureResolution many = figure_resolution(600);
  const FigureResolution huge = figure_resolution(100000);
  EXPECT_EQ(few.bins, 200U);
  EXPECT_EQ(few.columns, 160U);
  EXPECT_LT(many.bins, few.bins);
  EXPECT_LT(many.columns, few.columns);
  EXPECT_GE(huge.bins, 20U);
  EXPECT_GE(huge.rows, 10U);
  EXPECT_GE(huge.plot_points, 15U);
  EXPECT_EQ(figure_resolution(0).bins, few.bins);
}

TEST(TimeAxis, LaunchGroupsFollowEachOtherWithoutTheTimeBetween) {
  planted::Plan plan;
  plan.groups = 3;
  store::Data data = planted::data(plan);
  // A group of 12 blocks of two visits a second apart each lasts 23.9 s. Their own times begin
  // late.
  for (store::Launch& launch : data.groups[1].launches) {
    for (store::Visit& visit : launch.visits) {
      visit.line.begin_ps += 5'000'000'000'000;
      visit.line.end_ps += 5'000'000'000'000;
    }
  }
  const TimeAxis axis(data, Pairing::kTurns);
  const double length_s = 23.9e-3;
  EXPECT_NEAR(axis.end_s(), 3 * length_s, 1e-9);
  EXPECT_NEAR(axis.seconds(1, 1, 0), 0, 1e-12);
  EXPECT_NEAR(axis.seconds(2, 4, 5'000'000'000'000), length_s, 1e-9);
  EXPECT_NEAR(axis.seconds(3, 5, 1'000'000'000), 2 * length_s + 1e-3, 1e-9);
  const auto [begin_s, end_s] =
      axis.seconds(Perturbation{.group = 2, .begin_s = 5.001, .end_s = 5.002});
  EXPECT_NEAR(begin_s, length_s + 1e-3, 1e-9);
  EXPECT_NEAR(end_s, length_s + 2e-3, 1e-9);
}

TEST(TimeAxis, LaunchesThatFollowEachOtherDoSoHere) {
  planted::Plan plan;
  plan.groups = 2;
  const store::Data data = planted::data(plan);
  const TimeAxis axis(data, Pairing::kLaunches);
  const std::int64_t first_of_second_ps = data.groups[0].launches[1].visits[0].line.begin_ps;
  // The first launch is over before the second one begins.
  EXPECT_NEAR(axis.seconds(1, 2, first_of_second_ps), 22.9e-3, 1e-9);
  EXPECT_NEAR(axis.seconds(1, 1, 0), 0, 1e-12);
}

TEST(Times, AreThoseOfShow) {
  planted::Plan plan;
  plan.noise_sd = 0.3;
  const Made one = made(plan);
  const Show shown = show(planted::study(one.data, Rules{.runtime = Runtime::kLocal}));
  ASSERT_THAT(one.figures.times, SizeIs(6));
  ASSERT_THAT(shown.groups, SizeIs(6));
  for (const CellTime& time : one.figures.times) {
    const ShownGroup& group = shown.groups[2 * time.cell + time.arm];
    EXPECT_EQ(time.observations, group.observations);
    EXPECT_EQ(time.launches, group.launches);
    EXPECT_DOUBLE_EQ(time.median.median_ns, group.median.median_ns);
    EXPECT_DOUBLE_EQ(time.median.interval_ns->low, group.median.interval_ns->low);
    EXPECT_NEAR(time.mean_ns, group.mean_ns, 1e-9 * group.mean_ns);
    EXPECT_NEAR(time.min_ns, group.min_ns, 1e-9);
    EXPECT_NEAR(time.q1_ns, group.q1_ns, 1e-9);
    EXPECT_NEAR(time.q3_ns, group.q3_ns, 1e-9);
    EXPECT_NEAR(time.p95_ns, group.p95_ns, 1e-9);
    EXPECT_NEAR(time.p99_ns, group.p99_ns, 1e-9);
  }
}

TEST(LaunchBoxes, AreRelativeToTheSmallestMedianOfTheCell) {
  const Made one = made(planted::with_ratios({1.5, 1, 0.5}));
  ASSERT_THAT(one.figures.launch_medians, SizeIs(6));
  for (std::size_t cell = 0; cell < 3; ++cell) {
    double least = INFINITY;
    for (const LaunchBox& box : one.figures.launch_medians) {
      if (box.cell != cell) continue;
      EXPECT_THAT(box.points, SizeIs(8));
      for (const LaunchPoint& point : box.points) {
        EXPECT_DOUBLE_EQ(point.relative, point.median_ns / box.base_ns);
        EXPECT_GE(point.relative, 1);
        least = std::min(least, point.relative);
      }
      EXPECT_LE(box.box.low, box.box.first_quartile);
      EXPECT_LE(box.box.third_quartile, box.box.high);
    }
    EXPECT_EQ(least, 1) << cell;
  }
  // Arm 1 has launches of its own: 2, 4, ...
  EXPECT_EQ(one.figures.launch_medians[1].points[1].launch, 4U);
  EXPECT_EQ(one.figures.launch_medians[1].points[1].group, 2U);
}

TEST(Distributions, HoldEveryObservationThatCounts) {
  planted::Plan plan;
  plan.noise_sd = 0.5;
  for (const Distribution& one : made(plan).figures.distributions) {
    EXPECT_EQ(one.observations, 8U * 4 * 15);
    EXPECT_EQ(std::accumulate(one.bins.counts.begin(), one.bins.counts.end(),
                              one.bins.below + one.bins.above),
              one.observations);
    EXPECT_DOUBLE_EQ(one.ecdf.share.back(), 1);
    EXPECT_GE(one.density.at.size(), 20U);
    EXPECT_DOUBLE_EQ(one.density.at.front(), one.bins.low);
  }
}

TEST(Distributions, ConstantTimesHaveNoDensity) {
  const FigureResolution resolution = figure_resolution(1);
  const std::vector<double> constant(50, 400.0);
  const Distribution one = distribution_of(constant, 10, resolution);
  EXPECT_THAT(one.bins.counts, ElementsAre(50U));
  EXPECT_TRUE(one.density.at.empty());
  EXPECT_THAT(one.ecdf.at, ElementsAre(400));
  EXPECT_TRUE(one.tail.at.empty());
}

TEST(Distributions, TheDensityIsNoCombOfTheClocksSteps) {
  // Marks of 10 ns: each would be a mode of its own.
  std::vector<double> sorted;
  for (int i = 0; i < 800; ++i) {
    sorted.push_back(10 * std::round(52 + 1.5 * stats::normal_quantile((i + 0.5) / 800)));
  }
  const auto peaks = [&](double step_ns) {
    const Distribution one = distribution_of(sorted, step_ns, figure_resolution(1));
    std::size_t count = 0;
    for (std::size_t i = 1; i + 1 < one.density.density.size(); ++i) {
      count += one.density.density[i] > one.density.density[i - 1] &&
                       one.density.density[i] > one.density.density[i + 1]
                   ? 1U
                   : 0U;
    }
    return count;
  };
  EXPECT_EQ(peaks(10), 1U);
  EXPECT_GT(peaks(0), 5U);
}

TEST(OrderRaster, ShowsWhenTheMachineWasSlower) {
  planted::Plan plan;
  plan.groups = 4;
  plan.group_sd = 0;
  plan.launch_sd = 0;
  plan.slower = [](std::uint32_t group, std::uint32_t, std::size_t) {
    return group == 3 ? 2.0 : 1.0;
  };
  const Made one = made(plan);
  const OrderRaster& raster = one.figures.order[0];
  std::uint64_t total = 0;
  for (const RasterCount& count : raster.counts) {
    ASSERT_LT(count.column + 1, raster.seconds.size());
    ASSERT_LT(count.row + 1, raster.ns.size());
    total += count.count;
  }
  EXPECT_EQ(total, 4U * 4 * 15);
  EXPECT_DOUBLE_EQ(raster.seconds.back(), one.axis.end_s());
  const double quarter_s = one.axis.end_s() / 4;
  for (std::size_t column = 0; column + 1 < raster.seconds.size(); ++column) {
    if (!raster.median_ns[column]) continue;
    const double middle_s = 0.5 * (raster.seconds[column] + raster.seconds[column + 1]);
    const bool slow = middle_s > 2.02 * quarter_s && middle_s < 2.98 * quarter_s;
    const bool usual = middle_s < 1.98 * quarter_s || middle_s > 3.02 * quarter_s;
    if (slow || usual) {
      EXPECT_NEAR(*raster.median_ns[column], slow ? 2000 : 1000, slow ? 200 : 100) << column;
    }
  }
}

TEST(OrderRaster, HoldsWhatIsFarOutInItsOuterRows) {
  planted::Plan plan;
  plan.flags = [](std::size_t, std::size_t, std::uint32_t) { return std::uint16_t{0}; };
  store::Data data = planted::data(plan);
  // One observation of the last visit is a thousand times longer.
  const store::Visit& visit = data.groups.back().launches.front().visits.back();
  auto& timing = const_cast<record::Timing&>(visit.records.back());
  timing.local_max_ps = 1'000'000'000;
  const Summaries summaries = summarize_visits(data, Runtime::kLocal, false);
  const CellTable table = sort_visits(summaries.visits, 3, 2);
  const TimeAxis axis(data, Pairing::kTurns);
  const CampaignFigures figures =
      campaign_figures(data, summaries, table, axis, 0.95, figure_resolution(6));
  const OrderRaster& raster = figures.order[4];  // cell 2, arm 0
  EXPECT_DOUBLE_EQ(raster.ns.back(), 1e6);
  EXPECT_LT(raster.ns[raster.ns.size() - 2], 3000);
  EXPECT_EQ(raster.counts.back().row + 2, raster.ns.size());
}

TEST(Normality, ItsWIsThatOfTheDiagnosis) {
  planted::Plan plan;
  plan.noise_sd = 0.6;
  const Made one = made(plan);
  const std::vector<std::uint32_t> arms{0, 1};
  const auto diagnosis = diagnose(one.data, one.summaries, arms);
  ASSERT_THAT(one.figures.normality, SizeIs(6));
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(one.figures.normality[i].sample_size, 30U);
    ASSERT_TRUE(diagnosis[i].means_w);
    EXPECT_DOUBLE_EQ(*one.figures.normality[i].w, *diagnosis[i].means_w);
  }
}

TEST(Normality, TooFewRepetitionsHaveNone) {
  planted::Plan plan;
  plan.rounds = 1;
  EXPECT_TRUE(made(plan).figures.normality.empty());
}

TEST(CanarySeries, FollowsTheRegimesOverTime) {
  planted::Plan plan;
  plan.canary_ns = [](std::uint32_t group) { return group <= 4 ? 130.0 : 510.0; };
  const Made one = made(plan);
  const auto series = canary_series(one.summaries, one.axis);
  ASSERT_TRUE(series);
  EXPECT_THAT(series->median_ns, SizeIs(series->seconds.size()));
  EXPECT_EQ(series->median_ns.front(), 130);
  EXPECT_EQ(series->median_ns.back(), 510);
  EXPECT_LT(series->seconds.back(), one.axis.end_s());
  EXPECT_EQ(std::accumulate(series->counts.begin(), series->counts.end(), std::uint64_t{0}),
            one.summaries.visits.size());
  EXPECT_EQ(series->counts.front(), series->counts.back());
  EXPECT_THAT(series->edges_ns, SizeIs(series->counts.size() + 1));
  EXPECT_NEAR(series->edges_ns.front(), 130, 1e-9);
  EXPECT_NEAR(series->edges_ns.back(), 510, 1e-9);
}

TEST(CanarySeries, ConstantOnesAreOneBarAndNoneIsNone) {
  planted::Plan plan;
  Made one = made(plan);
  EXPECT_THAT(canary_series(one.summaries, one.axis)->counts, SizeIs(1));
  for (VisitSummary& visit : one.summaries.visits) visit.canary_ns.reset();
  EXPECT_FALSE(canary_series(one.summaries, one.axis));
}

}  // namespace
}  // namespace invar::analysis
