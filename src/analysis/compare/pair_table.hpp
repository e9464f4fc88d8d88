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
    // Where nothing is paired, both sides stand for themselves.
    std::vector<double> log_a = {};
    std::vector<double> log_b = {};
    double floor_a = 0;
    double floor_b = 0;
    double resolution = 0;
    double rounding = 0;

    [[nodiscard]] bool exists() const;
  };

  const Contest& contest_;
  std::span<const Pair> pairs_;
  const Rules& rules_;
  std::vector<Evidence> evidence_ = {};
};

// What a table of these pairs is judged by. The one-sided questions of a gate, of guidelines and of
// what a file gains get half of alpha, as either side of a two-sided one does: their intervals have
// as much confidence as all others.
stats::DecisionRule decision_of(std::span<const Pair> pairs, const Rules& rules);

struct Answers {
  std::vector<ComparedCell> rows = {};  // in the order of the pairs
  std::size_t tests = 0;                // in the table
};

// Method and pairing as in rules; all pairs are one table.
Answers answer(const Contest& contest, std::span<const Pair> pairs, const Rules& rules);

// Every cell's sides that no other one beats, from the answers to all pairs: arms, or levels inside
// of one arm. Cells and names in their order of appearance.
std::vector<BestArms> best_sides(std::span<const Pair> pairs, std::span<const ComparedCell> rows);

}  // namespace invar::analysis
