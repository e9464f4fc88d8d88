// What each pair of ranks took by itself, while the other pairs of its pattern talked at the same
// time, and everything else that the questions about pairs rest on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "analysis/answer/answer.hpp"
#include "analysis/compare/comparison.hpp"
#include "analysis/compare/contest.hpp"
#include "analysis/study/lack.hpp"
#include "analysis/study/study.hpp"
#include "record/p2p/pattern.hpp"

namespace invar::analysis {

// A pair in a cell, of which some visit has a time.
struct PairPlace {
  std::uint32_t cell = 0;  // index into Data::cells
  record::RankPair pair = {};
  std::size_t of_pairs = 1;  // that the cell has
  // What the clocks of two ranks may put into a time from the one to the other; 0: it is read on
  // one clock.
  double clocks_ns = 0;
  // Its times are means of both directions, of the pairs of this cell and of its way back
  // (pair_directions.hpp): what the clocks put into them cancels.
  bool both_ways = false;

  // What the clocks may put into these times.
  [[nodiscard]] double apart_ns() const { return both_ways ? 0 : clocks_ns; }

  bool operator==(const PairPlace&) const = default;
};

struct PairTimes {
  std::vector<PairPlace> places = {};  // by cell, then in the order of the pattern
  CellTable table = {};                // [place][arm]
};

// "3 to 5"; both directions, with " and " between them, "3 and 5".
std::string pair_name(const record::RankPair& pair, const char* between);

// Nobody reads a table of the pairs of more; whoever forges a directory may name any number.
constexpr std::uint32_t kMostRanksOfPairs = 16'384;

// Campaigns with pairs, as both questions look at them.
struct MeasuredPairs {
  std::vector<std::uint32_t> cells = {};  // indices into Data::cells, of those with pairs
  std::vector<std::uint32_t> arms = {};
  Rules rules = {};
  Contest contest = {};  // of the operations' headlines: a call of all pairs together
  PairTimes pairs = {};
  // What the time of all pairs together is, of each operation; and what a pair's own is, where it
  // can be told.
  std::vector<std::string> span_words = {};
  std::vector<std::string> time_words = {};
  std::vector<Warning> warnings = {};  // those of the data among them
};

// What all answers about pairs say beside their rows.
struct PairsFrame {
  std::string scope = {};
  std::vector<ComparedArm> arms = {};
  std::vector<std::string> span_words = {};  // as MeasuredPairs has them
  std::vector<std::string> time_words = {};
  std::vector<Warning> warnings = {};
  bool global_runtime = false;
  std::vector<std::string> local_cells = {};  // of which it is local nevertheless
  double alpha = 0.05;
  double tolerance = 0.02;      // the campaign's min-effect
  std::string no_verdict = {};  // why these are no figures; empty: they are
  std::filesystem::path dir = {};
  Health health = {};
};

// Whether a question is about cells of this pattern.
using WantsPattern = bool (*)(const record::Pattern& pattern);

// Indices into Data::cells, ascending: cells whose ranks send to each other in pairs, without
// computation meanwhile, in a pattern that is wanted.
std::vector<std::uint32_t> cells_with_pairs(const store::Data& data, WantsPattern wants);

// The pattern of a cell with pairs.
record::Pattern pattern_of_cell(const store::Data& data, const record::Cell& cell);

// No complete launch group, no such cell (`missing`: what there is not, and what would help), or no
// valid repetition.
std::optional<Lack> pairs_lack(const Study& study, WantsPattern wants, const base::Fault& missing);

// Why no single pair's time can be told in any of these cells, by the operations' own words; empty:
// of some operation it can.
std::string lack_of_pair_times(const Study& study, WantsPattern wants);

// Where pairs_lack() is none. The time of a pair is the first of these that all visits of its
// operation have: the one that the operation states for pairs, where ranks read one clock; else the
// own time of the rank that begins, if that ends when the other one has answered (a round trip, an
// acknowledgement).
MeasuredPairs measured_pairs(const Study& study, WantsPattern wants);

// `this_launch_only`: all rows rest on one launch group.
PairsFrame pairs_frame(const Study& study, const MeasuredPairs& measured, bool this_launch_only);

// The remarks of an answer: where its data lie, and what to do next.
std::vector<Remark> next_of(const PairsFrame& frame);

// "No figures: more ranks than cores": a sentence that has nothing but this of numbers. Empty: they
// are figures.
std::string no_figures_words(const PairsFrame& frame);
// The same for machines; absent: they are figures.
Value no_figures_value(const PairsFrame& frame);

}  // namespace invar::analysis
