#include "analysis/compare/contest.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "analysis/machine/reference.hpp"
#include "analysis/study/select.hpp"
#include "record/factors.hpp"

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

stats::Hypothesis hypothesis_of(std::optional<double> gate) {
  if (!gate) return {};
  return {.alternative = stats::Alternative::kGreater, .margin = *gate};
}

// Cells that differ in `contest.against` alone, those of a family in the campaign's order: the
// first one is what all others are compared with.
std::vector<std::vector<std::uint32_t>> by_other_levels(const Contest& contest) {
  std::vector<std::vector<std::uint32_t>> places;
  std::map<std::string, std::size_t> known;
  const std::vector<std::string> others =
      record::levels_but(contest.cells, std::vector{contest.against});
  for (const std::uint32_t cell : record::reading_order(contest.cells)) {
    const auto [at, is_new] = known.try_emplace(others[cell], places.size());
    if (is_new) places.emplace_back();
    places[at->second].push_back(cell);
  }
  for (std::vector<std::uint32_t>& cells : places) std::ranges::sort(cells);
  return places;
}

const TimedVisits& timed_of(const Contest& contest, const Side& side) {
  const auto timed = std::ranges::find(contest.times, side.time, &TimedVisits::time);
  if (timed == contest.times.end()) throw std::out_of_range("a side has a time that is not there");
  return *timed;
}

}  // namespace

const CellVisits& visits_of(const Contest& contest, const Side& side,
                            std::optional<std::size_t> view) {
  const TimedVisits& timed = timed_of(contest, side);
  return (view ? timed.in_view.at(*view) : timed.table).at(side.cell).at(side.arm);
}

std::string time_name_of(const Contest& contest, const Side& side) {
  // Also where it was never measured in the reference regime.
  const CellVisits& visits = timed_of(contest, side).whole().at(side.cell).at(side.arm);
  return visits.empty() ? std::string(kWholeName) : visits.time_name();
}

PairedDifferences differences_of(const Contest& contest, const Pair& pair, Pairing between_arms) {
  return paired_differences(visits_of(contest, pair.a, pair.view),
                            visits_of(contest, pair.b, pair.view), pairing_of(pair, between_arms));
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

Contest contest_of(const store::Data& data, CellTable table, std::span<const std::uint32_t> arms,
                   const std::optional<base::CanaryBand>& reference) {
  Contest contest{.cells = data.cells};
  for (const std::uint32_t arm : arms) contest.labels.push_back(data.arms[arm].label);
  contest.times.emplace_back().table = of_arms(data, std::move(table), arms);
  contest.reference = reference;
  keep_reference(contest.times.front(), reference);
  return contest;
}

void keep_reference(TimedVisits& timed, const std::optional<base::CanaryBand>& reference) {
  if (!timed.everything.empty()) timed.table = std::exchange(timed.everything, {});
  if (!reference || !share_in(timed.table, *reference).splits()) return;
  timed.everything = std::move(timed.table);
  timed.table = within_band(timed.everything, *reference);
}

bool enough_in_view(const Contest& contest, const Pair& pair, Pairing between_arms) {
  const CellVisits& a = visits_of(contest, pair.a, pair.view);
  const CellVisits& b = visits_of(contest, pair.b, pair.view);
  const std::size_t groups = pairing_of(pair, between_arms) == Pairing::kNone
                                 ? std::min(a.launches.size(), b.launches.size())
                                 : common_groups(a, b);
  return groups >= kRegimeGroups;
}

std::vector<Pair> pairs_of_arms(const Contest& contest, bool all_pairs,
                                std::optional<double> gate) {
  std::vector<Pair> pairs;
  const bool several = contest.labels.size() > 2;
  const stats::Hypothesis hypothesis = hypothesis_of(gate);
  for (const std::uint32_t cell : record::reading_order(contest.cells)) {
    std::vector<std::uint32_t> present;
    for (std::uint32_t arm = 0; arm < contest.labels.size(); ++arm) {
      // Also where it was never measured in the reference regime.
      if (!contest.times.front().whole()[cell][arm].empty()) present.push_back(arm);
    }
    for (std::size_t i = 0; i < present.size(); ++i) {
      if (gate && present[i] != 0) break;
      const bool printed = all_pairs || i == 0;
      if (!printed && !several) continue;
      for (std::size_t j = i + 1; j < present.size(); ++j) {
        pairs.push_back({.a = {.cell = cell, .arm = present[i]},
                         .b = {.cell = cell, .arm = present[j]},
                         .hypothesis = hypothesis,
                         .with_reference = present[i] == 0,
                         .printed = printed});
      }
    }
  }
  return pairs;
}

std::vector<Pair> pairs_of_levels(const Contest& contest, bool all_pairs,
                                  std::optional<double> gate) {
  std::vector<Pair> pairs;
  const stats::Hypothesis hypothesis = hypothesis_of(gate);
  const CellTable& whole = contest.times.front().whole();
  // Cells that were not measured together may have batches of their own.
  const auto mixed = [&](std::uint32_t a, std::uint32_t b, std::uint32_t arm) {
    return one_in_batches(whole[a][arm], whole[b][arm]);
  };
  for (const std::vector<std::uint32_t>& cells : by_other_levels(contest)) {
    for (std::uint32_t arm = 0; arm < contest.labels.size(); ++arm) {
      std::vector<std::uint32_t> present;
      for (const std::uint32_t cell : cells) {
        if (!contest.times.front().whole()[cell][arm].empty()) present.push_back(cell);
      }
      for (std::size_t i = 0; i < present.size(); ++i) {
        const bool with_reference = present[i] == cells.front();
        if (gate && !with_reference) break;
        const bool printed = all_pairs || i == 0;
        if (!printed && cells.size() < 3) continue;
        for (std::size_t j = i + 1; j < present.size(); ++j) {
          pairs.push_back({.a = {.cell = present[i], .arm = arm},
                           .b = {.cell = present[j], .arm = arm},
                           .hypothesis = hypothesis,
                           .place = cells.front(),
                           .with_reference = with_reference,
                           .printed = printed,
                           .times_only = mixed(present[i], present[j], arm)});
        }
      }
    }
  }
  return pairs;
}

std::vector<Pair> pairs_of_declared_times(const Contest& contest, bool all_pairs) {
  std::vector<Pair> pairs;
  for (const std::uint32_t cell : record::reading_order(contest.cells)) {
    for (std::uint32_t arm = 0; arm < contest.labels.size(); ++arm) {
      std::vector<Time> present;
      std::vector<std::string> names;
      for (const TimedVisits& timed : contest.times) {
        const CellVisits& visits = timed.whole()[cell][arm];
        // The headline is one of the others, by its name.
        if (visits.empty() || std::ranges::find(names, visits.time_name()) != names.end()) continue;
        present.push_back(timed.time);
        names.push_back(visits.time_name());
      }
      for (std::size_t i = 0; i < present.size() && (all_pairs || i == 0); ++i) {
        for (std::size_t j = i + 1; j < present.size(); ++j) {
          pairs.push_back({.a = {.cell = cell, .arm = arm, .time = present[i]},
                           .b = {.cell = cell, .arm = arm, .time = present[j]},
                           .with_reference = i == 0});
        }
      }
    }
  }
  return pairs;
}

std::vector<Pair> pairs_of(const Contest& contest, bool all_pairs, std::optional<double> gate) {
  if (contest.against_times) return pairs_of_declared_times(contest, all_pairs);
  return contest.against == nullptr ? pairs_of_arms(contest, all_pairs, gate)
                                    : pairs_of_levels(contest, all_pairs, gate);
}

std::vector<Pair> pairs_in_views(const Contest& contest, std::span<const Pair> pairs,
                                 Pairing between_arms) {
  std::vector<Pair> in_views;
  for (const Pair& pair : pairs) {
    for (std::size_t view = 0; view < contest.views.size(); ++view) {
      Pair same = pair;
      same.view = view;
      if (pair.printed && enough_in_view(contest, same, between_arms)) in_views.push_back(same);
    }
  }
  return in_views;
}

}  // namespace invar::analysis
