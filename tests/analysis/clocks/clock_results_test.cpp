// What is made of the engine's clocks.csv.
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include "analysis/clocks/clock_accuracy.hpp"
#include "analysis/clocks/clock_barriers.hpp"
#include "analysis/clocks/clock_csv.hpp"
#include "analysis/clocks/clock_drift.hpp"
#include "analysis/clocks/clock_resolution.hpp"
#include "analysis/clocks/clock_runtime.hpp"

namespace invar::analysis {
namespace {

TEST(ClockCsv, RefusesWhatTheEngineDoesNotWrite) {
  EXPECT_THROW(ClockCsv("", "a,b"), std::invalid_argument);
  EXPECT_THROW(ClockCsv("a,c\n", "a,b"), std::invalid_argument);
  EXPECT_THROW(ClockCsv("a,b\n1\n", "a,b"), std::invalid_argument);
  const ClockCsv table("a,b\n1,x\n2,\n", "a,b");
  EXPECT_EQ(table.size(), 2);
  EXPECT_EQ(table.number(0, 0), 1);
  EXPECT_THROW(static_cast<void>(table.number(0, 1)), std::invalid_argument);
  EXPECT_FALSE(table.optional_number(1, 1));
}

TEST(ClockAccuracy, TrackedRowsSayWhatTrackingCosts) {
  const auto errors = read_clock_errors(
      "algorithm,repetition,seconds,after_s,rank,error_ns,half_width_ns,tracking_share\n"
      "jk,2,1.5,20,1,-3.5,0,0\nmesh tracked,1,1,20,1,2,0,0.001\n");
  ASSERT_EQ(errors.size(), 2);
  EXPECT_EQ(errors[0].repetition, 2);
  EXPECT_EQ(errors[0].error_ns, -3.5);
  EXPECT_EQ(errors[1].tracking_share, 0.001);
}

std::string drift_csv(double ppm, double seconds, bool truth) {
  std::string csv = "seconds,rank,offset_ns,half_width_ns,truth_ns\n";
  for (int i = 0; i <= seconds; ++i) {
    const double exact = 5e9 + 1000 * ppm * i;
    csv += std::to_string(i) + ",1," + std::to_string(exact + (i % 2 == 0 ? 10 : -10)) + ",100," +
           (truth ? std::to_string(exact) : "") + '\n';
  }
  return csv;
}

TEST(ClockDrift, LineGivesTheDriftAndItsWindows) {
  const auto rows = drift_rows(read_drift(drift_csv(13, 20, true)));
  ASSERT_EQ(rows.size(), 1);
  EXPECT_EQ(rows[0].points, 21);
  EXPECT_NEAR(rows[0].drift_ppm, 13, 1e-3);
  ASSERT_TRUE(rows[0].interval_ppm);
  EXPECT_LT(rows[0].interval_ppm->low, 13);
  EXPECT_GT(rows[0].interval_ppm->high, 13);
  ASSERT_EQ(rows[0].window_ppm.size(), 2);
  EXPECT_NEAR(rows[0].window_ppm[1], 13, 1e-2);
  EXPECT_NEAR(rows[0].true_ppm.value(), 13, 1e-9);
  EXPECT_NEAR(rows[0].largest_error_ns.value(), 10, 1e-3);
  EXPECT_NEAR(rows[0].largest_residual_ns, 10, 1.5);
  EXPECT_GT(rows[0].r_squared.value(), 0.999);
}

TEST(ClockDrift, WithoutTruthThereIsNoError) {
  const auto rows = drift_rows(read_drift(drift_csv(-2, 5, false)));
  ASSERT_EQ(rows.size(), 1);
  EXPECT_FALSE(rows[0].true_ppm);
  EXPECT_FALSE(rows[0].largest_error_ns);
  EXPECT_EQ(rows[0].window_ppm.size(), 1);  // shorter than 10 s
}

TEST(ClockDrift, OnePointIsNoDrift) {
  EXPECT_TRUE(drift_rows(read_drift(drift_csv(1, 0, true))).empty());
}

TEST(ClockBarriers, LateRepetitionsAreCountedNotUsed) {
  const Barriers barriers = read_barriers(
      "row,method,number,flags,entry_skew_ns,exit_imbalance_ns,time_ns,sigma_ns\n"
      "repetition,MPI_Barrier,0,0,5,100,500,0\n"
      "repetition,MPI_Barrier,1,2,900,9000,9000,0\n"
      "repetition,MPI_Barrier,2,8,7,300,700,0\n"
      "repetition,window,3,0,5,6,1,0\n"
      "rank,MPI_Barrier,0,0,0,0,0,0\nrank,MPI_Barrier,1,0,0,200,0,0\n"
      "rank,window,0,0,0,0,0,0\nrank,window,1,0,0,6,0,0\n");
  ASSERT_EQ(barriers.rows.size(), 2);
  EXPECT_EQ(barriers.rows[0].method, "window");  // the smallest imbalance first
  const BarrierRow& row = barriers.rows[1];
  EXPECT_EQ(row.repetitions, 2);
  EXPECT_EQ(row.left_out, 1);
  EXPECT_EQ(row.exit_ns.median_ns, 200);
  EXPECT_EQ(row.entry_skew_ns, 6);
  EXPECT_EQ(row.behind_ns, (std::vector<double>{0, 200}));
}

TEST(ClockBarriers, MethodWithoutValidRepetitionsHasNoTimes) {
  const Barriers barriers = read_barriers(
      "row,method,number,flags,entry_skew_ns,exit_imbalance_ns,time_ns,sigma_ns\n"
      "repetition,MPI_Barrier,0,2,5,100,500,7\n");
  ASSERT_EQ(barriers.rows.size(), 1);
  EXPECT_EQ(barriers.rows[0].repetitions, 0);
  EXPECT_EQ(barriers.rows[0].left_out, 1);
  EXPECT_EQ(barriers.sigma_ns, 7);
}

// Exit imbalances of 1, 2, ..., `count` ns.
BarrierQuantiles quantiles_of(int count) {
  std::string csv = "row,method,number,flags,entry_skew_ns,exit_imbalance_ns,time_ns,sigma_ns\n";
  for (int i = 1; i <= count; ++i) {
    csv += "repetition,MPI_Barrier," + std::to_string(i) + ",0,0," + std::to_string(i) + ",0,0\n";
  }
  return read_barriers(csv).rows[0].exit_ns;
}

TEST(ClockBarriers, TooFewRepetitionsHaveNoTail) {
  EXPECT_FALSE(quantiles_of(19).p95_ns) << "the largest one by another name";
  EXPECT_NEAR(quantiles_of(20).p95_ns.value(), 19.05, 1e-9);
  EXPECT_FALSE(quantiles_of(99).p99_ns);
  EXPECT_NEAR(quantiles_of(100).p99_ns.value(), 99.01, 1e-9);
}

TEST(ClockResolution, RanksAreSummedUpBySource) {
  const auto rows = read_clock_resolution(
      "rank,source,quantity,value,text\n"
      "0,tsc,trusted,1,\n0,tsc,cost_ns,20,\n0,tsc,cost_ns,22,\n0,tsc,step_ns,10,\n"
      "0,tsc,smallest_step_ns,20,\n0,tsc,reads,1000000,\n0,tsc,backwards,0,\n"
      "0,tsc,shared_reads,1000000,\n0,tsc,shared_backwards,1,\n0,tsc,shared_most_ns,30,\n"
      "0,tsc,ticks_per_s,2e9,\n0,tsc,half_width_per_s,100,\n"
      "1,tsc,trusted,0,\"no, never\"\n1,tsc,cost_ns,24,\n1,tsc,step_ns,12,\n"
      "1,tsc,smallest_step_ns,10,\n1,tsc,backwards,2,\n1,tsc,backwards_most_ns,5,\n"
      "1,tsc,shared_backwards,3,\n1,tsc,shared_most_ns,20,\n1,tsc,ticks_per_s,2.00002e9,\n");
  ASSERT_EQ(rows.size(), 1);
  EXPECT_FALSE(rows[0].trusted);
  EXPECT_EQ(rows[0].reason, "no, never");
  EXPECT_EQ(rows[0].cost_median_ns, 22);
  EXPECT_EQ(rows[0].step_ns, 12);
  EXPECT_EQ(rows[0].smallest_step_ns, 10);
  EXPECT_EQ(rows[0].backwards, 2);
  EXPECT_TRUE(rows[0].shared);
  EXPECT_EQ(rows[0].shared_backwards, 4);
  EXPECT_EQ(rows[0].shared_most_ns, 30);
  EXPECT_EQ(rows[0].ticks_per_s, 2e9);
  EXPECT_NEAR(rows[0].rates_apart_ppm, 10, 1e-6);
  EXPECT_THROW(read_clock_resolution("rank,source,quantity,value,text\n0,tsc,colour,1,\n"),
               std::invalid_argument);
}

// A series that drifts by 13 us a second and a flat one, with some scatter.
std::string run_times_csv() {
  std::string csv = "sync,bin,repetition,seconds,since_sync_s,flags,local_ns,global_ns,true_ns\n";
  for (int bin = 0; bin < 10; ++bin) {
    for (int i = 0; i < 3; ++i) {
      const std::string place = ',' + std::to_string(bin) + ',' + std::to_string(i) + ',' +
                                std::to_string(0.5 * bin) + ',';
      const int scatter = (bin * 7 + i * 3) % 5;
      csv += "MPI_Barrier" + place + ",0," + std::to_string(500 + scatter) + ",,490\n";
      csv += "skampi:exchanges=10" + place + std::to_string(0.5 * bin + 3) +
             (i == 2 ? ",2," : ",0,") + "700," + std::to_string(600 + 6500 * bin + scatter) +
             ",650\n";
    }
  }
  return csv;
}

TEST(ClockRunTimes, BarrierIsLocalWindowsAreGlobal) {
  const auto series = read_run_times(run_times_csv());
  ASSERT_EQ(series.size(), 2);
  EXPECT_TRUE(series[0].local);
  ASSERT_EQ(series[0].bins.size(), 10);
  EXPECT_NEAR(series[0].bins[0]->median_ns, 501, 3);
  EXPECT_FALSE(series[0].bins[0]->global_ns);
  EXPECT_EQ(series[1].bins[4]->repetitions, 2);
  EXPECT_EQ(series[1].bins[4]->left_out, 1);
  EXPECT_NEAR(series[1].bins[4]->median_ns, 26600, 5);
  EXPECT_EQ(series[1].bins[4]->true_ns, 650);
  EXPECT_EQ(series[0].bins[4]->since_sync_s, std::nullopt) << "a barrier needs no clocks";
  EXPECT_EQ(series[1].bins[4]->seconds, 2);
  EXPECT_EQ(series[1].bins[4]->since_sync_s, 5);
}

TEST(ClockRunTimes, SlopeSaysWhichOnesDrift) {
  const auto series = read_run_times(run_times_csv());
  EXPECT_FALSE(series[0].drifts());
  ASSERT_TRUE(series[1].drifts());
  EXPECT_NEAR(series[1].slope_ns_per_s.value(), 13000, 10);
  // Of two series together.
  EXPECT_NEAR(series[1].interval->confidence, 0.975, 1e-12);
}

TEST(ClockRunTimes, ShorterRunTimesAreNoDrift) {
  RunTimeSeries series{.sync = "mesh"};
  series.interval = stats::Interval{-50, -10, 0.95};
  EXPECT_FALSE(series.drifts());
  series.interval = stats::Interval{10, 50, 0.95};
  EXPECT_TRUE(series.drifts());
}

TEST(ClockRunTimes, BinsWithoutValidRepetitionsAreEmpty) {
  const auto series = read_run_times(
      "sync,bin,repetition,seconds,since_sync_s,flags,local_ns,global_ns,true_ns\n"
      "mesh,0,0,0.1,0.3,4,1,1,\nmesh,1,0,0.2,0.4,0,1,1,\n");
  ASSERT_EQ(series.size(), 1);
  EXPECT_FALSE(series[0].bins[0]);
  EXPECT_TRUE(series[0].bins[1]);
  EXPECT_FALSE(series[0].slope_ns_per_s);
  EXPECT_FALSE(series[0].drifts());
}

}  // namespace
}  // namespace invar::analysis
