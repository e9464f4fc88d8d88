// Programs as arms: what may be written, and what they are run with.
#include "design/campaign/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "design/campaign/campaign.hpp"
#include "design/helpers.hpp"
#include "design/memory_operations.hpp"

namespace invar::design {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string complaint_of(const std::string& parse, const std::string& unit = "") {
  const auto complaint = parse_rule_complaint({.command = "app", .parse = parse, .unit = unit});
  return complaint ? complaint->what : "";
}

std::string error_of(const std::string& toml) {
  try {
    read_campaign(toml, "c.toml");
  } catch (const base::UserError& error) {
    std::string text;
    for (const base::Fault& fault : error.faults()) text += fault.text() + "\n";
    return text;
  }
  return "";
}

constexpr const char* kHead =
    "schema = 1\nname = \"n\"\nseed = 1\n[[cells]]\n"
    "operation = \"allreduce\"\nsize = [8, 16]\nranks = 2\n";

TEST(Program, UnitStandsBehindTheGroupOrIsGiven) {
  EXPECT_EQ(complaint_of("time: ([0-9.]+) ms"), "");
  EXPECT_EQ(parse_rule({.parse = "time: ([0-9.]+) ms"}).unit_ns, 1e6);
  EXPECT_EQ(parse_rule({.parse = "([0-9.]+)\\s*us"}).unit_ns, 1e3);
  EXPECT_EQ(parse_rule({.parse = "([0-9.]+) seconds"}).unit_ns, 1e9);
  EXPECT_EQ(parse_rule({.parse = "t=(.*)", .unit = "ns"}).unit_ns, 1);
  EXPECT_THAT(complaint_of("time: ([0-9.]+)"), HasSubstr("in which unit"));
  EXPECT_THAT(complaint_of("time: ([0-9.]+) samples"), HasSubstr("in which unit"));
  EXPECT_THAT(complaint_of("time: ([0-9.]+) ms", "us"), HasSubstr("says ms"));
  EXPECT_THAT(complaint_of("time: ([0-9.]+)", "min"), HasSubstr("'min'"));
}

TEST(Program, UnitMayBeOfARate) {
  EXPECT_EQ(parse_rule({.parse = "([0-9.]+) GB/s"}).unit_bytes_per_s, 1e9);
  EXPECT_EQ(parse_rule({.parse = "([0-9.]+)\\s*MiB/s"}).unit_bytes_per_s, 1048576);
  EXPECT_EQ(parse_rule({.parse = "MByte/s:\\s+([0-9.]+)", .unit = "MB/s"}).unit_bytes_per_s, 1e6);
  EXPECT_EQ(parse_rule({.parse = "MByte/s:\\s+([0-9.]+)", .unit = "MB/s"}).unit_ns, 0);
  EXPECT_EQ(parse_rule({.parse = "t ([0-9.]+) s"}).unit_bytes_per_s, 0);
  EXPECT_THAT(complaint_of("([0-9.]+) GB/s", "MB/s"), HasSubstr("says GB/s"));
  EXPECT_THAT(complaint_of("([0-9.]+)", "GB"), HasSubstr("'GB'"));
}

TEST(Program, BytesAreThoseOfAPassOverAllArraysOfAllRanks) {
  const record::Cell cell{.operation = "copy", .size_bytes = 1024, .ranks = 2};
  const record::OperationInfo copy{.name = "copy", .walks = 2};
  EXPECT_EQ(bytes_of_pass(cell, copy), 4096U);
  EXPECT_EQ(bytes_of_pass(cell, {}), 2048U);
  EXPECT_EQ(bytes_of_pass({.operation = "barrier"}, {}), std::nullopt);
  EXPECT_THAT(command_words("likwid-bench -t copy_avx -w S0:{bytes}B:{ranks}", cell, copy, ""),
              ElementsAre("likwid-bench", "-t", "copy_avx", "-w", "S0:4096B:2"));
}

// A rate is that of a pass; a repetition of ours may be of several.
TEST(Program, RatesAreComparedWithSinglePasses) {
  const auto faults = [](const std::string& loops, const std::string& question) {
    return test::faults_or_none_of([&] {
      const Campaign campaign = read_campaign(
          test::with_head("[[cells]]\noperation = \"read\"\nsize = 65536\nranks = 1\n" + loops +
                          "[[arm]]\nlibrary = \"a\"\n[[arm]]\nlabel = \"b\"\nprogram = \"b "
                          "{bytes}\"\nparse = '([0-9.]+) GB/s'\n[analysis]\nquestion = \"" +
                          question + "\"\n"),
          "c.toml");
      Surroundings around = test::with_memory_operations(2, 2);
      around.operations[1].clear();
      check_commands(campaign, resolve_cells(campaign, around, "c.toml"), "c.toml");
    });
  };
  EXPECT_THAT(faults("", "memory"), testing::IsEmpty());
  EXPECT_THAT(faults("loops = \"1\"\n", "compare"), testing::IsEmpty());
  EXPECT_THAT(
      faults("", "compare"),
      ElementsAre(HasSubstr("arm 'b' prints a rate, which is that of one pass, and the cell "
                            "has loops \"auto\"")));
}

TEST(Program, ParseRuleIsKnownOrHasOneGroup) {
  EXPECT_EQ(complaint_of("imb"), "");
  EXPECT_EQ(complaint_of("imb:max"), "");
  EXPECT_EQ(complaint_of("osu"), "");
  EXPECT_THAT(complaint_of("imb:median"), HasSubstr("not known"));
  EXPECT_THAT(complaint_of("imb", "us"), HasSubstr("unit"));
  EXPECT_THAT(complaint_of("omb"), HasSubstr("no group"));
  EXPECT_THAT(complaint_of("([0-9]+) ([0-9]+) ms"), HasSubstr("2 groups"));
  EXPECT_THAT(complaint_of("([0-9]+ ms"), HasSubstr("regular expression"));
}

TEST(Program, CommandIsSplitAndFilled) {
  const record::Cell cell{.operation = "bcast", .size_bytes = 1024, .ranks = 4};
  EXPECT_THAT(command_words("app '{operation} x' -n{ranks} {size}:{log2size} {{a}}", cell, {}, ""),
              ElementsAre("app", "bcast x", "-n4", "1024:10", "{a}"));
}

TEST(Program, CommandThatCannotBeFilledIsRefused) {
  EXPECT_THAT(command_complaint("app {sizes}")->what, HasSubstr("{sizes}"));
  EXPECT_THAT(command_complaint("app {sizes}")->remedy, HasSubstr("'size'"));
  EXPECT_THAT(command_complaint("app 'x")->what, HasSubstr("not closed"));
  EXPECT_THAT(command_complaint(" ")->what, HasSubstr("empty"));
  const auto error = [](const record::Cell& cell) {
    try {
      command_words("app {log2size}", cell, {}, "arm 'a'");
    } catch (const base::UserError& fault) {
      return std::string(fault.what());
    }
    return std::string();
  };
  EXPECT_THAT(error({.operation = "bcast", .size_bytes = 12}), HasSubstr("bcast, 12 B"));
  EXPECT_THAT(error({.operation = "bcast", .size_bytes = 0}), HasSubstr("power of two"));
  EXPECT_THAT(error({.operation = "barrier"}), HasSubstr("no size"));
}

TEST(Program, PairingBecomesLaunchesUnlessTurnsAreWritten) {
  const std::string arm = "[[arm]]\nprogram = \"app {size}\"\nparse = \"t ([0-9]+) us\"\n";
  EXPECT_EQ(read_campaign(kHead + arm, "c.toml").engine.pairing, "launches");
  EXPECT_THAT(error_of(std::string(kHead) + "[engine]\npairing = \"turns\"\n" + arm),
              HasSubstr("c.toml:9:11: a program takes no turns"));
}

TEST(Program, CampaignSurvivesWritingAndReading) {
  const Campaign campaign = read_campaign(
      std::string(kHead) +
          "[[arm]]\nlibrary = \"openmpi\"\n"
          "[[arm]]\nlibrary = \"openmpi\"\nprogram = \"IMB-MPI1 {operation}\"\nparse = \"imb\"\n"
          "[[arm]]\nprogram = \"./app 'a b' {size}\"\nparse = 't=(\\S+)'\nunit = \"ms\"\n",
      "c.toml");
  EXPECT_EQ(read_campaign(campaign_toml(campaign), "again"), campaign);
  EXPECT_EQ(campaign.arms[0].label, "openmpi");
  EXPECT_EQ(campaign.arms[1].label, "openmpi+IMB-MPI1");
  EXPECT_EQ(campaign.arms[2].label, "app");
}

TEST(Program, FaultsOfAnArmAreAllTold) {
  const std::string text = error_of(std::string(kHead) +
                                    "[[arm]]\nprogram = \"app {sice}\"\n"
                                    "[[arm]]\nlibrary = \"a\"\nparse = \"imb\"\n"
                                    "[analysis]\nruntime = \"global\"\n");
  EXPECT_THAT(text, HasSubstr("{sice}"));
  EXPECT_THAT(text, HasSubstr("parse"));
  EXPECT_THAT(text, HasSubstr("global"));
}

TEST(Program, RunsOncePerCellAndLaunch) {
  Campaign campaign = test::small_campaign(2, 1, 1);
  campaign.rounds = 4;
  campaign.engine.pairing = "launches";
  campaign.arms[1].program = {.command = "app {size}", .parse = "imb"};
  const ResolvedCells cells = test::resolved(campaign);
  Counters counters;
  const record::Plan plan = plan_groups(campaign, cells, 1, counters);
  std::size_t engine = 0;
  std::size_t program = 0;
  for (const record::PlanRow& row : plan.rows) {
    if (row.arm == campaign.arms[1].label) {
      ++program;
      EXPECT_EQ(row.repetitions, 1U);
    } else {
      ++engine;
    }
  }
  EXPECT_EQ(engine, 4 * cells.cells.size());
  EXPECT_EQ(program, cells.cells.size());
}

// Suites' ways of measuring are the engine's: a program beside them runs once, as ever.
TEST(Program, BesidePresetsHasNoVisitsByTheirSchemes) {
  Campaign campaign = test::small_campaign(2, 1, 1);
  campaign.engine.pairing = "launches";
  campaign.arms[1].program = {.command = "app {size}", .parse = "imb"};
  campaign.analysis.presets = {"osu"};
  const ResolvedCells cells = test::resolved(campaign);
  EXPECT_NO_THROW(check_commands(campaign, cells, "c.toml"));
  for (std::size_t i = 0; i < cells.cells.size(); ++i) {
    const bool own = cells.cells[i].scheme == record::kOwnScheme;
    EXPECT_EQ(cells.arms[i],
              own ? (std::vector<std::uint32_t>{0, 1}) : (std::vector<std::uint32_t>{0}));
  }
}

TEST(Program, CellsThatWouldRunTheSameCommandAreRefused) {
  Campaign campaign = read_campaign(
      std::string(kHead) + "[[arm]]\nprogram = \"app\"\nparse = \"t ([0-9]+) us\"\n", "c.toml");
  const ResolvedCells cells = resolve_cells(campaign, {.operations = {{}}}, "c.toml");
  EXPECT_EQ(cells.cells.size(), 2U);
  EXPECT_THROW(check_commands(campaign, cells, "c.toml"), base::UserError);
  campaign.arms[0].program.command = "app {size}";
  EXPECT_NO_THROW(check_commands(campaign, cells, "c.toml"));
}

}  // namespace
}  // namespace invar::design
