// The exact sentences. Comparisons are made by hand: a sentence depends on nothing else.
#include "analysis/words/sentence.hpp"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace invar::analysis {
namespace {

using stats::Verdict;

constexpr auto kFaster = Verdict::kFaster;
constexpr auto kSlower = Verdict::kSlower;
constexpr auto kEquivalent = Verdict::kEquivalent;
constexpr auto kUndecided = Verdict::kUndecided;
constexpr auto kHolds = Verdict::kHolds;
constexpr auto kViolated = Verdict::kViolated;

ComparedCell row(const std::string& operation, std::optional<std::uint64_t> size_bytes,
                 std::optional<Verdict> verdict, double ratio = 1.3) {
  ComparedCell row;
  row.cell.operation = operation;
  row.cell.size_bytes = size_bytes;
  row.arm_a = "openmpi";
  row.arm_b = "mpich";
  row.ratio = ratio;
  row.launches = 12;
  row.verdict = verdict;
  return row;
}

Comparison comparison_of(std::vector<ComparedCell> rows) {
  Comparison comparison;
  comparison.scope = "2 ranks, 1 host, shared memory, this session";
  comparison.arms = {{.label = "openmpi"}, {.label = "mpich"}};
  comparison.cells = std::move(rows);
  return comparison;
}

// The sentence without the scope, which is the same in most tests.
std::string said(const Comparison& comparison) {
  const std::string sentence = sentence_of(comparison);
  const std::string scope = ": " + comparison.scope + ".";
  EXPECT_TRUE(sentence.ends_with(scope)) << sentence;
  return sentence.substr(0, sentence.size() - scope.size());
}

TEST(Sentence, OneOperationOfManySizesNamesTheSizes) {
  EXPECT_EQ(
      sentence_of(comparison_of({row("allreduce", 8, kFaster), row("allreduce", 1024, kFaster),
                                 row("allreduce", 16384, kSlower)})),
      "openmpi is 1.3 times faster for 8 B and 1 KiB, mpich 1.3 times for 16 KiB: 2 ranks, 1 host, "
      "shared memory, "
      "this session.");
}

TEST(Sentence, ThreeNeighbouringSizesBecomeARange) {
  EXPECT_EQ(said(comparison_of({row("bcast", 8, kFaster), row("bcast", 64, kFaster),
                                row("bcast", 512, kFaster), row("bcast", 4096, kSlower),
                                row("bcast", 32768, kFaster)})),
            "openmpi is 1.3 times faster for 8 B to 512 B and 32 KiB, mpich 1.3 times for 4 KiB");
}

TEST(Sentence, SizesInAnyOrderAreCondensedBySize) {
  EXPECT_EQ(said(comparison_of({row("bcast", 512, kFaster), row("bcast", 8, kFaster),
                                row("bcast", 64, kFaster), row("bcast", 4096, kUndecided)})),
            "openmpi is 1.3 times faster for 8 B to 512 B; undecided for 4 KiB");
}

TEST(Sentence, OnlyTheSecondArmFaster) {
  EXPECT_EQ(said(comparison_of({row("bcast", 8, kSlower), row("bcast", 64, kSlower)})),
            "mpich is 1.3 times faster for 8 B and 64 B");
}

TEST(Sentence, OneCell) {
  EXPECT_EQ(said(comparison_of({row("bcast", 8, kFaster)})), "openmpi is 1.3 times faster for 8 B");
  EXPECT_EQ(said(comparison_of({row("barrier", {}, kFaster)})),
            "openmpi is 1.3 times faster for barrier");
  EXPECT_EQ(
      said(comparison_of({row("bcast", 8, kUndecided)})),
      "No difference found between openmpi and mpich in 1 cell; undecided, take more launches");
}

TEST(Sentence, ManyOperationsAreNamedWithTheirSizes) {
  EXPECT_EQ(said(comparison_of({row("allreduce", 8, kFaster), row("allreduce", 64, kFaster),
                                row("bcast", 8, kFaster), row("bcast", 64, kSlower),
                                row("barrier", {}, kSlower)})),
            "openmpi is 1.3 times faster for allreduce (all sizes) and bcast (8 B), mpich 1.3 "
            "times for bcast (64 B) and "
            "barrier");
}

TEST(Sentence, WholeOperationsNeedNoSizes) {
  EXPECT_EQ(said(comparison_of({row("allreduce", 8, kFaster), row("allreduce", 64, kFaster),
                                row("bcast", 8, kSlower), row("bcast", 64, kSlower)})),
            "openmpi is 1.3 times faster for allreduce, mpich 1.3 times for bcast");
}

TEST(Sentence, EverythingInOneDirection) {
  EXPECT_EQ(said(comparison_of({row("allreduce", 8, kFaster), row("bcast", 8, kFaster),
                                row("reduce", 8, kFaster)})),
            "openmpi is 1.3 times faster in all 3 cells");
}

TEST(Sentence, ManyItemsAreCountedInstead) {
  std::vector<ComparedCell> rows;
  for (const char* operation : {"bcast", "reduce", "scan", "gather", "scatter", "alltoall"}) {
    rows.push_back(row(operation, 8, kFaster));
    rows.push_back(row(operation, 64, operation[0] == 's' ? kFaster : kSlower));
    rows.push_back(row(operation, 512, kUndecided));
  }
  EXPECT_EQ(
      said(comparison_of(rows)),
      "openmpi is 1.3 times faster in 8 of 18 cells (scan 8 B and 64 B, scatter 8 B and 64 B, "
      "...), mpich 1.3 times in 4 of 18 cells (bcast 64 B, reduce 64 B, ...); undecided in 6 "
      "of 18 cells");
}

TEST(Sentence, CountedCellsNameWholeOperations) {
  std::vector<ComparedCell> rows;
  for (const char* operation : {"bcast", "reduce", "gather", "scatter", "alltoall"}) {
    rows.push_back(row(operation, 8, kFaster));
    rows.push_back(row(operation, 64, operation[0] == 'b' ? kFaster : kSlower));
  }
  EXPECT_EQ(
      said(comparison_of(rows)),
      "openmpi is 1.3 times faster in 6 of 10 cells (all of bcast, reduce 8 B, ...), mpich 1.3 "
      "times in 4 of 10 cells (reduce 64 B, gather 64 B, ...)");
}

TEST(Sentence, LongNamesOfManyFactorsAreLeftToTheTable) {
  std::vector<ComparedCell> rows;
  for (const char* operation : {"bcast", "reduce", "gather", "scatter"}) {
    for (const std::uint32_t ranks : {2U, 4U}) {
      for (const char* placement : {"random", "fixed:64"}) {
        rows.push_back(row(operation, 8, kFaster));
        rows.push_back(row(operation, 64, ranks == 2 ? kFaster : kSlower));
        for (ComparedCell* one : {&rows.back(), &rows[rows.size() - 2]}) {
          one->cell.ranks = ranks;
          one->cell.placement = placement;
          one->cell.arrival =
              "a-pattern-with-a-name-that-is-long-" + std::string(operation) + placement;
          one->cell.rank_order = "an-order-with-a-long-name-" + std::string(operation);
        }
      }
    }
  }
  EXPECT_EQ(said(comparison_of(rows)),
            "openmpi is 1.3 times faster in 24 of 32 cells, mpich 1.3 times in 8 of 32 cells");
}

TEST(Sentence, SizesOfAnOperationWithOtherFactorsStandFirst) {
  std::vector<ComparedCell> rows;
  for (const std::uint32_t ranks : {2U, 4U, 8U, 16U, 32U}) {
    for (const std::uint64_t size_bytes : {8U, 64U}) {
      rows.push_back(row("bcast", size_bytes, size_bytes == 8 ? kFaster : kUndecided));
      rows.back().cell.ranks = ranks;
    }
  }
  EXPECT_EQ(said(comparison_of(rows)),
            "openmpi is 1.3 times faster in 5 of 10 cells (8 B of bcast with 2 ranks, 8 B of bcast "
            "with 4 ranks, ...); undecided in 5 of 10 cells");
}

TEST(Sentence, OtherFactorsThatVaryAreNamed) {
  std::vector<ComparedCell> rows{row("bcast", 8, kFaster), row("bcast", 8, kSlower)};
  rows[1].cell.ranks = 4;
  EXPECT_EQ(
      said(comparison_of(rows)),
      "openmpi is 1.3 times faster for bcast with 2 ranks, mpich 1.3 times for bcast with 4 ranks");
}

TEST(Sentence, EquivalentIsSaidWithItsMargin) {
  EXPECT_EQ(said(comparison_of({row("bcast", 8, kEquivalent), row("bcast", 64, kEquivalent)})),
            "openmpi and mpich are equivalent within 2 % for 8 B and 64 B");
  Comparison wide = comparison_of({row("bcast", 8, kEquivalent)});
  wide.min_effect = 0.005;
  EXPECT_EQ(said(wide), "openmpi and mpich are equivalent within 0.5 % for 8 B");
}

TEST(Sentence, UndecidedIsNeverCalledEqual) {
  EXPECT_EQ(said(comparison_of({row("bcast", 8, kUndecided), row("bcast", 64, kUndecided)})),
            "No difference found between openmpi and mpich in 2 cells; all undecided, take more "
            "launches");
  EXPECT_EQ(said(comparison_of({row("bcast", 8, kEquivalent), row("bcast", 64, kUndecided)})),
            "No difference found between openmpi and mpich in 2 cells; equivalent within 2 % for "
            "8 B, undecided for 64 B");
}

TEST(Sentence, AllFourVerdictsTogether) {
  EXPECT_EQ(said(comparison_of({row("bcast", 8, kFaster), row("bcast", 64, kSlower),
                                row("bcast", 512, kEquivalent), row("bcast", 4096, kUndecided)})),
            "openmpi is 1.3 times faster for 8 B, mpich 1.3 times for 64 B; equivalent within 2 % "
            "for 512 B, undecided "
            "for 4 KiB");
}

Comparison same_arms(const std::vector<Verdict>& verdicts) {
  std::vector<ComparedCell> rows;
  std::uint64_t size_bytes = 8;
  for (const Verdict verdict : verdicts) {
    rows.push_back(row("bcast", size_bytes *= 2, verdict));
    rows.back().arm_a = "openmpi#1";
    rows.back().arm_b = "openmpi#2";
  }
  Comparison comparison = comparison_of(rows);
  comparison.same_arm = true;
  return comparison;
}

TEST(Sentence, SameArmTwice) {
  EXPECT_EQ(said(same_arms({kEquivalent, kEquivalent})),
            "No difference found between openmpi#1 and openmpi#2 in 2 cells; all equivalent within "
            "2 %");
  EXPECT_EQ(said(same_arms({kEquivalent, kUndecided, kUndecided})),
            "No difference found between openmpi#1 and openmpi#2 in 3 cells; equivalent within 2 % "
            "for 16 B, undecided for 32 B and 64 B");
  EXPECT_EQ(said(same_arms({kFaster, kEquivalent})),
            "openmpi#1 is 1.3 times faster for 16 B; equivalent within 2 % for 32 B, although both "
            "are the "
            "same arm");
}

TEST(Sentence, OneGroupSaysWhatItSawAndThatItDecidesNothing) {
  std::vector<ComparedCell> rows{row("bcast", 8, kUndecided, 1.12),
                                 row("bcast", 64, kUndecided, 1.734)};
  for (ComparedCell& cell : rows) cell.this_launch_only = true;
  EXPECT_EQ(said(comparison_of(rows)),
            "One launch group yields no verdict; in it mpich took 1.12 to 1.73 times as long as "
            "openmpi");
}

TEST(Sentence, NoVerdictSaysWhy) {
  Comparison comparison = comparison_of({row("bcast", 8, {})});
  comparison.no_verdict = "more ranks than cores (oversubscribe = true)";
  EXPECT_EQ(said(comparison), "No verdicts: more ranks than cores (oversubscribe = true)");
}

TEST(Sentence, PresetIsNamed) {
  Comparison comparison = comparison_of({row("bcast", 8, kFaster)});
  comparison.method = Method::kLaunchTest;
  comparison.preset = "reprompi";
  EXPECT_EQ(said(comparison), "openmpi is 1.3 times faster for 8 B (preset reprompi)");
}

TEST(Sentence, RegimesOfTheSameWinnerDoNotEnterTheHeadline) {
  std::vector<ComparedCell> rows{row("bcast", 8, kFaster), row("bcast", 8, kUndecided),
                                 row("bcast", 8, kSlower)};
  rows[1].regime = "270 ns";
  rows[2].regime = kAllRegimes;
  EXPECT_EQ(said(comparison_of(rows)), "openmpi is 1.3 times faster for 8 B");
}

Comparison three_arms(const std::vector<std::vector<std::string>>& best) {
  Comparison comparison = comparison_of({});
  comparison.arms.push_back({.label = "intel"});
  std::uint64_t size_bytes = 4;
  for (const std::vector<std::string>& arms : best) {
    const ComparedCell cell = row("bcast", size_bytes *= 2, kUndecided);
    comparison.cells.push_back(cell);
    comparison.best.push_back({.cell = cell.cell, .arms = arms, .contenders = 3, .ahead = 1.3});
  }
  return comparison;
}

TEST(Sentence, ThreeArmsNameTheFastest) {
  EXPECT_EQ(said(three_arms({{"openmpi"}, {"openmpi"}, {"mpich"}, {"openmpi", "intel"}})),
            "Of 3 arms openmpi is 1.3 times faster than the next for 8 B and 16 B, mpich 1.3 times "
            "for 32 B, openmpi or intel 1.3 times for 64 B");
  EXPECT_EQ(said(three_arms({{"intel"}, {"openmpi", "mpich", "intel"}})),
            "Of 3 arms intel is 1.3 times faster than the next for 8 B; no difference found for 16 "
            "B");
  EXPECT_EQ(said(three_arms({{"openmpi", "mpich", "intel"}, {"openmpi", "mpich", "intel"}})),
            "No difference found between openmpi, mpich and intel in 2 cells");
}

// A gate of these arms against openmpi, with their verdicts at 8 B, 16 B, ...
Comparison gate_of_arms(const std::vector<std::pair<std::string, std::vector<Verdict>>>& arms) {
  std::vector<ComparedCell> rows;
  for (const auto& [arm, verdicts] : arms) {
    std::uint64_t size_bytes = 4;
    for (const Verdict verdict : verdicts) {
      size_bytes *= 2;
      const double slower = 1.2 + 0.01 * static_cast<double>(size_bytes);
      rows.push_back(row("bcast", size_bytes, verdict, verdict == kViolated ? slower : 1.0));
      rows.back().arm_b = arm;
    }
  }
  Comparison comparison = comparison_of(rows);
  comparison.gate = 0.05;
  return comparison;
}

TEST(Sentence, AGateOfSeveralArmsCountsAndNamesAFew) {
  EXPECT_EQ(
      said(gate_of_arms({{"mpich", {kViolated, kHolds}},
                         {"rd", {kHolds, kViolated}},
                         {"ring", {kUndecided, kHolds}}})),
      "In 2 of 6 comparisons an arm is more than 5 % slower than openmpi (1.3 to 1.4 times as "
      "long): mpich for 8 B and rd for 16 B; 1 undecided");
  EXPECT_EQ(
      said(gate_of_arms({{"mpich", {kViolated, kViolated}},
                         {"rd", {kViolated, kHolds}},
                         {"ring", {kViolated, kHolds}},
                         {"doubling", {kViolated, kHolds}},
                         {"tree", {kHolds, kViolated}}})),
      "In 6 of 10 comparisons an arm is more than 5 % slower than openmpi (1.3 to 1.4 times as "
      "long): mpich for 8 B and 16 B, rd for 8 B, ring for 8 B and 2 more");
  EXPECT_EQ(
      said(gate_of_arms({{"mpich", {kHolds}}, {"rd", {kViolated}}})),
      "In 1 of 2 comparisons an arm is more than 5 % slower than openmpi (1.3 times as long): "
      "rd for 8 B");
}

TEST(Sentence, AGateOfSeveralArmsThatNoneFails) {
  EXPECT_EQ(said(gate_of_arms({{"mpich", {kHolds, kHolds}}, {"rd", {kHolds, kHolds}}})),
            "In all 4 comparisons the arm is at most 5 % slower than openmpi");
  EXPECT_EQ(said(gate_of_arms({{"mpich", {kHolds, kUndecided}}, {"rd", {kUndecided, kHolds}}})),
            "In 2 of 4 comparisons the arm is at most 5 % slower than openmpi; 2 undecided");
}

TEST(Sentence, AGateOfLevelsInSeveralArmsSpeaksOfLevels) {
  Comparison comparison =
      gate_of_arms({{"warm in openmpi", {kViolated}}, {"warm in mpich", {kHolds}}});
  comparison.against = "cache";
  comparison.cells[0].arm_a = "cold in openmpi";
  comparison.cells[1].arm_a = "cold in mpich";
  EXPECT_EQ(said(comparison),
            "In 1 of 2 comparisons a level is more than 5 % slower than its reference (1.3 times "
            "as long): warm in openmpi for 8 B");
}

TEST(Sentence, HowMuchFasterTheFastestIsHasItsRange) {
  Comparison comparison = three_arms({{"openmpi"}, {"openmpi"}, {"mpich"}});
  comparison.best[0].ahead = 1.21;
  comparison.best[1].ahead = 3.44;
  comparison.best[2].ahead.reset();
  EXPECT_EQ(
      said(comparison),
      "Of 3 arms openmpi is 1.2 to 3.4 times faster than the next for 8 B and 16 B, mpich for "
      "32 B");
}

TEST(Sentence, LevelsOfAFactorAreNoArms) {
  Comparison comparison = three_arms({{"mine"}});
  comparison.against = "operation";
  comparison.cells = {row("mine", 8, kFaster), row("mine", 8, kFaster)};
  comparison.cells[0].arm_a = comparison.cells[1].arm_a = "mine";
  comparison.cells[1].arm_b = "yours";
  EXPECT_EQ(said(comparison), "Of the 3 compared mine is 1.3 times faster than the next for 8 B");
}

// Three operations of fourteen sizes, as a race of five libraries has them.
Comparison race_of_five() {
  Comparison comparison = comparison_of({});
  for (const char* label : {"mpich-5", "openmpi-5", "intel"}) {
    comparison.arms.push_back({.label = label});
  }
  const auto add = [&](const char* operation, std::uint64_t size_bytes,
                       std::vector<std::string> arms, double ahead) {
    const ComparedCell cell = row(operation, size_bytes, kUndecided);
    comparison.cells.push_back(cell);
    comparison.best.push_back(
        {.cell = cell.cell, .arms = std::move(arms), .contenders = 5, .ahead = ahead});
  };
  std::uint64_t size_bytes = 8;
  for (int i = 0; i < 14; ++i, size_bytes *= 2) {
    add("allreduce", size_bytes, {i < 8 ? "mpich" : "openmpi"}, i < 8 ? 1.5 : 1.1);
    add("bcast", size_bytes, {i < 5 ? "mpich" : "intel"}, i < 5 ? 1.2 : 1.9);
    if (i == 3 || i == 9) {
      add("alltoall", size_bytes, {"openmpi", "openmpi-5"}, 1.04);
    } else if (i == 5) {
      add("alltoall", size_bytes, {"mpich", "openmpi", "mpich-5", "openmpi-5", "intel"}, 1.0);
    } else {
      add("alltoall", size_bytes, {"mpich", "mpich-5"}, 1.3);
    }
  }
  return comparison;
}

TEST(Sentence, ManyCellsOfFiveArmsNameTheWinnersThatMatterMost) {
  const std::string text = said(race_of_five());
  EXPECT_EQ(
      text,
      "Of 5 arms intel is 1.9 times faster than the next in 9 of 42 cells (bcast 256 B to 64 "
      "KiB), mpich 1.2 to 1.5 times in 13 (allreduce 8 B to 1 KiB, bcast 8 B to 128 B), mpich "
      "or mpich-5 1.3 times in 11 (alltoall 8 KiB to 64 KiB, ...); others in 8, no difference "
      "found in 1; see the table");
  EXPECT_LT(text.size(), 300U);
}

TEST(Sentence, TwoCampaignsOfSeveralArmsSayEachPair) {
  std::vector<ComparedCell> rows{row("bcast", 8, kFaster), row("bcast", 8, kUndecided)};
  rows[0].arm_a = "openmpi@old";
  rows[0].arm_b = "openmpi@new";
  rows[1].arm_a = "mpich@old";
  rows[1].arm_b = "mpich@new";
  EXPECT_EQ(said(comparison_of(rows)),
            "openmpi@old is 1.3 times faster than openmpi@new for 8 B; no difference found between "
            "mpich@old and mpich@new in 1 cell (undecided, take more launches)");
}

// A test with a direction has no best of all arms.
TEST(Sentence, OfSeveralPairsEachSaysThanWhom) {
  std::vector<ComparedCell> rows;
  for (const char* other : {"mpich", "intel", "mvapich"}) {
    rows.push_back(row("bcast", 8, kFaster));
    rows.push_back(row("bcast", 64, kUndecided));
    rows[rows.size() - 2].arm_b = rows.back().arm_b = other;
  }
  Comparison comparison = comparison_of(rows);
  comparison.alternative = stats::Alternative::kLess;
  EXPECT_EQ(said(comparison),
            "openmpi is 1.3 times faster than mpich for 8 B, not shown for 64 B; openmpi is 1.3 "
            "times faster than intel for 8 B, not shown for 64 B; openmpi is 1.3 times faster than "
            "mvapich for 8 B, not shown for 64 B");
}

ComparedCell synced(const std::string& sync, std::uint64_t size_bytes, Verdict verdict) {
  ComparedCell result = row("bcast", size_bytes, verdict);
  result.cell.sync = sync;
  return result;
}

TEST(Sentence, VerdictsThatHoldUnderBothSynchronisationsSaySo) {
  EXPECT_EQ(
      said(comparison_of({synced("round-time", 8, kFaster), synced("barrier", 8, kFaster),
                          synced("round-time", 64, kSlower), synced("barrier", 64, kSlower)})),
      "openmpi is 1.3 times faster for 8 B, mpich 1.3 times for 64 B, under round-time and barrier "
      "alike");
}

TEST(Sentence, WhatDoesNotHoldUnderTheSecondSynchronisationIsNamed) {
  EXPECT_EQ(
      said(comparison_of({synced("round-time", 8, kFaster), synced("barrier", 8, kUndecided)})),
      "openmpi is 1.3 times faster for 8 B, under round-time, but not under barrier (undecided)");
  EXPECT_EQ(
      said(comparison_of({synced("round-time", 8, kFaster), synced("barrier", 8, kUndecided),
                          synced("round-time", 64, kFaster), synced("barrier", 64, kFaster)})),
      "openmpi is 1.3 times faster for 8 B and 64 B, under round-time, but not under barrier for 8 "
      "B "
      "(undecided)");
  EXPECT_EQ(
      said(comparison_of({synced("round-time", 8, kFaster), synced("barrier", 8, kSlower),
                          synced("round-time", 64, kFaster), synced("barrier", 64, kEquivalent)})),
      "openmpi is 1.3 times faster for 8 B and 64 B, under round-time, but under barrier mpich is "
      "1.3 times faster for 8 B; equivalent within 2 % for 64 B");
}

TEST(Sentence, OfThreeSynchronisationsThoseThatAgreeStandTogether) {
  EXPECT_EQ(said(comparison_of({synced("round-time", 8, kFaster), synced("barrier", 8, kSlower),
                                synced("dissemination", 8, kFaster)})),
            "openmpi is 1.3 times faster for 8 B, under round-time and dissemination alike, but "
            "under barrier "
            "mpich is 1.3 times faster for 8 B");
}

// A place that one synchronisation lacks: then they are cells as any others.
TEST(Sentence, SynchronisationsOfDifferentPlacesAreCellsOfTheirOwn) {
  const std::string sentence =
      said(comparison_of({synced("round-time", 8, kFaster), synced("barrier", 64, kFaster)}));
  EXPECT_EQ(sentence.find("alike"), std::string::npos) << sentence;
}

TEST(Sentence, BestArmsUnderTwoSynchronisations) {
  Comparison comparison = three_arms({{"openmpi"}, {"openmpi"}, {"mpich"}, {"mpich"}});
  for (std::size_t i = 0; i < 4; ++i) {
    comparison.best[i].cell.size_bytes = i < 2 ? 8 : 64;
    comparison.best[i].cell.sync = i % 2 == 0 ? "round-time" : "barrier";
  }
  EXPECT_EQ(
      said(comparison),
      "Of 3 arms openmpi is 1.3 times faster than the next for 8 B, mpich 1.3 times for 64 B, "
      "under round-time and barrier alike");
  comparison.best[3].arms = {"intel"};
  EXPECT_EQ(
      said(comparison),
      "Of 3 arms openmpi is 1.3 times faster than the next for 8 B, mpich 1.3 times for 64 B, "
      "under round-time, but under barrier of 3 arms intel is 1.3 times faster than the next "
      "for 64 B");
}

// Two campaigns: labels carry their campaign in tables; a sentence says it in words.
Comparison of_two(std::vector<ComparedCell> rows, const std::string& arm_a = "openmpi",
                  const std::string& arm_b = "openmpi") {
  for (ComparedCell& one : rows) {
    if (one.arm_a == "openmpi") one.arm_a = arm_a + "@day1";
    if (one.arm_b == "mpich") one.arm_b = arm_b + "@day2";
  }
  Comparison comparison = comparison_of(std::move(rows));
  comparison.campaigns = {"day1", "day2"};
  return comparison;
}

TEST(SentenceOfTwoCampaigns, TheSameLibraryTwice) {
  EXPECT_EQ(said(of_two({row("bcast", 8, kFaster), row("bcast", 64, kSlower),
                         row("bcast", 512, kEquivalent), row("bcast", 4096, kUndecided)})),
            "openmpi was 1.3 times faster in campaign day1 than in day2 for 8 B, 1.3 times slower "
            "for 64 B, equivalent "
            "within 2 % for 512 B, undecided for 4 KiB");
  EXPECT_EQ(said(of_two({row("bcast", 8, kSlower), row("bcast", 64, kSlower)})),
            "openmpi was 1.3 times faster in campaign day2 than in day1 for 8 B and 64 B");
  EXPECT_EQ(said(of_two({row("bcast", 8, kEquivalent)})),
            "openmpi was equivalent within 2 % in campaigns day1 and day2 for 8 B");
  EXPECT_EQ(said(of_two({row("bcast", 8, kUndecided), row("bcast", 64, kUndecided)})),
            "No difference found for openmpi between campaigns day1 and day2 in 2 cells (all "
            "undecided, take more launches)");
}

TEST(SentenceOfTwoCampaigns, OneLibraryEach) {
  EXPECT_EQ(said(of_two({row("bcast", 8, kFaster), row("bcast", 64, kSlower)}, "openmpi", "mpich")),
            "openmpi in campaign day1 was 1.3 times faster than mpich in day2 for 8 B, 1.3 times "
            "slower for 64 B");
  EXPECT_EQ(said(of_two({row("bcast", 8, kSlower)}, "openmpi", "mpich")),
            "mpich in campaign day2 was 1.3 times faster than openmpi in day1 for 8 B");
  EXPECT_EQ(said(of_two({row("bcast", 8, kEquivalent)}, "old", "new")),
            "old in campaign day1 and new in day2 were equivalent within 2 % for 8 B");
  EXPECT_EQ(said(of_two({row("bcast", 8, kUndecided)}, "old", "new")),
            "No difference found between old in campaign day1 and new in day2 in 1 cell "
            "(undecided, take more launches)");
}

TEST(SentenceOfTwoCampaigns, TwoLibrariesEachAreClausesOfTheirOwn) {
  ComparedCell other = row("bcast", 8, kUndecided);
  other.arm_a = "mpich@day1";
  other.arm_b = "mpich@day2";
  EXPECT_EQ(
      said(of_two({row("bcast", 8, kFaster), other})),
      "openmpi was 1.3 times faster in campaign day1 than in day2 for 8 B; no difference found for "
      "mpich between campaigns day1 and day2 in 1 cell (undecided, take more launches)");
}

TEST(SentenceOfTwoCampaigns, OneLaunchEach) {
  ComparedCell single = row("bcast", 8, std::nullopt, 1.12);
  single.this_launch_only = true;
  EXPECT_EQ(said(of_two({single})),
            "One launch each yields no verdict; openmpi took 1.12 times as long in campaign day2 "
            "as in day1");
}

// A large table: where the winner is another one is counted.
TEST(Sentence, RegimesWithOtherWinnersAreASentenceOfTheirOwn) {
  std::vector<ComparedCell> rows;
  for (const char* operation : {"bcast", "reduce", "scan", "gather", "scatter", "alltoall"}) {
    rows.push_back(row(operation, 8, kFaster));
    rows.push_back(row(operation, 8, std::string_view(operation) == "scan" ? kFaster : kSlower));
    rows.back().regime = "canary 0.52 us";
  }
  Comparison comparison = comparison_of(rows);
  comparison.regimes.found = {{.name = "canary 0.13 us", .share = 0.6},
                              {.name = "canary 0.52 us", .share = 0.4}};
  EXPECT_EQ(sentence_of(comparison),
            "openmpi is 1.3 times faster in all 6 cells: 2 ranks, 1 host, shared memory, this "
            "session. At "
            "canary 0.52 us (40 % of visits) mpich wins in 5 of 6 cells (all of "
            "bcast, reduce, gather, scatter and alltoall).");
}

// One reading a regime: two winners are named, of more it is counted where they win.
TEST(Sentence, SeveralWinnersOfARegimeAreOneSentence) {
  const auto in_slow_regime = [](ComparedCell cell, const char* winner) {
    cell.arm_b = winner;
    std::vector<ComparedCell> both{cell, cell};
    both[1].verdict = kSlower;
    both[1].regime = "canary 0.52 us";
    return both;
  };
  const auto said_of = [&](const std::vector<const char*>& winners) {
    std::vector<ComparedCell> rows;
    std::uint64_t size_bytes = 8;
    for (const char* winner : winners) {
      const auto both = in_slow_regime(row("bcast", size_bytes *= 2, kFaster), winner);
      rows.insert(rows.end(), both.begin(), both.end());
    }
    Comparison comparison = comparison_of(rows);
    comparison.regimes.found = {{.name = "canary 0.52 us", .share = 0.4}};
    const std::string text = sentence_of(comparison);
    return text.substr(text.find("At canary"));
  };
  EXPECT_EQ(said_of({"mpich", "intel"}),
            "At canary 0.52 us (40 % of visits) mpich wins for 16 B, intel for 32 B.");
  EXPECT_EQ(said_of({"mpich", "intel", "mpich-5"}),
            "At canary 0.52 us (40 % of visits) others win in all 3 cells.");
}

}  // namespace
}  // namespace invar::analysis
