// In which order the arms take their turns: what makes the comparison fair to all of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace invar::design {

// A Williams design for `arms` arms (Williams 1949): rows of arm indices in which every arm stands
// at every position equally often and follows every other arm equally often. `arms` rows for an
// even number and for one arm, twice as many for an odd one. Two arms: {0, 1}, {1, 0}.
std::vector<std::vector<std::uint32_t>> williams_rows(std::uint32_t arms);

// One visit of one cell by each arm.
struct Block {
  std::uint32_t cell = 0;  // index into the cells that were asked for
  std::uint32_t row = 0;   // index into williams_rows
};

// What a round's order is drawn from.
struct RoundPlace {
  std::uint64_t seed = 0;
  std::uint32_t group = 1;  // from 1
  std::uint32_t round = 0;  // from 0
};

// The blocks of one round. `shared[i]`: cell i is measured by two arms or more; only those blocks
// have an order to balance, others stand anywhere between them.
//
// With W rows, u = round + (group - 1) mod W, and the cells split at random into W classes that
// stay for W rounds (and over W groups), the cells of class s use row s + u (mod W), rows
// relabelled at random per W groups. So
// - every cell meets every row once in W rounds of a group, and once in the same round of W groups;
// - neighbouring blocks use successive rows: two arms alternate A B, B A, A B through all rounds of
//   a group (in as-written order the alternation starts anew each round, so that a cell's own
//   orders alternate);
// - W successive groups start with W different rows.
// Each round's order of the cells alone is uniformly random.
std::vector<Block> round_blocks(const RoundPlace& place, bool shuffled,
                                const std::vector<bool>& shared, std::uint32_t rows);

// The same with the cells of a family next to each other: what is compared between two of them is
// then not further apart in time than it must be. `families[i]`: a number of cell i's family.
// Families stand in a random order in every round. The cells of one stand in the rows of the
// Williams design for as many cells, R rows, one row a round: two cells X Y, Y X, Y X, X Y. With L
// the least common multiple of R and W
// - every cell stands at every place of its family equally often in L rounds that begin with a
//   multiple of L, and in the same round of as many groups;
// - every cell meets every row of arms once in W rounds, and every row of arms with every order of
//   the cells equally often in the first L R rounds of a series of groups.
std::vector<Block> round_blocks_in_families(const RoundPlace& place,
                                            std::span<const std::uint32_t> families,
                                            std::uint32_t rows);

// The row in which the launches of a group follow each other with pairing "launches".
std::uint32_t group_row(std::uint64_t seed, std::uint32_t group, std::uint32_t rows);

}  // namespace invar::design
