#include "analysis/repetitions/repetition_needs.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace invar::analysis {
namespace {

// What one launch measured of a cell, in its order.
struct NeedSeries {
  std::uint32_t group = 0;
  std::uint32_t calls = 1;
  double step_ns = 0;
  std::vector<double> values_ns = {};
};
using NeedSeriesByLaunch = std::map<std::uint32_t, NeedSeries>;

// By arm and cell.
std::map<std::pair<std::uint32_t, std::uint32_t>, NeedSeriesByLaunch> need_series(
    const store::Data& data, const Summaries& summaries, std::size_t most) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, NeedSeriesByLaunch> all;
  Tally tally;
  for (const VisitSummary& visit : summaries.visits) {
    const bool failed = std::ranges::any_of(data.failed_cells, [&](const store::FailedCell& cell) {
      return cell.cell == data.cells[visit.cell].id && cell.arm == data.arms[visit.arm].label;
    });
    if (failed || visit.source->program) continue;
    NeedSeries& series = all[{visit.arm, visit.cell}][visit.launch];
    series.group = visit.group;
    series.calls = visit.source->line.calls;
    series.step_ns = visit.step_ns;
    if (series.values_ns.size() < most) {
      append_observations(visit, summaries.global, series.values_ns, tally);
    }
  }
  return all;
}

stats::RunningValues rule_limits(const design::RepetitionRule& rule) {
  stats::RunningValues limits;
  for (const design::RepetitionMethodInfo& info : design::repetition_methods()) {
    const design::RepetitionLimit& limit = rule.limit(info.method);
    if (limit.asked) limits[static_cast<std::size_t>(quantity_of(info.method))] = limit.threshold;
  }
  return limits;
}

// The largest of all launches' numbers; none where one has none.
template <typename NumberOf>
std::optional<std::size_t> largest_need(const std::vector<LaunchNeed>& launches,
                                        NumberOf number_of) {
  std::optional<std::size_t> most;
  for (const LaunchNeed& launch : launches) {
    const std::optional<std::size_t> number = number_of(launch);
    if (!number) return std::nullopt;
    most = std::max(most.value_or(0), *number);
  }
  return most;
}

LaunchNeed launch_need(std::uint32_t launch, const NeedSeries& series,
                       const design::RepetitionRule& rule, const std::vector<std::size_t>& numbers,
                       double confidence) {
  const auto window = [&](design::RepetitionMethod method) -> std::size_t {
    return rule.limit(method).window;
  };
  LaunchNeed need{.group = series.group, .launch = launch};
  const std::span<const double> values = series.values_ns;
  need.observations = std::min<std::size_t>(values.size(), rule.max);
  need.running = stats::running_rows(values.first(need.observations), numbers,
                                     {.mean_window = window(design::RepetitionMethod::kCovMean),
                                      .median_window = window(design::RepetitionMethod::kCovMedian),
                                      .step = series.step_ns,
                                      .confidence = confidence});
  need.repetitions = stats::repetitions_needed(need.running, rule_limits(rule));
  for (const design::RepetitionMethodInfo& info : design::repetition_methods()) {
    stats::RunningValues limits;
    limits[static_cast<std::size_t>(quantity_of(info.method))] = rule.limit(info.method).threshold;
    need.alone[static_cast<std::size_t>(info.method)] =
        stats::repetitions_needed(need.running, limits);
  }
  const std::optional<std::size_t> by_medians =
      need.alone[static_cast<std::size_t>(design::RepetitionMethod::kCovMedian)];
  need.medians_equal = std::ranges::any_of(need.running, [&](const stats::RunningRow& row) {
    return row.n == by_medians && row.medians_equal;
  });
  return need;
}

}  // namespace

stats::RunningQuantity quantity_of(design::RepetitionMethod method) {
  switch (method) {
    case design::RepetitionMethod::kRse:
      return stats::RunningQuantity::kRse;
    case design::RepetitionMethod::kCovMean:
      return stats::RunningQuantity::kCovMean;
    case design::RepetitionMethod::kCovMedian:
      return stats::RunningQuantity::kCovMedian;
    case design::RepetitionMethod::kInvar:
      break;
  }
  return stats::RunningQuantity::kHalfWidth;
}

std::vector<CellNeed> repetition_needs(const store::Data& data, const Summaries& summaries,
                                       const design::RepetitionRule& rule, double confidence) {
  const std::vector<std::size_t> numbers = rule.numbers();
  std::vector<CellNeed> needs;
  for (const auto& [place, launches] : need_series(data, summaries, rule.max)) {
    CellNeed need{.arm = place.first, .cell = place.second};
    for (const auto& [launch, series] : launches) {
      need.calls = std::max(need.calls, series.calls);
      need.step_ns = std::max(need.step_ns, series.step_ns);
      need.launches.push_back(launch_need(launch, series, rule, numbers, confidence));
    }
    need.repetitions =
        largest_need(need.launches, [](const LaunchNeed& one) { return one.repetitions; });
    for (std::size_t i = 0; i < need.alone.size(); ++i) {
      need.alone[i] =
          largest_need(need.launches, [i](const LaunchNeed& one) { return one.alone[i]; });
    }
    needs.push_back(std::move(need));
  }
  return needs;
}

}  // namespace invar::analysis
