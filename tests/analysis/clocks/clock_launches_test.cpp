// Means and their intervals, over repetitions and over launches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>

#include "analysis/clocks/clock_barriers.hpp"
#include "analysis/clocks/clock_csv.hpp"
#include "analysis/clocks/clock_drift.hpp"
#include "analysis/clocks/clock_means.hpp"
#include "analysis/clocks/clock_runtime.hpp"
#include "base/error.hpp"
#include "record/clock_spec.hpp"
#include "simulations.hpp"

namespace invar::analysis {
namespace {

constexpr std::array kWithLater{
    record::RawColumn{"a", record::RawField::kCount},
    record::RawColumn{"b", record::RawField::kText},
    record::RawColumn{"c", record::RawField::kOptional, true},
    record::RawColumn{"d", record::RawField::kText, true},
};

TEST(ClockCsv, RowsOfEarlierVersionsLackLaterColumns) {
  for (const char* text : {"a,b\n1,x\n", "a,b,c\n1,x,\n", "a,b,c,d\n1,x,,\n"}) {
    const ClockCsv table(text, kWithLater, "clocks.csv");
    ASSERT_EQ(table.size(), 1) << text;
    EXPECT_EQ(table.word(0, 1), "x");
    EXPECT_EQ(table.optional_number(0, 2), std::nullopt);
    EXPECT_EQ(table.word(0, 3), "");
    EXPECT_EQ(table.launch(0), 1);
    EXPECT_EQ(table.ranks(0), 0);
  }
  EXPECT_THROW(ClockCsv("a,c\n1,2\n", kWithLater, "clocks.csv"), base::UserError);
  EXPECT_THROW(ClockCsv("a\n1\n", kWithLater, "clocks.csv"), base::UserError);
  EXPECT_THROW(ClockCsv("a,b,d\n1,x,y\n", kWithLater, "clocks.csv"), base::UserError);
}

TEST(ClockCsv, WhatTheDriverAddsStandsBehindAnyColumns) {
  const ClockCsv old("a,b,launch\n1,x,3\n", kWithLater, "clocks.csv");
  EXPECT_EQ(old.launch(0), 3);
  EXPECT_EQ(old.word(0, 3), "") << "the launch is not a later column's text";
  const ClockCsv both("a,b,c,d,ranks,launch\n1,x,2,y,8,4\n", kWithLater, "clocks.csv");
  EXPECT_EQ(both.ranks(0), 8);
  EXPECT_EQ(both.launch(0), 4);
  EXPECT_EQ(both.word(0, 3), "y");
  EXPECT_THROW(ClockCsv("a,b,launch\n1,x,-1\n", kWithLater, "clocks.csv"), base::UserError);
}

TEST(ClockCsv, RowsOfSeveralLaunchesAreOneFile) {
  const std::vector<record::AddedColumn> first{{"ranks", 2}, {"launch", 1}};
  const std::vector<record::AddedColumn> second{{"ranks", 4}, {"launch", 1}};
  EXPECT_EQ(record::with_added_columns("a,b\n1,x\n2,y\n", first, true) +
                record::with_added_columns("a,b\n3,z\n", second, false),
            "a,b,ranks,launch\n1,x,2,1\n2,y,2,1\n3,z,4,1\n");
}

TEST(ClockMeans, OneLaunchHasItsRepetitionsSeveralHaveTheirMeans) {
  const auto one = pooled_mean(OfLaunches{{1, {1, 2, 3, 4}}});
  ASSERT_TRUE(one && one->interval);
  EXPECT_EQ(one->mean, 2.5);
  EXPECT_EQ(one->launches, 1);
  // R: t.test(1:4)$conf.int
  EXPECT_NEAR(one->interval->low, 0.445739743239, 1e-9);
  EXPECT_NEAR(one->interval->high, 4.55426025676, 1e-9);
  const auto several = pooled_mean(OfLaunches{{1, {1, 3}}, {2, {4, 4, 4, 4}}, {5, {6}}, {6, {}}});
  ASSERT_TRUE(several && several->interval);
  EXPECT_EQ(several->mean, 4) << "of 2, 4 and 6, however many repetitions each has";
  EXPECT_EQ(several->launches, 3);
  // R: t.test(c(2, 4, 6))$conf.int
  EXPECT_NEAR(several->interval->low, -0.968275423688, 1e-9);
  EXPECT_NEAR(several->interval->high, 8.968275423688, 1e-9);
  EXPECT_FALSE(pooled_mean(OfLaunches{}));
  EXPECT_FALSE(pooled_mean(OfLaunches{{1, {7}}})->interval);
}

TEST(ClockMeans, SummariesOfLaunchesGiveTheSameAsTheirValues) {
  const auto one = pooled_mean(std::vector<ClockMean>{{4, 2.5, 1.2909944487358056}});
  const auto values = pooled_mean(OfLaunches{{1, {1, 2, 3, 4}}});
  EXPECT_NEAR(one->interval->low, values->interval->low, 1e-9);
  const auto three =
      pooled_mean(std::vector<ClockMean>{{2, 2, 9}, {8, 4, 1}, {0, 0, 0}, {1, 6, 0}});
  EXPECT_EQ(three->mean, 4);
  EXPECT_EQ(three->launches, 3) << "a launch in which nothing counted is none";
}

// Exits by `rank`, of two methods' rows in two launches.
TEST(ClockBarriers, MeansOfRanksHaveIntervals) {
  const std::string header =
      "row,method,number,flags,entry_skew_ns,exit_imbalance_ns,time_ns,sigma_ns,count,mean_ns,sd_"
      "ns";
  const std::string one = header +
                          "\nrepetition,MPI_Barrier,0,0,5,100,500,0,,,\n"
                          "rank,MPI_Barrier,0,0,0,0,0,0,100,0,0\n"
                          "rank,MPI_Barrier,1,0,0,100,0,0,100,110,20\n";
  const Barriers single = read_barriers(ClockCsv(one, record::kRawBarriers, "clocks.csv"));
  const auto& mean = single.rows[0].behind_mean[1];
  ASSERT_TRUE(mean && mean->interval);
  EXPECT_EQ(mean->mean, 110);
  // qt(.975, 99) * 20 / sqrt(100)
  EXPECT_NEAR(mean->interval->high, 110 + 3.968434, 1e-5);
  const std::string two = header +
                          ",launch\nrepetition,MPI_Barrier,0,0,5,100,500,0,,,,1\n"
                          "rank,MPI_Barrier,0,0,0,100,0,0,10,110,20,1\n"
                          "repetition,MPI_Barrier,0,0,5,100,500,0,,,,2\n"
                          "rank,MPI_Barrier,0,0,0,300,0,0,10,130,20,2\n"
                          "rank,MPI_Barrier,0,0,0,0,0,0,0,,,3\n";
  const Barriers pooled = read_barriers(ClockCsv(two, record::kRawBarriers, "clocks.csv"));
  EXPECT_EQ(pooled.launches, 3);
  EXPECT_EQ(pooled.rows[0].behind_ns, std::vector<double>{200});
  EXPECT_EQ(pooled.rows[0].behind_mean[0]->mean, 120);
  EXPECT_EQ(pooled.rows[0].behind_mean[0]->launches, 2);
}

// Clocks of 50 ppm whose drift differs from launch to launch, as oscillators' do.
TEST(ClockDrift, IntervalOverLaunchesCoversTheMeanDrift) {
  std::mt19937_64 random(1602);
  std::normal_distribution<double> normal;
  int covered = 0;
  constexpr int kExperiments = test::simulations(300);
  for (int experiment = 0; experiment < kExperiments; ++experiment) {
    std::vector<DriftPoint> points;
    for (std::uint32_t launch = 1; launch <= 5; ++launch) {
      const double ppm = 50 + 0.2 * normal(random);
      for (int i = 0; i <= 20; ++i) {
        points.push_back({.seconds = static_cast<double>(i),
                          .rank = 1,
                          .offset_ns = 1000 * ppm * i + 20 * normal(random),
                          .launch = launch});
      }
    }
    const std::vector<DriftRow> rows = drift_rows(points);
    ASSERT_EQ(rows.size(), 5);
    const std::vector<PooledDrift> pooled = pooled_drifts(rows);
    ASSERT_EQ(pooled.size(), 1);
    const stats::Interval& interval = *pooled[0].drift_ppm.interval;
    covered += interval.low <= 50 && 50 <= interval.high ? 1 : 0;
  }
  if (test::kSanitized) return;
  // 95 % of 300 are 285; a right method stays above 276 in 99 % of the cases.
  EXPECT_GE(covered, 276);
  EXPECT_LE(covered, 294) << "intervals that are too wide say nothing";
}

TEST(ClockDrift, OneLaunchIsNotPooled) {
  EXPECT_TRUE(pooled_drifts({{.launch = 1, .rank = 1, .drift_ppm = 3}}).empty());
}

constexpr const char* kRunTimesHeader =
    "sync,bin,repetition,seconds,since_sync_s,flags,local_ns,global_ns,true_ns,window_s,global_by,"
    "launch\n";

TEST(ClockRunTimes, BinsHaveMeansOverLaunches) {
  std::string csv = kRunTimesHeader;
  for (int launch = 1; launch <= 3; ++launch) {
    for (int i = 0; i < 4; ++i) {
      const std::string tail = "," + std::to_string(launch) + "\n";
      const std::string place = ",0," + std::to_string(i) + ",0.1,";
      csv += "MPI_Barrier" + place + ",0," + std::to_string(100 * launch + i) + ',' +
             std::to_string(150 * launch + i) + ",,,hca" + tail;
      csv += "hca window 1 ms" + place + "1,0,70," + std::to_string(200 * launch + i) +
             ",,0.001,hca" + tail;
    }
  }
  const auto series = read_run_times(ClockCsv(csv, record::kRawRunTimes, "clocks.csv"), 1);
  ASSERT_EQ(series.size(), 2);
  const RunTimeBin& barrier = *series[0].bins[0];
  EXPECT_EQ(series[0].launches, 3);
  EXPECT_EQ(series[0].global_by, "hca");
  EXPECT_EQ(series[0].window_s, std::nullopt);
  EXPECT_EQ(series[1].window_s, 0.001);
  EXPECT_EQ(barrier.repetitions, 12);
  EXPECT_EQ(barrier.mean->mean, 201.5) << "local";
  EXPECT_EQ(barrier.mean->launches, 3);
  EXPECT_EQ(barrier.global_mean->mean, 301.5);
  const RunTimeBin& window = *series[1].bins[0];
  EXPECT_EQ(window.mean->mean, 401.5) << "global";
  EXPECT_EQ(window.local_mean->mean, 70);
  EXPECT_FALSE(window.local_mean->interval) << "all alike";
  // R: t.test(c(201.5, 401.5, 601.5))
  EXPECT_NEAR(window.mean->interval->low, 401.5 - 496.8275, 1e-3);
}

TEST(ClockRunTimes, SlopesAreJudgedOverLaunches) {
  std::string csv = kRunTimesHeader;
  for (int launch = 1; launch <= 5; ++launch) {
    for (int bin = 0; bin < 6; ++bin) {
      const std::string place = ',' + std::to_string(bin) + ",0," + std::to_string(bin) + ',';
      const std::string tail = "," + std::to_string(launch) + "\n";
      const int scatter = (bin * 7 + launch) % 5;
      csv += "MPI_Barrier" + place + ",0," + std::to_string(500 + scatter) + ",,,," + tail;
      csv += "skampi" + place + "1,0,500," +
             std::to_string(600 + (13000 + 10 * launch) * bin + (bin * 3) % 7) + ",,,skampi" + tail;
      csv +=
          "hca" + place + "1,0,500," + std::to_string(600 + (bin + launch) % 3) + ",,,hca" + tail;
    }
  }
  const auto series = read_run_times(ClockCsv(csv, record::kRawRunTimes, "clocks.csv"), 6);
  ASSERT_EQ(series.size(), 3);
  ASSERT_TRUE(series[1].drifts());
  EXPECT_NEAR(*series[1].slope_ns_per_s, 13030, 5);
  EXPECT_LT(series[1].interval->low, 13030);
  EXPECT_GT(series[1].interval->high, 13030);
  EXPECT_FALSE(series[2].drifts());
}

TEST(ClockSpec, OrdersOfEarlierVersionsAreRead) {
  record::ClockSpec spec{.experiment = "runtime-over-time",
                         .algorithms = {"hca:fit-points=1000:exchanges=100", "jk"},
                         .windows_s = {1e-3, 0},
                         .launches = 10,
                         .hosts = {"node1", "node2:4"}};
  const std::string text = record::clock_spec_text(spec);
  EXPECT_EQ(record::read_clock_spec(text, "clocks.spec"), spec);
  const std::string old = text.substr(0, text.find("windows_s"));
  const record::ClockSpec read = record::read_clock_spec(old, "clocks.spec");
  EXPECT_EQ(read.windows_s, std::vector<double>{0});
  EXPECT_EQ(read.launches, 1);
  EXPECT_TRUE(read.hosts.empty());
  EXPECT_THROW(record::read_clock_spec(old.substr(old.find('\n') + 1), "clocks.spec"),
               base::UserError);
}

}  // namespace
}  // namespace invar::analysis
