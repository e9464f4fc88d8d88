// Which cells of a plan are about overlap, and which of them belong together.
#include "record/p2p/overlap_cells.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace invar::record {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Cell overlap_cell(const std::string& compute, const std::string& family,
                  std::uint64_t size_bytes = 8) {
  return {.operation = "ibcast", .size_bytes = size_bytes, .compute = compute, .family = family};
}

TEST(OverlapCells, AreACallAComputationAndBothInOneFamily) {
  const std::vector<Cell> cells{overlap_cell("off", "a"), overlap_cell("0.5x", "a"),
                                overlap_cell("only:0.5x", "a"), overlap_cell("1x", "a"),
                                overlap_cell("only:1x", "a")};
  EXPECT_THAT(overlap_cells(cells),
              ElementsAre(OverlapCells{.call = 0, .computation = 2, .both = 1},
                          OverlapCells{.call = 0, .computation = 4, .both = 3}));
}

TEST(OverlapCells, DifferInNothingElse) {
  EXPECT_THAT(overlap_cells(std::vector{overlap_cell("off", "a"), overlap_cell("1x", "a", 16),
                                        overlap_cell("only:1x", "a", 16)}),
              IsEmpty())
      << "a call of another size";
  EXPECT_THAT(overlap_cells(std::vector{overlap_cell("off", "a"), overlap_cell("1x", "b"),
                                        overlap_cell("only:1x", "b")}),
              IsEmpty())
      << "of another family";
  EXPECT_THAT(overlap_cells(std::vector{overlap_cell("off", "a"), overlap_cell("1x", "a")}),
              IsEmpty())
      << "no computation by itself";
  EXPECT_THAT(overlap_cells(std::vector{overlap_cell("off", ""), overlap_cell("1x", ""),
                                        overlap_cell("only:1x", "")}),
              IsEmpty())
      << "measured at different times";
}

// One family may have calls of several sizes.
TEST(OverlapCells, EveryComputationHasACallOfItsOwn) {
  const std::vector<Cell> cells{overlap_cell("off", "a"), overlap_cell("off", "a", 16),
                                overlap_cell("1x", "a"), overlap_cell("1x", "a", 16)};
  EXPECT_THAT(calls_without_computation(cells), ElementsAre(0U, 1U, 0U, 1U));
  EXPECT_THAT(calls_without_computation(std::vector{overlap_cell("10000ns", "")}),
              ElementsAre(std::nullopt));
}

TEST(Multiples, AreOfACall) {
  EXPECT_TRUE(computes_multiple({.compute = "0.5x"}) && computes_multiple({.compute = "only:2x"}));
  EXPECT_FALSE(computes_multiple({.compute = "10000ns"}) || computes_multiple({}));
  EXPECT_FALSE(computes_multiple({.arrival = "linear:0.5x"}));
  EXPECT_TRUE(has_multiples({.arrival = "linear:0.5x"}) && has_multiples({.compute = "0.5x"}));
  EXPECT_FALSE(has_multiples({.arrival = "linear:500ns", .compute = "10000ns"}));
}

// A call that is compared with one that computes is called as that one is.
TEST(CalledInParts, IsTheWholeFamilyOfACellThatComputes) {
  EXPECT_THAT(called_in_parts(std::vector{overlap_cell("off", "a"), overlap_cell("1x", "a"),
                                          overlap_cell("off", "b"), overlap_cell("off", ""),
                                          overlap_cell("10000ns", "")}),
              ElementsAre(true, true, false, false, true));
}

}  // namespace
}  // namespace invar::record
