#include "analysis/machine/reference.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "analysis/machine/moved_canaries.hpp"
#include "base/error.hpp"
#include "base/units.hpp"
#include "stats/describe/quantile.hpp"

namespace invar::analysis {
namespace {

constexpr double kLeastOutside = 0.05;  // of the visits, to be a regime

// What a user can copy: three digits, of chains four, whose regimes may lie 2 % apart.
double rounded(double value, base::CanaryKind kind, double (*round)(double)) {
  const int digits = kind == base::CanaryKind::kChain ? 4 : 3;
  const double unit = std::pow(10, std::floor(std::log10(value)) - (digits - 1));
  // Whole multiples of a decimal unit, as decimal numbers.
  return unit < 1 ? round(value / unit) / std::round(1 / unit) : round(value / unit) * unit;
}

using BlockKey = std::pair<std::uint32_t, std::uint32_t>;  // group, block

// Medians are made anew from the visits that stay.
void keep_blocks(CellVisits& arm, const std::set<BlockKey>& left_out) {
  std::size_t most = 0;
  for (const LaunchVisits& launch : arm.launches) most = std::max(most, launch.visits.size());
  const std::size_t fewest = std::min(kRegimeBlocks, most);
  for (LaunchVisits& launch : arm.launches) {
    std::erase_if(launch.visits, [&](const VisitSummary& visit) {
      return left_out.contains({visit.group, visit.block});
    });
    if (launch.visits.size() < fewest) launch.visits.clear();
    if (!launch.visits.empty()) launch.median_ns = median_of_visits(launch);
  }
  std::erase_if(arm.launches, [](const LaunchVisits& launch) { return launch.visits.empty(); });
}

template <typename Take>
void for_each_canary(const CellTable& table, base::CanaryKind kind, Take take) {
  for (const std::vector<CellVisits>& row : table) {
    for (const CellVisits& arm : row) {
      for (const LaunchVisits& launch : arm.launches) {
        for (const VisitSummary& visit : launch.visits) {
          if (const std::optional<double> canary_ns = visit.canary(kind)) take(*canary_ns);
        }
      }
    }
  }
}

}  // namespace

std::vector<base::CanaryBand> reference_bands(const Regimes& regimes) {
  std::vector<base::CanaryBand> bands;
  // As far as two regimes must lie apart at least.
  const double room = least_ratio(regimes.kind);
  for (const Regime& regime : regimes.found) {
    if (regime.share < kLeastReferenceShare) continue;
    double low_ns = regime.low_ns / room;
    double high_ns = regime.high_ns * room;
    for (const double cut_ns : regimes.cuts_ns) {
      if (cut_ns <= regime.median_ns) low_ns = std::max(low_ns, cut_ns);
      if (cut_ns > regime.median_ns) high_ns = std::min(high_ns, cut_ns);
    }
    bands.push_back({.low_ns = rounded(low_ns, regimes.kind, std::floor),
                     .high_ns = rounded(high_ns, regimes.kind, std::ceil),
                     .kind = regimes.kind});
  }
  return bands;
}

std::optional<base::CanaryBand> reference_band(const Regimes& regimes) {
  const std::vector<base::CanaryBand> bands = reference_bands(regimes);
  if (bands.empty()) return std::nullopt;
  return bands.front();
}

bool can_speak_of(const CellTable& table, const base::CanaryBand& band, std::size_t groups) {
  return !share_in(table, band).splits() || groups_that_count(table, band).size() >= groups;
}

std::optional<base::CanaryBand> first_with_groups(const CellTable& table, const Regimes& regimes,
                                                  std::size_t groups) {
  const std::vector<base::CanaryBand> bands = reference_bands(regimes);
  const auto found = std::ranges::find_if(
      bands, [&](const base::CanaryBand& band) { return can_speak_of(table, band, groups); });
  if (found == bands.end()) return std::nullopt;
  return *found;
}

bool is_fixed(const store::Data& data, const Rules& rules) {
  return rules.regime || (rules.sequential && !data.looks.empty());
}

Regimes regimes_by(const store::Data& data, const Summaries& summaries, const Rules& rules) {
  std::optional<base::CanaryBand> fixed = rules.regime;
  if (!fixed && is_fixed(data, rules)) fixed = data.looks.front().regime;
  return regimes_of(data, summaries,
                    fixed ? std::optional<base::CanaryKind>(fixed->kind) : std::nullopt);
}

std::string moved_by(const store::Data& data, const Summaries& summaries, const Regimes& regimes,
                     const std::optional<base::CanaryBand>& band) {
  const base::CanaryKind kind = band ? band->kind : regimes.kind;
  std::vector<double> cuts_ns;
  if (kind == regimes.kind) cuts_ns = regimes.cuts_ns;
  if (band) {
    cuts_ns.push_back(band->low_ns);
    cuts_ns.push_back(band->high_ns);
  }
  std::ranges::sort(cuts_ns);
  const auto moved = moved_canaries(data, summaries, cuts_ns, kind);
  return moved ? moved_text(data, *moved) : std::string();
}

ReferenceChoice reference_of(const store::Data& data, const Summaries& summaries,
                             const Regimes& regimes, const Rules& rules) {
  if (rules.method != Method::kInvar) return {};
  const bool fixed = is_fixed(data, rules);
  ReferenceChoice reference;
  if (rules.regime) {
    reference.band = rules.regime;
  } else if (fixed) {
    reference.band = data.looks.front().regime;
  } else if (rules.sequential) {
    // It goes on until enough groups are in it.
    reference.band = reference_band(regimes);
  } else {
    const CellTable table = sort_visits(summaries.visits, data.cells.size(), data.arms.size());
    reference.band = first_with_groups(table, regimes, kReferenceGroups);
    // With fewer of each one alone still says more than a mean of several.
    if (!reference.band) reference.band = first_with_groups(table, regimes, kRegimeGroups);
  }
  if (fixed || regimes.found.size() > 1) {
    reference.moved = moved_by(data, summaries, regimes, reference.band);
  }
  if (!fixed && !reference.moved.empty()) reference.band.reset();
  return reference;
}

std::optional<Lack> lack_of_regime(const store::Data& data, const Summaries& summaries,
                                   const Rules& rules) {
  if (!rules.regime || rules.method != Method::kInvar) return std::nullopt;
  if (any_in(summaries, *rules.regime)) return std::nullopt;
  const Regimes regimes = regimes_by(data, summaries, rules);
  const std::string remedy = regimes.found.empty()
                                 ? regimes.why_none
                                 : "its canaries took " +
                                       base::duration_text(regimes.found.front().low_ns) + " to " +
                                       base::duration_text(regimes.found.back().high_ns);
  return Lack{
      .faults = {{.place = data.dir.string(),
                  .what = "no visit is in the reference regime " + base::band_text(*rules.regime),
                  .remedy = remedy}}};
}

bool any_in(const Summaries& summaries, const base::CanaryBand& band) {
  return std::ranges::any_of(summaries.visits, [&](const VisitSummary& visit) {
    const std::optional<double> canary_ns = visit.canary(band.kind);
    return canary_ns && band.contains(*canary_ns);
  });
}

bool BandShare::splits() const {
  return static_cast<double>(visits - inside) >= kLeastOutside * static_cast<double>(visits) &&
         inside < visits;
}

BandShare share_in(const CellTable& table, const base::CanaryBand& band) {
  BandShare found;
  for_each_canary(table, band.kind, [&](double canary_ns) {
    ++found.visits;
    found.inside += band.contains(canary_ns) ? 1U : 0U;
  });
  return found;
}

std::optional<double> median_canary_ns(const CellTable& table, const base::CanaryBand& band) {
  std::vector<double> canaries_ns;
  for_each_canary(table, band.kind, [&](double canary_ns) {
    if (band.contains(canary_ns)) canaries_ns.push_back(canary_ns);
  });
  if (canaries_ns.empty()) return std::nullopt;
  return stats::median_in_place(canaries_ns);
}

CellTable within_band(const CellTable& table, const base::CanaryBand& band) {
  if (!share_in(table, band).splits()) return table;
  CellTable kept = table;
  for (std::vector<CellVisits>& row : kept) {
    std::set<BlockKey> left_out;
    for (const CellVisits& arm : row) {
      for (const LaunchVisits& launch : arm.launches) {
        for (const VisitSummary& visit : launch.visits) {
          // Nothing is known of a visit without a canary (one rank a host has none of the line):
          // it stays.
          const std::optional<double> canary_ns = visit.canary(band.kind);
          if (canary_ns && !band.contains(*canary_ns)) {
            left_out.insert({visit.group, visit.block});
          }
        }
      }
    }
    for (CellVisits& arm : row) keep_blocks(arm, left_out);
  }
  return kept;
}

std::vector<std::uint32_t> groups_that_count(const CellTable& table,
                                             const std::optional<base::CanaryBand>& band) {
  // Cells of each group, before and after.
  const auto cells_of = [](const CellTable& of) {
    std::map<std::uint32_t, std::size_t> cells;
    for (const std::vector<CellVisits>& row : of) {
      std::set<std::uint32_t> groups;
      for (const CellVisits& arm : row) {
        for (const LaunchVisits& launch : arm.launches) groups.insert(launch.group);
      }
      for (const std::uint32_t group : groups) ++cells[group];
    }
    return cells;
  };
  const auto all = cells_of(table);
  const auto left = band ? cells_of(within_band(table, *band)) : all;
  std::vector<std::uint32_t> counting;
  for (const auto& [group, cells] : all) {
    const auto kept = left.find(group);
    if (kept != left.end() && 2 * kept->second >= cells) counting.push_back(group);
  }
  return counting;
}

}  // namespace invar::analysis
