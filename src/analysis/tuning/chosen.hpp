// Who wins a race, and the decision table that follows from all winners. Pure functions on
// verdicts and numbers (docs/methods.md, "Tuning").
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stats/decide/verdict.hpp"
#include "stats/types.hpp"
#include "tuning/candidate.hpp"
#include "tuning/decision_table.hpp"

namespace invar::analysis {

// Candidate b against candidate a, of indices a < b.
struct Duel {
  std::size_t a = 0;
  std::size_t b = 0;
  std::optional<stats::Verdict> verdict = {};  // about a: faster means that a takes less time
  std::optional<double> ratio = {};            // time of b / time of a
  std::optional<stats::Interval> ratio_interval = {};
};

// Who beats whom, by verdicts alone.
struct Standing {
  bool beaten = false;
  std::size_t by = 0;  // the one that beats it by most, if it is beaten
};
std::vector<Standing> standings_of(std::size_t candidates, std::span<const Duel> duels);

// The index of the winner; none: the arm as given (index 0) stays. It stays where nothing is surely
// faster. Of those that nothing beats: the library's own choice, where it is among them, else the
// fastest of its algorithms, because a file can say it, else the fastest of the others, by the
// duels among them. A winner must gain more than `min_effect` on the arm as given: by its estimate;
// by the near end of its interval where it needs the shim, because every collective of a program
// pays for that, in each cell. Who falls short of it beats nobody. `allowed`: false for who may not
// win (it fails elsewhere, or has no data).
std::optional<std::size_t> winner_of(std::span<const tuning::Candidate> candidates,
                                     const std::vector<bool>& allowed, std::span<const Duel> duels,
                                     double min_effect);

// What one cell came to.
struct ChosenCell {
  std::string operation = {};
  std::uint32_t ranks = 0;
  std::optional<std::uint64_t> size_bytes = {};
  std::optional<tuning::Candidate> winner = {};  // none: as given
};

// Between two sizes with different winners nothing nearer than this factor is looked for.
constexpr double kFinestStep = 1.2;

// Entries from measured size to measured size: neighbours with one winner make one entry. Where
// both of two neighbours have a winner, another one, and stand no further apart than kFinestStep,
// the smaller one's entry goes on up to the larger size. No entry goes beyond what was measured.
tuning::DecisionTable table_of(std::vector<ChosenCell> cells);

// Two neighbours of different winners (or one of which has none) that are further apart.
struct SwitchingGap {
  ChosenCell below = {};
  ChosenCell above = {};
};
std::vector<SwitchingGap> switching_gaps(std::vector<ChosenCell> cells);

// The geometric mean of both sizes, as a multiple of `unit_bytes`; none: no multiple lies between.
std::optional<std::uint64_t> size_between(std::uint64_t low_bytes, std::uint64_t high_bytes,
                                          std::uint64_t unit_bytes);

}  // namespace invar::analysis
