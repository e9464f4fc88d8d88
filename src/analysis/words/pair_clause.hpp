// What a sentence says of two arms: who is faster, and where.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/compare/comparison.hpp"
#include "analysis/words/where.hpp"

namespace invar::analysis {

using Subset = std::vector<std::size_t>;

// "for 8 B and 1 KiB", or "in 20 of 48 cells": one way for a whole sentence.
class Places {
 public:
  // Refers to `words`.
  Places(const CellWords& words, const std::vector<Subset>& subsets);

  [[nodiscard]] std::string of(const Subset& subset) const;
  // Where cells are counted also names a few of them: "in 20 of 48 cells (bcast 8 B to 1 KiB, all
  // of scan, ...)", those first that weigh most. `weights`: one a cell of the words.
  [[nodiscard]] std::string of(const Subset& subset, const std::vector<double>& weights) const;

  [[nodiscard]] bool counted() const { return counted_; }

 private:
  const CellWords& words_;
  bool counted_ = false;
};

// Pieces of a subset, the ones first that weigh most, and what each weighs.
struct WeighedPiece {
  std::string words = {};
  double weight = 0;
};
std::vector<WeighedPiece> weighed_pieces(const CellWords& words, const Subset& subset,
                                         const std::vector<double>& weights);
// " (bcast 8 B to 1 KiB, all of scan, ...)": the first `most` of them; nothing where they are long.
std::string named_pieces(const std::vector<WeighedPiece>& pieces, std::size_t most);

// "openmpi is faster for 8 B, mpich for 16 KiB"; of two campaigns "openmpi was faster in campaign
// day1 than in day2 for 8 B, slower for 16 KiB". All rows are of one pair of arms.
std::string pair_words(const std::vector<ComparedCell>& rows, const Comparison& comparison);

// What a gate says of several pairs, short whatever their number: "In 4 of 8 comparisons an arm
// is more than 20 % slower than openmpi (1.3 to 2.0 times as long): mpich for 8 B, rd for 4 KiB and
// 2 more; 1 undecided". The table has the rest. Rows by pair.
std::string gate_of_several(const std::vector<std::vector<ComparedCell>>& pairs,
                            const Comparison& comparison);

}  // namespace invar::analysis
