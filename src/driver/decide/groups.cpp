#include "driver/decide/groups.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "base/units.hpp"
#include "design/plan/schedule.hpp"
#include "driver/decide/batches.hpp"
#include "driver/decide/plans.hpp"
#include "driver/prepare/checks.hpp"
#include "driver/sizes/sizes.hpp"

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

namespace {

// The pilot group is often the slowest one: when all that were planned are measured, others may
// still fit. How many follows from the clock alone. A campaign that had come to its end keeps the
// number that it ended with.
Step more_groups(const StudySoFar& so_far, const design::Launches& launches) {
  const store::State& state = so_far.state;
  const Spent& spent = so_far.spent;
  const std::uint32_t planned = *state.planned_groups;
  const bool open = next_group(state, so_far.finished).has_value() || spent.waiting > 0;
  if (open || state.ended || state.mended || !so_far.budget_s || !spent.cut.empty() ||
      planned >= launches.max || !(spent.group_s > 0) || !arms_remain(so_far.prepared, state)) {
    return {};
  }
  // The last one may take as long as the slowest of late.
  const double end_s = std::min(*so_far.budget_s, latest_end_s(*so_far.budget_s));
  const double left_s = end_s - spent.elapsed_s - spent.most_s;
  if (left_s < 0) return {};
  const double fitting = 1 + std::floor(left_s / spent.group_s);
  const auto more =
      static_cast<std::uint32_t>(std::min(fitting, static_cast<double>(launches.max - planned)));
  Step step;
  step.say = base::count_text(more, "more group") + (more == 1 ? " fits" : " fit") +
             " into the budget of " + base::span_text(*so_far.budget_s);
  step.groups = {.groups = planned + more,
                 .why = "groups took " + base::span_text(spent.group_s) + ": " + step.say};
  const std::uint32_t last = last_planned(state);
  if (step.groups->groups > last) {
    step.plan = plan_after(so_far.prepared, state, last, {.groups = step.groups->groups - last});
  }
  return step;
}

std::size_t complete_groups(const store::State& state) {
  return static_cast<std::size_t>(
      std::ranges::count_if(state.groups, &store::GroupOutcome::complete));
}

// Why a campaign ends with time left: it asks for no more. Empty: the budget ends it, or there is
// none.
std::string most_asked_text(const StudySoFar& so_far, const design::Launches& launches,
                            std::uint32_t groups, double group_s) {
  const std::optional<double>& budget_s = so_far.prepared.campaign.budget_s;
  if (!budget_s || groups < launches.max || !(group_s > 0)) return {};
  const double end_s = so_far.spent.elapsed_s + group_s * (groups - so_far.spent.groups_done);
  if (end_s + group_s > *budget_s) return {};
  return base::count_text(groups, "group") + (groups == 1 ? " in all is" : " in all are") +
         " the most that the campaign asks for (" + "launches, max), after about " +
         base::span_text(std::ceil(end_s)) + " of the budget of " + base::span_text(*budget_s);
}

}  // namespace

Step decide_groups(const StudySoFar& so_far) {
  const store::State& state = so_far.state;
  const Spent& spent = so_far.spent;
  Step step;
  if (std::string why = budget_over_text(so_far.prepared, state, spent); !why.empty()) {
    std::string cut = cut_while_choosing_text(so_far, why);
    if (cut.empty()) {
      cut = cut_short_text(so_far.prepared, state, spent, so_far.groups_complete, why);
    }
    step.warning = std::move(cut);
    step.groups = {.groups = so_far.finished.empty() ? 0 : *so_far.finished.rbegin(),
                   .why = std::move(why)};
    return step;
  }
  if (so_far.groups_complete == 0) return {};
  // Those that chose sizes measured something else.
  const bool chose = chooses_sizes(so_far.prepared);
  const std::vector<store::GroupOutcome> judging =
      chose ? judging_groups(state) : std::vector<store::GroupOutcome>();
  if (chose && (!sizes_are_chosen(so_far.prepared, state) || judging.empty())) return {};
  const design::Launches launches = asked_launches(so_far.prepared, state);
  if (launches.min >= launches.max) return step;
  if (state.planned_groups) return more_groups(so_far, launches);
  double group_s = spent.group_s;
  if (chose) {
    std::vector<double> seconds;
    seconds.reserve(judging.size());
    for (const store::GroupOutcome& group : judging) seconds.push_back(group.seconds);
    group_s = group_time(seconds, group_s).typical_s;
  } else if (is_batched(state)) {
    // The pilot group was timed in single calls.
    group_s += extra_seconds(so_far.measured(), *state.batches);
  }
  step.groups = {
      .groups = design::groups_for_budget(launches, so_far.prepared.campaign.budget_s,
                                          spent.elapsed_s, spent.groups_done, group_s),
      .why = std::string(!chose                                    ? "the pilot group"
                         : judging.size() < complete_groups(state) ? "a group that judges"
                                                                   : "a group") +
             " took " + base::span_text(chose ? group_s : spent.group_s)};
  step.say = most_asked_text(so_far, launches, step.groups->groups, group_s);
  if (!step.say.empty()) step.groups->why += "; " + step.say;
  const std::uint32_t planned = last_planned(state);
  if (step.groups->groups > planned) {
    step.plan =
        plan_after(so_far.prepared, state, planned, {.groups = step.groups->groups - planned});
  }
  return step;
}

}  // namespace invar::driver
