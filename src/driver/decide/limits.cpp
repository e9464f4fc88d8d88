#include "driver/decide/limits.hpp"

#include <algorithm>

#include "clock/algorithm.hpp"
#include "design/factors/launch_factors.hpp"
#include "design/factors/simulated.hpp"
#include "design/plan/schedule.hpp"
#include "record/launch_spec.hpp"
#include "record/synchronisation.hpp"

namespace invar::driver {
namespace {

// A guess of the plan may be wrong by a lot, a measured time is not.
constexpr double kGuessFactor = 100;
constexpr double kMeasuredFactor = 20;
// Nothing counts as hung before: a moved virtual machine, a file server that thinks.
constexpr double kLeastVisitS = 20;
constexpr double kUnknownRunS = 600;
constexpr double kLeastRunS = 10;
constexpr double kLeastStartS = 30;
constexpr double kStartFactor = 20;
// The round trip between two hosts that are far from each other.
constexpr double kLongRoundTripS = 1e-4;
// Ranks that share a core wait for each other's time slices.
constexpr double kSharedCallS = 0.02;
// What it takes to simulate a call, for each rank, whatever time it takes in the simulation.
constexpr double kSimulatedCallS = 1e-3;
// Filling and checking buffers byte by byte, of all ranks' blocks.
constexpr double kVerifiedBytesPerS = 20e6;

// What it takes to synchronise the clocks before the first visit. By turns the arms come one after
// the other: nothing moves for as long as the slowest takes, and the group takes all of them.
struct ClockSyncs {
  double longest_s = 0;
  double all_s = 0;
};

ClockSyncs clock_syncs(const Prepared& prepared) {
  const design::Campaign& campaign = prepared.campaign;
  if (prepared.host_count() == 1 && !campaign.virtual_clocks.any()) return {};
  if (design::is_simulated(campaign)) return {};
  ClockSyncs syncs;
  for (const design::Arm& arm : campaign.arms) {
    const std::string level = design::level_of(campaign, arm, "clock-sync");
    if (arm.is_program() || level == record::kNoClockSync) continue;
    const double sync_s = clock::longest_s(clock::parse_algorithm(level, "clock-sync"),
                                           static_cast<int>(prepared.ranks), kLongRoundTripS);
    syncs.longest_s = std::max(syncs.longest_s, sync_s);
    syncs.all_s += sync_s;
  }
  return syncs;
}

}  // namespace

Limits limits_of(const Prepared& prepared, const record::Plan& rows,
                 const std::map<std::uint32_t, double>& longest_s, const RunsAhead& runs) {
  const design::EngineOptions& engine = prepared.campaign.engine;
  const bool shared = engine.oversubscribe || design::any_unpinned(prepared.campaign);
  const bool simulated = design::is_simulated(prepared.campaign);
  double longest_visit_s = 0;
  double all_visits_s = 0;
  double planned_runs = 0;
  for (const record::PlanRow& row : rows.rows) {
    const design::Arm* arm = prepared.campaign.find_arm(row.arm);
    if (arm != nullptr && arm->is_program()) {
      planned_runs += runs.groups;
      continue;
    }
    const record::Cell& cell = rows.cells.at(row.cell);
    const record::OperationInfo& operation = prepared.cells.operation(cell.operation);
    const auto known = longest_s.find(row.cell);
    double visit_s = 0;
    if (known != longest_s.end()) {
      visit_s = kMeasuredFactor * known->second;
    } else {
      const design::VisitCost cost =
          design::visit_cost(cell, row, design::rough_seconds(cell, operation));
      visit_s = kGuessFactor * cost.seconds;
      if (shared) visit_s += cost.repetitions * row.calls * kSharedCallS * cell.ranks;
    }
    if (simulated) {
      const double calls = static_cast<double>(row.repetitions) * row.calls +
                           record::LaunchSpec{}.warmup_repetitions;
      visit_s += calls * kSimulatedCallS * cell.ranks;
    }
    if (engine.window_s && record::synchronisation(cell.sync).has_windows) {
      // The engine stops a visit after half of its time, and a window is not cut short.
      visit_s += 2 * *engine.window_s * (row.repetitions + record::LaunchSpec{}.warmup_repetitions);
    }
    visit_s += static_cast<double>(cell.size_bytes.value_or(0)) * cell.ranks / kVerifiedBytesPerS;
    longest_visit_s = std::max(longest_visit_s, visit_s);
    all_visits_s += visit_s;
  }
  double startup_sum_s = 0;
  for (const double arm_s : startup_s(prepared)) startup_sum_s += arm_s;
  const ClockSyncs syncs = clock_syncs(prepared);
  Limits limits;
  limits.visit_s = engine.visit_limit_s.value_or(kLeastVisitS + longest_visit_s);
  limits.start_s =
      engine.visit_limit_s.value_or(kLeastStartS) + kStartFactor * startup_sum_s + syncs.longest_s;
  limits.group_s = 2 * limits.start_s + syncs.all_s + limits.visit_s + all_visits_s;
  // Nothing is known of a program before its first run; with a budget nobody wants to wait longer.
  const double share_s = runs.left_s ? *runs.left_s / std::max(planned_runs, 1.0) : kUnknownRunS;
  limits.program_s = engine.visit_limit_s.value_or(
      runs.longest_s > 0 ? kLeastVisitS + kMeasuredFactor * runs.longest_s
                         : std::clamp(share_s, kLeastRunS, kUnknownRunS));
  return limits;
}

}  // namespace invar::driver
