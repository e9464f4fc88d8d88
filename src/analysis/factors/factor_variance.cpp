#include "analysis/factors/factor_variance.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <utility>

#include "stats/describe/moments.hpp"
#include "stats/describe/quantile.hpp"
#include "stats/model/interactions.hpp"

namespace invar::analysis {
namespace {

// Interquartile range of a normal distribution in standard deviations.
constexpr double kNormalIqr = 1.3489795;

// The scatter of the repetitions in their visits.
struct Scatter {
  double variance = 0;         // pooled, of log times
  double median_variance = 0;  // mean over visits of the variance of a visit's median
};

Scatter scatter(const FactorTable& table, bool global) {
  double squares = 0;
  double freedom = 0;
  double of_medians = 0;
  double visit_count = 0;
  std::vector<double> logs;
  Tally tally;
  for (const auto& [combination, visits] : table.visits) {
    for (const VisitSummary* visit : visits) {
      logs.clear();
      append_observations(*visit, global, logs, tally);
      std::erase_if(logs, [](double value) { return !(value > 0); });
      if (logs.size() < 2) continue;
      for (double& value : logs) value = std::log(value);
      const auto n = static_cast<double>(logs.size());
      squares += *stats::variance(logs) * (n - 1);
      freedom += n - 1;
      // A median does not see the tails: their scatter is taken from the quartiles.
      const double q1 = stats::quantile_in_place(logs, 0.25);
      const double q3 = stats::quantile_in_place(logs, 0.75);
      const double step = visit->step_ns / visit->median_ns;
      const double sd = (q3 - q1) / kNormalIqr;
      const double variance = std::max(sd * sd, step * step / 12);
      of_medians += std::numbers::pi / 2 * variance / std::max(visit->effective_count, 1.0);
      visit_count += 1;
    }
  }
  return {.variance = freedom > 0 ? squares / freedom : 0,
          .median_variance = visit_count > 0 ? of_medians / visit_count : 0};
}

// Every launch of a combination has visits in the same rounds.
bool same_rounds(const FactorTable& table) {
  for (const auto& [combination, visits] : table.visits) {
    std::map<std::uint32_t, std::set<std::uint32_t>> rounds;
    for (const VisitSummary* visit : visits) rounds[visit->launch].insert(visit->round);
    const auto differs = [&](const auto& launch) {
      return launch.second != rounds.begin()->second;
    };
    if (std::ranges::any_of(rounds, differs)) return false;
  }
  return true;
}

}  // namespace

RandomVariance random_variance(const FactorTable& table, bool global, double confidence) {
  std::vector<stats::UnitValue> values;
  // What all launches share round by round (a first one that is slow) is not a difference of
  // launches, and left in the scatter inside of them it would hide theirs. Not where launches have
  // different rounds: those of one launch alone would take its difference away.
  const bool by_round = same_rounds(table);
  std::map<std::pair<const Combination*, std::uint32_t>, std::size_t> blocks;
  for (const auto& [combination, visits] : table.visits) {
    for (const VisitSummary* visit : visits) {
      const std::uint32_t round = by_round ? visit->round : 0;
      const auto block = blocks.try_emplace({&combination, round}, blocks.size()).first;
      values.push_back({.stratum = visit->arm,
                        .block = block->second,
                        .unit = visit->launch,
                        .value = std::log(visit->median_ns)});
    }
  }
  RandomVariance result;
  const Scatter repetitions = scatter(table, global);
  result.repetition = repetitions.variance;
  result.launches = stats::random_units(values, confidence);
  if (!result.launches) return result;
  result.launch_ranks = stats::units_rank_test(values);
  result.launch = std::max(result.launches->unit_variance, 0.0);
  result.visit = std::max(result.launches->error_variance - repetitions.median_variance, 0.0);
  return result;
}

JointVariance joint_variance(const FactorTable& table) {
  if (table.factors.size() < 2) return {.missing = "no two factors vary"};
  std::vector<Combination> combinations;
  std::map<std::uint32_t, std::vector<double>> groups;
  for (const auto& [combination, visits] : table.visits) {
    std::map<std::uint32_t, std::vector<double>> logs;
    for (const VisitSummary* visit : visits) {
      logs[visit->group].push_back(std::log(visit->median_ns));
    }
    for (const auto& [group, values] : logs) groups[group].push_back(stats::mean(values));
    combinations.push_back(combination);
  }
  if (combinations.size() < 2) return {.missing = "no two factors are crossed"};
  if (groups.size() < 2) return {.missing = "one launch group only"};
  stats::BlockedValues complete;
  for (auto& [group, values] : groups) {
    if (values.size() == combinations.size()) complete.push_back(std::move(values));
  }
  if (complete.size() < 2) return {.missing = "no two launch groups have all combinations"};
  const auto together = stats::interaction_variance(combinations, complete);
  if (!together) return {.missing = "no two factors are crossed"};
  return {.variance = std::max(together->variance, 0.0)};
}

}  // namespace invar::analysis
