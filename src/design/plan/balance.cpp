#include "design/plan/balance.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>

#include "base/random.hpp"
#include "design/plan/streams.hpp"

namespace invar::design {
namespace {

// W successive groups, over which everything is balanced that one group leaves over.
struct Series {
  std::uint32_t number;  // from 0
  std::uint32_t member;  // of the group in it, from 0
};

Series series_of(std::uint32_t group, std::uint32_t rows) {
  return {(group - 1) / rows, (group - 1) % rows};
}

std::vector<std::uint32_t> counted(std::size_t count) {
  std::vector<std::uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0U);
  return numbers;
}

std::vector<std::uint32_t> permutation(std::size_t count, base::Random random) {
  std::vector<std::uint32_t> numbers = counted(count);
  random.shuffle(std::span(numbers));
  return numbers;
}

// New names for the rows, the same for all groups of a series.
std::vector<std::uint32_t> row_names(std::uint64_t seed, Series series, std::uint32_t rows) {
  return permutation(rows, base::Random::of({seed, kRowStream, series.number}));
}

// The blocks of the cells that two arms or more measure, given as indices.
std::vector<Block> balanced_blocks(const RoundPlace& place, bool shuffled,
                                   const std::vector<std::uint32_t>& cells, std::uint32_t rows) {
  const Series series = series_of(place.group, rows);
  const std::vector<std::uint32_t> names = row_names(place.seed, series, rows);
  // Position i of the round uses row start + i, so its cell must be of class i + start - shift.
  const std::uint32_t shift = (place.round + series.member) % rows;
  std::vector<Block> blocks(cells.size());
  if (!shuffled) {
    for (std::uint32_t i = 0; i < cells.size(); ++i) {
      blocks[i] = {.cell = cells[i], .row = names[(i + shift) % rows]};
    }
    return blocks;
  }
  // Where the classes are equally large the alternation can go on over the end of a round; where
  // they are not, starting at `shift` gives each class as many positions as it has cells, and with
  // two rows goes on too, because the number of cells is odd then.
  const bool equal = cells.size() % rows == 0;
  const std::uint32_t start = equal ? series.member : shift;
  std::vector<std::vector<std::uint32_t>> classes(rows);
  const std::vector<std::uint32_t> split =
      permutation(cells.size(),
                  base::Random::of({place.seed, kClassStream, series.number, place.round / rows}));
  for (std::uint32_t i = 0; i < split.size(); ++i) classes[i % rows].push_back(cells[split[i]]);
  base::Random random = base::Random::of({place.seed, kOrderStream, place.group, place.round});
  for (std::vector<std::uint32_t>& members : classes) random.shuffle(std::span(members));
  for (std::uint32_t i = 0; i < cells.size(); ++i) {
    const std::uint32_t row = (i + start) % rows;
    std::vector<std::uint32_t>& members = classes[(row + rows - shift) % rows];
    blocks[i] = {.cell = members.back(), .row = names[row]};
    members.pop_back();
  }
  return blocks;
}

// Rows of the Williams design for `count` things.
std::uint32_t williams_count(std::uint32_t count) {
  if (count <= 1) return 1;
  return count % 2 == 0 ? count : 2 * count;
}

// First row 0, n-1, 1, n-2, 2, ...: its successive differences are all different modulo n, so its
// cyclic shifts are balanced for an even n; an odd n needs the mirror images too.
std::vector<std::uint32_t> williams_row(std::uint32_t count, std::uint32_t number) {
  const bool mirrors = count > 1 && count % 2 != 0;
  const std::uint32_t shift = mirrors ? number / 2 : number;
  std::vector<std::uint32_t> row(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    row[i] = ((i % 2 == 0 ? i / 2 : count - 1 - i / 2) + shift) % count;
  }
  if (mirrors && number % 2 != 0) std::reverse(row.begin(), row.end());
  return row;
}

// Counts on by one more after every lcm(rows, others) steps: otherwise a row here would always meet
// the same row there.
std::uint32_t shifted(std::uint32_t step, std::uint32_t rows, std::uint32_t others) {
  return static_cast<std::uint32_t>((std::uint64_t{step} + step / std::lcm(rows, others)) % rows);
}

}  // namespace

std::vector<std::vector<std::uint32_t>> williams_rows(std::uint32_t arms) {
  std::vector<std::vector<std::uint32_t>> rows;
  for (std::uint32_t i = 0; i < williams_count(arms); ++i) rows.push_back(williams_row(arms, i));
  return rows;
}

std::vector<Block> round_blocks(const RoundPlace& place, bool shuffled,
                                const std::vector<bool>& shared, std::uint32_t rows) {
  std::vector<std::uint32_t> several;
  std::vector<std::uint32_t> single;
  for (std::uint32_t i = 0; i < shared.size(); ++i) (shared[i] ? several : single).push_back(i);
  const std::vector<Block> balanced = balanced_blocks(place, shuffled, several, rows);

  // Which positions of the round are whose; a draw of its own, so that a cell that one arm lacks
  // does not move the order of the others.
  std::vector<bool> kinds = shared;
  if (shuffled) {
    base::Random random = base::Random::of({place.seed, kSingleStream, place.group, place.round});
    random.shuffle(std::span(single));
    std::vector<std::uint32_t> positions = counted(shared.size());
    random.shuffle(std::span(positions));
    for (std::size_t i = 0; i < positions.size(); ++i) kinds[positions[i]] = i < several.size();
  }
  std::vector<Block> blocks;
  blocks.reserve(kinds.size());
  std::size_t next_balanced = 0;
  std::size_t next_single = 0;
  for (const bool kind : kinds) {
    blocks.push_back(kind ? balanced[next_balanced++] : Block{.cell = single[next_single++]});
  }
  return blocks;
}

std::vector<Block> round_blocks_in_families(const RoundPlace& place,
                                            std::span<const std::uint32_t> families,
                                            std::uint32_t rows) {
  const Series series = series_of(place.group, rows);
  const std::vector<std::uint32_t> names = row_names(place.seed, series, rows);
  const std::uint32_t shift = (place.round + series.member) % rows;
  std::map<std::uint32_t, std::vector<std::uint32_t>> members;
  for (std::uint32_t i = 0; i < families.size(); ++i) members[families[i]].push_back(i);
  std::vector<std::vector<std::uint32_t>> order;
  order.reserve(members.size());
  for (auto& [family, cells] : members) {
    base::Random names_of_cells = base::Random::of({place.seed, kFamilyStream, family});
    names_of_cells.shuffle(std::span(cells));
    order.push_back(std::move(cells));
  }

  // Counted on over all families, so that each has as many cells of every class as can be.
  std::vector<std::uint32_t> class_of(families.size());
  base::Random split = base::Random::of({place.seed, kClassStream, series.number});
  split.shuffle(std::span(order));
  std::uint32_t next_class = 0;
  for (const std::vector<std::uint32_t>& cells : order) {
    for (const std::uint32_t cell : cells) class_of[cell] = next_class++ % rows;
  }

  base::Random random = base::Random::of({place.seed, kOrderStream, place.group, place.round});
  random.shuffle(std::span(order));
  std::vector<Block> blocks;
  blocks.reserve(families.size());
  for (const std::vector<std::uint32_t>& cells : order) {
    const auto count = static_cast<std::uint32_t>(cells.size());
    const std::uint32_t cell_rows = williams_count(count);
    const std::uint32_t row =
        (shifted(place.round, cell_rows, rows) + shifted(place.group - 1, cell_rows, rows)) %
        cell_rows;
    for (const std::uint32_t i : williams_row(count, row)) {
      blocks.push_back({.cell = cells[i], .row = names[(class_of[cells[i]] + shift) % rows]});
    }
  }
  return blocks;
}

std::uint32_t group_row(std::uint64_t seed, std::uint32_t group, std::uint32_t rows) {
  const Series series = series_of(group, rows);
  return row_names(seed, series, rows)[series.member];
}

}  // namespace invar::design
