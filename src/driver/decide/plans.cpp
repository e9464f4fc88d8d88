#include "driver/decide/plans.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "design/plan/families.hpp"
#include "design/plan/repeats.hpp"
#include "design/plan/schedule.hpp"
#include "driver/decide/added_cells.hpp"
#include "driver/decide/groups.hpp"
#include "driver/decide/looks.hpp"
#include "driver/decide/repetitions.hpp"
#include "driver/sizes/sizes.hpp"

namespace invar::driver {
namespace {

// Repetitions of every cell that has tuned or predicted ones or stands in a family with one that
// has: those of a family are equal.
std::map<std::uint32_t, std::uint32_t> repetitions_of(const Prepared& prepared,
                                                      const store::State& state,
                                                      const NextLaunches& next) {
  std::map<std::uint32_t, std::uint32_t> tuned_ones = next.repetitions;
  tuned_ones.merge(decided_repetitions(state));
  const std::vector<record::Cell>& cells = prepared.cells.cells;
  const std::vector<std::uint32_t> families = design::families_of(cells);
  const auto tuned = [&](std::uint32_t cell) {
    const auto found = tuned_ones.find(cell);
    return found == tuned_ones.end() ? prepared.campaign.repetitions : found->second;
  };
  std::map<std::uint32_t, std::uint32_t> most;  // by family
  for (const auto& [cell, repetitions] : tuned_ones) most[families.at(cell)] = 1;
  std::map<std::uint32_t, std::uint32_t> all;
  for (std::uint32_t cell = 0; cell < cells.size(); ++cell) {
    const auto family = most.find(families[cell]);
    if (family != most.end()) family->second = std::max(family->second, tuned(cell));
  }
  for (std::uint32_t cell = 0; cell < cells.size(); ++cell) {
    const auto family = most.find(families[cell]);
    if (family != most.end()) all[cell] = family->second;
  }
  return all;
}

// What is measured no more, with what no decision chose.
std::vector<record::ArmCell> dropped_of(const Prepared& prepared, const store::State& state,
                                        const NextLaunches& next) {
  std::vector<record::ArmCell> dropped = not_chosen(prepared, state);
  const std::vector<record::ArmCell> evidence = evidence_cells(prepared, state);
  dropped.insert(dropped.end(), evidence.begin(), evidence.end());
  if (dropped.empty()) return next.dropped;
  dropped.insert(dropped.end(), next.dropped.begin(), next.dropped.end());
  return with_other_suites(prepared.cells, std::move(dropped));
}

// The cells that the campaign began with; none: nothing is planned yet.
std::span<const record::Cell> first_cells(const store::State& state) {
  for (const record::Plan& plan : state.plans) {
    if (!plan.rows.empty()) return plan.cells;
  }
  return {};
}

}  // namespace

std::uint32_t last_planned(const store::State& state) {
  std::uint32_t last = 0;
  for (const record::Plan& plan : state.plans) {
    if (!plan.rows.empty()) last = std::max(last, plan.rows.back().group);
  }
  return state.planned_groups ? std::min(last, *state.planned_groups) : last;
}

std::optional<std::uint32_t> next_group(const store::State& state,
                                        const std::set<std::uint32_t>& finished) {
  const std::uint32_t last = last_planned(state);
  for (const record::Plan& plan : state.plans) {
    for (const record::PlanRow& row : plan.rows) {
      if (row.group <= last && !finished.contains(row.group)) return row.group;
    }
  }
  return std::nullopt;
}

const record::Plan& plan_of(const store::State& state, std::uint32_t group) {
  for (const record::Plan& plan : state.plans) {
    if (!plan.rows.empty() && group <= plan.rows.back().group) return plan;
  }
  throw base::UserError("plan", "there is no group " + std::to_string(group));
}

double mean_group_s(const store::State& state) {
  double sum_s = 0;
  double count = 0;
  for (const store::GroupOutcome& group : state.groups) {
    if (!group.complete) continue;
    sum_s += group.seconds;
    ++count;
  }
  return count > 0 ? sum_s / count : 0;
}

std::vector<record::ArmCell> not_chosen(const Prepared& prepared, const store::State& state) {
  std::vector<record::ArmCell> places;
  for (std::size_t i = 0; i < prepared.cells.cells.size(); ++i) {
    const std::uint32_t id = prepared.cells.cells[i].id;
    for (const std::uint32_t arm : prepared.cells.arms[i]) {
      if (!store::judges_nowhere(state.decided, id, prepared.campaign.arms.at(arm).label)) continue;
      places.push_back({.cell = id, .arm = arm});
    }
  }
  return places;
}

bool is_program(const Prepared& prepared, const record::PlanRow& row) {
  const design::Arm* arm = prepared.campaign.find_arm(row.arm);
  return arm != nullptr && arm->is_program();
}

record::Plan plan_after(const Prepared& prepared, const store::State& state, std::uint32_t planned,
                        std::span<const NextLaunches> all) {
  // Groups that do not count take no part of the random sizes away from those that do.
  const std::uint32_t spare = std::min(spare_groups(state), planned);
  design::Counters counters{.group = planned + 1, .part = planned + 1 - spare};
  for (const record::Plan& plan : state.plans) {
    for (const record::PlanRow& row : plan.rows) {
      if (row.group > planned) continue;
      counters.launch = std::max(counters.launch, row.launch + 1);
      counters.visit = std::max(counters.visit, row.visit + 1);
    }
  }
  record::Plan plans{.cells = prepared.cells.cells};
  const std::span<const record::Cell> begun_with = first_cells(state);
  const std::size_t known = std::min(begun_with.size(), plans.cells.size());
  // A cell keeps the family that the campaign's first plan gave it: an earlier version gave none.
  for (std::size_t i = 0; i < known; ++i) plans.cells[i].family = begun_with[i].family;
  const record::Calls batches = batches_with_added(prepared, state, plans.cells, known);
  for (const NextLaunches& next : all) {
    design::Campaign campaign = prepared.campaign;
    campaign.rounds = next.rounds.value_or(campaign.rounds);
    record::Plan plan = design::plan_groups(campaign, prepared.cells, next.groups, counters,
                                            dropped_of(prepared, state, next));
    const std::map<std::uint32_t, std::uint32_t> repetitions =
        repetitions_of(prepared, state, next);
    for (record::PlanRow& row : plan.rows) {
      // One number a launch, whatever we would like.
      if (is_program(prepared, row)) continue;
      const auto batch = batches.find(row.cell);
      // A suite's own batch is as long as it is, unless the suite finds it too short.
      if (row.calls > 1) {
        if (batch != batches.end()) row.calls = batch->second;
        continue;
      }
      const auto tuned = repetitions.find(row.cell);
      if (tuned != repetitions.end()) row.repetitions = tuned->second;
      if (batch != batches.end()) row.calls = batch->second;
    }
    if (!next.repeated.empty() && !plan.rows.empty()) {
      const std::uint32_t first = plan.rows.front().group;
      plan = design::with_repeats(std::move(plan), first, next.repeated,
                                  campaign.engine.pairing == "launches");
      // Repeats have visits of their own.
      for (const record::PlanRow& row : plan.rows) {
        counters.visit = std::max(counters.visit, row.visit + 1);
      }
    }
    plans.rows.insert(plans.rows.end(), plan.rows.begin(), plan.rows.end());
  }
  return plans;
}

record::Plan plan_after(const Prepared& prepared, const store::State& state, std::uint32_t planned,
                        const NextLaunches& next) {
  return plan_after(prepared, state, planned, std::span(&next, 1));
}

bool is_batched(const store::State& state) { return state.batches && !state.batches->empty(); }

}  // namespace invar::driver
