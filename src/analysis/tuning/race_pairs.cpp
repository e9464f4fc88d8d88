#include "analysis/tuning/race_pairs.hpp"

#include <algorithm>
#include <cstdint>

#include "design/races/race.hpp"
#include "record/journal.hpp"

namespace invar::analysis {
namespace {

std::optional<std::uint32_t> arm_called(const Contest& contest, const std::string& label) {
  const auto found = std::ranges::find(contest.labels, label);
  if (found == contest.labels.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - contest.labels.begin());
}

// Whether its arm switches or is told by its settings, it has one cell in its family.
std::optional<Side> side_of(const Contest& contest, const design::RaceBlock& race,
                            const design::RaceCandidate& raced) {
  const std::optional<std::uint32_t> arm = arm_called(contest, raced.arm);
  if (!arm) return std::nullopt;
  const tuning::Candidate candidate = design::candidate_of(raced);
  const CellTable& whole = contest.times.front().whole();
  std::optional<Side> side;
  for (std::uint32_t cell = 0; cell < contest.cells.size(); ++cell) {
    if (!design::is_cell_of(contest.cells[cell], race, candidate)) continue;
    // Also where it was never measured in the reference regime.
    if (whole[cell][*arm].empty()) continue;
    // The cell that is switched, where the family has both.
    if (!side || contest.cells[cell].algorithm == raced.is) side = {.cell = cell, .arm = *arm};
  }
  return side;
}

}  // namespace

RaceSides sides_of_race(const Contest& contest, const design::RaceBlock& race) {
  RaceSides sides;
  sides.reserve(race.candidates.size());
  for (const design::RaceCandidate& raced : race.candidates) {
    sides.push_back(side_of(contest, race, raced));
  }
  return sides;
}

Expelled expelled_candidates(const store::Data& data, std::span<const design::RaceBlock> races) {
  Expelled expelled;
  for (const store::FailedCell& failed : data.failed_cells) {
    // Where it says that it will not, it does no harm elsewhere.
    if (failed.reason.starts_with(record::kRefused)) continue;
    const auto cell = std::ranges::find(data.cells, failed.cell, &record::Cell::id);
    if (cell == data.cells.end()) continue;
    for (const design::RaceBlock& race : races) {
      for (std::size_t i = 1; i < race.candidates.size(); ++i) {
        const design::RaceCandidate& raced = race.candidates[i];
        if (raced.arm != failed.arm) continue;
        if (!design::is_cell_of(*cell, race, design::candidate_of(raced))) continue;
        expelled.try_emplace({race.operation, raced.is}, failed.reason);
      }
    }
  }
  return expelled;
}

std::vector<RacePair> race_pairs(const Contest& contest, std::span<const design::RaceBlock> races,
                                 const Expelled& expelled) {
  std::vector<RacePair> pairs;
  for (std::size_t number = 0; number < races.size(); ++number) {
    const design::RaceBlock& race = races[number];
    const RaceSides sides = sides_of_race(contest, race);
    const auto is_expelled = [&](std::size_t i) {
      return expelled.contains({race.operation, race.candidates[i].is});
    };
    for (std::size_t i = 0; i < sides.size(); ++i) {
      if (!sides[i]) continue;
      for (std::size_t j = i + 1; j < sides.size(); ++j) {
        if (!sides[j]) continue;
        RacePair& added = pairs.emplace_back(RacePair{.race = number, .a = i, .b = j});
        added.pair = {.a = *sides[i],
                      .b = *sides[j],
                      .place = sides.front() ? sides.front()->cell : sides[i]->cell,
                      .with_reference = i == 0,
                      .printed = i == 0,
                      .times_only = is_expelled(i) || is_expelled(j),
                      .races = true};
      }
    }
  }
  return pairs;
}

std::vector<Pair> pairs_alone(std::span<const RacePair> pairs) {
  std::vector<Pair> alone;
  alone.reserve(pairs.size());
  for (const RacePair& pair : pairs) alone.push_back(pair.pair);
  return alone;
}

}  // namespace invar::analysis
