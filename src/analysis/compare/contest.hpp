// Who is compared with whom, whatever the campaign's design: cells, arms, their visits and the
// questions asked of them. Shared by the comparisons within one campaign and between two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/compare/comparison.hpp"
#include "analysis/study/pairs.hpp"
#include "stats/decide/inference.hpp"
#include "store/reader.hpp"

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
  bool times_only = false;                 // no ratio may be made of them; not of the family
};

// The arms' visits that a question is about.
const std::vector<CellVisits>& visits_of(const Contest& contest, const Question& question);

// The arms (indices into Data::arms) in this order; cells that failed in an arm are empty there.
CellTable of_arms(const store::Data& data, CellTable table, std::span<const std::uint32_t> arms);
Contest contest_of(const store::Data& data, CellTable table, std::span<const std::uint32_t> arms);

// Whether both arms have launches enough in the question's regime for an answer of its own.
bool enough_in_regime(const Contest& contest, const Question& question, Pairing pairing);

// With more than two arms every pair is asked, because the best arms follow from all of them;
// printed are those with the reference, or, where it does not have the cell, with the first arm
// that does. After each cell's: the same of every regime in which both arms have launches enough.
std::vector<Question> questions_of(const Contest& contest, bool all_pairs);

struct Answers {
  std::vector<ComparedCell> rows = {};  // in the order of the questions
  std::size_t tests = 0;                // in the family
};

// The questions as one family of tests, with the numbers that each rests on. Refers to the contest,
// the questions and the rules.
class Family {
 public:
  // Pairing as in rules, method invar.
  Family(const Contest& contest, std::span<const Question> questions, const Rules& rules);

  // A question may have none: no common launch group, times of 0.
  [[nodiscard]] bool has_evidence(std::size_t question) const {
    return evidence_[question].exists();
  }
  // Refers to this object. Only of a question with evidence.
  [[nodiscard]] stats::TableTest member(std::size_t question) const;
  // The times of both arms, undecided (no verdict where the rules allow none).
  [[nodiscard]] ComparedCell row(std::size_t question) const;
  // With the ratio and what was judged of it.
  [[nodiscard]] ComparedCell row(std::size_t question, const stats::TableRow& judged) const;

 private:
  struct Evidence {
    PairedDifferences paired = {};
    std::vector<double> log_a = {};
    std::vector<double> log_b = {};
    double floor_a = 0;
    double floor_b = 0;
    double resolution = 0;

    [[nodiscard]] bool exists() const;
  };

  const Contest& contest_;
  std::span<const Question> questions_;
  const Rules& rules_;
  std::vector<Evidence> evidence_ = {};
};

// Method and pairing as in rules; every question belongs to one family of tests.
Answers answer(const Contest& contest, std::span<const Question> questions, const Rules& rules);

// Every cell's arms that no other arm beats, from the answers to all pairs.
std::vector<BestArms> best_arms(const Contest& contest, std::span<const Question> questions,
                                std::span<const ComparedCell> rows);

}  // namespace invar::analysis
