// What can be compared with what: two sides make a pair, whichever of campaign, arm, cell and time
// they differ in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "analysis/study/rules.hpp"
#include "stats/decide/verdict.hpp"

namespace invar::analysis {

// Which of the times that a visit gives.
struct Time {
  // kHeadline: the time that the rules ask for, of whole calls local or global. kDeclared: another
  // one that operations state.
  enum class Kind { kHeadline, kLocal, kGlobal, kDeclared };
  Kind kind = Kind::kHeadline;
  std::uint32_t index = 0;  // of kDeclared: in Contest::times

  bool operator==(const Time&) const = default;
};

// "local", "global", else "": declared times have their names in the visits.
std::string_view to_string(const Time& time);

struct Side {
  std::uint32_t campaign = 0;  // of those that are compared
  std::uint32_t cell = 0;      // index into Contest::cells
  std::uint32_t arm = 0;       // index into Contest::labels
  Time time = {};

  bool operator==(const Side&) const = default;
};

struct Pair {
  Side a = {};  // the reference
  Side b = {};
  // About time of B / time of A. It decides which words the verdict has.
  stats::Hypothesis hypothesis = {};
  // What both have in common is named by this cell; none: by A's.
  std::optional<std::uint32_t> place = {};
  bool with_reference = true;  // A is what all others are compared with
  bool printed = true;         // false: asked only to find the best arms; corrected with the others
  std::optional<std::size_t> view = {};  // index into Contest::views; none: the headline
  bool times_only = false;               // no ratio may be made of them; not in the table
  // Both run in a race: what another one beats is of no interest any more.
  bool races = false;

  // Two arms of one cell, as nearly all pairs are.
  [[nodiscard]] bool of_arms() const {
    return a.campaign == b.campaign && a.cell == b.cell && a.time == b.time && a.arm != b.arm;
  }
};

// How the values of both sides belong together. Two campaigns were never measured together. Two
// times of one cell and arm are of the same visits; two cells of one arm, of the same rounds of a
// launch. Two arms: as the campaign paired them, `between_arms`; where their cells differ as well
// they share no block, so that turns pair them by rounds.
Pairing pairing_of(const Pair& pair, Pairing between_arms);

}  // namespace invar::analysis
