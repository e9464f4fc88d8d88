#include "analysis/suites/preset_values.hpp"

#include <algorithm>

#include "analysis/p2p/rates.hpp"
#include "analysis/study/select.hpp"
#include "analysis/suites/measured_again.hpp"
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
  const bool of_initiator = processing == design::Processing::kMeanOfInitiator ||
                            processing == design::Processing::kLeastOfPasses;
  if (of_initiator && !sample.rank_ns.empty()) return "no rank that starts was recorded";
  return sample.rank_ns.empty() || processing != design::Processing::kRootToLast
             ? "single ranks were not recorded (record = \"per-rank\" does)"
             : "the ranks' clocks cannot be compared";
}

// From this round on a launch has visits for points that are measured again.
std::uint32_t first_round_again(const store::Launch& launch, const store::Data& data,
                                const record::Scheme& scheme) {
  std::uint32_t rounds = 0;
  for (const store::Visit& visit : launch.visits) {
    if (data.cells.at(visit.line.cell).scheme != scheme.name) continue;
    rounds = std::max(rounds, visit.line.round + 1);
  }
  return rounds - std::min(rounds, scheme.again);
}

// A launch's batches of a cell, those that last long enough.
struct LaunchBatches {
  SweptPoint point = {};
  std::uint32_t calls = 1;   // of a batch
  std::string missing = {};  // why there is no pass
};

LaunchBatches batches_of(const PresetValues::LaunchSample& launch, const store::Data& data,
                         const record::Cell& cell, const design::SuiteWay& way) {
  LaunchBatches batches{.point = {.size = static_cast<double>(cell.size_bytes.value_or(0))}};
  const std::vector<double>& times_ns = launch.sample.initiator_ns;
  if (times_ns.size() != launch.sample.repetitions() || times_ns.empty()) {
    batches.missing = lack_of(way.processing, launch.sample);
    return batches;
  }
  const std::uint32_t first_again = first_round_again(*launch.launch, data, *way.scheme);
  batches.point.again_ns.resize(way.scheme->again);
  const auto known = launch.launch->batch_calls.find(cell.id);
  const double step_ns = known == launch.launch->batch_calls.end() ? 0 : known->second.step_ns;
  std::size_t next = 0;
  for (const store::Visit& visit : launch.launch->visits) {
    if (visit.line.cell != cell.id) continue;
    batches.calls = std::max(1U, visit.line.calls);
    for (const record::Timing& timing : visit.records) {
      if ((timing.flags & record::kLeftOut) != 0) continue;
      const double time_ns = times_ns.at(next++);
      // As the suite would have it, but of a step that was measured.
      if (!(time_ns * batches.calls > way.scheme->least_steps * step_ns)) continue;
      const std::uint32_t again = visit.line.round - std::min(visit.line.round, first_again);
      if (visit.line.round < first_again) {
        batches.point.passes_ns.push_back(time_ns);
      } else if (again < batches.point.again_ns.size()) {
        batches.point.again_ns[again] = time_ns;
      }
    }
  }
  if (batches.point.passes_ns.empty()) {
    batches.missing = "its batches do not last longer than " +
                      std::to_string(way.scheme->least_steps) + " steps of the clock";
  }
  return batches;
}

// What a suite prints of times that it measured.
std::vector<ReportedNumber> as_printed(std::vector<ReportedNumber> numbers,
                                       const design::SuiteWay& way) {
  const bool half = way.messages != nullptr && way.messages->printed == design::Printed::kHalfTime;
  if (half) {
    for (ReportedNumber& number : numbers) number.time_ns /= 2;
  }
  return numbers;
}

}  // namespace

PresetValues::PresetValues(const Study& study, std::size_t campaign)
    : all_(study.all(campaign)),
      own_(study.data(campaign)),
      measured_(study.campaign(campaign).analysis.presets),
      command_(study.campaign(campaign).analysis.question == design::Question::kP2p ? "p2p"
                                                                                    : "race") {
  for (const bool filtered : {false, true}) {
    medians_[filtered ? 1 : 0] =
        launch_value_table(own(), filtered,
                           value_runtime(study, campaign,
                                         filtered ? design::Processing::kFilteredMedian
                                                  : design::Processing::kMedian));
    drop_failed_cells(own(), medians_[filtered ? 1 : 0]);
  }
  for (const store::Group& group : all_.groups) {
    for (const store::Launch& launch : group.launches) {
      for (const store::Visit& visit : launch.visits) {
        std::uint32_t& most = most_calls_[visit.line.cell];
        most = std::max(most, visit.line.calls);
      }
    }
  }
  const std::array<const record::Factor*, 2> apart{record::find_factor("size_bytes"),
                                                   record::find_factor("family")};
  curves_ = record::levels_but(all_.cells, apart);
}

record::OperationInfo PresetValues::operation(const record::Cell& cell) const {
  return all_.operation(cell.operation);
}

const record::Cell* PresetValues::cell_of(const design::Preset& preset,
                                          const record::Cell& own) const {
  const std::optional<design::SuiteWay> way = design::way_of(preset, operation(own));
  const record::Scheme* scheme = way ? way->scheme : nullptr;
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
      const bool visited = std::ranges::any_of(launch.visits, [&](const store::Visit& visit) {
        return visit.line.cell == cell.id && visit.line.calls == most_calls_.at(cell.id);
      });
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
  const record::OperationInfo info = operation(own_cell);
  const std::optional<design::SuiteWay> way = design::way_of(preset, info);
  if (!way) {
    reported.missing = "it has no benchmark of " + own_cell.operation;
    return reported;
  }
  reported.benchmark = way->messages;
  if (way->messages != nullptr && way->messages->printed == design::Printed::kMegabytesPerS) {
    reported.call_bytes = bytes_of_call(own_cell, info);
  }
  if (std::string lack = design::lack_in_suite(*way, info, own_cell); !lack.empty()) {
    reported.missing = std::move(lack);
    return reported;
  }
  const record::Cell* measured = cell_of(preset, own_cell);
  if (measured == nullptr) {
    const record::Factor* factor = record::factor_unknown_to(*way->scheme, own_cell);
    reported.missing = factor == nullptr
                           ? std::string(kNotItsWay)
                           : "it never measures with " + level_words(*factor, own_cell);
    reported.other_way = factor == nullptr;
    return reported;
  }
  if (failed(all_, *measured, arm)) {
    reported.missing = "it failed";
    return reported;
  }
  if (way->scheme->again > 0) {
    const Passes& passes = passes_of(*way, *measured, arm);
    reported.launches = passes.launches;
    if (passes.launches.empty()) reported.missing = passes.missing;
    return reported;
  }
  reported.missing = "this arm does not have the cell";
  for (const LaunchSample& launch : samples(*measured, arm)) {
    std::vector<ReportedNumber> numbers = as_printed(process(way->processing, launch.sample), *way);
    if (numbers.empty()) {
      reported.missing = lack_of(way->processing, launch.sample);
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

const PresetValues::Passes& PresetValues::passes_of(const design::SuiteWay& way,
                                                    const record::Cell& measured,
                                                    std::uint32_t arm) const {
  const std::tuple place(way.processing, measured.id, arm);
  if (!passes_.contains(place)) sweep(way, measured, arm);
  return passes_.at(place);
}

void PresetValues::sweep(const design::SuiteWay& way, const record::Cell& measured,
                         std::uint32_t arm) const {
  const auto curve_of = [&](const record::Cell& cell) {
    return curves_.at(static_cast<std::size_t>(&cell - all_.cells.data()));
  };
  std::vector<const record::Cell*> curve;
  for (const record::Cell& cell : all_.cells) {
    if (curve_of(cell) == curve_of(measured)) curve.push_back(&cell);
  }
  std::ranges::sort(curve, {}, [](const record::Cell* cell) { return cell->size_bytes; });
  // By launch, all points of the curve, also those that it lacks.
  std::map<std::uint32_t, std::vector<LaunchBatches>> launches;
  std::map<std::uint32_t, const store::Launch*> known;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    passes_[{way.processing, curve[i]->id, arm}].missing =
        failed(all_, *curve[i], arm) ? "it failed" : "this arm does not have the cell";
    if (failed(all_, *curve[i], arm)) continue;
    for (const LaunchSample& launch : samples(*curve[i], arm)) {
      std::vector<LaunchBatches>& points = launches[launch.launch->launch];
      points.resize(curve.size());
      points[i] = batches_of(launch, all_, *curve[i], way);
      known[launch.launch->launch] = launch.launch;
    }
  }
  for (const auto& [number, points] : launches) {
    std::vector<SweptPoint> swept;
    for (const LaunchBatches& batches : points) swept.push_back(batches.point);
    const std::vector<KeptPasses> kept = kept_passes(swept);
    for (std::size_t i = 0; i < curve.size(); ++i) {
      Passes& passes = passes_.at({way.processing, curve[i]->id, arm});
      if (!points[i].missing.empty()) passes.missing = points[i].missing;
      if (kept[i].times_ns.empty()) continue;
      const PresetSample sample{.initiator_ns = kept[i].times_ns, .largest_ns = kept[i].times_ns};
      passes.launches.push_back({.group = known.at(number)->group,
                                 .launch = number,
                                 .calls = std::uint64_t{points[i].calls} * kept[i].times_ns.size(),
                                 .numbers = as_printed(process(way.processing, sample), way),
                                 .again = kept[i].again});
    }
  }
}

double median_of_launches(std::span<const LaunchReport> launches, std::size_t number) {
  std::vector<double> values;
  for (const LaunchReport& launch : launches) {
    if (number < launch.numbers.size()) values.push_back(launch.numbers[number].time_ns);
  }
  return stats::median_in_place(values);
}

}  // namespace invar::analysis
