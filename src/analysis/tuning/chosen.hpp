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

// Those of `allowed` that surely beat the arm as given, by as much as a winner must gain:
// ascending. Whoever else beats them.
std::vector<std::size_t> sure_gains(std::span<const tuning::Candidate> candidates,
                                    const std::vector<bool>& allowed, std::span<const Duel> duels,
                                    double min_effect);

// A candidate that surely beats the arm as given in a cell.
struct SureGain {
  tuning::Candidate candidate = {};
  double ratio = 1;  // its time over that of the arm
};

// What one cell came to.
struct ChosenCell {
  std::string operation = {};
  std::uint32_t ranks = 0;
  std::optional<std::uint64_t> size_bytes = {};
  std::optional<tuning::Candidate> winner = {};  // none: as given
  std::vector<SureGain> gains = {};              // whoever beats the arm, the winner or not
  std::vector<tuning::Candidate> losses = {};    // whom the arm surely beats
  // It was to tell where the winner changes, and nothing is decided: neither has it a winner, nor
  // is it known that the arm as given stays.
  bool open = false;
};

// Between two sizes with different winners nothing nearer than this factor is looked for.
constexpr double kFinestStep = 1.2;

// Neighbouring sizes with different winners (or one of which has none), and sizes in between. Cells
// that are open are no neighbours.
struct SwitchingGap {
  ChosenCell below = {};
  ChosenCell above = {};
  // What is written for the sizes in between; none: they stay as given.
  std::optional<tuning::Candidate> between = {};
  bool tried = false;  // an open cell lies in it

  // Nobody knows where in it the winner changes.
  [[nodiscard]] bool coarse() const;
  // The arm as given has lost on either side.
  [[nodiscard]] bool lost_at_both_ends() const { return below.winner && above.winner; }
};
std::vector<SwitchingGap> switching_gaps(std::vector<ChosenCell> cells, double min_effect);

// An entry for every cell that has a winner, and for the sizes between two neighbours what may be
// taken there: their winner where they have one and the same, else of those that surely beat the
// arm as given at both (and lose to it in no open cell in between) the best by the geometric mean
// of both ratios. Of those that come within `min_effect` of that one: the library's own choice,
// else an algorithm of it, else what needs a shim. Where there is none, the arm as given stays.
// Entries of one candidate that touch each other are one. None goes beyond what was measured.
tuning::DecisionTable table_of(std::vector<ChosenCell> cells, double min_effect);

// The geometric mean of both sizes, as a multiple of `unit_bytes`; none: no multiple lies between.
std::optional<std::uint64_t> size_between(std::uint64_t low_bytes, std::uint64_t high_bytes,
                                          std::uint64_t unit_bytes);

}  // namespace invar::analysis
