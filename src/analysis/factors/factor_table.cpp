#include "analysis/factors/factor_table.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "analysis/compare/pair.hpp"
#include "base/text.hpp"
#include "design/factors/launch_factors.hpp"
#include "stats/describe/moments.hpp"

namespace invar::analysis {
namespace {

// What is always told, or follows from others.
bool is_no_factor(const record::Factor& factor) {
  using enum record::FactorRole;
  return factor.role == kSubject || factor.role == kDerived || factor.role == kFamily;
}

void add_level(VariedFactor& factor, const std::string& level) {
  if (std::ranges::find(factor.levels, level) == factor.levels.end()) {
    factor.levels.push_back(level);
  }
}

// Every factor with its level, of a visit.
std::vector<std::string> levels_of_visit(const design::Campaign& campaign, const design::Arm* arm,
                                         const std::string& label, const record::Cell& cell) {
  std::vector<std::string> levels{arm == nullptr ? label : design::base_label(*arm)};
  for (const design::LaunchFactor& factor : design::launch_factors()) {
    levels.push_back(arm == nullptr ? std::string(factor.usual)
                                    : design::level_of(campaign, *arm, factor.key));
  }
  for (const record::Factor& factor : record::factors()) {
    if (!is_no_factor(factor)) levels.push_back(factor.text(cell));
  }
  return levels;
}

std::vector<VariedFactor> all_factors() {
  std::vector<VariedFactor> factors{{.name = "arm", .between_launches = true}};
  for (const design::LaunchFactor& factor : design::launch_factors()) {
    factors.push_back({.name = std::string(factor.factor), .between_launches = true});
  }
  for (const record::Factor& factor : record::factors()) {
    if (!is_no_factor(factor)) factors.push_back({.name = std::string(factor.name)});
  }
  return factors;
}

struct Row {
  const VisitSummary* visit;
  std::vector<std::string> levels;
};

// An arm and a cell of the campaign, as indices, whether or not there are visits.
struct Place {
  std::uint32_t arm = 0;
  std::uint32_t cell = 0;
  std::vector<std::string> levels = {};
};

// In the campaign's order: which arm comes first in a group is chance.
void sort_levels(const std::vector<Row>& rows, const std::vector<Place>& places, std::size_t i,
                 VariedFactor& factor, std::vector<AbsentLevel>& absent) {
  const std::size_t known = absent.size();
  for (const Place& place : places) {
    const std::string& level = place.levels[i];
    const bool seen =
        std::ranges::any_of(rows, [&](const Row& row) { return row.levels[i] == level; });
    if (seen) {
      add_level(factor, level);
      continue;
    }
    auto found = std::find_if(absent.begin() + static_cast<std::ptrdiff_t>(known), absent.end(),
                              [&](const AbsentLevel& other) { return other.level == level; });
    if (found == absent.end()) {
      absent.push_back({.factor = factor.name, .level = level});
      found = absent.end() - 1;
    }
    found->places.push_back({.cell = place.cell, .arm = place.arm});
  }
  const std::string& first = places.front().levels[i];
  if (absent.size() > known && absent[known].level == first) {
    absent[known].reference_now = factor.levels.front();
  }
}

FactorTable table_of(const record::Cell& cell, const std::vector<Row>& rows,
                     const std::vector<Place>& places) {
  FactorTable table{.cell = cell};
  std::vector<VariedFactor> factors = all_factors();
  for (std::size_t i = 0; i < factors.size(); ++i) {
    sort_levels(rows, places, i, factors[i], table.absent);
  }
  std::vector<std::size_t> varied;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (factors[i].levels.size() < 2) continue;
    varied.push_back(i);
    table.factors.push_back(factors[i]);
  }
  for (const Row& row : rows) {
    Combination combination;
    for (const std::size_t i : varied) {
      const auto at = std::ranges::find(factors[i].levels, row.levels[i]);
      combination.push_back(static_cast<std::uint32_t>(at - factors[i].levels.begin()));
    }
    table.visits[combination].push_back(row.visit);
  }
  return table;
}

}  // namespace

const std::vector<const VisitSummary*>* FactorTable::reference() const {
  const auto found = visits.find(Combination(factors.size(), 0));
  return found == visits.end() ? nullptr : &found->second;
}

std::vector<FactorTable> factor_tables(const store::Data& data, const design::Campaign& campaign,
                                       const std::vector<VisitSummary>& visits) {
  const auto arm_of = [&](const std::string& label) -> const design::Arm* {
    const auto found = std::ranges::find(campaign.arms, label, &design::Arm::label);
    return found == campaign.arms.end() ? nullptr : &*found;
  };
  const auto failed = [&](const VisitSummary& visit) {
    return std::ranges::any_of(data.failed_cells, [&](const store::FailedCell& cell) {
      return cell.cell == data.cells[visit.cell].id && cell.arm == data.arms[visit.arm].label;
    });
  };
  // Visits in several families are never pooled: their batches may differ.
  using Target = std::tuple<std::string, std::optional<std::uint64_t>, std::string>;
  const bool apart = record::tells_cells_apart(*record::find_factor("family"), data.cells);
  const auto target_of = [&](const record::Cell& cell) {
    return Target{cell.operation, cell.size_bytes, apart ? cell.family : std::string()};
  };
  std::vector<Target> targets;
  for (const record::Cell& cell : data.cells) {
    const Target target = target_of(cell);
    const bool known = std::ranges::find(targets, target) != targets.end();
    if (!known && !cell.operation.empty()) targets.push_back(target);
  }
  std::vector<FactorTable> tables;
  for (const Target& target : targets) {
    std::vector<Place> places;
    for (std::uint32_t arm = 0; arm < data.arms.size(); ++arm) {
      const std::string& label = data.arms[arm].label;
      for (std::uint32_t cell = 0; cell < data.cells.size(); ++cell) {
        if (target_of(data.cells[cell]) != target) continue;
        places.push_back(
            {arm, cell, levels_of_visit(campaign, arm_of(label), label, data.cells[cell])});
      }
    }
    std::vector<Row> rows;
    for (const VisitSummary& visit : visits) {
      const record::Cell& cell = data.cells[visit.cell];
      if (target_of(cell) != target) continue;
      if (failed(visit) || !(visit.median_ns > 0)) continue;
      const std::string& label = data.arms[visit.arm].label;
      rows.push_back({&visit, levels_of_visit(campaign, arm_of(label), label, cell)});
    }
    if (rows.empty()) continue;
    tables.push_back(table_of(data.cells[places.front().cell], rows, places));
  }
  return tables;
}

PairedDifferences level_differences(const FactorTable& table, std::size_t factor,
                                    std::uint32_t level, Pairing between_arms) {
  // Levels of launches are those of two arms, other levels those of two cells.
  Pair sides;
  (table.factors[factor].between_launches ? sides.b.arm : sides.b.cell) = 1;
  const Pairing pairing = pairing_of(sides, between_arms);
  std::map<std::uint32_t, std::vector<double>> by_group;
  std::map<std::uint32_t, std::vector<double>> by_position;  // of the only group
  std::vector<const VisitSummary*> used;
  std::vector<const VisitSummary*> used_reference;
  for (const auto& [combination, visits] : table.visits) {
    if (combination[factor] != level) continue;
    Combination other = combination;
    other[factor] = 0;
    const auto reference = table.visits.find(other);
    if (reference == table.visits.end()) continue;
    const PairedDifferences paired =
        paired_differences(collect_visits(visits, &VisitSummary::group),
                           collect_visits(reference->second, &VisitSummary::group), pairing);
    for (std::size_t i = 0; i < paired.d.size(); ++i) {
      by_group[paired.groups[i]].push_back(paired.d[i]);
    }
    for (std::size_t i = 0; i < paired.blocks.size(); ++i) {
      by_position[paired.positions[i]].push_back(paired.blocks[i]);
    }
    used.insert(used.end(), visits.begin(), visits.end());
    used_reference.insert(used_reference.end(), reference->second.begin(), reference->second.end());
  }
  PairedDifferences result;
  for (const auto& [group, values] : by_group) {
    result.groups.push_back(group);
    result.d.push_back(stats::mean(values));
  }
  if (result.d.size() == 1) {
    for (const auto& [position, values] : by_position) {
      result.positions.push_back(position);
      result.blocks.push_back(stats::mean(values));
    }
  }
  if (!used.empty()) {
    const CellVisits a = collect_visits(used, &VisitSummary::group);
    const CellVisits b = collect_visits(used_reference, &VisitSummary::group);
    result.variance_floor = a.variance_floor() + b.variance_floor();
    result.resolution = stats::ratio_resolution(a.resolution(), b.resolution());
    result.rounding = std::max(a.rounding(), b.rounding());
  }
  return result;
}

}  // namespace invar::analysis
