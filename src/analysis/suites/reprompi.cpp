#include "analysis/suites/reprompi.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/study/batches.hpp"
#include "analysis/study/summaries.hpp"
#include "stats/describe/quantile.hpp"
#include "stats/describe/summary.hpp"
#include "stats/test/hodges_lehmann.hpp"
#include "stats/test/wilcoxon.hpp"

namespace invar::analysis {
namespace {

std::vector<double> launch_medians(const CellVisits& visits) {
  std::vector<double> medians;
  for (const LaunchVisits& launch : visits.launches) medians.push_back(launch.median_ns);
  return medians;
}

// Observations of one launch by cell, warm-ups removed.
std::map<std::uint32_t, std::vector<double>> observations_ns(const store::Data& data,
                                                             const store::Launch& launch,
                                                             const Batches& batches, bool global) {
  std::map<std::uint32_t, std::vector<double>> cells;
  for (const store::Visit& visit : launch.visits) {
    if (!batches.keeps(visit)) continue;
    std::vector<double>& values = cells[cell_index(data, visit.line.cell)];
    for (const record::Timing& timing : visit.records) {
      if ((timing.flags & record::kWarmUp) != 0) continue;
      if (global && !is_kept(timing, true)) continue;
      values.push_back(static_cast<double>(run_time_ps(timing, global)) * 1e-3);
    }
  }
  return cells;
}

}  // namespace

bool takes_global_times(const Study& study, std::size_t campaign, design::Processing processing) {
  if (processing == design::Processing::kFilteredMedian) return study.summaries(campaign).global;
  return processing == design::Processing::kMedian && study.rules().runtime == Runtime::kGlobal;
}

CellTable launch_median_table(const store::Data& data, bool filtered, bool global) {
  std::vector<VisitSummary> launches;
  const Batches batches(data);
  for (const store::Group& group : data.groups) {
    for (const store::Launch& launch : group.launches) {
      for (const auto& [cell, values] : observations_ns(data, launch, batches, global)) {
        if (values.empty()) continue;
        std::vector<double> kept = filtered ? stats::tukey_filter(values) : values;
        VisitSummary summary;
        summary.group = launch.group;
        summary.launch = launch.launch;
        summary.arm = launch.arm;
        summary.cell = cell;
        summary.observations = static_cast<std::uint32_t>(kept.size());
        summary.effective_count = static_cast<double>(kept.size());
        summary.median_ns = stats::median_in_place(kept);
        launches.push_back(summary);
      }
    }
  }
  return sort_visits(launches, data.cells.size(), data.arms.size());
}

void judge_reprompi(ComparedCell& row, const CellVisits& a, const CellVisits& b,
                    const Rules& rules) {
  const bool verdicts = rules.no_verdict.empty();
  if (verdicts) row.verdict = stats::Verdict::kUndecided;
  const std::vector<double> log_a = a.log_medians();
  const std::vector<double> log_b = b.log_medians();
  if (log_a.empty() || log_b.empty()) return;
  const stats::LocationEstimate shift =
      stats::hodges_lehmann_shift(log_b, log_a, 1 - rules.decision.alpha);
  row.ratio = std::exp(shift.estimate);
  row.launches = std::min(log_a.size(), log_b.size());
  row.this_launch_only = row.launches == 1;
  if (row.launches < 2) return;
  if (shift.interval) {
    row.ratio_interval = stats::Interval{
        std::exp(shift.interval->low), std::exp(shift.interval->high), shift.interval->confidence};
  }
  if (!verdicts) return;
  const std::vector<double> times_a = launch_medians(a);
  const std::vector<double> times_b = launch_medians(b);
  const stats::RankTest test = stats::rank_sum_test(times_a, times_b);
  row.p = test.p;
  if (!test.p || *test.p > rules.decision.alpha) return;
  const double pairs = static_cast<double>(times_a.size() * times_b.size());
  if (test.statistic < pairs / 2) row.verdict = stats::Verdict::kFaster;
  if (test.statistic > pairs / 2) row.verdict = stats::Verdict::kSlower;
}

}  // namespace invar::analysis
