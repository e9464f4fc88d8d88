// Which cells of a plan are about overlap: an amount of computation is measured beside a call, by
// itself, and beside the call without it, all in one family.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "record/cell.hpp"

namespace invar::record {

// By index: the cell computes meanwhile, or stands in a family with one that does. All of these are
// called in two parts with the computation between them, however much that is, so that they differ
// in nothing else.
std::vector<bool> called_in_parts(std::span<const Cell> cells);

// By index the cell of the same family that differs in nothing but that it computes nothing; the
// cell itself where it is that one. None: there is no such cell.
std::vector<std::optional<std::uint32_t>> calls_without_computation(std::span<const Cell> cells);

// How much the cell computes is in times of a call; or how late its ranks come is
// (record/arrival.hpp).
bool computes_multiple(const Cell& cell);
bool has_multiples(const Cell& cell);

// Indices of the three cells from which an overlap follows.
struct OverlapCells {
  std::uint32_t call = 0;         // "off"
  std::uint32_t computation = 0;  // "only:0.5x"
  std::uint32_t both = 0;         // "0.5x"

  bool operator==(const OverlapCells&) const = default;
};

// One for each amount of computation of which there are all three, in the order of `both`.
std::vector<OverlapCells> overlap_cells(std::span<const Cell> cells);

}  // namespace invar::record
