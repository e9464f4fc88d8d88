// IMB and OSU print half round trips and rates where we have the time of a call. Rows of tables as
// people published them: of IMB 2018 and 2021, which lay them out alike, and of OSU 7.5.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/programs/program_output.hpp"
#include "driver/programs/suite_benchmarks.hpp"

namespace invar::driver {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kImbPingPong = R"(
#---------------------------------------------------
# Benchmarking PingPong 
# #processes = 2 
#---------------------------------------------------
       #bytes #repetitions      t[usec]   Mbytes/sec
            0         1000         2.25         0.00
         1024         1000         2.42       422.86
)";

constexpr const char* kUniband = R"(
#---------------------------------------------------
# Benchmarking Uniband 
# #processes = 2 
#---------------------------------------------------
       #bytes #repetitions   Mbytes/sec      Msg/sec
            0         1000         0.00      2189915
)";

constexpr const char* kBiband = R"(
#---------------------------------------------------
# Benchmarking Biband
# #processes = 2
#---------------------------------------------------
       #bytes #repetitions   Mbytes/sec      Msg/sec
            0         1000         0.00      4988798
            1         1000         6.37      6373589
            8         1000        50.81      6351491
)";

constexpr const char* kBibandOfTwoPairs = R"(
#---------------------------------------------------
# Benchmarking Biband 
# #processes = 4 
#---------------------------------------------------
       #bytes #repetitions   Mbytes/sec      Msg/sec
            0          100         0.00      6724343
            1          100         6.61      6612042
            2          100        13.30      6647902
)";

constexpr const char* kOsuLatency = R"(# OSU MPI Latency Test v7.5
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)
1                       1.68
8                       0.88
)";

constexpr const char* kOsuBandwidth = R"(# OSU MPI Bandwidth Test v7.5
# Datatype: MPI_CHAR.
# Size      Bandwidth (MB/s)
4                       7.93
8                      15.89
65536               13374.24
)";

constexpr const char* kOsuValidated = R"(# OSU MPI Bandwidth Test v7.5
# Datatype: MPI_CHAR.
# Size      Bandwidth (MB/s)        Validation
4                       3.53              Pass
8                       7.07              Pass
)";

constexpr const char* kOsuBothWays = R"(# OSU MPI Bi-Directional Bandwidth Test v7.5
# Datatype: MPI_CHAR.
# Size      Bandwidth (MB/s)        Validation
8                       8.28              Pass
)";

record::Cell cell_of(const std::string& operation, std::uint64_t size_bytes,
                     std::uint32_t window = 1) {
  return {.operation = operation,
          .size_bytes = size_bytes,
          .ranks = 2,
          .pattern = "distance:1",
          .window = window};
}

PrintedTime imb(const record::Cell& cell, const std::string& output,
                const std::string& command = "IMB-MPI1 Uniband", const std::string& parse = "imb") {
  return read_time(design::parse_rule({.command = command, .parse = parse}), cell, {}, output);
}

PrintedTime osu(const record::Cell& cell, const std::string& output,
                const std::string& command = "osu_bw") {
  return read_time(design::parse_rule({.command = command, .parse = "osu"}), cell, {}, output);
}

TEST(HalfRoundTrips, AreDoubled) {
  const PrintedTime pingpong = imb(cell_of("pingpong", 1024), kImbPingPong);
  EXPECT_EQ(pingpong.complaint, "");
  EXPECT_EQ(pingpong.time_ps, 4'840'000);
  EXPECT_DOUBLE_EQ(pingpong.step_ns, 20) << "the last digit counts twice as well";
  EXPECT_EQ(pingpong.converted, "half a round trip, times 2");
  const PrintedTime latency = osu(cell_of("pingpong", 8), kOsuLatency, "osu_latency");
  EXPECT_EQ(latency.time_ps, 1'760'000);
  EXPECT_EQ(latency.converted, "half a round trip, times 2");
}

TEST(HalfRoundTrips, OfAnOperationThatNobodyKnowsAreWhatIsPrinted) {
  const PrintedTime time = imb(cell_of("my_pingpong", 1024), kImbPingPong);
  EXPECT_EQ(time.time_ps, 2'420'000);
  EXPECT_EQ(time.converted, "");
}

// IMB calls something else an exchange: every rank with both neighbours on a circle.
TEST(WholeTimes, OfAnExchangeAreThoseOfPingPing) {
  const std::string ping_ping =
      "# Benchmarking PingPing\n# #processes = 2\n"
      "       #bytes #repetitions      t[usec]   Mbytes/sec\n"
      "         1024         1000         2.42       422.86\n";
  const PrintedTime time = imb(cell_of("exchange", 1024), ping_ping);
  EXPECT_EQ(time.complaint, "");
  EXPECT_EQ(time.time_ps, 2'420'000) << "IMB does not halve it";
  EXPECT_EQ(time.converted, "");
  EXPECT_EQ(imb(cell_of("exchange", 1024),
                "# Benchmarking Exchange\n# #processes = 2\n"
                "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]   Mbytes/sec\n"
                "         1024         1000         3.01         3.03         3.02      1350.00\n")
                .complaint,
            "printed a table of Exchange, and exchange is IMB's PingPing or "
            "PingPingSpecificSource or PingPingAnySource");
  EXPECT_THAT(imb(cell_of("exchange", 1024), kImbPingPong).complaint,
              HasSubstr("printed a table of PingPong"))
      << "half a round trip is not an exchange";
}

TEST(Rates, OfOsuAreBytesOfAWindowOverItsTime) {
  const PrintedTime time = osu(cell_of("stream", 8, 64), kOsuBandwidth);
  EXPECT_EQ(time.complaint, "");
  EXPECT_EQ(time.time_ps, 32'221'523) << "64 x 8 bytes at 15.89 MB/s";
  EXPECT_EQ(time.converted, "MB/s of 10^6 bytes: a call is 64 messages of 8 bytes over it");
  // 15.89 +- .005: 10 ns of 32 us at most.
  EXPECT_NEAR(time.step_ns, 32221.5 * 0.01 / 15.89, 0.01);
  EXPECT_EQ(osu(cell_of("stream", 65536, 64), kOsuBandwidth).time_ps, 313'610'643);
  EXPECT_EQ(osu(cell_of("stream", 8, 64), kOsuValidated).time_ps, 72'418'670)
      << "a further column is none of ours";
  EXPECT_EQ(osu(cell_of("bistream", 8, 64), kOsuBothWays, "osu_bibw").time_ps, 123'671'498)
      << "64 messages there and 64 back";
}

TEST(Rates, OfImbAreItsMessagesPerSecondBecauseTheyHaveMoreDigits) {
  const PrintedTime time = imb(cell_of("bistream", 8, 256), kBiband);
  EXPECT_EQ(time.complaint, "");
  EXPECT_EQ(time.time_ps, 80'610'994) << "2 x 256 messages at 6351491 a second";
  EXPECT_EQ(time.converted, "Msg/sec: a call is 2 x 256 messages over it");
  EXPECT_LT(time.step_ns, 0.02);
  EXPECT_EQ(imb(cell_of("stream", 0, 256), kUniband).time_ps, 116'899'514)
      << "messages without bytes have a rate too";
}

TEST(Rates, OfAnOldImbAreItsMegabytes) {
  const PrintedTime time = imb(cell_of("bistream", 8, 256),
                               "# Benchmarking Biband\n# #processes = 2\n"
                               "       #bytes #repetitions   Mbytes/sec\n"
                               "            0         1000         0.00\n"
                               "            8         1000        50.81\n");
  EXPECT_EQ(time.time_ps, 80'614'052);
  EXPECT_THAT(time.converted, HasSubstr("MB/s of 10^6 bytes: a call is 2 x 256 messages"));
}

TEST(Rates, OfNoBytesGiveNoTime) {
  EXPECT_THAT(osu(cell_of("stream", 0, 64),
                  "# OSU MPI Bandwidth Test v7.5\n# Size      Bandwidth (MB/s)\n0    1.00\n")
                  .complaint,
              HasSubstr("a rate of no bytes, of which no time follows"));
}

TEST(Rates, OfZeroAreNoTime) {
  EXPECT_THAT(osu(cell_of("stream", 8, 64),
                  "# OSU MPI Bandwidth Test v7.5\n# Size      Bandwidth (MB/s)\n8    0.00\n")
                  .complaint,
              HasSubstr("printed a rate of 0.00"));
}

// IMB's own number is 256, and 64 is OSU's and ours.
TEST(Windows, OfTheCommandMustBeTheCells) {
  EXPECT_THAT(imb(cell_of("stream", 0, 64), kUniband).complaint,
              HasSubstr("sent 256 messages in a row, and the cell has window 64"));
  EXPECT_EQ(imb(cell_of("stream", 0, 64), kUniband, "IMB-MPI1 Uniband -window_size 64").time_ps,
            29'224'879);
  EXPECT_THAT(osu(cell_of("stream", 8, 64), kOsuBandwidth, "osu_bw -W 32").complaint,
              HasSubstr("sent 32 messages in a row, and the cell has window 64"));
  for (const char* command : {"osu_bw -W 64", "osu_bw -W64", "osu_bw --window-size 64",
                              "/opt/omb/osu_bw --window-size=64 -i 100"}) {
    EXPECT_EQ(osu(cell_of("stream", 8, 64), kOsuBandwidth, command).complaint, "") << command;
  }
}

TEST(Windows, AreWhatImbSaysOfItsOwnCall) {
  const std::string called =
      "# Calling sequence was: \n\n# IMB-MPI1 Uniband -window_size 64 -npmin 2 \n\n"
      "# Minimum message length in bytes:   0\n# Maximum message length in bytes:   4194304\n";
  EXPECT_EQ(imb_window(called), 64U);
  EXPECT_EQ(
      imb_window("# Calling sequence was: \n\n# IMB-MPI1 Uniband \n\n# Minimum message length"),
      256U);
  EXPECT_EQ(imb_window("no word of it"), std::nullopt);
  EXPECT_EQ(imb(cell_of("stream", 0, 64), called + kUniband, "run-imb.sh").complaint, "")
      << "a script's command tells nothing, its output does";
  EXPECT_THAT(imb(cell_of("stream", 0, 256), called + kUniband).complaint,
              HasSubstr("sent 64 messages in a row"))
      << "what was run counts, not what the command says";
}

TEST(Windows, ThatNobodyTellsGiveNoTime) {
  EXPECT_THAT(osu(cell_of("stream", 8, 64), kOsuBandwidth, "my-script.sh").complaint,
              AllOf(HasSubstr("does not tell how many messages it sent in a row"),
                    HasSubstr("osu_bw and -W")));
  EXPECT_EQ(osu(cell_of("pingpong", 8), kOsuLatency, "my-script.sh").time_ps, 1'760'000)
      << "a ping-pong has no window";
}

TEST(Pairs, OfImbAreThoseOfABisection) {
  record::Cell cell = cell_of("bistream", 1, 256);
  cell.ranks = 4;
  EXPECT_THAT(imb(cell, kBibandOfTwoPairs).complaint,
              HasSubstr("pairs rank r with r + 2, which is pattern bisection, and the cell has "
                        "pattern distance:1"));
  cell.pattern = "bisection";
  const PrintedTime time = imb(cell, kBibandOfTwoPairs);
  EXPECT_EQ(time.time_ps, 154'868'950) << "2 x 256 messages of both pairs";
  EXPECT_EQ(time.converted, "Msg/sec: a call is 2 x 256 messages of 2 pairs over it");
}

TEST(Tables, OfAnotherBenchmarkAreNotTheCells) {
  EXPECT_EQ(imb(cell_of("pingpong", 0), kUniband).complaint,
            "printed a table of Uniband, and pingpong is IMB's PingPong or "
            "PingPongSpecificSource or PingPongAnySource");
  EXPECT_THAT(osu(cell_of("stream", 8, 64), kOsuLatency, "osu_latency").complaint,
              HasSubstr("printed a table of Latency Test, and stream is OSU's Bandwidth Test"));
  EXPECT_THAT(osu(cell_of("bistream", 8, 64), kOsuBandwidth).complaint,
              HasSubstr("bistream is OSU's Bi-Directional Bandwidth Test"));
  EXPECT_THAT(osu(cell_of("stream", 8, 64), "# Size      Bandwidth (MB/s)\n8   31.2\n").complaint,
              HasSubstr("printed a table of something else"));
}

TEST(Tables, OfSeveralBenchmarksGiveTheCellsOwn) {
  const std::string both = std::string(kImbPingPong) + kUniband;
  EXPECT_EQ(imb(cell_of("pingpong", 0), both).time_ps, 4'500'000);
  EXPECT_EQ(imb(cell_of("stream", 0, 256), both).time_ps, 116'899'514);
}

TEST(Tables, OfOtherBuffersThanTheHostsAreTheSameBenchmark) {
  EXPECT_EQ(osu_benchmark("OSU MPI Latency Test v7.5"), "Latency Test");
  EXPECT_EQ(osu_benchmark("OSU MPI-CUDA Bi-Directional Bandwidth Test v5.9"),
            "Bi-Directional Bandwidth Test");
  EXPECT_EQ(osu_benchmark("OSU MPI Bandwidth Test"), "Bandwidth Test");
  EXPECT_EQ(osu_benchmark("something else"), "");
}

}  // namespace
}  // namespace invar::driver
