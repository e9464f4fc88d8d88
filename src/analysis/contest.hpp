// Who is compared with whom, whatever the campaign's design: cells, arms, their visits and the
// questions asked of them. Shared by the comparisons within one campaign and between two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/comparison.hpp"
#include "analysis/pairs.hpp"

namespace invar::analysis {

struct Contest {
  std::vector<record::Cell> cells = {};
  std::vector<std::string> labels = {};  // of the arms
  CellTable table = {};                  // [cell][arm]; empty where an arm does not have a cell
  // The same, of the visits of each regime of the machine; none where these were not split.
  std::vector<CellTable> in_regime = {};
  std::vector<std::string> regimes = {};  // their names
};

struct Question {
  std::uint32_t cell = 0;  // index into Contest::cells
  std::uint32_t a = 0;     // index into Contest::labels: the reference
  std::uint32_t b = 0;
  bool printed = true;  // false: asked only to find the best arms; corrected with the others
  std::optional<std::size_t> regime = {};  // index into Contest::in_regime; none: over everything
};

// The arms' visits that a question is about.
const std::vector<CellVisits>& visits_of(const Contest& contest, const Question& question);

struct Answers {
  std::vector<ComparedCell> rows = {};  // in the order of the questions
  std::size_t tests = 0;                // in the family
};

// Method and pairing as in rules; every question belongs to one family of tests.
Answers answer(const Contest& contest, std::span<const Question> questions, const Rules& rules);

// Every cell's arms that no other arm beats, from the answers to all pairs.
std::vector<BestArms> best_arms(const Contest& contest, std::span<const Question> questions,
                                std::span<const ComparedCell> rows);

}  // namespace invar::analysis
