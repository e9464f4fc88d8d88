#include "analysis/study/pairs.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "stats/decide/verdict.hpp"
#include "stats/describe/moments.hpp"
#include "stats/describe/quantile.hpp"

namespace invar::analysis {
namespace {

using Position = std::uint32_t VisitSummary::*;

struct BlockDifferences {
  std::vector<double> values = {};
  std::vector<std::uint32_t> positions = {};
};

// One value a block (round) that both launches visited.
BlockDifferences block_differences(const LaunchVisits& a, const LaunchVisits& b,
                                   Position position) {
  BlockDifferences differences;
  auto other = b.visits.begin();
  for (const VisitSummary& visit : a.visits) {
    while (other != b.visits.end() && (*other).*position < visit.*position) ++other;
    if (other == b.visits.end()) break;
    if ((*other).*position != visit.*position) continue;
    if (visit.median_ns > 0 && other->median_ns > 0) {
      differences.values.push_back(std::log(visit.median_ns) - std::log(other->median_ns));
      differences.positions.push_back(visit.*position);
    }
  }
  return differences;
}

std::optional<double> group_difference(const LaunchVisits& a, const LaunchVisits& b,
                                       const std::vector<double>& blocks, Pairing pairing) {
  if (pairing != Pairing::kLaunches) {
    if (blocks.empty()) return std::nullopt;
    return stats::median(blocks);
  }
  if (!(a.median_ns > 0 && b.median_ns > 0)) return std::nullopt;
  return std::log(a.median_ns) - std::log(b.median_ns);
}

}  // namespace

double median_of_visits(const LaunchVisits& launch) {
  std::vector<double> medians;
  medians.reserve(launch.visits.size());
  for (const VisitSummary& visit : launch.visits) medians.push_back(visit.median_ns);
  return stats::median_in_place(medians);
}

std::size_t CellVisits::observations() const {
  std::size_t count = 0;
  for (const LaunchVisits& launch : launches) {
    for (const VisitSummary& visit : launch.visits) count += visit.observations;
  }
  return count;
}

double CellVisits::effective_count() const {
  double count = 0;
  bool one_step = true;
  double least = launches.front().visits.front().median_ns;
  double most = least;
  for (const LaunchVisits& launch : launches) {
    for (const VisitSummary& visit : launch.visits) {
      count += visit.effective_count;
      one_step = one_step && visit.within_one_step;
      least = std::min(least, visit.median_ns);
      most = std::max(most, visit.median_ns);
    }
  }
  return one_step && most - least <= 0.5 * step_ns() ? 1.0 : count;
}

double CellVisits::step_ns() const {
  double step = 0;
  for (const LaunchVisits& launch : launches) {
    for (const VisitSummary& visit : launch.visits) step = std::max(step, visit.step_ns);
  }
  return step;
}

std::string CellVisits::time_name() const {
  return empty() ? std::string() : launches.front().visits.front().time_name();
}

bool CellVisits::of_pair() const {
  return !empty() && analysis::of_pair(launches.front().visits.front());
}

double CellVisits::typical_ns() const {
  std::vector<double> medians;
  medians.reserve(launches.size());
  for (const LaunchVisits& launch : launches) medians.push_back(launch.median_ns);
  return stats::median_in_place(medians);
}

std::vector<double> CellVisits::log_medians() const {
  std::vector<double> logs;
  logs.reserve(launches.size());
  for (const LaunchVisits& launch : launches) {
    if (!(launch.median_ns > 0)) return {};
    logs.push_back(std::log(launch.median_ns));
  }
  return logs;
}

double CellVisits::variance_floor() const {
  const double typical = typical_ns();
  if (!(typical > 0)) return 0;
  // A value per launch rests on that launch's observations; within one step all are one.
  const double whole = effective_count();
  const double each = std::max(1.0, whole / static_cast<double>(launches.size()));
  return stats::quantisation_variance(step_ns(), each) / (typical * typical);
}

double CellVisits::resolution() const {
  const double typical = typical_ns();
  return typical > 0 ? stats::relative_resolution(step_ns(), effective_count(), typical) : 0;
}

double CellVisits::rounding() const {
  double step = 0;
  for (const LaunchVisits& launch : launches) {
    for (const VisitSummary& visit : launch.visits) {
      if (is_printed(visit)) step = std::max(step, visit.step_ns);
    }
  }
  const double typical = empty() ? 0 : typical_ns();
  return typical > 0 ? std::log1p(step / typical) : 0;
}

CellTable sort_visits(std::span<const VisitSummary> visits, std::size_t cells, std::size_t arms) {
  CellTable table(cells, std::vector<CellVisits>(arms));
  for (const VisitSummary& visit : visits) {
    std::vector<LaunchVisits>& launches = table.at(visit.cell).at(visit.arm).launches;
    if (launches.empty() || launches.back().group != visit.group) {
      launches.push_back({.group = visit.group});
    }
    launches.back().visits.push_back(visit);
  }
  for (std::vector<CellVisits>& row : table) {
    for (CellVisits& entry : row) {
      std::ranges::sort(entry.launches, {}, &LaunchVisits::group);
      for (LaunchVisits& launch : entry.launches) {
        std::ranges::stable_sort(launch.visits, {}, &VisitSummary::block);
        launch.median_ns = median_of_visits(launch);
      }
    }
  }
  return table;
}

CellVisits collect_visits(std::span<const VisitSummary* const> visits,
                          std::uint32_t VisitSummary::*key) {
  std::map<std::uint32_t, LaunchVisits> launches;
  for (const VisitSummary* visit : visits) launches[visit->*key].visits.push_back(*visit);
  CellVisits result;
  for (auto& [number, launch] : launches) {
    launch.group = number;
    launch.median_ns = median_of_visits(launch);
    result.launches.push_back(std::move(launch));
  }
  return result;
}

CellVisits over_sessions(std::span<const CellVisits* const> sessions) {
  CellVisits result;
  for (std::uint32_t i = 0; i < sessions.size(); ++i) {
    if (sessions[i]->empty()) continue;
    LaunchVisits& session = result.launches.emplace_back(LaunchVisits{.group = i + 1});
    for (const LaunchVisits& launch : sessions[i]->launches) {
      session.visits.insert(session.visits.end(), launch.visits.begin(), launch.visits.end());
    }
    // A launch shorter than the clock can tell has no log, and neither has its session.
    const std::vector<double> logs = sessions[i]->log_medians();
    if (!logs.empty()) session.median_ns = std::exp(stats::mean(logs));
  }
  return result;
}

std::uint32_t VisitSummary::*position_of(Pairing pairing) {
  const bool blocks = pairing == Pairing::kTurns || pairing == Pairing::kVisits;
  return blocks ? &VisitSummary::block : &VisitSummary::round;
}

PairedDifferences paired_differences(const CellVisits& a, const CellVisits& b, Pairing pairing) {
  const Position position = position_of(pairing);
  PairedDifferences result;
  auto other = b.launches.begin();
  for (const LaunchVisits& launch : a.launches) {
    while (other != b.launches.end() && other->group < launch.group) ++other;
    if (other == b.launches.end()) break;
    if (other->group != launch.group) continue;
    BlockDifferences blocks = block_differences(launch, *other, position);
    if (const auto d = group_difference(launch, *other, blocks.values, pairing)) {
      result.d.push_back(*d);
      result.groups.push_back(launch.group);
      result.blocks = std::move(blocks.values);
      result.positions = std::move(blocks.positions);
    }
  }
  if (result.d.size() != 1) {
    result.blocks.clear();
    result.positions.clear();
  }
  if (!result.d.empty()) {
    result.variance_floor = a.variance_floor() + b.variance_floor();
    result.resolution = stats::ratio_resolution(a.resolution(), b.resolution());
    result.rounding = std::max(a.rounding(), b.rounding());
  }
  return result;
}

std::pair<CellVisits, CellVisits> behind_ratio(const CellVisits& a, const CellVisits& b,
                                               Pairing pairing) {
  if (pairing == Pairing::kNone) return {a, b};
  const Position position = position_of(pairing);
  const auto keep_common = [position](LaunchVisits& launch, const LaunchVisits& other) {
    std::erase_if(launch.visits, [&](const VisitSummary& visit) {
      return std::ranges::none_of(
          other.visits, [&](const VisitSummary& one) { return one.*position == visit.*position; });
    });
    if (!launch.visits.empty()) launch.median_ns = median_of_visits(launch);
  };
  std::pair<CellVisits, CellVisits> common;
  auto other = b.launches.begin();
  for (const LaunchVisits& launch : a.launches) {
    while (other != b.launches.end() && other->group < launch.group) ++other;
    if (other == b.launches.end()) break;
    if (other->group != launch.group) continue;
    LaunchVisits of_a = launch;
    LaunchVisits of_b = *other;
    if (pairing != Pairing::kLaunches) {
      keep_common(of_a, *other);
      keep_common(of_b, launch);
    }
    if (of_a.visits.empty() || of_b.visits.empty()) continue;
    common.first.launches.push_back(std::move(of_a));
    common.second.launches.push_back(std::move(of_b));
  }
  if (common.first.empty()) return {a, b};
  return common;
}

bool in_batches(const LaunchVisits& launch) {
  return std::ranges::any_of(
      launch.visits, [](const VisitSummary& visit) { return visit.source->line.calls > 1; });
}

bool one_in_batches(const CellVisits& a, const CellVisits& b) {
  return std::ranges::any_of(a.launches, in_batches) != std::ranges::any_of(b.launches, in_batches);
}

stats::TableTest paired_test(const PairedDifferences& paired, const stats::Hypothesis& hypothesis) {
  const auto estimate = [&paired, hypothesis](double confidence) {
    return stats::estimate_ratio({.d = paired.d,
                                  .variance_floor = paired.variance_floor,
                                  .only_group_blocks = paired.blocks,
                                  .rounding = paired.rounding},
                                 confidence, hypothesis);
  };
  return {.estimate = estimate, .resolution = paired.resolution};
}

}  // namespace invar::analysis
