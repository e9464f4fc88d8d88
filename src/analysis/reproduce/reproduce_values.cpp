#include "analysis/reproduce/reproduce_values.hpp"

#include <algorithm>

#include "analysis/compare/compare.hpp"
#include "analysis/study/pairs.hpp"
#include "analysis/study/select.hpp"
#include "analysis/study/times.hpp"
#include "stats/describe/moments.hpp"

namespace invar::analysis {
namespace {

RepeatValues empty_values(const store::Data& data, std::size_t cells) {
  return {.values = std::vector(cells, std::vector<RepeatedValue>(data.arms.size())),
          .machine_s = machine_seconds(data)};
}

// The index among `cells` of the counterpart of `wanted`, which is one of `own`; or their number.
std::size_t index_of(const std::vector<record::Cell>& cells, const record::Cell& wanted,
                     const std::vector<record::Cell>& own) {
  return record::counterpart(wanted, own, cells).value_or(cells.size());
}

// The rows of a comparison, over everything that was measured.
void take_comparison(const Comparison& comparison, const store::Data& data,
                     const std::vector<record::Cell>& cells, RepeatValues& taken) {
  const std::vector<std::string> labels = labels_of(data);
  const auto arm_of = [&](const std::string& label) {
    return static_cast<std::size_t>(std::ranges::find(labels, label) - labels.begin());
  };
  for (const ComparedCell& row : comparison.cells) {
    // Campaigns that compare levels of a factor have no values here but times.
    if (row.regime || row.cell_b) continue;
    const std::size_t cell = index_of(cells, row.cell, data.cells);
    if (cell == cells.size()) continue;
    const std::size_t a = arm_of(row.arm_a);
    const std::size_t b = arm_of(row.arm_b);
    if (row.time_a) taken.values[cell][a].time_ns = row.time_a->median_ns;
    if (row.time_b) taken.values[cell][b].time_ns = row.time_b->median_ns;
    // Where the reference lacks the cell the ratio is one to another arm.
    if (a != 0) continue;
    taken.values[cell][b].ratio = row.ratio;
    taken.values[cell][b].verdict = row.verdict;
  }
}

}  // namespace

RepeatValues own_values(const Study& study, const std::vector<record::Cell>& cells) {
  const store::Data& data = study.data();
  RepeatValues taken = empty_values(data, cells.size());
  const auto miss = [&](const std::string& why) {
    for (auto& arms : taken.values) {
      for (RepeatedValue& value : arms) value.missing = why;
    }
  };
  if (data.groups.empty()) {
    miss("no launch group is complete");
    return taken;
  }
  miss("this arm has no time of the cell");
  CellTable table = sort_visits(study.summaries().visits, data.cells.size(), data.arms.size());
  drop_failed_cells(data, table);
  for (std::size_t i = 0; i < data.cells.size(); ++i) {
    const std::size_t cell = index_of(cells, data.cells[i], data.cells);
    if (cell == cells.size()) continue;
    for (std::size_t arm = 0; arm < data.arms.size(); ++arm) {
      const auto time = time_estimate(table[i][arm], 1 - study.rules().decision.alpha);
      if (time) taken.values[cell][arm].time_ns = time->median_ns;
    }
  }
  for (const store::FailedCell& failed : data.failed_cells) {
    const std::size_t cell = index_of(cells, data.cells[cell_index(data, failed.cell)], data.cells);
    const std::vector<std::string> labels = labels_of(data);
    const auto arm = std::ranges::find(labels, failed.arm);
    if (cell == cells.size() || arm == labels.end()) continue;
    taken.values[cell][static_cast<std::size_t>(arm - labels.begin())].missing = "it failed";
  }
  if (data.arms.size() < 2) return taken;
  if (const std::optional<Lack> lack = comparison_lack(study)) {
    miss(lack->faults.front().what);
  } else {
    take_comparison(compare(study), data, cells, taken);
  }
  return taken;
}

SuiteValues suite_values(const PresetValues& values, const design::Preset& preset,
                         const std::vector<record::Cell>& cells) {
  const store::Data& data = values.own();
  SuiteValues taken{.one_run = empty_values(data, cells.size()),
                    .same_time = empty_values(data, cells.size())};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::size_t cell = index_of(data.cells, cells[i], cells);
    for (std::size_t arm = 0; arm < data.arms.size(); ++arm) {
      RepeatedValue& first = taken.one_run.values[i][arm];
      RepeatedValue& mean = taken.same_time.values[i][arm];
      if (cell == data.cells.size()) {
        first.missing = mean.missing = "this arm does not have the cell";
        continue;
      }
      const Reported reported =
          values.of(preset, static_cast<std::uint32_t>(cell), static_cast<std::uint32_t>(arm));
      if (reported.launches.empty()) {
        first.missing = mean.missing = reported.missing;
        continue;
      }
      taken.any = true;
      std::vector<double> times_ns;
      times_ns.reserve(reported.launches.size());
      for (const LaunchReport& launch : reported.launches) {
        times_ns.push_back(launch.numbers.front().time_ns);
      }
      first.time_ns = times_ns.front();
      mean.time_ns = stats::mean(times_ns);
      if (arm == 0) continue;
      for (RepeatValues* repeat : {&taken.one_run, &taken.same_time}) {
        const std::optional<double> reference = repeat->values[i][0].time_ns;
        RepeatedValue& value = repeat->values[i][arm];
        if (reference && *reference > 0) value.ratio = *value.time_ns / *reference;
      }
    }
  }
  return taken;
}

double machine_seconds(const store::Data& data) {
  double seconds = 0;
  for (const store::Group& group : data.groups) seconds += group.seconds;
  for (const store::GroupOutcome& group : data.failed_groups) seconds += group.seconds;
  return seconds;
}

}  // namespace invar::analysis
