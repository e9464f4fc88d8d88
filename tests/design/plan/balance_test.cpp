// Fairness of the order: positions, neighbours, first turns.
#include "design/plan/balance.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace invar::design {
namespace {

constexpr std::uint64_t kSeed = 20160412;

std::uint32_t row_count(std::uint32_t arms) {
  return static_cast<std::uint32_t>(williams_rows(arms).size());
}

TEST(Williams, TwoArmsAlternate) {
  EXPECT_EQ(williams_rows(2), (std::vector<std::vector<std::uint32_t>>{{0, 1}, {1, 0}}));
  EXPECT_EQ(williams_rows(1), (std::vector<std::vector<std::uint32_t>>{{0}}));
}

TEST(Williams, EveryArmStandsEverywhereAndFollowsEveryOtherEquallyOften) {
  for (std::uint32_t arms = 2; arms <= 9; ++arms) {
    const auto rows = williams_rows(arms);
    EXPECT_EQ(rows.size(), arms % 2 == 0 ? arms : 2 * arms);
    std::map<std::pair<std::uint32_t, std::size_t>, std::size_t> at;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> after;
    for (const auto& row : rows) {
      EXPECT_EQ(std::set(row.begin(), row.end()).size(), arms) << "each arm once";
      for (std::size_t i = 0; i < arms; ++i) {
        ++at[{row[i], i}];
        if (i > 0) ++after[{row[i - 1], row[i]}];
      }
    }
    EXPECT_EQ(at.size(), std::size_t{arms} * arms);
    for (const auto& [where, count] : at) EXPECT_EQ(count, rows.size() / arms) << arms;
    EXPECT_EQ(after.size(), std::size_t{arms} * (arms - 1));
    for (const auto& [pair, count] : after) EXPECT_EQ(count, rows.size() / arms) << arms;
  }
}

std::vector<Block> blocks(std::uint32_t group, std::uint32_t round, std::size_t cells,
                          std::uint32_t arms, bool shuffled = true) {
  return round_blocks({.seed = kSeed, .group = group, .round = round}, shuffled,
                      std::vector<bool>(cells, true), row_count(arms));
}

TEST(RoundBlocks, EveryCellOnce) {
  for (const std::uint32_t arms : {1U, 2U, 3U, 5U}) {
    for (std::size_t cells = 0; cells <= 13; ++cells) {
      for (std::uint32_t round = 0; round < 5; ++round) {
        std::set<std::uint32_t> seen;
        for (const Block& block : blocks(3, round, cells, arms)) seen.insert(block.cell);
        EXPECT_EQ(seen.size(), cells);
      }
    }
  }
}

TEST(RoundBlocks, EveryCellMeetsEveryRowOnceInACycleOfRounds) {
  for (const std::uint32_t arms : {2U, 3U, 4U, 5U}) {
    for (const bool shuffled : {true, false}) {
      for (const std::size_t cells : {1U, 4U, 7U, 12U}) {
        const std::uint32_t rows = row_count(arms);
        for (std::uint32_t cycle = 0; cycle < 3; ++cycle) {
          std::map<std::uint32_t, std::set<std::uint32_t>> met;
          for (std::uint32_t i = 0; i < rows; ++i) {
            for (const Block& block : blocks(2, cycle * rows + i, cells, arms, shuffled)) {
              met[block.cell].insert(block.row);
            }
          }
          for (const auto& [cell, of_cell] : met) EXPECT_EQ(of_cell.size(), rows) << arms;
        }
      }
    }
  }
}

TEST(RoundBlocks, EveryCellMeetsEveryRowOnceInTheSameRoundOfACycleOfGroups) {
  for (const std::uint32_t arms : {2U, 3U, 4U}) {
    for (const bool shuffled : {true, false}) {
      for (const std::size_t cells : {1U, 4U, 7U}) {
        const std::uint32_t rows = row_count(arms);
        for (const std::uint32_t round : {0U, 1U, 4U}) {
          std::map<std::uint32_t, std::set<std::uint32_t>> met;
          for (std::uint32_t group = rows + 1; group <= 2 * rows; ++group) {
            for (const Block& block : blocks(group, round, cells, arms, shuffled)) {
              met[block.cell].insert(block.row);
            }
          }
          for (const auto& [cell, of_cell] : met) EXPECT_EQ(of_cell.size(), rows) << arms;
        }
      }
    }
  }
}

// Three families of cells; the second is odd, the third has one cell.
constexpr std::uint32_t kFamilies[] = {0, 1, 0, 1, 1, 0, 2, 0};

std::vector<Block> in_families(std::uint32_t group, std::uint32_t round, std::uint32_t arms) {
  return round_blocks_in_families({.seed = kSeed, .group = group, .round = round}, kFamilies,
                                  row_count(arms));
}

TEST(RoundBlocksInFamilies, EveryCellOnceAndFamiliesUndivided) {
  for (std::uint32_t round = 0; round < 20; ++round) {
    std::set<std::uint32_t> seen;
    std::vector<std::uint32_t> entered;
    for (const Block& block : in_families(2, round, 3)) {
      EXPECT_TRUE(seen.insert(block.cell).second);
      const std::uint32_t family = kFamilies[block.cell];
      if (entered.empty() || entered.back() != family) entered.push_back(family);
    }
    EXPECT_EQ(seen.size(), std::size(kFamilies));
    EXPECT_EQ(entered.size(), 3U) << "a family was left and entered again";
  }
}

TEST(RoundBlocksInFamilies, FamiliesStandInEveryOrder) {
  std::set<std::vector<std::uint32_t>> orders;
  for (std::uint32_t round = 0; round < 100; ++round) {
    std::vector<std::uint32_t> order;
    for (const Block& block : in_families(1, round, 2)) {
      const std::uint32_t family = kFamilies[block.cell];
      if (order.empty() || order.back() != family) order.push_back(family);
    }
    orders.insert(order);
  }
  EXPECT_EQ(orders.size(), 6U);
}

TEST(RoundBlocksInFamilies, EveryCellMeetsEveryRowOnceInACycleOfRoundsAndOfGroups) {
  for (const std::uint32_t arms : {1U, 2U, 3U, 4U}) {
    const std::uint32_t rows = row_count(arms);
    std::map<std::uint32_t, std::set<std::uint32_t>> in_rounds;
    std::map<std::uint32_t, std::set<std::uint32_t>> in_groups;
    for (std::uint32_t i = 0; i < rows; ++i) {
      for (const Block& block : in_families(2, rows + i, arms))
        in_rounds[block.cell].insert(block.row);
      for (const Block& block : in_families(rows + 1 + i, 1, arms)) {
        in_groups[block.cell].insert(block.row);
      }
    }
    for (const auto& [cell, met] : in_rounds) EXPECT_EQ(met.size(), rows) << arms;
    for (const auto& [cell, met] : in_groups) EXPECT_EQ(met.size(), rows) << arms;
  }
}

// How often a family's cells stood in an order while its first cell met a row of arms.
std::map<std::pair<std::vector<std::uint32_t>, std::uint32_t>, int> orders_and_rows(
    std::uint32_t family, std::uint32_t rounds, std::uint32_t arms) {
  std::map<std::pair<std::vector<std::uint32_t>, std::uint32_t>, int> met;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    std::vector<std::uint32_t> order;
    std::uint32_t row = 0;
    for (const Block& block : in_families(1, round, arms)) {
      if (kFamilies[block.cell] != family) continue;
      order.push_back(block.cell);
      if (block.cell == family) row = block.row;
    }
    ++met[{order, row}];
  }
  return met;
}

// Otherwise a cell that comes first would always be measured by the same arm first.
TEST(RoundBlocksInFamilies, EveryOrderOfCellsMeetsEveryOrderOfArmsEquallyOften) {
  for (const std::uint32_t arms : {1U, 2U, 3U, 4U}) {
    for (const std::uint32_t family : {0U, 1U}) {
      const std::uint32_t orders = family == 0 ? 4 : 6;  // of four cells and of three
      const std::uint32_t rounds = orders * std::lcm(orders, row_count(arms));
      const auto met = orders_and_rows(family, rounds, arms);
      EXPECT_EQ(met.size(), std::size_t{orders} * row_count(arms));
      for (const auto& [what, times] : met) {
        EXPECT_EQ(times, static_cast<int>(rounds / (orders * row_count(arms)))) << arms;
      }
    }
  }
}

TEST(RoundBlocksInFamilies, TwoCellsTakeTurnsInComingFirst) {
  constexpr std::uint32_t kPair[] = {0, 0};
  for (const std::uint32_t rows : {1U, 2U}) {
    for (std::uint32_t group = 1; group <= 4; ++group) {
      std::vector<std::uint32_t> first;
      for (std::uint32_t round = 0; round < 4; ++round) {
        const std::vector<Block> blocks =
            round_blocks_in_families({.seed = kSeed, .group = group, .round = round}, kPair, rows);
        first.push_back(blocks.front().cell);
      }
      EXPECT_EQ(first[0], first[3]);
      EXPECT_EQ(first[1], first[2]);
      EXPECT_NE(first[0], first[1]);
    }
  }
}

TEST(RoundBlocksInFamilies, EveryCellComesFirstEquallyOftenInTheSameRoundOfSuccessiveGroups) {
  std::map<std::uint32_t, int> first;
  for (std::uint32_t group = 1; group <= 12; ++group) {
    for (const Block& block : in_families(group, 0, 2)) {
      if (kFamilies[block.cell] != 1) continue;
      ++first[block.cell];
      break;
    }
  }
  ASSERT_EQ(first.size(), 3U);
  for (const auto& [cell, times] : first) EXPECT_EQ(times, 4) << cell;
}

TEST(RoundBlocks, TwoArmsAlternateThroughAllRoundsOfAGroup) {
  for (const std::size_t cells : {1U, 2U, 5U, 8U}) {
    for (std::uint32_t group = 1; group <= 8; ++group) {
      std::uint32_t before = 2;
      for (std::uint32_t round = 0; round < 6; ++round) {
        for (const Block& block : blocks(group, round, cells, 2)) {
          EXPECT_NE(block.row, before) << cells << " cells, group " << group << ", round " << round;
          before = block.row;
        }
      }
    }
  }
}

TEST(RoundBlocks, FirstTurnIsBalancedOverGroupsAndRandomInEachPair) {
  int first_pairs_begin_with_zero = 0;
  for (const std::size_t cells : {4U, 5U}) {
    for (std::uint32_t group = 1; group <= 200; group += 2) {
      const std::uint32_t one = blocks(group, 0, cells, 2)[0].row;
      const std::uint32_t two = blocks(group + 1, 0, cells, 2)[0].row;
      EXPECT_NE(one, two);
      EXPECT_EQ(one, group_row(kSeed, group, 2)) << "launches follow the same order";
      EXPECT_EQ(two, group_row(kSeed, group + 1, 2));
      if (one == 0) ++first_pairs_begin_with_zero;
    }
  }
  EXPECT_NEAR(first_pairs_begin_with_zero, 100, 4 * 8);
}

TEST(RoundBlocks, EveryCellIsAtEveryPositionEquallyOften) {
  constexpr std::size_t kCells = 5;
  std::map<std::pair<std::uint32_t, std::size_t>, int> at;
  for (std::uint32_t group = 1; group <= 1000; ++group) {
    for (std::uint32_t round = 0; round < 5; ++round) {
      const auto order = blocks(group, round, kCells, 2);
      for (std::size_t i = 0; i < order.size(); ++i) ++at[{order[i].cell, i}];
    }
  }
  EXPECT_EQ(at.size(), kCells * kCells);
  for (const auto& [where, count] : at) EXPECT_NEAR(count, 1000, 4 * 45);
}

TEST(RoundBlocks, OrderDependsOnSeedGroupAndRoundAlone) {
  const auto order = [](std::uint64_t seed, std::uint32_t group, std::uint32_t round) {
    std::vector<std::uint32_t> cells;
    for (const Block& block : round_blocks({.seed = seed, .group = group, .round = round}, true,
                                           std::vector<bool>(20, true), 2)) {
      cells.push_back(block.cell);
    }
    return cells;
  };
  EXPECT_EQ(order(1, 1, 0), order(1, 1, 0));
  EXPECT_NE(order(1, 1, 0), order(2, 1, 0));
  EXPECT_NE(order(1, 1, 0), order(1, 2, 0));
  EXPECT_NE(order(1, 1, 0), order(1, 1, 1));
}

TEST(RoundBlocks, AsWrittenKeepsTheOrder) {
  for (std::uint32_t round = 0; round < 4; ++round) {
    std::uint32_t expected = 0;
    for (const Block& block : blocks(1, round, 7, 2, false)) EXPECT_EQ(block.cell, expected++);
  }
}

TEST(RoundBlocks, CellOfOneArmDisturbsNoBalance) {
  // Cells 0, 3 and 6 are measured by one arm only.
  std::vector<bool> shared(9, true);
  shared[0] = shared[3] = shared[6] = false;
  for (const bool shuffled : {true, false}) {
    std::uint32_t before = 2;
    std::set<std::size_t> positions_of_zero;
    for (std::uint32_t round = 0; round < 40; ++round) {
      const auto order =
          round_blocks({.seed = kSeed, .group = 1, .round = round}, shuffled, shared, 2);
      std::set<std::uint32_t> seen;
      for (std::size_t i = 0; i < order.size(); ++i) {
        seen.insert(order[i].cell);
        if (order[i].cell == 0) positions_of_zero.insert(i);
        if (!shared[order[i].cell]) continue;
        if (shuffled) {
          EXPECT_NE(order[i].row, before);
        }
        before = order[i].row;
      }
      EXPECT_EQ(seen.size(), shared.size());
    }
    EXPECT_EQ(positions_of_zero.size(), shuffled ? 9U : 1U) << "anywhere, or where it is written";
  }
}

}  // namespace
}  // namespace invar::design
