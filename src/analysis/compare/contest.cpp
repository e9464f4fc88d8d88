#include "analysis/compare/contest.hpp"

#include <algorithm>
#include <stdexcept>

#include "analysis/machine/regimes.hpp"
#include "analysis/study/select.hpp"

namespace invar::analysis {
namespace {

// Launch groups that both sides have.
std::size_t common_groups(const CellVisits& a, const CellVisits& b) {
  return static_cast<std::size_t>(
      std::ranges::count_if(a.launches, [&](const LaunchVisits& launch) {
        return std::ranges::find(b.launches, launch.group, &LaunchVisits::group) !=
               b.launches.end();
      }));
}

void add_regimes(const Contest& contest, std::span<const Pair> of_cell, std::vector<Pair>& pairs) {
  for (std::size_t regime = 0; regime < contest.regimes.size(); ++regime) {
    for (Pair pair : of_cell) {
      pair.regime = regime;
      if (pair.printed && enough_in_regime(contest, pair, Pairing::kTurns)) pairs.push_back(pair);
    }
  }
}

}  // namespace

const CellVisits& visits_of(const Contest& contest, const Side& side,
                            std::optional<std::size_t> regime) {
  const auto timed = std::ranges::find(contest.times, side.time, &TimedVisits::time);
  if (timed == contest.times.end()) throw std::out_of_range("a side has a time that is not there");
  return (regime ? timed->in_regime.at(*regime) : timed->table).at(side.cell).at(side.arm);
}

PairedDifferences differences_of(const Contest& contest, const Pair& pair, Pairing between_arms) {
  return paired_differences(visits_of(contest, pair.a, pair.regime),
                            visits_of(contest, pair.b, pair.regime),
                            pairing_of(pair, between_arms));
}

CellTable of_arms(const store::Data& data, CellTable table, std::span<const std::uint32_t> arms) {
  drop_failed_cells(data, table);
  for (std::vector<CellVisits>& row : table) {
    std::vector<CellVisits> selected;
    selected.reserve(arms.size());
    for (const std::uint32_t arm : arms) selected.push_back(std::move(row[arm]));
    row = std::move(selected);
  }
  return table;
}

Contest contest_of(const store::Data& data, CellTable table, std::span<const std::uint32_t> arms) {
  Contest contest{.cells = data.cells};
  for (const std::uint32_t arm : arms) contest.labels.push_back(data.arms[arm].label);
  contest.times.push_back({.table = of_arms(data, std::move(table), arms)});
  return contest;
}

bool enough_in_regime(const Contest& contest, const Pair& pair, Pairing between_arms) {
  const CellVisits& a = visits_of(contest, pair.a, pair.regime);
  const CellVisits& b = visits_of(contest, pair.b, pair.regime);
  const std::size_t groups = pairing_of(pair, between_arms) == Pairing::kNone
                                 ? std::min(a.launches.size(), b.launches.size())
                                 : common_groups(a, b);
  return groups >= kRegimeGroups;
}

std::vector<Pair> pairs_of_arms(const Contest& contest, bool all_pairs) {
  std::vector<Pair> pairs;
  const bool several = contest.labels.size() > 2;
  for (std::uint32_t cell = 0; cell < contest.cells.size(); ++cell) {
    std::vector<std::uint32_t> present;
    for (std::uint32_t arm = 0; arm < contest.labels.size(); ++arm) {
      if (!contest.table()[cell][arm].empty()) present.push_back(arm);
    }
    std::vector<Pair> of_cell;
    for (std::size_t i = 0; i < present.size(); ++i) {
      const bool printed = all_pairs || i == 0;
      if (!printed && !several) continue;
      for (std::size_t j = i + 1; j < present.size(); ++j) {
        of_cell.push_back({.a = {.cell = cell, .arm = present[i]},
                           .b = {.cell = cell, .arm = present[j]},
                           .printed = printed});
      }
    }
    pairs.insert(pairs.end(), of_cell.begin(), of_cell.end());
    add_regimes(contest, of_cell, pairs);
  }
  return pairs;
}

}  // namespace invar::analysis
