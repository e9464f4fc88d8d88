// Which levels of the factor `algorithm` are measured where, once they were tried.
#include "driver/prepare/algorithms.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.hpp"
#include "design/helpers.hpp"
#include "driver/prepare/checks.hpp"
#include "driver/prepare/prepare.hpp"
#include "record/cell.hpp"

namespace invar::driver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// bcast by two levels beside the default, allreduce by none.
design::ResolvedCells some_cells() {
  design::Campaign campaign = design::test::small_campaign(2, 2, 4);
  campaign.cells[0].levels["algorithm"] = {"algorithm:chain", "default", "algorithm:linear"};
  design::CellsBlock other;
  other.operations = {"allreduce"};
  other.sizes_bytes = {8};
  campaign.cells.push_back(other);
  return design::test::resolved(campaign);
}

record::Cell bcast_by(const std::string& level, std::uint64_t size_bytes) {
  return {.operation = "bcast", .size_bytes = size_bytes, .ranks = 2, .algorithm = level};
}

TEST(LevelsOfCells, AreThoseOfOperationsThatHaveSome) {
  const LevelsOfCells cells = levels_of_cells(some_cells(), 0);
  ASSERT_EQ(cells.size(), 2U) << "two sizes of bcast";
  EXPECT_THAT(cells.begin()->second, ElementsAre("default", "algorithm:chain", "algorithm:linear"))
      << "what is compared with comes first, whatever the campaign's order";
}

LevelsOfCells cells_of(std::uint32_t ranks, const std::vector<std::uint64_t>& sizes) {
  LevelsOfCells cells;
  for (const std::uint64_t size : sizes) {
    cells[{.operation = "bcast", .ranks = ranks, .size_bytes = size}] = {"default", "a", "b"};
  }
  return cells;
}

std::vector<std::uint64_t> sizes_of(const std::vector<LevelCell>& cells) {
  std::vector<std::uint64_t> sizes;
  sizes.reserve(cells.size());
  for (const LevelCell& cell : cells) sizes.push_back(*cell.size_bytes);
  return sizes;
}

TEST(CellsToLookAt, AreTheEndsFirst) {
  const LevelsOfCells cells = cells_of(2, {8, 64, 512, 4096});
  EXPECT_THAT(sizes_of(cells_to_look_at(cells, 32, 100)), ElementsAre(8, 4096, 64, 512));
  EXPECT_THAT(sizes_of(cells_to_look_at(cells, 32, 8)), ElementsAre(8, 4096));
  EXPECT_THAT(cells_to_look_at(cells, 32, 2), IsEmpty()) << "all levels of a cell, or none";
}

TEST(CellsToLookAt, AreNoneOfOneRankOrOfTooMany) {
  EXPECT_THAT(cells_to_look_at(cells_of(1, {8}), 32, 100), IsEmpty());
  EXPECT_THAT(cells_to_look_at(cells_of(64, {8}), 32, 100), IsEmpty());
  LevelsOfCells alone = cells_of(2, {8});
  alone.begin()->second = {"default"};
  EXPECT_THAT(cells_to_look_at(alone, 32, 100), IsEmpty());
}

TEST(TriedAlgorithms, WhatFailedItsCheckIsMeasuredAtNoSize) {
  TriedAlgorithms tried;
  const std::vector<launch::Proof> proofs{
      {.asked = {.operation = "bcast", .level = "algorithm:chain"}, .failure = "recv byte 0"},
      {.asked = {.operation = "bcast", .level = "algorithm:linear"},
       .refused_sizes = {{8, "returned error 15"}},
       .ordered_failure = "recv byte 4"}};
  take_proofs(proofs, 2, tried);
  EXPECT_THAT(tried.lack(bcast_by("algorithm:chain", 8)), HasSubstr("recv byte 0"));
  EXPECT_THAT(tried.lack(bcast_by("algorithm:chain", 16)), HasSubstr("recv byte 0"));
  EXPECT_THAT(tried.lack(bcast_by("algorithm:linear", 8)), HasSubstr("refuses this size"));
  EXPECT_EQ(tried.lack(bcast_by("algorithm:linear", 16)), "");
  EXPECT_EQ(tried.lack(bcast_by("default", 8)), "");
  record::Cell more_ranks = bcast_by("algorithm:chain", 8);
  more_ranks.ranks = 4;
  EXPECT_EQ(tried.lack(more_ranks), "") << "it was tried on two";
  ASSERT_EQ(tried.levels.size(), 3U);
  EXPECT_EQ(tried.levels[1].ordered_failure, "recv byte 4");
  EXPECT_EQ(tried.levels[1].problem, "");
}

TEST(TriedAlgorithms, LevelsOfTheSameMessagesAreMeasuredOnceInThatCell) {
  TriedAlgorithms tried;
  const std::vector<tuning::LevelFinding> findings{
      {.level = "default", .ran = {.ran = tuning::Ran::kUnknown}},
      {.level = "algorithm:chain", .ran = {.ran = tuning::Ran::kUnknown}, .same_as = "default"}};
  take_findings({.operation = "bcast", .ranks = 2, .size_bytes = 8}, findings, tried);
  EXPECT_EQ(tried.lack(bcast_by("algorithm:chain", 8)),
            "its messages are those of 'default', which is measured");
  EXPECT_EQ(tried.lack(bcast_by("algorithm:chain", 16)), "") << "nobody has looked there";
  record::Cell doubles = bcast_by("algorithm:chain", 8);
  doubles.datatype = "double";
  EXPECT_EQ(tried.lack(doubles), "") << "of half as many elements";
  EXPECT_EQ(tried.levels.at(1).same_as, "default");
  EXPECT_EQ(tried.levels.at(0).ran, "unknown");
}

// A campaign that goes on: a probe of today might find something else, and cells would have other
// numbers than those that were measured.
TEST(TriedAlgorithms, WhatWasSealedHoldsWhenTheCampaignGoesOn) {
  TriedAlgorithms tried;
  take_proofs(
      std::vector<launch::Proof>{
          {.asked = {"bcast", "algorithm:linear"}, .failure = "rank 0: recv byte 4"},
          {.asked = {"bcast", "algorithm:chain"}, .refused_sizes = {{8, "no"}}}},
      2, tried);
  take_findings({.operation = "bcast", .ranks = 2, .size_bytes = 64},
                std::vector<tuning::LevelFinding>{{.level = "algorithm:chain",
                                                   .ran = {.ran = tuning::Ran::kUnknown},
                                                   .same_as = "algorithm:binomial"}},
                tried);
  TriedAlgorithms again;
  take_sealed(tried.levels, again);
  EXPECT_EQ(again.lacks, tried.lacks);
  EXPECT_EQ(again.lacks.size(), 3U);
  EXPECT_EQ(again.levels, tried.levels);
}

TEST(TriedAlgorithms, AreNoneWhereAllCellsAreTheUsualOnes) {
  const design::Campaign campaign = design::test::small_campaign(1, 2, 4);
  EXPECT_THAT(try_algorithms(campaign, {}, design::test::resolved(campaign), "c.toml"), IsEmpty());
}

// One arm, inside of which levels race.
Prepared raced() {
  Prepared prepared{.campaign = design::test::small_campaign(1, 1, 4)};
  prepared.campaign.cells[0].levels["algorithm"] = {"default", "algorithm:chain",
                                                    "algorithm:linear"};
  prepared.campaign.analysis.against = "algorithm";
  prepared.campaign.together = {"algorithm"};
  return prepared;
}

std::vector<std::string> faults_with(const std::vector<std::string>& lacking) {
  Prepared prepared = raced();
  design::Surroundings around = design::test::surroundings(1);
  around.lack_of_algorithm = [&](std::uint32_t, const record::Cell& cell) {
    const bool lacks = std::find(lacking.begin(), lacking.end(), cell.algorithm) != lacking.end();
    return lacks ? "it crashed" : "";
  };
  prepared.cells = design::resolve_cells(prepared.campaign, around, "c.toml");
  try {
    refuse_lonely_cells(prepared, "race");
  } catch (const base::UserError& error) {
    std::vector<std::string> texts;
    for (const base::Fault& fault : error.faults()) texts.push_back(fault.text());
    return texts;
  }
  return {};
}

TEST(LonelyCells, AnAlgorithmThatDoesNotWorkCostsItselfAlone) {
  EXPECT_THAT(faults_with({}), IsEmpty());
  EXPECT_THAT(faults_with({"algorithm:chain"}), IsEmpty());
  EXPECT_THAT(faults_with({"algorithm:chain", "algorithm:linear"}),
              ElementsAre(HasSubstr("no two cells differ"), HasSubstr("it crashed"),
                          HasSubstr("it crashed")));
}

}  // namespace
}  // namespace invar::driver
