// What is made of the engine's clocks.csv.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>

#include "analysis/clocks/clock_barriers.hpp"
#include "analysis/clocks/clock_csv.hpp"
#include "analysis/clocks/clock_drift.hpp"
#include "analysis/clocks/clock_resolution.hpp"
#include "analysis/clocks/clock_runtime.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "simulations.hpp"

namespace invar::analysis {
namespace {

using testing::HasSubstr;

std::vector<DriftPoint> drift_of(const std::string& csv) {
  return read_drift(ClockCsv(csv, record::kRawDrift, "clocks.csv"));
}
Barriers barriers_of(const std::string& csv) {
  return read_barriers(ClockCsv(csv, record::kRawBarriers, "clocks.csv"));
}
std::vector<ClockSourceRow> resolution_of(const std::string& csv) {
  return read_clock_resolution(ClockCsv(csv, record::kRawResolution, "clocks.csv"));
}
std::vector<RunTimeSeries> run_times_of(const std::string& csv, std::uint32_t bins = 10) {
  return read_run_times(ClockCsv(csv, record::kRawRunTimes, "clocks.csv"), bins);
}

constexpr std::array kTwoColumns{record::RawColumn{"a", record::RawField::kCount},
                                 record::RawColumn{"b", record::RawField::kOptional}};

std::string refusal_of(const std::string& text) {
  try {
    const ClockCsv table(text, kTwoColumns, "d/clocks.csv");
  } catch (const base::UserError& error) {
    std::string all;
    for (const base::Fault& fault : error.faults()) all += fault.text() + '\n';
    return all;
  }
  return {};
}

TEST(ClockCsv, EveryFaultHasItsPlace) {
  EXPECT_THAT(refusal_of(""), HasSubstr("d/clocks.csv:1: the columns are not a,b"));
  EXPECT_THAT(refusal_of("a,c\n"), HasSubstr("d/clocks.csv:1: the columns are not a,b"));
  const std::string several = refusal_of("a,b\n1\n-1,2\n1,x\n1,2\n4294967296,\n");
  EXPECT_THAT(several, HasSubstr("d/clocks.csv:2:3: this row has 1 field, the header 2"));
  EXPECT_THAT(several, HasSubstr("d/clocks.csv:3:1: '-1' is not a count"));
  EXPECT_THAT(several, HasSubstr("d/clocks.csv:4:3: 'x' is not a number"));
  EXPECT_THAT(several, HasSubstr("d/clocks.csv:6:1: '4294967296' is not a count"));
  EXPECT_EQ(std::count(several.begin(), several.end(), '\n'), 4);
  EXPECT_EQ(refusal_of("a,b\n1,2\n"), "");
}

TEST(ClockCsv, EmptyFieldsAreAbsent) {
  const ClockCsv table("a,b\n7,\n8,2.5\n", kTwoColumns, "clocks.csv");
  ASSERT_EQ(table.size(), 2);
  EXPECT_EQ(table.count(0, 0), 7);
  EXPECT_FALSE(table.optional_number(0, 1));
  EXPECT_EQ(table.number(1, 1), 2.5);
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
  const auto rows = drift_rows(drift_of(drift_csv(13, 20, true)));
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

// Paths whose asymmetry wanders: neighbouring offsets err alike (lag-1 correlation .6).
TEST(ClockDrift, IntervalAllowsForErrorsThatResembleTheirNeighbours) {
  constexpr int kClocks = test::simulations(400);
  std::mt19937_64 random(16);
  std::normal_distribution<double> normal;
  std::vector<DriftPoint> points;
  for (std::uint32_t rank = 1; rank <= kClocks; ++rank) {
    double error_ns = normal(random) / 0.8;
    for (int i = 0; i <= 20; ++i) {
      points.push_back({.seconds = static_cast<double>(i),
                        .rank = rank,
                        .offset_ns = 50'000.0 * i + 20 * error_ns});
      error_ns = 0.6 * error_ns + normal(random);
    }
  }
  int covered = 0;
  for (const DriftRow& row : drift_rows(points)) {
    covered += row.interval_ppm->low <= 50 && 50 <= row.interval_ppm->high ? 1 : 0;
  }
  if (test::kSanitized) return;
  EXPECT_GE(covered, kClocks * 93 / 100);
}

TEST(ClockDrift, WithoutTruthThereIsNoError) {
  const auto rows = drift_rows(drift_of(drift_csv(-2, 5, false)));
  ASSERT_EQ(rows.size(), 1);
  EXPECT_FALSE(rows[0].true_ppm);
  EXPECT_FALSE(rows[0].largest_error_ns);
  EXPECT_EQ(rows[0].window_ppm.size(), 1);  // shorter than 10 s
}

TEST(ClockDrift, OnePointIsNoDrift) {
  EXPECT_TRUE(drift_rows(drift_of(drift_csv(1, 0, true))).empty());
}

TEST(ClockBarriers, LateRepetitionsAreCountedNotUsed) {
  const Barriers barriers = barriers_of(
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
  const Barriers barriers = barriers_of(
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
  return barriers_of(csv).rows[0].exit_ns;
}

TEST(ClockBarriers, TooFewRepetitionsHaveNoTail) {
  EXPECT_FALSE(quantiles_of(19).p95_ns) << "the largest one by another name";
  EXPECT_NEAR(quantiles_of(20).p95_ns.value(), 19.05, 1e-9);
  EXPECT_FALSE(quantiles_of(99).p99_ns);
  EXPECT_NEAR(quantiles_of(100).p99_ns.value(), 99.01, 1e-9);
}

TEST(ClockResolution, RanksAreSummedUpBySource) {
  const auto rows = resolution_of(
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
  EXPECT_THROW(resolution_of("rank,source,quantity,value,text\n0,tsc,colour,1,\n"),
               base::UserError);
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
  const auto series = run_times_of(run_times_csv());
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
  const auto series = run_times_of(run_times_csv());
  EXPECT_FALSE(series[0].drifts());
  ASSERT_TRUE(series[1].drifts());
  EXPECT_NEAR(series[1].slope_ns_per_s.value(), 13000, 10);
  // The interval holds for two series together.
  EXPECT_NEAR(series[1].interval->confidence, 0.975, 1e-12);
}

// The machine takes half as long again from the middle on, for barriers and windows alike;
// `skampi`'s clocks drift besides.
std::string slowing_csv() {
  std::string csv = "sync,bin,repetition,seconds,since_sync_s,flags,local_ns,global_ns,true_ns\n";
  for (int bin = 0; bin < 20; ++bin) {
    const std::string place =
        ',' + std::to_string(bin) + ",0," + std::to_string(0.5 * bin) + ",1,0,";
    const double slow = bin < 10 ? 1 : 1.5;
    const int scatter = (bin * 7) % 5;
    const auto row = [&](const char* sync, double local, double global) {
      csv += sync + place + std::to_string(local) + ',' + std::to_string(global) + ",\n";
    };
    row("MPI_Barrier", 500 * slow + scatter, 0);
    row("mesh tracked", 450, 800 * slow + (bin * 3) % 7);
    row("skampi", 450, 800 * slow + (bin * 3) % 7 + 6500 * bin);
  }
  return csv;
}

TEST(ClockRunTimes, AMachineThatSlowsDownIsNoDrift) {
  const auto series = run_times_of(slowing_csv(), 20);
  ASSERT_EQ(series.size(), 3);
  EXPECT_GT(series[0].slope_ns_per_s.value(), 30) << "the guard has nothing to guard against";
  EXPECT_FALSE(series[0].drifts()) << "local times need no clocks";
  EXPECT_FALSE(series[1].drifts()) << "what the control shows in the same bins is the machine's";
  EXPECT_NEAR(series[1].slope_ns_per_s.value(), 0, 2);
  ASSERT_TRUE(series[2].drifts());
  EXPECT_NEAR(series[2].slope_ns_per_s.value(), 13000, 10);
}

TEST(ClockRunTimes, BinsAreJudgedBesideTheControlsOfTheSameTime) {
  // The control is missing where the machine was slow: those bins have nothing to be judged by.
  const std::string all = slowing_csv();
  std::string csv;
  for (const std::string_view line : base::split(all, '\n')) {
    if (line.starts_with("MPI_Barrier,1")) continue;
    csv += std::string(line) + '\n';
  }
  csv.pop_back();
  const auto series = run_times_of(csv, 20);
  EXPECT_FALSE(series[1].drifts());
  EXPECT_NEAR(series[2].slope_ns_per_s.value(), 13000, 20);
}

TEST(ClockRunTimes, ShorterRunTimesAreNoDrift) {
  RunTimeSeries series{.sync = "mesh"};
  series.interval = stats::Interval{-50, -10, 0.95};
  EXPECT_FALSE(series.drifts());
  series.interval = stats::Interval{10, 50, 0.95};
  EXPECT_TRUE(series.drifts());
}

TEST(ClockRunTimes, BinsWithoutValidRepetitionsAreEmpty) {
  const auto series = run_times_of(
      "sync,bin,repetition,seconds,since_sync_s,flags,local_ns,global_ns,true_ns\n"
      "mesh,0,0,0.1,0.3,4,1,1,\nmesh,1,0,0.2,0.4,0,1,1,\n");
  ASSERT_EQ(series.size(), 1);
  EXPECT_FALSE(series[0].bins[0]);
  EXPECT_TRUE(series[0].bins[1]);
  ASSERT_EQ(series[0].empty.size(), 9);
  EXPECT_EQ(why_empty(series[0].empty[0]), "1 repetition longer than the window");
  EXPECT_EQ(why_empty(series[0].empty[1]), "its time was over before a repetition that counts");
  EXPECT_FALSE(series[0].slope_ns_per_s);
  EXPECT_FALSE(series[0].drifts());
}

TEST(ClockRunTimes, EmptyBinsSayWhy) {
  EXPECT_EQ(why_empty({.late = 3, .past_window = 1}),
            "3 repetitions started late, 1 repetition longer than the window");
  EXPECT_EQ(why_empty({.no_global = 2}), "2 repetitions without a global time");
  const auto series = run_times_of(
      "sync,bin,repetition,seconds,since_sync_s,flags,local_ns,global_ns,true_ns\n"
      "mesh,0,0,0.1,0.3,6,1,1,\nmesh,0,1,0.1,0.3,2,1,1,\nmesh,1,0,0.2,0.4,0,1,,\n",
      2);
  ASSERT_EQ(series[0].empty.size(), 2);
  EXPECT_EQ(series[0].empty[0].late, 2) << "once, for the first reason";
  EXPECT_EQ(series[0].empty[0].past_window, 0);
  EXPECT_EQ(series[0].empty[1].no_global, 1);
}

TEST(ClockRunTimes, BinsBeyondThoseThatWereAskedForAreRefused) {
  EXPECT_THROW(run_times_of(run_times_csv(), 9), base::UserError);
}

}  // namespace
}  // namespace invar::analysis
