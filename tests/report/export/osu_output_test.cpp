#include "report/export/osu_output.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace invar::report {
namespace {

using analysis::ShownAs;
using analysis::SuiteReport;
using analysis::SuiteRow;

SuiteRow row(const std::string& operation, std::optional<std::uint64_t> size_bytes,
             const std::string& arm, double avg_ns) {
  SuiteReport report{.numbers = {{.name = "avg", .median_ns = avg_ns},
                                 {.name = "min", .median_ns = avg_ns / 2},
                                 {.name = "max", .median_ns = avg_ns * 2}},
                     .launches = 3,
                     .calls = 500};
  return {.cell = {.operation = operation,
                   .size_bytes = size_bytes,
                   .datatype = size_bytes ? "byte" : ""},
          .suite_size_bytes = size_bytes.value_or(0),
          .arm = arm,
          .suites = {report}};
}

TEST(OsuOutput, LooksAsTheirProgramPrintsItWithF) {
  ShownAs shown;
  shown.rows = {row("bcast", 1024, "openmpi", 1234), row("bcast", 8, "openmpi", 417)};
  const std::vector<OsuOutput> outputs = osu_outputs(shown);
  ASSERT_EQ(outputs.size(), 1U);
  EXPECT_EQ(outputs[0].name, "osu_bcast-openmpi");
  EXPECT_EQ(outputs[0].text,
            "\n# OSU MPI Bcast Latency Test v7.5\n"
            "# Datatype: MPI_CHAR.\n"
            "# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations\n"
            "8                       0.42              0.21              0.83         500\n"
            "1024                    1.23              0.62              2.47         500\n");
}

TEST(OsuOutput, BarrierHasNoSizes) {
  ShownAs shown;
  shown.rows = {row("barrier", std::nullopt, "openmpi", 300)};
  EXPECT_EQ(osu_outputs(shown)[0].text,
            "\n# OSU MPI Barrier Latency Test v7.5\n"
            "# Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations\n"
            "             0.30              0.15              0.60         500\n");
}

// osu_latency and its sisters print messages with one number, and have no -f.
TEST(OsuOutput, OfMessagesIsThatOfTheBenchmarkAndNotOfOurOperation) {
  const auto of_messages = [](const std::string& operation, std::uint64_t size_bytes, double ns) {
    SuiteRow one = row(operation, size_bytes, "openmpi", ns);
    SuiteReport& report = one.suites[0];
    report.numbers.resize(1);
    for (const design::MessagePreset& preset : design::message_presets()) {
      if (preset.preset == "osu" && preset.operation == operation) report.benchmark = &preset;
    }
    if (operation != "pingpong") report.call_bytes = 64.0 * static_cast<double>(size_bytes);
    return one;
  };
  ShownAs shown;
  shown.rows = {of_messages("pingpong", 65536, 9330), of_messages("pingpong", 8, 250),
                of_messages("stream", 8, 1000), of_messages("stream", 0, 900),
                of_messages("bistream", 8, 500)};
  EXPECT_FALSE(has_osu_numbers(shown.rows[3].suites[0])) << "no bytes have no rate";
  const std::vector<OsuOutput> outputs = osu_outputs(shown);
  ASSERT_EQ(outputs.size(), 3U);
  EXPECT_EQ(outputs[0].name, "osu_latency-openmpi");
  EXPECT_EQ(outputs[0].text,
            "\n# OSU MPI Latency Test v7.5\n"
            "# Datatype: MPI_CHAR.\n"
            "# Size       Avg Latency(us)\n"
            "8                       0.25\n"
            "65536                   9.33\n");
  EXPECT_EQ(outputs[1].name, "osu_bw-openmpi");
  EXPECT_EQ(outputs[1].text,
            "\n# OSU MPI Bandwidth Test v7.5\n"
            "# Datatype: MPI_CHAR.\n"
            "# Size      Bandwidth (MB/s)\n"
            "8                     512.00\n");
  EXPECT_THAT(outputs[2].text, testing::StartsWith("\n# OSU MPI Bi-Directional Bandwidth Test"));
}

TEST(OsuOutput, OneForEachOperationArmAndOtherLevel) {
  ShownAs shown;
  shown.rows = {row("bcast", 8, "openmpi", 1), row("bcast", 8, "mpi/ch", 1),
                row("reduce_scatter", 8, "openmpi", 1)};
  shown.rows[2].suite_size_bytes = 16;
  SuiteRow four = row("bcast", 8, "openmpi", 1);
  four.cell.ranks = 4;
  shown.rows.push_back(four);
  std::vector<std::string> names;
  for (const OsuOutput& output : osu_outputs(shown)) names.push_back(output.name);
  EXPECT_THAT(names,
              testing::ElementsAre("osu_bcast-openmpi-ranks_2", "osu_bcast-mpi_ch-ranks_2",
                                   "osu_reduce_scatter-openmpi", "osu_bcast-openmpi-ranks_4"));
  EXPECT_THAT(osu_outputs(shown)[2].text, testing::HasSubstr("\n16 "))
      << "the size is as the suite counts it, not as the cell does";
}

TEST(OsuOutput, OneNumberOfAProgramIsNoLineOfZeros) {
  ShownAs shown;
  shown.rows = {row("allreduce", 8, "app", 500)};
  shown.rows[0].suites[0].numbers = {{.name = "median", .median_ns = 500}};
  EXPECT_FALSE(has_osu_numbers(shown.rows[0].suites[0]));
  EXPECT_THAT(osu_outputs(shown), testing::IsEmpty());
}

TEST(OsuOutput, RowsWithoutANumberAreLeftOut) {
  ShownAs shown;
  shown.rows = {row("bcast", 8, "openmpi", 1)};
  shown.rows[0].suites[0] = {.missing = "it failed"};
  EXPECT_TRUE(osu_outputs(shown).empty());
}

}  // namespace
}  // namespace invar::report
