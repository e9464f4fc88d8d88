// Whose times stand side by side, whatever the campaign's design: the sides that pairs are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/compare/pair.hpp"
#include "analysis/study/pairs.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

// All visits by one of their times.
struct TimedVisits {
  Time time = {};
  CellTable table = {};  // [cell][arm]; empty where an arm does not have a cell
  // The same, of the visits of each regime of the machine; none where these were not split.
  std::vector<CellTable> in_regime = {};
};

struct Contest {
  std::vector<record::Cell> cells = {};   // of several campaigns: those that all of them have
  std::vector<std::string> labels = {};   // of the arms, campaign after campaign
  std::vector<TimedVisits> times = {};    // the first one is the headline
  std::vector<std::string> regimes = {};  // their names

  [[nodiscard]] const CellTable& table() const { return times.front().table; }
};

// `regime`: index into Contest::regimes; none: over everything. The contest has the side's time,
// else std::out_of_range.
const CellVisits& visits_of(const Contest& contest, const Side& side,
                            std::optional<std::size_t> regime = {});

// log of A - log of B, one a launch group; of a pair that is paired.
PairedDifferences differences_of(const Contest& contest, const Pair& pair, Pairing between_arms);

// The arms (indices into Data::arms) in this order; cells that failed in an arm are empty there.
CellTable of_arms(const store::Data& data, CellTable table, std::span<const std::uint32_t> arms);
Contest contest_of(const store::Data& data, CellTable table, std::span<const std::uint32_t> arms);

// Whether both sides have launches enough in the pair's regime for an answer of its own.
bool enough_in_regime(const Contest& contest, const Pair& pair, Pairing between_arms);

// Two arms of each cell. With more than two arms every pair is asked, because the best arms follow
// from all of them; printed are those with the reference, or, where it does not have the cell, with
// the first arm that does. After each cell's: the same of every regime in which both arms have
// launches enough.
std::vector<Pair> pairs_of_arms(const Contest& contest, bool all_pairs);

// What a campaign compares: which pairs a question is about.
using AskedPairs = std::function<std::vector<Pair>(const Contest&)>;

}  // namespace invar::analysis
