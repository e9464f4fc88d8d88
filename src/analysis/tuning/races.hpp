// The races of a campaign: what is fastest in each cell, and the decision table that follows. A
// plain value that a test can construct and any renderer can print.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/answer/answer.hpp"
#include "analysis/compare/comparison.hpp"
#include "analysis/study/lack.hpp"
#include "analysis/study/study.hpp"
#include "analysis/tuning/chosen.hpp"
#include "design/campaign/campaign.hpp"

namespace invar::analysis {

struct RacedCandidate {
  tuning::Candidate candidate = {};
  std::string text = {};  // of it
  std::string arm = {};
  std::optional<TimeEstimate> time = {};
  // Against the arm as given: its time over that one's. None of the arm itself.
  std::optional<ComparedCell> against_given = {};
  bool sure = false;  // it surely beats the arm as given, by as much as an entry must gain
  bool beaten = false;
  std::string beaten_by = {};  // text of the one that beats it by most
  std::string why = {};        // it did not race, or may not win; empty: it raced
  bool alike = false;          // because its messages are those of one that did
};

struct RacedCell {
  record::Cell cell = {};  // the arm's, as given
  std::optional<std::uint64_t> size_bytes = {};
  std::string operation = {};
  std::uint32_t ranks = 0;
  std::vector<RacedCandidate> candidates = {};  // the arm as given is the first; at least that
  std::optional<std::size_t> winner = {};       // none: the arm as given stays
  bool added = false;                           // born under way, between two winners

  // What the winner is expected to gain on the arm as given: a share of its time. None: no winner.
  [[nodiscard]] std::optional<double> gain() const;
  // Candidates that have times, and of these those that may win and that nothing beats.
  [[nodiscard]] std::size_t raced() const;
  [[nodiscard]] std::size_t unbeaten() const;
  // Born under way to tell where the winner changes, and it does not tell: nothing wins, and of
  // what nothing beats something may be faster than the arm as given, or slower.
  [[nodiscard]] bool open() const;
};

struct TuneRaces {
  std::string sentence = {};
  std::string scope = {};
  std::vector<ComparedArm> arms = {};
  // By operation, ranks and size. Those that were born under way and have no times are left out.
  std::vector<RacedCell> cells = {};
  tuning::DecisionTable table = {};
  std::vector<SwitchingGap> gaps = {};  // sizes between two that have different winners
  std::vector<Warning> warnings = {};
  bool global_runtime = false;
  double alpha = 0.05;
  double min_effect = 0.02;
  std::size_t comparisons = 0;
  std::vector<LookReport> looks = {};
  std::string no_verdict = {};  // why there are no verdicts at all; empty: there are
  std::filesystem::path dir = {};
  Health health = {};

  // Label of the arm that is tuned.
  [[nodiscard]] std::string given() const { return arms.empty() ? "" : arms.front().label; }
};

// The campaign's own races, then those that were added under way.
std::vector<design::RaceBlock> all_races(const Study& study);

// Throws what races_lack() says.
TuneRaces tune_races(const Study& study);
// The campaign has no races, or no complete launch group, or no valid repetition.
std::optional<Lack> races_lack(const Study& study);

// What every cell came to, for tables and switching points.
std::vector<ChosenCell> chosen_cells(const TuneRaces& found);

// From the cells alone.
std::string races_sentence(const TuneRaces& found);

// What is written for sizes between two that have different winners, and where nothing is: what a
// reader should see before any other remark.
std::vector<Warning> gap_warnings(const TuneRaces& found);

Answer answer_of(const TuneRaces& found);

}  // namespace invar::analysis
