// The one time that a program printed is found, or it is said why there is none.
#include "driver/programs/program_output.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace invar::driver {
namespace {

using ::testing::HasSubstr;

constexpr const char* kImbHead =
    R"(#----------------------------------------------------------------
#    Intel(R) MPI Benchmarks 2021.11, MPI-1 part
#----------------------------------------------------------------
# Date                  : Sat Nov 21 23:06:03 2026
# Minimum message length in bytes:   0
# Maximum message length in bytes:   8
)";

constexpr const char* kAllreduce = R"(
#----------------------------------------------------------------
# Benchmarking Allreduce 
# #processes = 2 
#----------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            0         1000         0.06         0.07         0.06
            8         1000         0.83         1.07         0.95
)";

constexpr const char* kPingPong = R"(
#---------------------------------------------------
# Benchmarking PingPong 
# #processes = 2 
#---------------------------------------------------
       #bytes #repetitions      t[usec]   Mbytes/sec
            0         1000         0.14         0.00
            8         1000         0.15        53.21
           16         1000         1.20        13.33
)";

constexpr const char* kBarrier = R"(
#---------------------------------------------------
# Benchmarking Barrier 
# #processes = 2 
#---------------------------------------------------
 #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
         1000      2300.23      2304.22      2302.23
)";

constexpr const char* kOsu = R"(
# OSU MPI Allreduce Latency Test v5.8
# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
4                       0.61              0.60              0.62        1000
8                       0.63              0.62              0.64        1000
)";

design::ParseRule rule(const std::string& parse, const std::string& unit = "") {
  const design::Program program{.command = "program", .parse = parse, .unit = unit};
  EXPECT_FALSE(design::parse_rule_complaint(program)) << parse;
  return design::parse_rule(program);
}

record::Cell cell(std::optional<std::uint64_t> size_bytes, std::uint32_t ranks = 2) {
  return {.operation = "allreduce", .size_bytes = size_bytes, .ranks = ranks};
}

TEST(ProgramOutput, ImbGivesTheAverageOfTheCellsSize) {
  const PrintedTime time = read_time(rule("imb"), cell(8), {}, std::string(kImbHead) + kAllreduce);
  EXPECT_EQ(time.complaint, "");
  EXPECT_EQ(time.time_ps, 950'000);
  EXPECT_DOUBLE_EQ(time.step_ns, 10);
  EXPECT_EQ(time.heading, "Intel(R) MPI Benchmarks 2021.11, MPI-1 part");
}

TEST(ProgramOutput, ImbGivesLeastAndLargestWhereAskedFor) {
  EXPECT_EQ(read_time(rule("imb:min"), cell(8), {}, kAllreduce).time_ps, 830'000);
  EXPECT_EQ(read_time(rule("imb:max"), cell(8), {}, kAllreduce).time_ps, 1'070'000);
}

TEST(ProgramOutput, ImbsOnlyTimeOfABenchmarkIsItsAverage) {
  EXPECT_EQ(read_time(rule("imb"), cell(16), {}, kPingPong).time_ps, 1'200'000);
  EXPECT_THAT(read_time(rule("imb:max"), cell(16), {}, kPingPong).complaint,
              HasSubstr("no column"));
}

TEST(ProgramOutput, ImbsBarrierHasNoSize) {
  EXPECT_EQ(read_time(rule("imb"), cell({}), {}, kBarrier).time_ps, 2'302'230'000);
  EXPECT_THAT(read_time(rule("imb"), cell(8), {}, kBarrier).complaint,
              HasSubstr("printed no time"));
}

TEST(ProgramOutput, ImbsTableOfOtherProcessesIsNotTaken) {
  EXPECT_THAT(read_time(rule("imb"), cell(8, 4), {}, kAllreduce).complaint,
              HasSubstr("printed no time"));
}

TEST(ProgramOutput, TwoTablesOfImbAreOneTooMany) {
  const std::string twice = std::string(kAllreduce) + "\n" + kAllreduce;
  EXPECT_THAT(read_time(rule("imb"), cell(8), {}, twice).complaint, HasSubstr("printed 2 times"));
}

TEST(ProgramOutput, ImbThatRanOutOfTimeGivesNone) {
  const PrintedTime time =
      read_time(rule("imb"), cell(8), {},
                "# Benchmarking Allreduce\n# #processes = 2\n"
                "  #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n"
                "  0         1000         0.83         1.07         0.95\n"
                "  8 time-out.; Time limit (secs_per_sample * msg_sizes_list_len) is over; use "
                "\"-time X\" to increase time limit.\n");
  EXPECT_THAT(time.complaint, HasSubstr("8 time-out."));
  EXPECT_EQ(time.time_ps, 0);
}

TEST(ProgramOutput, OsuGivesTheAverageLatencyOfTheCellsSize) {
  const PrintedTime time = read_time(rule("osu"), cell(8), {}, kOsu);
  EXPECT_EQ(time.time_ps, 630'000);
  EXPECT_EQ(time.heading, "OSU MPI Allreduce Latency Test v5.8");
  EXPECT_EQ(read_time(rule("osu"), cell(8), {},
                      "# OSU MPI Latency Test v5.8\n# Size          Latency (us)\n8     0.25\n")
                .time_ps,
            250'000);
}

TEST(ProgramOutput, OsusBarrierHasNoSize) {
  EXPECT_EQ(read_time(rule("osu"), cell({}), {},
                      "# OSU MPI Barrier Latency Test v5.8\n# Avg Latency(us)\n             0.37\n")
                .time_ps,
            370'000);
}

TEST(ProgramOutput, OsusBandwidthIsNoTime) {
  EXPECT_THAT(read_time(rule("osu"), cell(8), {},
                        "# OSU MPI Bandwidth Test v5.8\n# Size      Bandwidth (MB/s)\n8   31.2\n")
                  .complaint,
              HasSubstr("no latency"));
}

TEST(ProgramOutput, PatternFindsTheOneNumber) {
  const PrintedTime time =
      read_time(rule("time: ([0-9.]+) ms"), cell({}), {}, "starting\ntime: 12.50 ms\ndone\n");
  EXPECT_EQ(time.time_ps, 12'500'000'000);
  EXPECT_DOUBLE_EQ(time.step_ns, 1e4);
  EXPECT_EQ(read_time(rule("elapsed=(\\S+)", "s"), cell({}), {}, "elapsed=1.25e-5\n").time_ps,
            12'500'000);
  EXPECT_DOUBLE_EQ(
      read_time(rule("elapsed=(\\S+)", "s"), cell({}), {}, "elapsed=1.25e-5\n").step_ns, 100);
}

TEST(ProgramOutput, WhatIsNoTimeIsNeverOne) {
  const design::ParseRule any = rule("time: (\\S+)", "us");
  const auto complaint = [&](const std::string& output) {
    const PrintedTime time = read_time(any, cell({}), {}, output);
    EXPECT_EQ(time.time_ps, 0) << output;
    return time.complaint;
  };
  EXPECT_THAT(complaint(""), HasSubstr("printed no time"));
  EXPECT_THAT(complaint("time: nan\n"), HasSubstr("'nan'"));
  EXPECT_THAT(complaint("time: inf\n"), HasSubstr("'inf'"));
  EXPECT_THAT(complaint("time: 1,5\n"), HasSubstr("not a number"));
  EXPECT_THAT(complaint("time: 0.000\n"), HasSubstr("time of 0.000"));
  EXPECT_THAT(complaint("time: -3\n"), HasSubstr("time of -3"));
  EXPECT_THAT(complaint("time: 1e30\n"), HasSubstr("beyond a year"));
  EXPECT_THAT(complaint("time: 1e-9\n"), HasSubstr("below 1 ps"));
  EXPECT_THAT(complaint("time: 1\ntime: 2\n"), HasSubstr("printed 2 times"));
  EXPECT_THAT(complaint("time: 1 time: 1\n"), HasSubstr("printed 2 times"));
}

// "time=12345.6" cut behind "123" would be a time, and a wrong one.
TEST(ProgramOutput, ALineThatIsTooLongIsNoTimeRatherThanAPartOfOne) {
  const design::ParseRule any = rule("time=([0-9.]+)", "us");
  const auto behind = [](std::size_t bytes) { return std::string(bytes, '.') + "time=12345.6\n"; };
  EXPECT_EQ(read_time(any, cell({}), {}, behind(4096 - 12)).time_ps, 12'345'600'000);
  for (const std::size_t bytes : {4096U - 11U, 4096U - 8U, 5000U, 1'000'000U}) {
    const PrintedTime time = read_time(any, cell({}), {}, behind(bytes) + "time=1\n");
    EXPECT_EQ(time.time_ps, 0) << bytes;
    EXPECT_THAT(time.complaint, HasSubstr("printed a line of " + std::to_string(bytes + 12)));
  }
}

TEST(ProgramOutput, ABarOfProgressIsManyLines) {
  std::string bar;
  for (int i = 0; i < 1000; ++i) bar += "progress " + std::to_string(i) + "\r";
  EXPECT_EQ(read_time(rule("^time=([0-9.]+)$", "us"), cell({}), {}, bar + "time=1.5\r\n").time_ps,
            1'500'000);
}

TEST(ProgramOutput, LastLinesAreShortAndOnOneLine) {
  EXPECT_EQ(last_lines("a\nb\nc\n", "no room\n"), "b | c | no room");
  EXPECT_EQ(last_lines("", "x"), "x");
  EXPECT_EQ(last_lines("a\n\nb\nc\n  d\te \n\n"), "b | c | d e");
  EXPECT_LT(last_lines(std::string(100'000, 'x')).size(), 200U);
}

// As likwid-bench prints it.
TEST(PrintedTime, OfARateIsThatInWhichTheBytesOfAPassHavePassed) {
  const record::OperationInfo copy{.name = "copy", .walks = 2};
  const design::ParseRule rates = rule("MByte/s:\\s+([0-9.]+)", "MB/s");
  const PrintedTime time =
      read_time(rates, cell(500'000), copy, "Cycles:\t\t12\nMByte/s:\t\t2000.00\n");
  EXPECT_EQ(time.time_ps, 1'000'000'000) << "2 x 500 kB x 2 ranks at 2 GB/s";
  EXPECT_EQ(time.converted, "2000000 B over the printed rate");
  EXPECT_NEAR(time.step_ns, 5, 1e-9) << "0.01 of 2000 MB/s";
  EXPECT_THAT(read_time(rates, cell({}), copy, "MByte/s: 2000.00\n").complaint,
              HasSubstr("has no size"));
  EXPECT_THAT(read_time(rates, cell(8), copy, "MByte/s: 0.00\n").complaint,
              HasSubstr("printed a rate of 0.00"));
}

}  // namespace
}  // namespace invar::driver
