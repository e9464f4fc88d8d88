// Sequential campaigns: what every look decided, from the data alone (docs/methods.md, "Looks").
// The manifest says which launch groups each look had; groups that came in later never change what
// a look said.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "analysis/compare/contest.hpp"
#include "analysis/compare/pair_table.hpp"
#include "record/arm_cell.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

// The time of an arm in a cell that is in no pair: nothing to compare, so its precision decides.
struct LonelyTime {
  std::uint32_t cell = 0;                  // index into Contest::cells
  std::uint32_t arm = 0;                   // index into Contest::labels
  std::optional<std::uint32_t> look = {};  // that found it settled
};

struct Looks {
  Answers answers = {};  // rows of the look that decided, else of the last one
  std::vector<LookReport> reports = {};
  std::vector<LonelyTime> lonely = {};
};

// Before its first look a sequential campaign has judged nothing, and corrected nothing: `rules`
// without verdicts (Rules::no_verdict says why), intervals of each row by itself. Others as they
// are.
Rules rules_before_a_look(Rules rules, const store::Data& data);

// What the looks say about these pairs, which must be everything that the campaign compares (of
// arms: all pairs): one table. Before the first look: ratios with plain intervals over all data,
// neither p nor verdict. Throws UserError for a look whose number no campaign has.
Looks take_looks(const Contest& contest, std::span<const Pair> pairs, const Rules& rules,
                 std::span<const store::LookLine> looks);

// All arms of a campaign: what the driver asks between launches. Refers to the data.
struct Standings {
  Contest contest = {};
  // Run-times are global, but in visits that say otherwise (VisitSummary::local).
  bool global = false;
  std::vector<Pair> pairs = {};
  Looks looks = {};
  // (Side::cell, Side::arm) of pairs that race, by looks so far: thousands of them.
  std::set<std::pair<std::uint32_t, std::uint32_t>> beaten = {};

  // Nothing more can be learnt about it: the look decided, an arm is dropped, or a side is out of
  // the race.
  [[nodiscard]] bool closed(const store::Data& data, std::size_t pair) const;
  // (Cell::id, index into Data::arms) that need not be measured any more: every pair that it is in
  // is closed, or there is none and its time is settled.
  [[nodiscard]] std::vector<record::ArmCell> done(const store::Data& data) const;
};

// A look comes after so many times its launches, however few of them were in the machine's
// reference regime.
constexpr std::size_t kMostWaiting = 2;
// As long as it takes a regime that holds a tenth of the visits, which is the rarest reference.
constexpr std::size_t kMostWaitingOfLast = 10;

// What a look may rest on.
struct LookGround {
  std::optional<base::CanaryBand> regime = {};  // the machine's reference regime so far
  // Complete groups that do not count: too few of their cells were in that regime.
  std::size_t outside = 0;
};
LookGround look_ground(const store::Data& data, const Rules& rules);

// Rules with the campaign's own alpha, min-effect and correction. `data.looks` may end with a look
// that is not in the manifest yet. Throws CommandError as compare() does where there is no valid
// repetition. `ask`: the pairs that the campaign compares, for which one arm is enough (two cells
// of it); none: all pairs of arms, or of the levels that the rules compare.
Standings stand(const store::Data& data, const Rules& rules, const AskedPairs& ask = {});

}  // namespace invar::analysis
