#include "driver/decide/decisions.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "design/plan/families.hpp"
#include "design/plan/repeats.hpp"
#include "design/plan/schedule.hpp"
#include "driver/decide/batches.hpp"

namespace invar::driver {
namespace {

// A budget is a promise about time: once it is over by this much, no further group starts.
constexpr double kBudgetSlack = 1.1;

// A program repeats as often as it likes: batches are the engine's.
bool is_program(const Prepared& prepared, const record::PlanRow& row) {
  const design::Arm* arm = prepared.campaign.find_arm(row.arm);
  return arm != nullptr && arm->is_program();
}

bool follows(const Prepared& prepared, const record::PlanRow& row, const record::Calls& batches) {
  if (is_program(prepared, row)) return true;
  const auto batch = batches.find(row.cell);
  return batch == batches.end() || row.calls == batch->second;
}

// Repetitions of every cell that has tuned ones or stands in a family with one that has: those of
// a family are equal.
std::map<std::uint32_t, std::uint32_t> repetitions_of(const Prepared& prepared,
                                                      const NextLaunches& next) {
  const std::vector<record::Cell>& cells = prepared.cells.cells;
  const std::vector<std::uint32_t> families = design::families_of(cells);
  const auto tuned = [&](std::uint32_t cell) {
    const auto found = next.repetitions.find(cell);
    return found == next.repetitions.end() ? prepared.campaign.repetitions : found->second;
  };
  std::map<std::uint32_t, std::uint32_t> most;  // by family
  for (const auto& [cell, repetitions] : next.repetitions) most[families.at(cell)] = 1;
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

// Later plans of a campaign that an earlier version began are like its first one.
void keep_without_families(const store::State& state, record::Plan& plan) {
  const bool before = std::ranges::any_of(
      state.plans, [](const record::Plan& known) { return !known.rows.empty(); });
  const bool none = std::ranges::all_of(state.plans, [](const record::Plan& known) {
    return std::ranges::all_of(known.cells, &std::string::empty, &record::Cell::family);
  });
  if (!before || !none) return;
  for (record::Cell& cell : plan.cells) cell.family.clear();
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

record::Plan plan_after(const Prepared& prepared, const store::State& state, std::uint32_t planned,
                        const NextLaunches& next) {
  design::Counters counters{.group = planned + 1};
  for (const record::Plan& plan : state.plans) {
    for (const record::PlanRow& row : plan.rows) {
      if (row.group > planned) continue;
      counters.launch = std::max(counters.launch, row.launch + 1);
      counters.visit = std::max(counters.visit, row.visit + 1);
    }
  }
  design::Campaign campaign = prepared.campaign;
  campaign.rounds = next.rounds.value_or(campaign.rounds);
  record::Plan plan =
      design::plan_groups(campaign, prepared.cells, next.groups, counters, next.dropped);
  keep_without_families(state, plan);
  const std::map<std::uint32_t, std::uint32_t> repetitions = repetitions_of(prepared, next);
  for (record::PlanRow& row : plan.rows) {
    // One number a launch, whatever we would like; and a suite's own batch is as long as it is.
    if (is_program(prepared, row) || row.calls > 1) continue;
    const auto tuned = repetitions.find(row.cell);
    if (tuned != repetitions.end()) row.repetitions = tuned->second;
    if (!state.batches) continue;
    const auto batch = state.batches->find(row.cell);
    if (batch != state.batches->end()) row.calls = batch->second;
  }
  if (!next.repeated.empty() && !plan.rows.empty()) {
    const std::uint32_t first = plan.rows.front().group;
    plan = design::with_repeats(std::move(plan), first, next.repeated,
                                campaign.engine.pairing == "launches");
  }
  return plan;
}

bool is_batched(const store::State& state) { return state.batches && !state.batches->empty(); }

design::Launches asked_launches(const Prepared& prepared, const store::State& state) {
  design::Launches launches = prepared.campaign.launches;
  if (is_batched(state)) {
    ++launches.min;
    ++launches.max;
  }
  return launches;
}

std::vector<std::uint32_t> outdated_groups(const Prepared& prepared, const store::State& state) {
  std::vector<std::uint32_t> outdated;
  for (const store::GroupOutcome& group : state.failed_before) {
    const std::vector<record::PlanRow>& rows = plan_of(state, group.group).rows;
    const bool old = std::any_of(rows.begin(), rows.end(), [&](const record::PlanRow& row) {
      return row.group == group.group && !follows(prepared, row, *state.batches);
    });
    if (old) outdated.push_back(group.group);
  }
  return outdated;
}

std::optional<record::Plan> batched_plan(const Prepared& prepared, const store::State& state,
                                         std::uint32_t done) {
  const std::uint32_t planned = last_planned(state);
  const std::uint32_t least = asked_launches(prepared, state).min;
  const bool enough = state.planned_groups || planned >= least;
  const bool all_follow =
      std::all_of(state.plans.begin(), state.plans.end(), [&](const record::Plan& plan) {
        return std::all_of(plan.rows.begin(), plan.rows.end(), [&](const record::PlanRow& row) {
          return row.group <= done || follows(prepared, row, *state.batches);
        });
      });
  if (enough && all_follow) return std::nullopt;
  return plan_after(prepared, state, done, {.groups = std::max(planned, least) - done});
}

std::optional<GroupsDecision> decide_groups(const Prepared& prepared, const store::State& state,
                                            const Spent& spent,
                                            const std::function<store::Data()>& pilot) {
  const design::Launches launches = asked_launches(prepared, state);
  if (state.planned_groups || launches.min >= launches.max) return std::nullopt;
  double group_s = spent.group_s;
  if (is_batched(state)) group_s += extra_seconds(pilot(), *state.batches);
  GroupsDecision decision{
      .groups = design::groups_for_budget(launches, prepared.campaign.budget_s, spent.elapsed_s,
                                          spent.groups_done, group_s),
      .why = "the pilot group took " + base::span_text(spent.group_s)};
  const std::uint32_t planned = last_planned(state);
  if (decision.groups > planned) {
    decision.more = plan_after(prepared, state, planned, {.groups = decision.groups - planned});
  }
  return decision;
}

std::string over_budget_text(const Prepared& prepared, const store::State& state,
                             const Spent& spent, double group_s) {
  const std::optional<double> budget_s = prepared.campaign.budget_s;
  const std::uint32_t least = asked_launches(prepared, state).min;
  if (!budget_s || spent.groups_done >= least) return {};
  const double all_s = spent.elapsed_s + group_s * (least - spent.groups_done);
  if (all_s <= *budget_s * kBudgetSlack) return {};
  std::string text = "the " + base::count_text(least, "group") + " asked for";
  if (is_batched(state)) text += " (one more than in the campaign, for the batches)";
  return text + " will take about " + base::span_text(all_s) + ", " +
         base::span_text(all_s - *budget_s) + " beyond the budget of " + base::span_text(*budget_s);
}

std::string repeated_text(const std::string& warning, std::uint32_t groups,
                          std::uint32_t groups_complete) {
  return "in " + std::to_string(groups) + " of " + base::count_text(groups_complete, "group") +
         ": " + warning;
}

std::optional<GroupsDecision> stop_over_budget(const Prepared& prepared, const store::State& state,
                                               const Spent& spent) {
  const std::optional<double> budget_s = prepared.campaign.budget_s;
  if (!budget_s || spent.groups_done < asked_launches(prepared, state).min ||
      spent.groups_done >= last_planned(state) ||
      spent.elapsed_s + spent.group_s <= *budget_s * kBudgetSlack) {
    return std::nullopt;
  }
  return GroupsDecision{.groups = spent.groups_done,
                        .why = "the budget was over after " + base::span_text(spent.elapsed_s)};
}

}  // namespace invar::driver
