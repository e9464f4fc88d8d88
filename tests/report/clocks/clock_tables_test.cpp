#include "report/clocks/clock_tables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace invar::report {
namespace {

const ClockRunContext kContext{"mpich 4.0.2", 2, 13e-6};

std::string header_of(const std::string& csv) { return csv.substr(0, csv.find('\n')); }
long columns(const std::string& line) { return std::count(line.begin(), line.end(), ','); }

// Every line of a CSV without quoted fields has as many fields as its header.
void expect_rectangular(const std::string& csv) {
  const long wanted = columns(header_of(csv));
  std::size_t begin = 0;
  while (begin < csv.size()) {
    const std::size_t end = csv.find('\n', begin);
    EXPECT_EQ(columns(csv.substr(begin, end - begin)), wanted) << csv.substr(begin, end - begin);
    begin = end + 1;
  }
}

analysis::RunTimeSeries series(const char* sync, double slope_ns_per_s, double half_width) {
  analysis::RunTimeSeries one{.sync = sync};
  one.bins.emplace_back() = {.seconds = 0.25, .repetitions = 9, .median_ns = 512};
  one.bins.emplace_back();
  one.slope_ns_per_s = slope_ns_per_s;
  one.interval = {slope_ns_per_s - half_width, slope_ns_per_s + half_width, 0.95};
  return one;
}

TEST(RunTimeTable, SentenceNamesWhatDriftsAndWhatDoesNot) {
  EXPECT_EQ(drift_sentence({series("MPI_Barrier", 1, 5), series("skampi:exchanges=10", 13000, 100),
                            series("mesh:duration=1 tracked", -2, 20)}),
            "Drifting: skampi by +13 us a second [12.9, 13.1]. Not: MPI_Barrier (within [-0.004, "
            "0.006]), mesh tracked (within [-0.022, 0.018]).");
}

TEST(RunTimeTable, SentenceWithoutDriftSaysSo) {
  EXPECT_EQ(drift_sentence({series("MPI_Barrier", 1, 5)}),
            "No run-time drifts: MPI_Barrier (within [-0.004, 0.006]).");
}

TEST(RunTimeTable, ParametersStayWhereNamesWouldBeTheSame) {
  const std::string text =
      run_time_text({series("hca:fit-points=10", 0, 1), series("hca:fit-points=20", 0, 1)},
                    kContext, "allreduce, 8 B");
  EXPECT_NE(text.find("hca:fit-points=10"), std::string::npos) << text;
  EXPECT_NE(text.find("0.512"), std::string::npos) << text;
  EXPECT_NE(text.find("+13 ppm"), std::string::npos) << text;
}

TEST(RunTimeTable, SaysHowLongAgoClocksWereSynchronised) {
  const auto with = [](const char* sync, double first_s, double last_s) {
    analysis::RunTimeSeries one{.sync = sync};
    one.bins = {analysis::RunTimeBin{.seconds = 1, .since_sync_s = first_s},
                analysis::RunTimeBin{.seconds = 9, .since_sync_s = last_s}};
    return one;
  };
  analysis::RunTimeSeries barrier{.sync = "MPI_Barrier", .local = true};
  barrier.bins = {analysis::RunTimeBin{.seconds = 1}, std::nullopt};
  const std::vector<analysis::RunTimeSeries> all{barrier, with("hca", 3.5, 11.5),
                                                 with("mesh tracked", 0.02, 0.25)};
  const std::string text = run_time_text(all, kContext, "bcast");
  EXPECT_THAT(text,
              testing::HasSubstr("at: since the begin of the experiment; since the last "
                                 "synchronisation: hca at + 2.5 s, mesh tracked\nup to 0.25 s"));
  const std::string csv = run_time_csv(all, kContext, "bcast");
  expect_rectangular(csv);
  EXPECT_THAT(csv, testing::HasSubstr("local,0,1,,"));
  EXPECT_THAT(csv, testing::HasSubstr("global,1,9,11.5,"));
}

TEST(RunTimeTable, CsvLeavesOutEmptyBins) {
  const std::string csv = run_time_csv({series("hca", 0, 1)}, kContext, "bcast");
  expect_rectangular(csv);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 2);
}

TEST(DriftTable, TruthIsShownOnlyWhereItIsKnown) {
  analysis::DriftRow row{.rank = 1, .points = 21, .first_offset_ns = -25, .drift_ppm = 13.002};
  row.window_ppm = {13, 13.1, 12.9, 13};
  const std::string without = drift_text({row}, kContext);
  EXPECT_EQ(without.find("worst error"), std::string::npos) << without;
  EXPECT_NE(without.find("+13.0000, +13.1000, +12.9000, ..."), std::string::npos) << without;
  row.true_ppm = 13;
  row.largest_error_ns = 15;
  const std::string with = drift_text({row}, kContext);
  EXPECT_NE(with.find("worst error"), std::string::npos) << with;
  expect_rectangular(drift_csv({{0.5, 1, -25.5, 100, {}}, {1.5, 1, 3, 100, 2.5}}, kContext));
}

TEST(BarriersTable, TailsOfTooFewRepetitionsAreDashesAndEmptyFields) {
  analysis::Barriers barriers;
  barriers.rows.push_back({.method = "MPI_Barrier",
                           .repetitions = 19,
                           .exit_ns = {.q1_ns = 11, .median_ns = 12, .q3_ns = 13},
                           .behind_ns = {0, 5}});
  EXPECT_THAT(barriers_text(barriers, kContext), testing::ContainsRegex("0\\.013 us +- +- +"));
  EXPECT_THAT(barriers_csv(barriers, kContext), testing::HasSubstr(",11,12,13,,,"));
  barriers.rows[0].exit_ns.p95_ns = 14;
  barriers.rows[0].exit_ns.p99_ns = 15;
  EXPECT_THAT(barriers_text(barriers, kContext), testing::HasSubstr("0.015 us"));
  EXPECT_THAT(barriers_csv(barriers, kContext), testing::HasSubstr(",11,12,13,14,15,"));
}

TEST(BarriersTable, MethodWithoutRepetitionsHasDashesNotZeros) {
  analysis::Barriers barriers;
  barriers.rows.push_back({.method = "MPI_Barrier", .left_out = 7});
  const std::string text = barriers_text(barriers, kContext);
  EXPECT_NE(text.find("MPI_Barrier"), std::string::npos);
  EXPECT_EQ(text.find("0.00"), std::string::npos) << text;
  barriers.rows[0].behind_ns = {0, 5};
  expect_rectangular(barriers_csv(barriers, kContext));
}

TEST(ResolutionTable, UntrustedCounterComesWithItsReason) {
  analysis::ClockSourceRow tsc{.source = "tsc", .trusted = false, .reason = "no constant_tsc"};
  tsc.ticks_per_s = 2.596e9;
  const std::string text = resolution_text({tsc}, kContext);
  EXPECT_NE(text.find("2596.0000 MHz"), std::string::npos) << text;
  EXPECT_NE(text.find("not trusted: no constant_tsc"), std::string::npos) << text;
  EXPECT_NE(text.find("not shared"), std::string::npos) << text;
  expect_rectangular(resolution_csv({tsc}, kContext));
}

}  // namespace
}  // namespace invar::report
