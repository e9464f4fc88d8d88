// What a tuned file gains: the arm untouched against the arm with the file, in launches that chose
// nothing. A plain value that a test can construct and any renderer can print.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/answer/answer.hpp"
#include "analysis/compare/comparison.hpp"
#include "analysis/compare/contest.hpp"
#include "analysis/study/lack.hpp"
#include "analysis/study/study.hpp"
#include "design/campaign/campaign.hpp"
#include "tuning/decision_table.hpp"

namespace invar::analysis {

// What was found in a cell of an entry, or of none.
enum class Effect : std::uint8_t {
  kGains,      // an entry's: by more than min-effect
  kGainsLess,  // an entry's: surely by less than that, if at all
  kSame,       // no entry's: not slower by more than min-effect
  kSlower,  // the tuned arm takes longer: of no entry by more than min-effect, of an entry at all
  kUndecided,
};
// "gains", "gains-less", "same", "slower", "undecided".
std::string_view to_string(Effect effect);

struct ConfirmedCell {
  std::optional<tuning::Candidate> entry = {};  // none: no entry holds here
  // The arm untouched (A) and tuned (B).
  ComparedCell sides = {};
  // The files have the entry after this confirmation and those before it (kept.hpp). None: there is
  // no entry, or this confirmation was asked alone and nothing is known of the others.
  std::optional<bool> stays = {};

  // None: there is no verdict.
  [[nodiscard]] std::optional<Effect> effect() const;
  // Share of the untouched time that tuning saves, 1 - tuned / untouched, and its interval.
  [[nodiscard]] std::optional<double> gain() const;
  [[nodiscard]] std::optional<stats::Interval> gain_interval() const;
  // Time that tuning saves in a call.
  [[nodiscard]] std::optional<double> gain_ns() const;
};

struct Confirmation {
  std::string sentence = {};
  std::string scope = {};
  std::vector<ComparedArm> arms = {};  // untouched, tuned
  std::vector<ConfirmedCell> cells = {};
  tuning::DecisionTable tested = {};
  // What of it gains; among the other confirmations of its race what is in force after them.
  tuning::DecisionTable confirmed = {};
  std::vector<Warning> warnings = {};
  bool global_runtime = false;
  double alpha = 0.05;
  double min_effect = 0.02;
  std::size_t comparisons = 0;
  std::vector<LookReport> looks = {};
  std::string no_verdict = {};
  std::vector<std::string> sessions = {};
  std::filesystem::path dir = {};
  Health health = {};

  [[nodiscard]] std::size_t count(Effect effect) const;
};

// The pairs of a campaign that confirms, cell after cell: does an entry's cell gain more than
// min-effect, is another one slower by more than that?
std::vector<Pair> confirmation_pairs(const Contest& contest, const design::Campaign& campaign);

// The verdict on such a pair as a word for the record of a look.
std::string confirmed_word(const Pair& pair, stats::Verdict verdict);

// Throws what confirmation_lack() says.
Confirmation confirmation(const Study& study);
// The campaign confirms nothing, or no complete launch group, or no valid repetition.
std::optional<Lack> confirmation_lack(const Study& study);

// From the cells alone.
std::string confirmation_sentence(const Confirmation& found);

Answer answer_of(const Confirmation& found);

}  // namespace invar::analysis
