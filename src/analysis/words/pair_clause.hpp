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

 private:
  const CellWords& words_;
  bool counted_ = false;
};

// "openmpi is faster for 8 B, mpich for 16 KiB"; of two campaigns "openmpi was faster in campaign
// day1 than in day2 for 8 B, slower for 16 KiB". All rows are of one pair of arms.
std::string pair_words(const std::vector<ComparedCell>& rows, const Comparison& comparison);

}  // namespace invar::analysis
