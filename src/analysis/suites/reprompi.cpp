#include "analysis/suites/reprompi.hpp"

#include <algorithm>
#include <map>

#include "analysis/study/batches.hpp"
#include "analysis/study/summaries.hpp"
#include "stats/describe/moments.hpp"
#include "stats/describe/quantile.hpp"
#include "stats/describe/summary.hpp"

namespace invar::analysis {
namespace {

// Observations of one launch by cell, warm-ups removed.
std::map<std::uint32_t, std::vector<double>> observations_ns(const store::Data& data,
                                                             const store::Launch& launch,
                                                             const Batches& batches,
                                                             const ValueRuntime& runtime) {
  std::map<std::uint32_t, std::vector<double>> cells;
  for (const store::Visit& visit : launch.visits) {
    if (!batches.keeps(visit)) continue;
    const std::uint32_t cell = cell_index(data, visit.line.cell);
    const bool global = runtime.global_in(cell);
    const bool keeps_apart =
        runtime.starts != nullptr && runtime.starts->keeps_apart(visit.line.cell);
    std::vector<double>& values = cells[cell];
    for (const record::Timing& timing : visit.records) {
      if ((timing.flags & record::kWarmUp) != 0) continue;
      if (global && !(is_kept(timing, true) && began_together(timing, keeps_apart))) continue;
      values.push_back(static_cast<double>(run_time_ps(timing, global)) * 1e-3 /
                       passes_of(visit.line));
    }
  }
  return cells;
}

}  // namespace

bool takes_global_times(const Study& study, std::size_t campaign, design::Processing processing) {
  if (processing == design::Processing::kFilteredMedian) return study.summaries(campaign).global;
  return processing == design::Processing::kMedian && study.rules().runtime == Runtime::kGlobal;
}

bool ValueRuntime::global_in(std::uint32_t cell) const {
  return global && !std::ranges::binary_search(local_cells, cell);
}

ValueRuntime value_runtime(const Study& study, std::size_t campaign,
                           design::Processing processing) {
  ValueRuntime runtime{.global = takes_global_times(study, campaign, processing),
                       .starts = &study.starts(campaign)};
  // `--runtime global` asks for it of all cells.
  if (runtime.global && study.rules().runtime == Runtime::kAuto) {
    runtime.local_cells =
        study.summaries_of({.kind = TimeChoice::Kind::kWhole}, campaign).local_cells;
  }
  return runtime;
}

CellTable launch_value_table(const store::Data& data, bool filtered, const ValueRuntime& runtime,
                             LaunchValue value) {
  std::vector<VisitSummary> launches;
  const Batches batches(data);
  for (const store::Group& group : data.groups) {
    for (const store::Launch& launch : group.launches) {
      for (const auto& [cell, values] : observations_ns(data, launch, batches, runtime)) {
        if (values.empty()) continue;
        std::vector<double> kept = filtered ? stats::tukey_filter(values) : values;
        VisitSummary summary;
        summary.group = launch.group;
        summary.launch = launch.launch;
        summary.arm = launch.arm;
        summary.cell = cell;
        summary.observations = static_cast<std::uint32_t>(kept.size());
        summary.effective_count = static_cast<double>(kept.size());
        summary.median_ns =
            value == LaunchValue::kMean ? stats::mean(kept) : stats::median_in_place(kept);
        launches.push_back(summary);
      }
    }
  }
  return sort_visits(launches, data.cells.size(), data.arms.size());
}

}  // namespace invar::analysis
