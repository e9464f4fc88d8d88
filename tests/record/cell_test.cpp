#include "record/cell.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace invar::record {
namespace {

const Cell kAllreduce{.id = 3,
                      .operation = "allreduce",
                      .size_bytes = 1024,
                      .ranks = 4,
                      .root = 0,
                      .datatype = "int32",
                      .reduction = "sum"};

TEST(Factors, EveryTextReadsBackAsTheSameLevel) {
  Cell copy{.id = 3};
  for (const Factor& factor : factors()) {
    EXPECT_TRUE(factor.parse(copy, factor.text(kAllreduce))) << factor.name;
  }
  EXPECT_TRUE(copy.same_levels(kAllreduce));
}

TEST(Factors, NamesAreTheColumnsOfAPlanWithFamilies) {
  std::string names;
  for (const Factor& factor : factors()) names += std::string(factor.name) + ' ';
  EXPECT_EQ(
      names,
      "operation size_bytes ranks nodes ppn mapping rank_order root datatype reduction in_place "
      "topology distribution segment_bytes marks algorithm pattern form send_mode source tag "
      "receives pending unexpected window train_delay packing others cold_side compute "
      "compute_kernel compute_side progress_calls stride width unroll loops chains access pages "
      "numa allocation policy cache placement sync arrival clock dither_ns delay_ns batches scheme "
      "family ");
}

const Factor& factor_named(std::string_view name) {
  for (const Factor& factor : factors()) {
    if (factor.name == name) return factor;
  }
  throw std::invalid_argument(std::string(name));
}

// A reader of a table is told what is needed to know a cell, and not what follows from the
// operation.
TEST(TellsCellsApart, DefaultDatatypeOfAnOperationIsNotTold) {
  Cell bcast = kAllreduce;
  bcast.operation = "bcast";
  bcast.datatype = "byte";
  EXPECT_FALSE(tells_cells_apart(factor_named("datatype"), std::vector{kAllreduce, bcast}));
  Cell bytes = kAllreduce;
  bytes.datatype = "byte";
  EXPECT_TRUE(tells_cells_apart(factor_named("datatype"), std::vector{kAllreduce, bytes}));
}

// Cells of different sizes in different families differ in their sizes.
TEST(TellsCellsApart, FamiliesAreToldOnlyWhereTheSameLevelsStandInSeveral) {
  std::vector<Cell> cells{kAllreduce, kAllreduce};
  cells[0].family = "mono-8";
  cells[1].size_bytes = 16;
  cells[1].family = "mono-16";
  EXPECT_FALSE(tells_cells_apart(factor_named("family"), cells));
  EXPECT_EQ(CellTexts(cells)(cells[1]).find("family"), std::string::npos);
  EXPECT_EQ(without_sizes(cells)[1].family, "");
  cells.push_back(cells[1]);
  cells[2].family = "mono-8";
  EXPECT_TRUE(tells_cells_apart(factor_named("family"), cells));
  EXPECT_NE(CellTexts(cells)(cells[1]).find("family mono-16"), std::string::npos);
  EXPECT_EQ(without_sizes(cells)[1].family, "mono-16");
  EXPECT_FALSE(without_sizes(cells)[1].size_bytes);
}

TEST(TellsCellsApart, NumbersOfRanksAreToldAcrossOperations) {
  Cell bcast = kAllreduce;
  bcast.operation = "bcast";
  bcast.ranks = 8;
  EXPECT_TRUE(tells_cells_apart(factor_named("ranks"), std::vector{kAllreduce, bcast}));
  EXPECT_FALSE(tells_cells_apart(factor_named("ranks"), std::vector{kAllreduce, kAllreduce}));
}

TEST(Factors, AbsentSizeIsAnEmptyField) {
  const Factor& size = factors()[1];
  EXPECT_EQ(size.text({.operation = "barrier"}), "");
  Cell cell = kAllreduce;
  EXPECT_TRUE(size.parse(cell, ""));
  EXPECT_FALSE(cell.size_bytes.has_value());
}

TEST(Factors, NumbersThatAreNoneAreRefused) {
  Cell cell;
  for (const std::size_t number : {1U, 2U, 3U, 4U}) {
    for (const char* wrong : {"8x", "1e3", "3.9", "-1"}) {
      EXPECT_FALSE(factors()[number].parse(cell, wrong)) << factors()[number].name << wrong;
    }
  }
  EXPECT_FALSE(factors()[2].parse(cell, "")) << "only a size may be absent";
  EXPECT_FALSE(factors()[2].parse(cell, "4294967296")) << "ranks are 32 bits wide";
}

// A level that no cell above has.
const char* another_level(const Factor& factor) {
  if (factor.name == "scheme" || factor.name == "sync") return "barrier";
  if (factor.name == "placement") return "fixed:16";
  if (factor.name == "distribution") return "one-big";
  if (factor.name == "segment_bytes" || factor.name == "stride") return "64";
  if (factor.name == "unroll") return "4";
  if (factor.name == "numa") return "node:7";
  if (factor.name == "policy") return "nice:7";
  if (factor.name == "algorithm") return "algorithm:chain";
  if (factor.name == "pattern") return "ring";
  if (factor.name == "pending" || factor.name == "unexpected") return "same:7";
  if (factor.name == "compute" || factor.name == "train_delay") return "7ns";
  // A factor that has words alone gets the last one.
  if (factor.absent && !factor.always_written && !factor.words.empty() && factor.name != "marks") {
    return factor.words.back().c_str();
  }
  return factor.name == "arrival" ? "linear:7ns" : "7";
}

TEST(SameLevels, EveryFactorCountsAndTheIdDoesNot) {
  Cell other = kAllreduce;
  other.id = 99;
  EXPECT_TRUE(kAllreduce.same_levels(other));
  for (const Factor& factor : factors()) {
    other = kAllreduce;
    ASSERT_TRUE(factor.parse(other, another_level(factor)));
    EXPECT_FALSE(kAllreduce.same_levels(other)) << factor.name;
  }
}

// Which cells are measured together is a campaign's own matter.
TEST(Counterpart, IsTheSameCellElseTheOnlyOneOfAnotherFamily) {
  const auto in = [](const char* family, std::uint64_t size_bytes) {
    Cell cell = kAllreduce;
    cell.size_bytes = size_bytes;
    cell.family = family;
    return cell;
  };
  const std::vector<Cell> cells{in("a", 8), in("b", 8), in("a", 16), in("", 32)};
  const std::vector<Cell> own{in("b", 8), in("", 16), in("together-1", 32), in("", 64)};
  EXPECT_EQ(counterpart(own[0], own, cells), 1U);
  EXPECT_EQ(counterpart(own[1], own, cells), 2U);
  EXPECT_EQ(counterpart(own[2], own, cells), 3U);
  EXPECT_EQ(counterpart(own[3], own, cells), std::nullopt);
  const std::vector<Cell> alone{in("", 8)};
  EXPECT_EQ(counterpart(alone[0], alone, cells), std::nullopt) << "two could be meant";
  EXPECT_EQ(counterpart(cells[0], cells, alone), std::nullopt) << "it would be meant twice";
}

TEST(ReadingOrder, IsByOperationCurveAndSizeHoweverCellsCameIn) {
  std::vector<Cell> cells;
  const auto add = [&](const char* operation, std::optional<std::uint64_t> size_bytes,
                       const char* cache = "warm") {
    cells.push_back({.operation = operation, .size_bytes = size_bytes, .cache = cache});
  };
  add("stream", 8);
  add("stream", 4096);
  add("barrier", std::nullopt);
  add("stream", 8, "cold-flush");
  add("stream", 4096, "cold-flush");
  add("bcast", 16);
  add("stream", 4095);
  add("bcast", 8);
  add("stream", 12, "cold-flush");
  EXPECT_EQ(reading_order(cells), (std::vector<std::uint32_t>{0, 6, 1, 3, 8, 4, 2, 7, 5}));
  EXPECT_TRUE(reading_order({}).empty());
}

TEST(CellText, NamesWhatPeopleTellCellsApartBy) {
  EXPECT_EQ(cell_text(kAllreduce), "allreduce, 1 KiB, 4 ranks");
  EXPECT_EQ(cell_text({.operation = "barrier", .ranks = 2}), "barrier, 2 ranks");
}

TEST(CellTexts, EveryLevelThatTellsCellsApartIsTold) {
  std::vector<Cell> cells;
  for (const std::uint32_t root : {0U, kRotatingRoot}) {
    for (const char* datatype : {"byte", "vector"}) {
      cells.push_back(
          {.operation = "ibcast", .size_bytes = 16, .root = root, .datatype = datatype});
    }
  }
  const CellTexts text(cells);
  EXPECT_EQ(text(cells[0]), "ibcast, 16 B, 2 ranks, root 0, datatype byte");
  EXPECT_EQ(text(cells[3]), "ibcast, 16 B, 2 ranks, root rotating, datatype vector");
}

// Queues are tried at one size: nobody has to be told of all others that theirs are empty.
TEST(CellTexts, UsualLevelsAreToldOnlyBesideCellsThatHaveOthers) {
  const Cell small{.operation = "pingpong", .size_bytes = 8};
  Cell queued = small;
  queued.pending = "same:16";
  Cell large = small;
  large.size_bytes = 1024;
  const CellTexts text(std::vector{small, queued, large});
  EXPECT_EQ(text(small), "pingpong, 8 B, 2 ranks, pending none");
  EXPECT_EQ(text(queued), "pingpong, 8 B, 2 ranks, pending same:16");
  EXPECT_EQ(text(large), "pingpong, 1 KiB, 2 ranks");
}

TEST(CellTexts, NoTwoCellsThatDifferInOneFactorLookAlike) {
  for (const Factor& factor : factors()) {
    if (factor.name == "ppn") continue;  // follows from ranks and nodes
    std::vector<Cell> both{kAllreduce, kAllreduce};
    ASSERT_TRUE(factor.parse(both[1], another_level(factor)));
    const CellTexts text(both);
    EXPECT_NE(text(both[0]), text(both[1])) << factor.name;
  }
}

TEST(CellTexts, OurCellsAreKnownWithoutWhatOnlyOtherSuitesVisitsHave) {
  Cell suite = kAllreduce;
  suite.scheme = "barrier";
  suite.sync = "barrier";
  const std::vector<Cell> cells{kAllreduce, suite};
  const CellTexts text(cells);
  EXPECT_EQ(text(kAllreduce), cell_text(kAllreduce));
  EXPECT_NE(text(suite).find("sync barrier"), std::string::npos);
}

TEST(CellTexts, AloneACellIsToldByItsUnusualLevelsOnly) {
  const std::vector<Cell> one{kAllreduce};
  EXPECT_EQ(CellTexts(one)(kAllreduce), cell_text(kAllreduce));
}

}  // namespace
}  // namespace invar::record
