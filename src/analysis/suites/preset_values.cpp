#include "analysis/suites/preset_values.hpp"

#include <algorithm>

#include "analysis/study/select.hpp"
#include "analysis/suites/reprompi.hpp"
#include "analysis/ticks/tick_times.hpp"
#include "stats/describe/quantile.hpp"

namespace invar::analysis {
namespace {

const record::Cell* find_cell(const store::Data& data, const std::optional<record::Cell>& wanted) {
  if (!wanted) return nullptr;
  const auto found = std::ranges::find_if(
      data.cells, [&](const record::Cell& cell) { return cell.same_levels(*wanted); });
  return found == data.cells.end() ? nullptr : &*found;
}

bool failed(const store::Data& data, const record::Cell& cell, std::uint32_t arm) {
  return std::ranges::any_of(data.failed_cells, [&](const store::FailedCell& one) {
    return one.cell == cell.id && one.arm == data.arms[arm].label;
  });
}

constexpr const char* kNoRepetition = "no valid repetition";

std::string lack_of(design::Processing processing, const PresetSample& sample) {
  if (sample.repetitions() == 0) return kNoRepetition;
  if (!sample.one_rate) return std::string(kSeveralRates);
  return sample.rank_ns.empty() || processing != design::Processing::kRootToLast
             ? "single ranks were not recorded (record = \"per-rank\" does)"
             : "the ranks' clocks cannot be compared";
}

}  // namespace

PresetValues::PresetValues(const Study& study, std::size_t campaign)
    : all_(study.all(campaign)),
      own_(study.data(campaign)),
      measured_(study.campaign(campaign).analysis.presets) {
  for (const bool filtered : {false, true}) {
    medians_[filtered ? 1 : 0] =
        launch_value_table(own(), filtered,
                           value_runtime(study, campaign,
                                         filtered ? design::Processing::kFilteredMedian
                                                  : design::Processing::kMedian));
    drop_failed_cells(own(), medians_[filtered ? 1 : 0]);
  }
}

const record::Cell* PresetValues::cell_of(const design::Preset& preset,
                                          const record::Cell& own) const {
  const record::Scheme* scheme = record::find_scheme(preset.scheme);
  if (scheme == nullptr) return nullptr;
  if (!scheme->rotating_root) return find_cell(all_, cell_by_scheme(own, *scheme, false));
  if (const auto* cell = find_cell(all_, cell_by_scheme(own, *scheme, true))) return cell;
  // An operation without a root is measured like any other, but which those are only the plan knew:
  // it made visits with a moving root for all others.
  const bool planned = std::ranges::find(measured_, preset.name) != measured_.end();
  return planned ? find_cell(all_, cell_by_scheme(own, *scheme, false)) : nullptr;
}

std::vector<PresetValues::LaunchSample> PresetValues::samples(const record::Cell& cell,
                                                              std::uint32_t arm) const {
  std::vector<LaunchSample> samples;
  const record::OperationInfo info = all_.operation(arm, cell.operation);
  for (const store::Group& group : all_.groups) {
    for (const store::Launch& launch : group.launches) {
      if (launch.arm != arm) continue;
      const bool visited = std::ranges::any_of(
          launch.visits, [&](const store::Visit& visit) { return visit.line.cell == cell.id; });
      if (!visited) continue;
      samples.push_back({.launch = &launch, .sample = preset_sample(launch, cell, info)});
    }
  }
  return samples;
}

Reported PresetValues::of_own(const design::Preset& preset, std::uint32_t cell,
                              std::uint32_t arm) const {
  const std::size_t filtered = preset.processing == design::Processing::kFilteredMedian ? 1 : 0;
  Reported reported;
  for (const LaunchVisits& launch : medians_[filtered][cell][arm].launches) {
    const VisitSummary& summary = launch.visits.front();
    reported.launches.push_back({.group = summary.group,
                                 .launch = summary.launch,
                                 .calls = summary.observations,
                                 .numbers = {{"median", launch.median_ns}}});
  }
  if (reported.launches.empty()) {
    reported.missing =
        failed(own(), own().cells[cell], arm) ? "it failed" : "this arm does not have the cell";
  }
  return reported;
}

Reported PresetValues::of(const design::Preset& preset, std::uint32_t cell,
                          std::uint32_t arm) const {
  // A foreign program reports what it reports.
  if (preset.scheme.empty() || !all_.arms[arm].program.empty()) return of_own(preset, cell, arm);
  Reported reported;
  const record::Cell& own_cell = own().cells[cell];
  const record::Cell* measured = cell_of(preset, own_cell);
  if (measured == nullptr) {
    const record::Factor* factor = record::factor_before_each_call(own_cell);
    reported.missing = factor == nullptr
                           ? "not measured its way"
                           : "it never measures with " + level_words(*factor, own_cell);
    reported.other_way = factor == nullptr;
    return reported;
  }
  if (failed(all_, *measured, arm)) {
    reported.missing = "it failed";
    return reported;
  }
  reported.missing = "this arm does not have the cell";
  for (const LaunchSample& launch : samples(*measured, arm)) {
    std::vector<ReportedNumber> numbers = process(preset.processing, launch.sample);
    if (numbers.empty()) {
      reported.missing = lack_of(preset.processing, launch.sample);
      continue;
    }
    std::uint64_t calls = 0;
    for (const store::Visit& visit : launch.launch->visits) {
      if (visit.line.cell == measured->id) calls = std::max<std::uint64_t>(calls, visit.line.calls);
    }
    reported.launches.push_back({.group = launch.launch->group,
                                 .launch = launch.launch->launch,
                                 .calls = calls * launch.sample.repetitions(),
                                 .numbers = std::move(numbers)});
  }
  if (!reported.launches.empty()) reported.missing.clear();
  return reported;
}

double median_of_launches(std::span<const LaunchReport> launches, std::size_t number) {
  std::vector<double> values;
  for (const LaunchReport& launch : launches) {
    if (number < launch.numbers.size()) values.push_back(launch.numbers[number].time_ns);
  }
  return stats::median_in_place(values);
}

}  // namespace invar::analysis
