// Which pairs of ranks are slower than the others, in each direction (docs/methods.md, "Pairs
// of ranks"). A plain value that a test can construct and any renderer can print.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/p2p/rates.hpp"
#include "analysis/pairs/pair_rates.hpp"
#include "analysis/pairs/pair_times.hpp"
#include "stats/decide/outliers.hpp"

namespace invar::analysis {

// A pair in an arm: one direction, or both.
struct PairRow {
  std::string arm = {};
  record::Cell cell = {};  // its pattern is "all-pairs"
  record::RankPair pair = {};
  // The mean of both directions, because their clocks leave open which one is slower.
  bool both_ways = false;
  // By how much the clocks of two ranks may be apart; 0: its time is read on one clock.
  double clocks_ns = 0;
  // So much of its ratio may come from the clocks. It must stand out by more than that and the
  // smallest effect together.
  double slack = 0;
  std::size_t at_once = 0;  // other pairs that talked meanwhile
  // Whether both ranks are on one host; none: every launch group puts them elsewhere.
  std::optional<bool> one_host = {};
  std::size_t groups = 0;  // launch groups that have it
  TimeEstimate time = {};
  std::optional<Rate> bandwidth = {};  // none: there are no bytes
  // Against the median of the pairs that it can be compared with: of the same arm, cell and
  // direction, on one host as it is, or between hosts as it is.
  stats::Outlier against = {};

  [[nodiscard]] bool this_launch_only() const { return groups == 1; }
};

struct AllPairs {
  std::string sentence = {};
  PairsFrame frame = {};
  std::vector<PairRow> rows = {};        // by arm, then by cell, then by pair
  std::vector<PatternRates> rates = {};  // of all matchings of a cell together
};

// No cell of a matching, or of none of them a pair's own time can be told; no complete launch
// group, or no valid repetition.
std::optional<Lack> all_pairs_lack(const Study& study);
// Throws what all_pairs_lack() says.
AllPairs all_pairs(const Study& study);

// From rows and frame alone.
std::string all_pairs_sentence(const AllPairs& found);

Answer answer_of(const AllPairs& found);

}  // namespace invar::analysis
