// Families: cells that are measured together because they are compared.
#include "design/plan/families.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "design/helpers.hpp"

namespace invar::design {
namespace {

using namespace test;  // NOLINT
using testing::ElementsAre;
using testing::HasSubstr;

// 16 B is compared with 8 B, with 32 B and with a barrier; 64 B with nothing.
constexpr const char* kThree = R"(
schema = 1
name = "n"
seed = 7
[design]
rounds = 8
[[cells]]
operation = "bcast"
size = [8, 16, 32, 64]
[[cells]]
operation = "barrier"
[[family]]
name = "up"
cells = [{ operation = "bcast", size = 8 }, { operation = "bcast", size = 16 }]
[[family]]
name = "down"
cells = [{ operation = "bcast", size = [16, 32] }]
[[family]]
name = "barrier"
cells = [{ operation = "barrier" }, { operation = "bcast", size = "16" }]
[[arm]]
library = "openmpi"
[[arm]]
library = "mpich"
)";

ResolvedCells cells_of(const Campaign& campaign) {
  return resolve_cells(campaign, surroundings(campaign.arms.size()), "c.toml");
}

record::Plan plan_of_families(const Campaign& campaign, std::uint32_t groups) {
  Counters counters;
  return plan_groups(campaign, cells_of(campaign), groups, counters);
}

TEST(Families, CellInThreeFamiliesHasACellInEachAndNoneBesides) {
  const ResolvedCells resolved = cells_of(read_campaign(kThree, "c.toml"));
  std::vector<std::string> of_sixteen;
  for (const record::Cell& cell : resolved.cells) {
    EXPECT_EQ(cell.id, static_cast<std::uint32_t>(&cell - resolved.cells.data()));
    if (cell.size_bytes == 16U) of_sixteen.push_back(cell.family);
    if (cell.size_bytes == 64U) {
      EXPECT_EQ(cell.family, "");
    }
  }
  EXPECT_THAT(of_sixteen, ElementsAre("up", "down", "barrier"));
  EXPECT_EQ(resolved.cells.size(), 5 + 2U);
  EXPECT_EQ(resolved.arms.size(), resolved.cells.size());
  EXPECT_THAT(family_texts(resolved.cells),
              ElementsAre("up: 2 cells", "down: 2 cells", "barrier: 2 cells"));
}

TEST(Families, TheirCellsAreNeighboursInEveryRoundAndEachComesFirstInHalfOfThem) {
  const Campaign campaign = read_campaign(kThree, "c.toml");
  const record::Plan plan = plan_of_families(campaign, 2);
  EXPECT_EQ(plan.rows.size(), 2 * 8 * 7 * 2U);
  std::map<std::uint32_t, std::map<std::string, std::vector<std::uint32_t>>> order;  // by group
  std::string before;
  for (const record::PlanRow& row : plan.rows) {
    const record::Cell& cell = plan.cells[row.cell];
    if (cell.family.empty() || row.arm != "openmpi") continue;
    auto& cells = order[row.group][cell.family];
    cells.push_back(row.cell);
    if (cells.size() % 2 == 0) {
      EXPECT_EQ(before, cell.family) << "something stood between";
    }
    before = cell.family;
  }
  for (const auto& [group, families] : order) {
    EXPECT_EQ(families.size(), 3U);
    for (const auto& [name, cells] : families) {
      ASSERT_EQ(cells.size(), 2 * 8U);
      std::map<std::uint32_t, int> first;
      for (std::size_t i = 0; i < cells.size(); i += 2) ++first[cells[i]];
      ASSERT_EQ(first.size(), 2U) << name;
      for (const auto& [cell, times] : first) EXPECT_EQ(times, 4) << name;
    }
  }
}

TEST(Families, CountAsALevelOnlyWhereTheyTellCellsApart) {
  using record::Cell;
  const std::vector<const record::Factor*> size = {record::find_cell_factor("size")};
  std::vector<Cell> cells = {
      {.id = 0, .operation = "bcast", .size_bytes = 8, .family = "together-1"},
      {.id = 1, .operation = "bcast", .size_bytes = 16, .family = "together-2"}};
  std::vector<std::string> texts = record::levels_but(cells, size);
  EXPECT_EQ(texts[0], texts[1]) << "they differ in nothing but their sizes";
  cells.push_back({.id = 2, .operation = "bcast", .size_bytes = 8, .family = "together-2"});
  texts = record::levels_but(cells, size);
  EXPECT_NE(texts[0], texts[2]) << "one cell in two families";
  EXPECT_EQ(texts[1], texts[2]);
}

TEST(Families, SameCampaignAndSeedGiveTheSamePlanAndItIsReadBack) {
  const Campaign campaign = read_campaign(kThree, "c.toml");
  const std::string text = record::plan_csv(plan_of_families(campaign, 3));
  EXPECT_EQ(record::plan_csv(plan_of_families(campaign, 3)), text);
  EXPECT_EQ(record::plan_csv(record::read_plan(text, "plan.csv")), text);
  const record::Plan edited = record::read_plan(text, "plan.csv");
  EXPECT_NO_THROW(check_plan(edited, campaign, cells_of(campaign), "plan.csv"));
}

TEST(Families, AreWrittenAsTheyAreRead) {
  Campaign campaign = read_campaign(kThree, "c.toml");
  campaign.families[1].cells[0].levels = {{"ranks", {"2"}}, {"root", {"0", "rotating"}}};
  EXPECT_EQ(read_campaign(campaign_toml(campaign), "c.toml"), campaign) << campaign_toml(campaign);
}

// What holds for one pair of sizes says nothing about another, so that 1 B and 64 KiB need not have
// equal batches.
TEST(Families, MonotonyOverTwentySizesIsNineteenOfTwoCells) {
  std::string toml = with_head(
      "[[cells]]\noperation = \"bcast\"\nsize = { from = 1, to = \"512KiB\", factor = 2 }\n");
  for (std::uint64_t size = 1; size < 512 * 1024; size *= 2) {
    const std::string here = std::to_string(size);
    toml += "[[family]]\nname = \"from-" + here + "\"\ncells = [{ operation = \"bcast\", size = [" +
            here + ", " + std::to_string(size * 2) + "] }]\n";
  }
  toml += "[[arm]]\nlibrary = \"openmpi\"\n";
  const ResolvedCells resolved = cells_of(read_campaign(toml, "c.toml"));
  EXPECT_EQ(resolved.cells.size(), 38U);
  std::map<std::uint32_t, int> sizes;
  for (const std::uint32_t family : families_of(resolved.cells)) ++sizes[family];
  EXPECT_EQ(sizes.size(), 19U);
  for (const auto& [family, cells] : sizes) EXPECT_EQ(cells, 2);
}

TEST(Families, OfTogetherAreOneForEveryLevelOfTheOtherFactors) {
  Campaign campaign = small_campaign(1, 2, 1);
  campaign.together = {"cache"};
  campaign.cells[0].levels["cache"] = {"warm", "cold-flush"};
  const ResolvedCells resolved = cells_of(campaign);
  EXPECT_THAT(family_texts(resolved.cells),
              ElementsAre("together-1: 2 cells", "together-2: 2 cells"));
  for (const record::Cell& cell : resolved.cells) {
    EXPECT_EQ(cell.family == "together-1", cell.same_levels(resolved.cells[0]) ||
                                               cell.size_bytes == resolved.cells[0].size_bytes);
  }
}

TEST(Families, OperationsMayBeTogether) {
  Campaign campaign = small_campaign(1, 1, 1);
  campaign.together = {"operation"};
  campaign.cells[0].operations = {"bcast", "scatter"};
  campaign.cells[0].sizes_bytes = {8, 64};
  const ResolvedCells resolved = cells_of(campaign);
  EXPECT_THAT(family_texts(resolved.cells),
              ElementsAre("together-1: 2 cells", "together-2: 2 cells"));
}

// An own operation may lack what the library's has: a form in place, say.
TEST(Families, OperationsAreTogetherThoughOneOfThemLacksAFactor) {
  record::Cell theirs{.operation = "allreduce", .size_bytes = 8};
  theirs.in_place = "no";
  record::Cell in_place = theirs;
  in_place.in_place = "yes";
  record::Cell mine{.operation = "mine", .size_bytes = 8};
  const std::vector<record::Cell> cells{theirs, in_place, mine};
  const std::vector<std::string> texts =
      record::levels_but(cells, std::vector{record::find_cell_factor("operation")});
  EXPECT_EQ(texts[2], texts[0]);
  EXPECT_NE(texts[2], texts[1]);
}

// Plans of earlier versions have no column of families.
TEST(Families, PlanOfTogetherWithoutThemIsTheCampaignsAllTheSame) {
  Campaign campaign = small_campaign(1, 2, 1);
  campaign.together = {"cache"};
  campaign.cells[0].levels["cache"] = {"warm", "cold-flush"};
  record::Plan plan = plan_of_families(campaign, 1);
  for (record::Cell& cell : plan.cells) cell.family.clear();
  EXPECT_NO_THROW(check_plan(plan, campaign, cells_of(campaign), "plan.csv"));
  const Campaign three = read_campaign(kThree, "c.toml");
  plan = plan_of_families(three, 1);
  for (record::Cell& cell : plan.cells) cell.family.clear();
  EXPECT_NE(faults_of([&] { check_plan(plan, three, cells_of(three), "plan.csv"); }), Names())
      << "whose visits are these?";
}

Names faults_with_family(const std::string& family) {
  return faults_of([&] {
    const Campaign campaign = read_campaign(
        with_head("[[cells]]\noperation = \"bcast\"\nsize = [8, 16]\n[[arm]]\nlibrary = \"a\"\n" +
                  family),
        "c.toml");
    (void)cells_of(campaign);
  });
}

TEST(Families, OfOneCellAreRefusedWithTheirPlace) {
  EXPECT_THAT(
      faults_with_family("[[family]]\nname = \"f\"\ncells = [{ operation = \"bcast\", "
                         "size = 8 }]\n"),
      ElementsAre("c.toml:9:1: family 'f' has one cell: bcast, 8 B, 2 ranks; name what it is "
                  "compared with too, or remove the family"));
}

TEST(Families, CellThatIsNoneOfTheCampaignIsNamedWithItsPlace) {
  EXPECT_THAT(
      faults_with_family(
          "[[family]]\nname = \"f\"\ncells = [{ operation = \"bcast\" }, { operation "
          "= \"bcast\", size = [8, 24] }]\n"),
      ElementsAre("c.toml:11:35: bcast, 24 B in family 'f' is not a cell of this campaign; name "
                  "operations, sizes and levels that [[cells]] has, or add the cell there"));
}

// What is in the way of the cell is told already, and is not a mistake of the family.
TEST(Families, OfABlockThatWasRefusedAreNotComplainedOfToo) {
  const auto faults_of_blocks = [](const std::string& families) {
    return faults_of([&] {
      const Campaign campaign = read_campaign(
          with_head("[[cells]]\noperation = [\"bcast\", \"barrier\"]\nsize = [8, 16]\nranks = 64\n"
                    "[[cells]]\noperation = \"bcast\"\nsize = [8, 16]\nranks = 2\n"
                    "[[arm]]\nlibrary = \"a\"\n" +
                    families),
          "c.toml");
      (void)cells_of(campaign);
    });
  };
  const std::string of_64 =
      "[[family]]\nname = \"f\"\ncells = [{ operation = \"bcast\", size = 8, ranks = 64 }, { "
      "operation = \"bcast\", size = 16, ranks = 64 }]\n"
      "[[family]]\nname = \"g\"\ncells = [{ operation = \"barrier\" }, { operation = \"bcast\", "
      "size = 8, ranks = 2 }]\n";
  EXPECT_THAT(faults_of_blocks(of_64), ElementsAre(HasSubstr("64 ranks need more cores")));
  EXPECT_THAT(faults_of_blocks(
                  of_64 + "[[family]]\nname = \"h\"\ncells = [{ operation = \"bcast\", size = [8, "
                          "16], ranks = 2 }, { operation = \"bcast\", size = 24, ranks = 64 }]\n"),
              ElementsAre(HasSubstr("64 ranks need more cores"),
                          HasSubstr("bcast, 24 B, ranks 64 in family 'h' is not a cell")));
}

TEST(Families, WhatIsWrittenWrongIsSaidAtOnce) {
  EXPECT_THAT(faults_with_family(
                  "[[family]]\nname = \"a b\"\ncells = [{ operation = \"bcast\", sise = 8 }, 3]\n"
                  "[[family]]\nname = \"f\"\ncell = []\n"
                  "[[family]]\nname = \"f\"\ncells = []\n"
                  "[[family]]\nname = \"together-1\"\ncells = [{ operation = \"bcast\" }]\n"),
              testing::UnorderedElementsAre(
                  HasSubstr("c.toml:10:8: family 'a b' is not a name"), HasSubstr("'sise'"),
                  HasSubstr("a cell of a family is 3"), HasSubstr("'cell'"), HasSubstr("'cells'"),
                  HasSubstr("'cells' of [[family]] is not a list of cells"),
                  HasSubstr("two families have the name 'f'"),
                  HasSubstr("is called like those of 'together'")));
  EXPECT_THAT(faults_of([] {
                (void)read_campaign(
                    with_head("[design]\norder = \"as-written\"\n[[cells]]\noperation = \"bcast\"\n"
                              "size = 8\n[[family]]\nname = \"f\"\ncells = [{ operation = "
                              "\"bcast\" }]\n"),
                    "c.toml");
              }),
              ElementsAre(HasSubstr("c.toml:9:1: [[family]] says how cells are shuffled")));
}

}  // namespace
}  // namespace invar::design
