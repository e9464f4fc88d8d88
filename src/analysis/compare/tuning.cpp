#include "analysis/compare/tuning.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <set>

#include "stats/describe/moments.hpp"
#include "stats/describe/quantile.hpp"
#include "stats/model/nested_counts.hpp"

namespace invar::analysis {
namespace {

constexpr std::uint32_t kMostFactor = 4;
constexpr std::uint32_t kFewestRounds = 4;
constexpr std::uint32_t kFewestRepetitions = 10;

stats::CountBounds bounds_of(std::uint32_t asked, std::uint32_t fewest) {
  return {.least = std::max(std::min(asked, fewest), asked / kMostFactor),
          .most = asked * kMostFactor};
}

// What one repetition adds to the variance of a visit's log median. It comes from the medians of
// its odd and even repetitions, which differ by nothing else (their difference has 4 / n of it).
std::optional<double> repetition_variance(const CellVisits& visits, bool global) {
  double sum = 0;
  std::size_t count = 0;
  std::vector<double> values;
  for (const LaunchVisits& launch : visits.launches) {
    for (const VisitSummary& visit : launch.visits) {
      values.clear();
      Tally ignored;
      append_observations(visit, global, values, ignored);
      std::vector<double> odd;
      std::vector<double> even;
      for (std::size_t i = 0; i < values.size(); ++i)
        (i % 2 == 0 ? even : odd).push_back(values[i]);
      if (odd.empty()) continue;
      const double a = stats::grouped_median_in_place(odd, visit.step_ns);
      const double b = stats::grouped_median_in_place(even, visit.step_ns);
      if (!(a > 0 && b > 0)) continue;
      const double difference = std::log(a / b);
      sum += difference * difference * static_cast<double>(values.size()) / 4;
      ++count;
    }
  }
  return count == 0 ? std::nullopt : std::optional(sum / static_cast<double>(count));
}

// The variance of the block differences around their group's mean, pooled over groups, and the
// blocks of a group.
struct Blocks {
  double variance = 0;
  double count = 0;
};

std::optional<Blocks> block_variance(const CellVisits& a, const CellVisits& b, Pairing pairing) {
  double squares = 0;
  std::size_t degrees = 0;
  std::size_t blocks = 0;
  std::size_t groups = 0;
  for (const LaunchVisits& launch : a.launches) {
    const auto other = std::ranges::find(b.launches, launch.group, &LaunchVisits::group);
    if (other == b.launches.end()) continue;
    std::map<std::uint32_t, double> log_b;
    const auto position = position_of(pairing);
    for (const VisitSummary& visit : other->visits) {
      if (visit.median_ns > 0) log_b[visit.*position] = std::log(visit.median_ns);
    }
    std::vector<double> differences;
    for (const VisitSummary& visit : launch.visits) {
      const auto found = log_b.find(visit.*position);
      if (visit.median_ns > 0 && found != log_b.end()) {
        differences.push_back(std::log(visit.median_ns) - found->second);
      }
    }
    if (differences.size() < 2) continue;
    squares += *stats::variance(differences) * static_cast<double>(differences.size() - 1);
    degrees += differences.size() - 1;
    blocks += differences.size();
    ++groups;
  }
  if (degrees == 0) return std::nullopt;
  return Blocks{.variance = squares / static_cast<double>(degrees),
                .count = static_cast<double>(blocks) / static_cast<double>(groups)};
}

// Components of the variance of a cell's d, lowest level first: repetition, visit, group.
struct Components {
  double repetition = 0;
  double visit = 0;
  double group = 0;
};

std::optional<Components> components_of(const CellVisits& a, const CellVisits& b, Pairing pairing,
                                        bool global) {
  const PairedDifferences paired = paired_differences(a, b, pairing);
  const auto blocks = block_variance(a, b, pairing);
  const auto of_a = repetition_variance(a, global);
  const auto of_b = repetition_variance(b, global);
  if (paired.d.size() < 2 || !blocks || !of_a || !of_b) return std::nullopt;
  const auto each = [](const CellVisits& visits) {
    std::size_t count = 0;
    for (const LaunchVisits& launch : visits.launches) count += launch.visits.size();
    return static_cast<double>(visits.observations()) / static_cast<double>(count);
  };
  Components found{.repetition = *of_a + *of_b};
  found.visit = blocks->variance - *of_a / each(a) - *of_b / each(b);
  // d is the median of its blocks: pi / 2 times the variance of their mean.
  found.group = std::max(*stats::variance(paired.d), paired.variance_floor) -
                std::numbers::pi / 2 * blocks->variance / blocks->count;
  return found;
}

// The components of the whole table count, so a cell's own below 0 stay what they are until then.
struct OpenCell {
  struct Cost {
    double visit_s = 0;
    double repetition_s = 0;
  };
  std::uint32_t id = 0;
  Components variance = {};
  Cost round = {};   // of arms that measure it every round
  Cost launch = {};  // of programs
};

std::vector<OpenCell> open_cells(const store::Data& data, const Standings& standings,
                                 const Rules& rules, const GroupCosts& costs) {
  std::vector<OpenCell> cells;
  std::set<std::uint32_t> known;
  for (std::size_t i = 0; i < standings.pairs.size(); ++i) {
    const Pair& pair = standings.pairs[i];
    for (const Side& side : {pair.a, pair.b}) {
      const std::uint32_t id = standings.contest.cells[side.cell].id;
      if (standings.closed(data, i) || known.contains(id)) continue;
      const auto components =
          components_of(visits_of(standings.contest, pair.a), visits_of(standings.contest, pair.b),
                        pairing_of(pair, rules.pairing), standings.global);
      if (!components) continue;
      known.insert(id);
      OpenCell cell{.id = id, .variance = *components};
      for (auto cost = costs.visits.lower_bound({id, 0});
           cost != costs.visits.end() && cost->first.cell == id; ++cost) {
        OpenCell::Cost& part = cost->second.every_round ? cell.round : cell.launch;
        part.visit_s += cost->second.visit_s;
        part.repetition_s += cost->second.repetition_s;
      }
      cells.push_back(cell);
    }
  }
  return cells;
}

}  // namespace

double GroupCosts::seconds(const std::vector<record::ArmCell>& places, std::uint32_t rounds,
                           const std::map<std::uint32_t, std::uint32_t>& repetitions,
                           std::uint32_t usual) const {
  double seconds = startup_s;
  for (const record::ArmCell& place : places) {
    const auto cost = visits.find(place);
    if (cost == visits.end()) continue;
    const auto tuned = repetitions.find(place.cell);
    const double count = tuned == repetitions.end() ? usual : tuned->second;
    const std::uint32_t times = cost->second.every_round ? rounds : 1;
    seconds += times * (cost->second.visit_s + count * cost->second.repetition_s);
  }
  return seconds;
}

GroupCosts group_costs(const store::Data& data, double group_s) {
  GroupCosts costs{.group_s = group_s};
  std::map<record::ArmCell, double> count;
  double visiting_s = 0;
  for (const store::Group& group : data.groups) {
    for (const store::Launch& launch : group.launches) {
      for (const store::Visit& visit : launch.visits) {
        const double all_s = static_cast<double>(visit.line.end_ps - visit.line.begin_ps) * 1e-12;
        double each_s = 0;
        if (visit.records.size() > 1) {
          each_s =
              static_cast<double>(visit.records.back().start_ps - visit.records.front().start_ps) *
              1e-12 / static_cast<double>(visit.records.size() - 1);
        }
        GroupCosts::OfVisit& cost = costs.visits[{visit.line.cell, launch.arm}];
        cost.every_round = data.arms.at(launch.arm).program.empty();
        cost.repetition_s += each_s;
        // Those that were too far apart took the time of any other.
        const double count_of_visit = visit.line.valid + visit.line.apart;
        cost.visit_s += std::max(0.0, all_s - each_s * count_of_visit);
        visiting_s += all_s;
        ++count[{visit.line.cell, launch.arm}];
      }
    }
  }
  for (auto& [place, cost] : costs.visits) {
    cost.repetition_s /= count[place];
    cost.visit_s /= count[place];
  }
  const double groups = std::max<double>(1, static_cast<double>(data.groups.size()));
  costs.startup_s = std::max(0.0, group_s - visiting_s / groups);
  return costs;
}

Tuning tune(const store::Data& data, const Standings& standings, const Rules& rules,
            const GroupCosts& costs, std::uint32_t rounds, std::uint32_t repetitions) {
  const std::vector<OpenCell> cells = open_cells(data, standings, rules, costs);
  Tuning tuning{.rounds = rounds};
  if (cells.empty()) return tuning;
  const std::vector<stats::CountBounds> of_visit{bounds_of(repetitions, kFewestRepetitions)};
  const std::vector<stats::CountBounds> of_group{bounds_of(rounds, kFewestRounds)};
  const auto count = static_cast<double>(cells.size());
  // Other suites' visits of the cells that are left come with every round.
  const auto is_own = [&](std::uint32_t id) {
    return std::ranges::any_of(data.cells, [id](const auto& cell) { return cell.id == id; });
  };
  stats::NestedLevel block;
  for (const auto& [place, cost] : costs.visits) {
    if (is_own(place.cell)) continue;
    block.cost += (cost.visit_s + repetitions * cost.repetition_s) * count /
                  static_cast<double>(data.cells.size());
  }
  stats::NestedLevel group{.cost = costs.startup_s};
  for (const OpenCell& cell : cells) {
    const std::vector<stats::NestedLevel> levels{
        {.cost = cell.round.repetition_s, .variance = cell.variance.repetition},
        {.cost = cell.round.visit_s, .variance = cell.variance.visit}};
    const std::uint32_t each = stats::nested_counts(levels, of_visit).front();
    tuning.repetitions[cell.id] = each;
    block.cost += cell.round.visit_s + each * cell.round.repetition_s;
    group.cost += cell.launch.visit_s + cell.launch.repetition_s;
    // A group's value is the median of its blocks.
    block.variance +=
        std::numbers::pi / 2 * (cell.variance.visit + cell.variance.repetition / each) / count;
    group.variance += cell.variance.group / count;
  }
  tuning.rounds = stats::nested_counts(std::vector{block, group}, of_group).front();
  return tuning;
}

}  // namespace invar::analysis
