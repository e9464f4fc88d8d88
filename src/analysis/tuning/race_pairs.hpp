// All candidates of every race as pairs: cells and arms that were measured together in a family.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/compare/contest.hpp"
#include "design/campaign/campaign.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

// Where a race's candidates were measured; none: it has no visits. Index as RaceBlock::candidates.
using RaceSides = std::vector<std::optional<Side>>;
RaceSides sides_of_race(const Contest& contest, const design::RaceBlock& race);

// Candidates that crashed or gave a wrong result somewhere, as (operation, text), and why: nobody
// should be told to run them anywhere. The arm as given is none of them, nor is one that refused a
// size: it has no visits there.
using Expelled = std::map<std::pair<std::string, std::string>, std::string>;
Expelled expelled_candidates(const store::Data& data, std::span<const design::RaceBlock> races);

// A pair of candidates of a race, of indices a < b.
struct RacePair {
  std::size_t race = 0;
  std::size_t a = 0;
  std::size_t b = 0;
  Pair pair = {};
};

// Every two candidates of a race that have visits, in the order of races and candidates: one table.
// Who is expelled beats nobody.
std::vector<RacePair> race_pairs(const Contest& contest, std::span<const design::RaceBlock> races,
                                 const Expelled& expelled);
std::vector<Pair> pairs_alone(std::span<const RacePair> pairs);

}  // namespace invar::analysis
