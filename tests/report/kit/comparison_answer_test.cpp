// A comparison as text, CSV and JSON.
#include "analysis/compare/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analysis/compare/compared_table.hpp"
#include "analysis/study/rules.hpp"
#include "base/csv.hpp"
#include "report/kit/answer_machine.hpp"
#include "report/kit/answer_text.hpp"

namespace invar::report {
namespace {

using analysis::ComparedCell;
using analysis::Comparison;
using stats::Verdict;
using testing::HasSubstr;
using testing::Not;

analysis::TimeEstimate time_of(double median, double low, double high) {
  return {.median_ns = median, .interval_ns = stats::Interval{low, high, 0.95}};
}

ComparedCell row(std::uint64_t size_bytes, analysis::TimeEstimate a, analysis::TimeEstimate b,
                 double ratio, double low, double high, Verdict verdict) {
  ComparedCell row;
  row.cell.operation = "allreduce";
  row.cell.size_bytes = size_bytes;
  row.cell.datatype = "int32";
  row.cell.reduction = "sum";
  row.arm_a = "openmpi";
  row.arm_b = "mpich";
  row.time_a = a;
  row.time_b = b;
  row.ratio = ratio;
  row.ratio_interval = stats::Interval{low, high, 0.95};
  row.launches = 38;
  row.p = 1e-12;
  row.p_adjusted = 1e-12;
  row.verdict = verdict;
  return row;
}

// The example of the design.
Comparison example_comparison() {
  Comparison comparison;
  comparison.scope = "2 ranks, 1 host, shared memory, this session";
  comparison.sentence =
      "openmpi is 1.3 times faster for 8 B and 1 KiB, mpich 1.3 times for 16 KiB: " +
      comparison.scope + ".";
  comparison.arms = {{.label = "openmpi",
                      .library = "openmpi",
                      .library_version = "Open MPI v4.1.4",
                      .settings = {{"OMPI_MCA_x", "1"}},
                      .launches = 38},
                     {.label = "mpich", .library = "mpich", .launches = 38}};
  comparison.cells = {
      row(8, time_of(512, 501, 523), time_of(662, 651, 676), 1.3, 1.27, 1.33, Verdict::kFaster),
      row(1024, time_of(1090, 1080, 1100), time_of(1940, 1910, 1960), 1.73, 1.71, 1.75,
          Verdict::kFaster),
      row(16384, time_of(8430, 8370, 8500), time_of(5470, 5430, 5520), 0.65, 0.64, 0.66,
          Verdict::kSlower)};
  comparison.comparisons = 3;
  comparison.global_runtime = true;
  comparison.warnings = {"frequency cannot be read in this virtual machine (invar doctor)"};
  comparison.dirs = {"invar-race-20261121-0830"};
  return comparison;
}

TEST(ComparisonTable, AnswersInTheFirstLineAndSaysHowToReadTheRest) {
  EXPECT_EQ(
      answer_text(answer_of(example_comparison())),
      "openmpi is 1.3 times faster for 8 B and 1 KiB, mpich 1.3 times for 16 KiB: 2 ranks, 1 host, "
      "shared memory, "
      "this session.\n"
      "\n"
      "  operation  size    openmpi                  mpich                    mpich/openmpi      p "
      " "
      "    verdict\n"
      "  allreduce  8 B     0.512 us [0.501, 0.523]  0.662 us [0.651, 0.676]  1.30 [1.27, 1.33]  "
      "<1e-9  openmpi faster\n"
      "  allreduce  1 KiB    1.09 us [1.08, 1.10]     1.94 us [1.91, 1.96]    1.73 [1.71, 1.75]  "
      "<1e-9  openmpi faster\n"
      "  allreduce  16 KiB   8.43 us [8.37, 8.50]     5.47 us [5.43, 5.52]    0.65 [0.64, 0.66]  "
      "<1e-9  mpich faster\n"
      "\n"
      "  times: from the first start to the last end, median over groups, 95 %; ratios: paired by "
      "turns,\n"
      "  corrected for 3 comparisons\n"
      "  settings: openmpi: openmpi with OMPI_MCA_x=1\n"
      "  look at: frequency cannot be read in this virtual machine (invar doctor)\n"
      "  data: invar-race-20261121-0830   again: invar run invar-race-20261121-0830/campaign.toml "
      "-o invar-race-20261121-0830-again   page: invar report invar-race-20261121-0830\n");
}

TEST(ComparisonTable, LocalRunTimesAreSaidInPlainWords) {
  Comparison comparison = example_comparison();
  comparison.global_runtime = false;
  EXPECT_THAT(answer_text(answer_of(comparison)),
              HasSubstr("times: of the rank that took longest, median"));
}

// As compare() fills it in where it is asked for rates.
Comparison with_moved_bytes() {
  Comparison comparison = example_comparison();
  comparison.has_bandwidth = true;
  for (ComparedCell& row : comparison.cells) {
    if (!row.cell.size_bytes) continue;
    row.moved_a = row.moved_b = static_cast<double>(*row.cell.size_bytes);
  }
  return comparison;
}

TEST(ComparisonTable, BandwidthIsWhatACallMovesOverTheTime) {
  Comparison comparison = example_comparison();
  EXPECT_THAT(answer_text(answer_of(comparison)), Not(HasSubstr("GB/s")));
  EXPECT_THAT(answer_csv(answer_of(comparison)), Not(HasSubstr("gb_s")));
  comparison = with_moved_bytes();
  comparison.cells[1].moved_a.reset();
  const std::string text = answer_text(answer_of(comparison));
  EXPECT_THAT(text, HasSubstr("8.43 us [8.37, 8.50]      1.94   5.47 us"));
  EXPECT_THAT(text, HasSubstr("5.47 us [5.43, 5.52]      3.00  0.65"));
  EXPECT_THAT(text, HasSubstr("GB/s: of messages all bytes that a call moves over its time"));
  const auto json = nlohmann::json::parse(answer_json(answer_of(comparison)));
  EXPECT_DOUBLE_EQ(json["cells"][2]["bandwidth_a_gb_s"], 16384.0 / 8430);
  EXPECT_DOUBLE_EQ(json["cells"][2]["bandwidth_b_gb_s"], 16384.0 / 5470);
  EXPECT_TRUE(json["cells"][1]["bandwidth_a_gb_s"].is_null()) << "it moves none";
}

TEST(ComparisonTable, SeveralArmsHaveTheirBandwidthBesideTheirTime) {
  Comparison comparison = with_moved_bytes();
  comparison.arms.push_back({.label = "intel"});
  ComparedCell third = comparison.cells[2];
  third.arm_b = "intel";
  comparison.cells = {comparison.cells[2], third};
  EXPECT_THAT(answer_text(answer_of(comparison)), HasSubstr("5.47 us [5.43, 5.52]  3.00  0.65"));
  comparison.best = {{.cell = third.cell, .arms = {"mpich"}, .contenders = 3}};
  const std::string text = answer_text(answer_of(comparison));
  EXPECT_THAT(text, HasSubstr("8.43 us (1.94 GB/s)"));
  EXPECT_THAT(text, HasSubstr("5.47 us (3.00 GB/s) x0.65"));
}

// race and run print this answer, too, and have neither option.
TEST(ComparisonTable, WhatIsNotShownHasItsWholeCommand) {
  Comparison comparison = example_comparison();
  EXPECT_THAT(answer_text(answer_of(comparison)), Not(HasSubstr("invar compare")));
  comparison.arms.push_back({.label = "intel"});
  ComparedCell third = comparison.cells[2];
  third.arm_b = "intel";
  ComparedCell other = third;
  other.regime = "canary 0.50 us";
  comparison.cells = {comparison.cells[2], third, other};
  comparison.best = {{.cell = third.cell, .arms = {"mpich"}, .contenders = 3}};
  EXPECT_THAT(answer_text(answer_of(comparison)),
              HasSubstr("  every pair, with intervals and p: invar compare "
                        "invar-race-20261121-0830 --pairs all\n"
                        "  other regimes, and everything together: invar compare "
                        "invar-race-20261121-0830 --regimes\n"
                        "  data: "));
  comparison.asked = analysis::asked_words(
      {.arms = {"a b", "c"}, .alpha = 0.01, .min_effect = 0.07, .against = "size"});
  EXPECT_THAT(answer_text(answer_of(comparison)),
              HasSubstr("invar compare invar-race-20261121-0830 --arms 'a b,c' --alpha 0.01 "
                        "--min-effect 7% --against size --pairs all\n"));
  comparison.shows_pairs = true;
  comparison.shows_regimes = true;
  EXPECT_THAT(answer_text(answer_of(comparison)), Not(HasSubstr("invar compare")));
}

TEST(ComparisonTable, UndecidedRowWhoseIntervalLeavesOutOneSaysWhatItsIntervalIsOf) {
  Comparison comparison = example_comparison();
  const std::string said =
      "intervals of undecided rows are for that row alone, and may leave out 1; p counts all 3 "
      "comparisons";
  const auto notes = [&] { return answer_of(comparison).notes; };
  EXPECT_THAT(notes(), Not(testing::Contains(said)));
  comparison.cells[1].verdict = Verdict::kUndecided;
  EXPECT_THAT(notes(), testing::Contains(said));
  comparison.cells[1].ratio_interval = stats::Interval{0.99, 1.75, 0.95};
  EXPECT_THAT(notes(), Not(testing::Contains(said)));
  comparison.cells[1].ratio_interval = stats::Interval{0.96, 0.99, 0.95};
  EXPECT_THAT(notes(), testing::Contains(said));
  // A gate asks whether it is above its bound.
  comparison.gate = 0.05;
  EXPECT_THAT(notes(), Not(testing::Contains(said)));
  comparison.cells[1].ratio_interval = stats::Interval{1.06, 1.2, 0.95};
  EXPECT_THAT(notes(), testing::Contains(testing::StartsWith(
                           "intervals of undecided rows are for that row alone, and may leave out "
                           "1.05;")));
  comparison.correction = stats::Correction::kNone;
  EXPECT_THAT(notes(), Not(testing::Contains(HasSubstr("for that row alone"))));
}

TEST(CompactTable, HasTheHeadlineAloneAndWhatVaries) {
  Comparison comparison = example_comparison();
  comparison.cells[1].cell.root = 1;
  comparison.cells[2].regime = "canary 0.50 us";
  EXPECT_EQ(
      table_csv(analysis::compact_table(comparison)),
      "operation,size_bytes,ranks,root,arm_a,arm_b,median_a_ns,low_a_ns,high_a_ns,"
      "median_b_ns,low_b_ns,high_b_ns,ratio,ratio_low,ratio_high,launches,p_adjusted,verdict\n"
      "allreduce,8,2,0,openmpi,mpich,512,501,523,662,651,676,1.3,1.27,1.33,38,1e-12,faster\n"
      "allreduce,1024,2,1,openmpi,mpich,1090,1080,1100,1940,1910,1960,1.73,1.71,1.75,38,"
      "1e-12,faster\n");
}

TEST(CompactTable, OfLevelsNamesTheArm) {
  Comparison comparison = example_comparison();
  comparison.cells.resize(1);
  comparison.against = "operation";
  comparison.cells[0].in_arm = "openmpi";
  EXPECT_THAT(table_csv(analysis::compact_table(comparison)),
              HasSubstr("ranks,in_arm,arm_a,arm_b,"));
}

TEST(ComparisonTable, RatiosOfOneLaunchGroupAreCalledThat) {
  Comparison comparison = example_comparison();
  for (ComparedCell& cell : comparison.cells) cell.this_launch_only = true;
  EXPECT_THAT(answer_text(answer_of(comparison)),
              HasSubstr("ratios: paired by turns,\n  this launch only\n"));
  comparison.cells[1].this_launch_only = false;
  EXPECT_THAT(answer_text(answer_of(comparison)), Not(HasSubstr("this launch only")));
}

TEST(ComparisonTable, UnfinishedCampaignNamesTheCommandThatGoesOn) {
  Comparison comparison = example_comparison();
  comparison.health.unfinished = 1;
  EXPECT_THAT(answer_text(answer_of(comparison)),
              HasSubstr("go on: invar run --resume -o invar-race-20261121-0830   page: "));
}

// Also where this one was in one regime: the next one may not be.
TEST(ComparisonTable, ARepeatIsOfTheSameRegimeOfTheMachine) {
  Comparison comparison = example_comparison();
  EXPECT_THAT(answer_text(answer_of(comparison)), Not(HasSubstr("--regime")));
  comparison.reference = {.band = {.low_ns = 112, .high_ns = 207}};
  EXPECT_THAT(answer_text(answer_of(comparison)),
              HasSubstr("/campaign.toml --regime 112ns:207ns -o "));
  comparison.reference->written = true;
  EXPECT_THAT(answer_text(answer_of(comparison)), Not(HasSubstr("--regime")));
}

TEST(ComparisonTable, WhatDoesNotExistIsEmptyAndNoVerdictIsSaid) {
  Comparison comparison = example_comparison();
  comparison.no_verdict = "more ranks than cores";
  for (ComparedCell& cell : comparison.cells) {
    cell.p = cell.p_adjusted = {};
    cell.verdict = {};
    cell.ratio_interval = {};
  }
  const std::string text = answer_text(answer_of(comparison));
  EXPECT_THAT(text, HasSubstr("no verdict"));
  EXPECT_THAT(text, Not(HasSubstr("nan")));
  EXPECT_THAT(text, Not(HasSubstr("  p  ")));
}

TEST(ComparisonTable, ThreeArmsStandBelowEachOther) {
  Comparison comparison = example_comparison();
  comparison.arms.push_back({.label = "intel"});
  ComparedCell third = comparison.cells[0];
  third.arm_b = "intel";
  third.verdict = Verdict::kUndecided;
  comparison.cells = {comparison.cells[0], third};
  EXPECT_THAT(
      answer_text(answer_of(comparison)),
      HasSubstr("  operation   size   arm       time                      ratio               "
                "p       verdict\n"
                "  allreduce   8 B    openmpi   0.512 us [0.501, 0.523]      1\n"
                "  allreduce   8 B    mpich     0.662 us [0.651, 0.676]   1.30 [1.27, 1.33]   "
                "<1e-9   openmpi faster\n"
                "  allreduce   8 B    intel     0.662 us [0.651, 0.676]   1.30 [1.27, 1.33]   "
                "<1e-9   undecided\n"));
}

TEST(ComparisonTable, FactorsThatVaryGetAColumn) {
  Comparison comparison = example_comparison();
  comparison.cells[1].cell.ranks = 4;
  EXPECT_THAT(answer_text(answer_of(comparison)), HasSubstr("ranks"));
  EXPECT_THAT(answer_text(answer_of(example_comparison())), Not(HasSubstr("  ranks  ")));
}

TEST(ComparisonTable, PresetShowsAsterisksAndNoCorrection) {
  Comparison comparison = example_comparison();
  comparison.method = analysis::Method::kLaunchTest;
  comparison.cells[0].p = 0.004;
  const std::string text = answer_text(answer_of(comparison));
  EXPECT_THAT(text, HasSubstr(".004 **"));
  EXPECT_THAT(text, HasSubstr("not corrected"));
}

TEST(ComparisonTable, EscapeSequencesInLabelsAreHarmless) {
  Comparison comparison = example_comparison();
  comparison.cells[0].arm_b = "mpi\x1b[2Jch";
  comparison.warnings = {"bad \x1b]0;title\x07"};
  EXPECT_THAT(answer_text(answer_of(comparison)), Not(HasSubstr("\x1b")));
}

TEST(ComparisonJson, KeysAreThoseOfTheDocumentedSchema) {
  const auto json = nlohmann::ordered_json::parse(answer_json(answer_of(example_comparison())));
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  EXPECT_THAT(keys, testing::ElementsAre("schema", "sentence", "detail", "scope", "method",
                                         "runtime", "alpha", "min_effect", "correction",
                                         "reference", "arms", "cells", "regimes", "regimes_missing",
                                         "perturbations", "diagnosis", "warnings", "health"));
  EXPECT_EQ(json["schema"], 1);
  keys.clear();
  for (const auto& [key, value] : json["cells"][0].items()) keys.push_back(key);
  EXPECT_THAT(keys, testing::ElementsAre("operation", "size_bytes", "ranks", "factors", "regime",
                                         "arm_a", "arm_b", "median_a_ns", "low_a_ns", "high_a_ns",
                                         "median_b_ns", "low_b_ns", "high_b_ns", "ratio",
                                         "ratio_low", "ratio_high", "launches", "p", "p_adjusted",
                                         "verdict", "look", "doubt", "estimate"));
  const auto& cell = json["cells"][2];
  EXPECT_EQ(cell["size_bytes"], 16384);
  EXPECT_TRUE(cell["regime"].is_null());
  EXPECT_EQ(cell["factors"]["root"], 0);
  EXPECT_EQ(cell["factors"]["datatype"], "int32");
  EXPECT_DOUBLE_EQ(cell["median_b_ns"], 5470);
  EXPECT_DOUBLE_EQ(cell["ratio"], 0.65);
  EXPECT_EQ(cell["verdict"], "slower");
  EXPECT_EQ(json["arms"][0]["settings"]["OMPI_MCA_x"], "1");
}

TEST(ComparisonJson, WhatDoesNotExistIsNull) {
  Comparison comparison = example_comparison();
  comparison.cells = {ComparedCell{.cell = {.operation = "barrier"}}};
  const auto cell = nlohmann::json::parse(answer_json(answer_of(comparison)))["cells"][0];
  for (const char* key : {"size_bytes", "median_a_ns", "low_a_ns", "ratio", "ratio_low", "p",
                          "p_adjusted", "verdict", "look", "doubt"}) {
    EXPECT_TRUE(cell[key].is_null()) << key;
  }
}

TEST(ComparisonJson, ASequentialCampaignListsItsLooks) {
  Comparison comparison = example_comparison();
  comparison.sequential = true;
  comparison.looks = {{.look = 1, .launches = 3, .alpha = 0.005, .decided = 2, .questions = 3}};
  comparison.cells[0].look = 1;
  const auto json = nlohmann::json::parse(answer_json(answer_of(comparison)));
  EXPECT_EQ(json["looks"][0]["launches"], 3);
  EXPECT_EQ(json["looks"][0]["decided"], 2);
  EXPECT_EQ(json["looks"][0]["questions"], 3);
  EXPECT_EQ(json["cells"][0]["look"], 1);
  EXPECT_TRUE(json["cells"][1]["look"].is_null());
}

TEST(ComparisonTable, ASequentialCampaignSaysAfterHowManyGroupsACellWasDecided) {
  Comparison comparison = example_comparison();
  EXPECT_THAT(answer_text(answer_of(comparison)),
              testing::Not(testing::HasSubstr("groups  verdict")));
  comparison.sequential = true;
  comparison.looks = {{.look = 1, .launches = 3}};
  EXPECT_THAT(answer_text(answer_of(comparison)), testing::HasSubstr("groups  verdict"));
  EXPECT_THAT(answer_text(answer_of(comparison)),
              testing::HasSubstr("those of the look\n  that decided"));
}

TEST(ComparisonJson, BestArmsAreGivenWithMoreThanTwo) {
  Comparison comparison = example_comparison();
  comparison.arms.push_back({.label = "intel"});
  comparison.best = {{.cell = comparison.cells[0].cell, .arms = {"openmpi", "intel"}}};
  const auto json = nlohmann::json::parse(answer_json(answer_of(comparison)));
  EXPECT_EQ(json["best"][0]["size_bytes"], 8);
  EXPECT_EQ(json["best"][0]["arms"], (nlohmann::json{"openmpi", "intel"}));
}

TEST(ComparisonJson, StateOfTheMachineAndOfTheRepetitions) {
  Comparison comparison = example_comparison();
  comparison.regimes.found = {{.name = "canary 0.13 us", .median_ns = 131, .share = 1}};
  comparison.perturbations = {{.group = 4, .blocks = {12, 13}, .slowdown = 0.3, .visits = 4}};
  comparison.diagnosis = {{.cell = comparison.cells[0].cell, .arm = "mpich", .visits = 8}};
  const auto json = nlohmann::json::parse(answer_json(answer_of(comparison)));
  EXPECT_EQ(json["regimes"][0]["name"], "canary 0.13 us");
  EXPECT_TRUE(json["regimes_missing"].is_null());
  EXPECT_EQ(json["perturbations"][0]["blocks"], (nlohmann::json{12, 13}));
  EXPECT_EQ(json["diagnosis"][0]["size_bytes"], 8);
  EXPECT_TRUE(json["diagnosis"][0]["effective_share"].is_null());
}

TEST(ComparisonTable, RegimesAreListedWhereThereAreSeveralOrNone) {
  Comparison comparison = example_comparison();
  comparison.regimes.found = {{.name = "canary 0.13 us", .share = 0.6}};
  EXPECT_EQ(answer_text(answer_of(comparison)).find("regime"), std::string::npos);
  comparison.regimes.found.push_back({.name = "canary 0.50 us", .share = 0.4});
  EXPECT_NE(answer_text(answer_of(comparison))
                .find("regimes of the machine: canary 0.13 us (60 % of visits), canary 0.50 us"),
            std::string::npos);
  comparison.campaigns = {"day1", "day2"};
  comparison.regimes.found[0].campaign_shares = {0.9, 0.3};
  comparison.regimes.found[1].campaign_shares = {0.1, 0.7};
  EXPECT_NE(answer_text(answer_of(comparison))
                .find("canary 0.13 us (90 % of visits in day1, 30 % in day2), canary 0.50 us"),
            std::string::npos);
  comparison.regimes = {.why_none = "one rank a host has no canary"};
  EXPECT_NE(
      answer_text(answer_of(comparison)).find("regimes: not split, one rank a host has no canary"),
      std::string::npos);
}

TEST(ComparisonJson, AnyTextIsEscaped) {
  Comparison comparison = example_comparison();
  comparison.warnings = {"</script>\"\n\xff"};
  EXPECT_TRUE(nlohmann::json::accept(answer_json(answer_of(comparison))));
}

TEST(ComparisonCsv, EveryRowHasAFieldForEveryColumn) {
  Comparison comparison = example_comparison();
  comparison.cells[1].arm_b = "a, \"quoted\" label";
  comparison.cells[1].p = comparison.cells[1].p_adjusted = {};
  const auto rows = base::read_csv(answer_csv(answer_of(comparison)), "test");
  ASSERT_EQ(rows.size(), 4U);
  for (const base::CsvRow& one : rows) EXPECT_EQ(one.fields.size(), rows[0].fields.size());
  const auto field = [&](std::size_t line, const std::string& name) {
    const auto at = std::ranges::find(rows[0].fields, name);
    return rows[line].fields.at(static_cast<std::size_t>(at - rows[0].fields.begin()));
  };
  EXPECT_EQ(field(1, "operation"), "allreduce");
  EXPECT_EQ(field(1, "ratio"), "1.3");
  EXPECT_EQ(field(1, "verdict"), "faster");
  EXPECT_EQ(field(2, "arm_b"), "a, \"quoted\" label");
  EXPECT_EQ(field(2, "p"), "");
}

// A second cell of a row, and the names of times, only where some row has them.
TEST(ComparisonJson, SidesInOtherCellsAndOfOtherTimesAreWritten) {
  Comparison comparison = example_comparison();
  const nlohmann::json usual = nlohmann::json::parse(answer_json(analysis::answer_of(comparison)));
  for (const char* key : {"cell_a", "cell_b", "time", "time_b", "in_arm"}) {
    EXPECT_FALSE(usual.at("cells").at(0).contains(key)) << key;
  }
  record::Cell other = comparison.cells[0].cell;
  other.size_bytes = 64;
  comparison.cells[0].cell_b = other;
  comparison.cells[1].time_name = "one way";
  comparison.cells[1].time_name_b = "whole";
  const nlohmann::json rows =
      nlohmann::json::parse(answer_json(analysis::answer_of(comparison))).at("cells");
  EXPECT_EQ(rows[0].at("size_bytes"), 8);
  EXPECT_EQ(rows[0].at("cell_b").at("size_bytes"), 64);
  EXPECT_EQ(rows[0].at("cell_b").at("operation"), "allreduce");
  EXPECT_EQ(rows[0].at("time"), "whole");
  EXPECT_EQ(rows[0].at("time_b"), nullptr);
  EXPECT_EQ(rows[1].at("cell_b"), nullptr);
  EXPECT_EQ(rows[1].at("time"), "one way");
  EXPECT_EQ(rows[1].at("time_b"), "whole");
  EXPECT_FALSE(rows[0].contains("cell_a"));
}

TEST(ComparisonCsv, ASecondCellHasColumnsOfItsOwn) {
  Comparison comparison = example_comparison();
  record::Cell other = comparison.cells[0].cell;
  other.size_bytes = 64;
  comparison.cells[0].cell_b = other;
  const auto rows = base::read_csv(answer_csv(analysis::answer_of(comparison)), "csv");
  const auto column = [&](const std::string& name) {
    const auto& names = rows.at(0).fields;
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  ASSERT_LT(column("size_bytes_b"), rows.at(0).fields.size());
  EXPECT_EQ(rows.at(1).fields.at(column("size_bytes")), "8");
  EXPECT_EQ(rows.at(1).fields.at(column("size_bytes_b")), "64");
  EXPECT_EQ(rows.at(2).fields.at(column("size_bytes_b")), "");
  EXPECT_EQ(rows.at(2).fields.size(), rows.at(0).fields.size());
}

}  // namespace
}  // namespace invar::report
