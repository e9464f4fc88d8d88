#include "record/scheme.hpp"

#include <gtest/gtest.h>

namespace invar::record {
namespace {

const Cell kCell{.operation = "bcast",
                 .size_bytes = 8,
                 .sync = "round-time",
                 .arrival = "linear:1000ns",
                 .dither_ns = 500};

TEST(CellByScheme, SynchronisationAndClockAreTheSuitesAndNothingElseWaits) {
  const Cell cell = *cell_by_scheme(kCell, *find_scheme("barrier"), true);
  EXPECT_EQ(cell.scheme, "barrier");
  EXPECT_EQ(cell.sync, "barrier");
  EXPECT_EQ(cell.clock, "mpi-wtime");
  EXPECT_EQ(cell.dither_ns, 0U);
  EXPECT_EQ(cell.arrival, "none");
  EXPECT_EQ(cell.root, 0U);
  EXPECT_EQ(cell.operation, "bcast");
}

TEST(CellByScheme, RootMovesOnlyWhereTheOperationHasOne) {
  const Scheme& rotating = *find_scheme("barrier-rotating");
  EXPECT_EQ(cell_by_scheme(kCell, rotating, true)->root, kRotatingRoot);
  // What has no root is measured like any other suite's: the same visits serve both.
  EXPECT_EQ(cell_by_scheme(kCell, rotating, false)->scheme, "barrier");
  EXPECT_TRUE(cell_by_scheme(kCell, rotating, false)
                  ->same_levels(*cell_by_scheme(kCell, *find_scheme("barrier"), false)));
}

TEST(CellByScheme, WaysOfSynchronisingOneCellGiveOneVisit) {
  Cell other = kCell;
  other.sync = "dissemination";
  other.dither_ns = 0;
  const Scheme& scheme = *find_scheme("window");
  EXPECT_TRUE(
      cell_by_scheme(kCell, scheme, true)->same_levels(*cell_by_scheme(other, scheme, true)));
}

TEST(CellByScheme, ColdCachesAreNotMeasured) {
  Cell cold = kCell;
  cold.cache = "cold-flush";
  EXPECT_FALSE(cell_by_scheme(cold, *find_scheme("batch"), true));
}

// mpptest's buffers move on inside of a batch; what would have to be done before every call of it
// cannot be.
TEST(CellByScheme, AMovingBufferIsMeasuredByASchemeThatMovesItItself) {
  Cell cold = kCell;
  cold.cache = "cold-cycle";
  const Scheme& cycles = *find_scheme("batch-initiator");
  ASSERT_TRUE(cell_by_scheme(cold, cycles, false));
  EXPECT_EQ(cell_by_scheme(cold, cycles, false)->cache, "cold-cycle");
  EXPECT_EQ(factor_unknown_to(cycles, cold), nullptr);
  EXPECT_EQ(factor_unknown_to(*find_scheme("batch"), cold)->name, "cache");
  cold.cold_side = "sender";
  EXPECT_FALSE(cell_by_scheme(cold, cycles, false)) << "it moves those of both sides";
}

TEST(CellByScheme, ComputingRanksAreNotMeasured) {
  Cell computing = kCell;
  computing.compute = "0.5x";
  for (const Scheme& scheme : schemes()) {
    EXPECT_EQ(factor_unknown_to(scheme, computing)->name, "compute") << scheme.name;
    EXPECT_FALSE(cell_by_scheme(computing, scheme, false)) << scheme.name;
  }
}

TEST(Schemes, EveryOneCanBeFoundAndOursIsNoneOfThem) {
  for (const Scheme& scheme : schemes()) {
    EXPECT_EQ(find_scheme(scheme.name), &scheme);
    EXPECT_EQ(scheme.rotating_root, find_scheme(scheme.unrooted) != nullptr) << scheme.name;
  }
  EXPECT_EQ(find_scheme(kOwnScheme), nullptr);
}

TEST(Factors, SchemeThatNobodyKnowsIsNoLevel) {
  Cell cell;
  EXPECT_FALSE(find_factor("scheme")->parse(cell, "bariers"));
  EXPECT_TRUE(find_factor("scheme")->parse(cell, "invar"));
}

}  // namespace
}  // namespace invar::record
