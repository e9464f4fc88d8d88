// Pairs whose tests are corrected together, and what they say.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "analysis/compare/comparison.hpp"
#include "analysis/compare/contest.hpp"
#include "stats/decide/inference.hpp"

namespace invar::analysis {

// The pairs with the numbers that each rests on, by method invar. Refers to the contest, the pairs
// and the rules, which say how two arms are paired.
class PairTable {
 public:
  PairTable(const Contest& contest, std::span<const Pair> pairs, const Rules& rules);

  // A pair may have none: no common launch group, times of 0.
  [[nodiscard]] bool has_evidence(std::size_t pair) const { return evidence_[pair].exists(); }
  // Refers to this object. Only of a pair with evidence.
  [[nodiscard]] stats::TableTest test(std::size_t pair) const;
  // The times of both sides, undecided (no verdict where the rules allow none).
  [[nodiscard]] ComparedCell row(std::size_t pair) const;
  // With the ratio and what was judged of it.
  [[nodiscard]] ComparedCell row(std::size_t pair, const stats::TableRow& judged) const;

 private:
  struct Evidence {
    PairedDifferences paired = {};
    // Of what is not paired.
    std::vector<double> log_a = {};
    std::vector<double> log_b = {};
    double floor_a = 0;
    double floor_b = 0;
    double resolution = 0;

    [[nodiscard]] bool exists() const;
  };

  const Contest& contest_;
  std::span<const Pair> pairs_;
  const Rules& rules_;
  std::vector<Evidence> evidence_ = {};
};

struct Answers {
  std::vector<ComparedCell> rows = {};  // in the order of the pairs
  std::size_t tests = 0;                // in the table
};

// Method and pairing as in rules; all pairs are one table.
Answers answer(const Contest& contest, std::span<const Pair> pairs, const Rules& rules);

// Every cell's arms that no other arm beats, from the answers to all pairs of arms.
std::vector<BestArms> best_arms(const Contest& contest, std::span<const Pair> pairs,
                                std::span<const ComparedCell> rows);

}  // namespace invar::analysis
