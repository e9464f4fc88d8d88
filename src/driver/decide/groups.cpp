#include "driver/decide/groups.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/units.hpp"
#include "design/plan/schedule.hpp"
#include "driver/decide/batches.hpp"
#include "driver/decide/plans.hpp"

namespace invar::driver {

std::uint32_t spare_groups(const store::State& state) {
  std::set<std::uint32_t> spare;
  for (const store::DecidedLine& decided : state.decided) {
    for (const store::NotJudging& some : decided.not_judging) {
      spare.insert(some.groups.begin(), some.groups.end());
    }
  }
  const auto pilot = std::ranges::find_if(state.groups, &store::GroupOutcome::complete);
  const bool is_spare = pilot != state.groups.end() && spare.contains(pilot->group);
  return static_cast<std::uint32_t>(spare.size()) + (is_batched(state) && !is_spare ? 1 : 0);
}

design::Launches asked_launches(const Prepared& prepared, const store::State& state) {
  design::Launches launches = prepared.campaign.launches;
  launches.min += spare_groups(state);
  launches.max += spare_groups(state);
  return launches;
}

Step decide_groups(const StudySoFar& so_far) {
  const store::State& state = so_far.state;
  const Spent& spent = so_far.spent;
  Step step;
  if (std::string why = budget_over_text(so_far.prepared, state, spent); !why.empty()) {
    step.warning = cut_short_text(so_far.prepared, state, spent, so_far.groups_complete, why);
    step.groups = {.groups = so_far.finished.empty() ? 0 : *so_far.finished.rbegin(),
                   .why = std::move(why)};
    return step;
  }
  if (so_far.groups_complete == 0) return {};
  const design::Launches launches = asked_launches(so_far.prepared, state);
  if (state.planned_groups || launches.min >= launches.max) return step;
  double group_s = spent.group_s;
  if (is_batched(state)) group_s += extra_seconds(so_far.measured(), *state.batches);
  step.groups = {.groups = design::groups_for_budget(launches, so_far.prepared.campaign.budget_s,
                                                     spent.elapsed_s, spent.groups_done, group_s),
                 .why = "the pilot group took " + base::span_text(spent.group_s)};
  const std::uint32_t planned = last_planned(state);
  if (step.groups->groups > planned) {
    step.plan =
        plan_after(so_far.prepared, state, planned, {.groups = step.groups->groups - planned});
  }
  return step;
}

}  // namespace invar::driver
