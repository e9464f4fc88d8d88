#include "driver/decide/batches.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "design/plan/adaptive_places.hpp"
#include "design/plan/families.hpp"
#include "design/plan/schedule.hpp"
#include "driver/decide/added_cells.hpp"
#include "driver/decide/groups.hpp"
#include "driver/decide/plans.hpp"
#include "driver/sizes/sizes.hpp"
#include "record/arm_cell.hpp"
#include "record/scheme.hpp"
#include "stats/describe/quantile.hpp"

namespace invar::driver {
namespace {

constexpr double kMargin = 1.1;
constexpr double kMostCalls = 1 << 16;

// What is known of an arm's cell.
struct Known {
  std::vector<double> times_ns = {};  // single calls
  store::BatchCall batch = {};
};

std::map<record::ArmCell, Known> known_of(const store::Data& pilot) {
  std::map<record::ArmCell, Known> all;
  for (const store::Group& group : pilot.groups) {
    for (const store::Launch& launch : group.launches) {
      for (const store::Visit& visit : launch.visits) {
        // Other suites' ways of measuring are theirs.
        if (visit.line.calls != 1 || pilot.cells.at(visit.line.cell).scheme != record::kOwnScheme) {
          continue;
        }
        Known& known = all[{visit.line.cell, launch.arm}];
        for (const record::Timing& timing : visit.records) {
          if ((timing.flags & record::kLeftOut) != 0) continue;
          known.times_ns.push_back(static_cast<double>(timing.local_max_ps) * 1e-3);
        }
      }
      for (const auto& [cell, batch] : launch.batch_calls) all[{cell, launch.arm}].batch = batch;
    }
  }
  return all;
}

bool is_of_a_suite(const record::Cell& cell) { return cell.scheme != record::kOwnScheme; }

// As mpptest does when a batch is too short: so many times it takes twice as many calls, and then
// what it gets.
constexpr int kMostDoublings = 10;

// Batches of suites that do not last long enough for the step of the clock, as it was measured:
// adds how many calls they get. One number for all arms, that of the fastest.
void lengthen_batches(const store::Data& pilot, record::Calls& calls) {
  struct Batch {
    std::uint32_t calls = 1;  // planned
    double call_ns = 0;
    double step_ns = 0;
  };
  std::map<std::uint32_t, Batch> batches;
  for (const store::Group& group : pilot.groups) {
    for (const store::Launch& launch : group.launches) {
      for (const store::Visit& visit : launch.visits) {
        const auto known = launch.batch_calls.find(visit.line.cell);
        if (known == launch.batch_calls.end()) continue;
        Batch& batch = batches[visit.line.cell];
        const double call_ns = known->second.call_ns;
        batch.calls = std::max(batch.calls, visit.line.calls);
        batch.call_ns = batch.call_ns > 0 ? std::min(batch.call_ns, call_ns) : call_ns;
        batch.step_ns = std::max(batch.step_ns, known->second.step_ns);
      }
    }
  }
  for (const auto& [cell, batch] : batches) {
    const record::Scheme* scheme = record::find_scheme(pilot.cells.at(cell).scheme);
    if (scheme == nullptr || scheme->least_steps == 0) continue;
    if (!(batch.call_ns > 0) || !(batch.step_ns > 0)) continue;
    const double least_ns = scheme->least_steps * batch.step_ns;
    std::uint32_t needed = batch.calls;
    for (int i = 0; i < kMostDoublings && needed * batch.call_ns <= least_ns; ++i) needed *= 2;
    if (needed != batch.calls) calls[cell] = needed;
  }
}

bool follows(const Prepared& prepared, const record::PlanRow& row, const record::Calls& batches) {
  if (is_program(prepared, row)) return true;
  const auto batch = batches.find(row.cell);
  return batch == batches.end() || row.calls == batch->second;
}

}  // namespace

bool follows_batches(const Prepared& prepared, const store::State& state, std::uint32_t group) {
  if (!state.batches) return true;
  const std::vector<record::PlanRow>& rows = plan_of(state, group).rows;
  return std::all_of(rows.begin(), rows.end(), [&](const record::PlanRow& row) {
    return row.group != group || follows(prepared, row, *state.batches);
  });
}

namespace {

// By Cell::id: those whose part of the random sizes the pilot group has not had are not known.
std::vector<bool> known_to_pilot(const Prepared& prepared, const store::Data& pilot) {
  std::vector<bool> known(prepared.cells.cells.size(), true);
  for (const auto& [cell, sizes] : prepared.cells.sampled) known.at(cell) = false;
  for (const store::Group& group : pilot.groups) {
    for (const store::Launch& launch : group.launches) {
      for (const store::Visit& visit : launch.visits) known.at(visit.line.cell) = true;
    }
  }
  return known;
}

// Groups that failed before batches were decided: as they were planned they would not count.
std::vector<std::uint32_t> outdated_groups(const Prepared& prepared, const store::State& state) {
  std::vector<std::uint32_t> outdated;
  for (const store::GroupOutcome& group : state.failed_before) {
    if (!follows_batches(prepared, state, group.group)) outdated.push_back(group.group);
  }
  return outdated;
}

// What takes the place of the groups after `done` where these do not follow the decision on batches
// yet; none: they do.
std::optional<record::Plan> batched_plan(const Prepared& prepared, const store::State& state,
                                         std::uint32_t done) {
  const std::uint32_t planned = last_planned(state);
  const std::uint32_t least = asked_launches(prepared, state).min;
  const bool enough =
      state.planned_groups || planned >= least || sizes_are_being_chosen(prepared, state);
  const bool all_follow =
      std::all_of(state.plans.begin(), state.plans.end(), [&](const record::Plan& plan) {
        return std::all_of(plan.rows.begin(), plan.rows.end(), [&](const record::PlanRow& row) {
          return row.group <= done || follows(prepared, row, *state.batches);
        });
      });
  if (enough && all_follow) return std::nullopt;
  return plan_after(prepared, state, done, {.groups = std::max(planned, least) - done});
}

}  // namespace

namespace {

// The sizes of a curve are timed alike, as far as that does not cost too much.
void time_curve_alike(const std::vector<std::uint32_t>& curve,
                      const std::map<std::uint32_t, double>& fastest_ns, record::Calls& calls) {
  std::uint32_t most = 1;
  for (const std::uint32_t cell : curve) {
    if (const auto known = calls.find(cell); known != calls.end()) {
      most = std::max(most, known->second);
    }
  }
  if (most == 1) return;
  for (const std::uint32_t cell : curve) {
    const auto call_ns = fastest_ns.find(cell);
    if (call_ns == fastest_ns.end()) continue;
    const bool short_enough = most <= kFewCalls || most * call_ns->second <= kLongestBatchNs;
    if (short_enough || calls.contains(cell)) calls[cell] = most;
  }
}

}  // namespace

record::Calls batches_needed(const store::Data& pilot, std::span<const record::Cell> planned,
                             std::span<const std::vector<std::uint32_t>> curves) {
  const std::vector<std::uint32_t> families = design::families_of(planned);
  const auto family_of = [&](std::uint32_t cell) {
    return cell < families.size() ? families[cell] : cell;
  };
  // One member that cannot be batched leaves its family without: what is compared is timed alike.
  std::set<std::uint32_t> unbatched;
  for (const record::Cell& cell : pilot.cells) {
    bool can = record::factor_before_each_call(cell) == nullptr;
    for (std::uint32_t arm = 0; arm < pilot.arms.size(); ++arm) {
      can = can && pilot.operation(arm, cell.operation).batched_by_itself(cell.marks);
    }
    if (!can) unbatched.insert(family_of(cell.id));
  }
  record::Calls calls;
  std::map<std::uint32_t, double> fastest_ns;
  std::map<std::uint32_t, double> step_ns;
  for (auto& [place, known] : known_of(pilot)) {
    const std::uint32_t cell = place.cell;
    if (!(known.batch.step_ns > 0) || !(known.batch.call_ns > 0)) continue;
    const auto [fastest, is_new] = fastest_ns.try_emplace(cell, known.batch.call_ns);
    if (!is_new) fastest->second = std::min(fastest->second, known.batch.call_ns);
    step_ns[cell] = std::max(step_ns[cell], known.batch.step_ns);
    if (known.times_ns.empty() || unbatched.contains(family_of(cell))) continue;
    const double median_ns = stats::grouped_median_in_place(known.times_ns, known.batch.step_ns);
    if (median_ns < record::kStepsOfABatch * known.batch.step_ns) calls[cell] = 1;
  }
  for (auto& [cell, count] : calls) {
    const double needed = kMargin * record::kStepsOfABatch * step_ns.at(cell) / fastest_ns.at(cell);
    count = static_cast<std::uint32_t>(std::clamp(std::ceil(needed), 2.0, kMostCalls));
  }
  std::map<std::uint32_t, std::uint32_t> most;  // by family
  for (const auto& [cell, count] : calls) {
    std::uint32_t& so_far = most[family_of(cell)];
    so_far = std::max(so_far, count);
  }
  for (const auto& [cell, time_ns] : fastest_ns) {
    const auto family = most.find(family_of(cell));
    if (family != most.end()) calls[cell] = family->second;
  }
  for (const std::vector<std::uint32_t>& curve : curves) {
    time_curve_alike(curve, fastest_ns, calls);
  }
  lengthen_batches(pilot, calls);
  return calls;
}

double extra_seconds(const store::Data& pilot, const record::Calls& calls) {
  double seconds = 0;
  for (const store::Group& group : pilot.groups) {
    for (const store::Launch& launch : group.launches) {
      for (const store::Visit& visit : launch.visits) {
        const auto batched = calls.find(visit.line.cell);
        const auto known = launch.batch_calls.find(visit.line.cell);
        if (batched == calls.end() || known == launch.batch_calls.end()) continue;
        if (!pilot.decided.empty() && store::judges_nowhere(pilot.decided, visit.line.cell,
                                                            pilot.arms.at(launch.arm).label)) {
          continue;
        }
        // A suite's visit is a batch already.
        const double more =
            static_cast<double>(batched->second) - static_cast<double>(visit.line.calls);
        seconds += static_cast<double>(visit.line.records) * more * known->second.call_ns * 1e-9;
      }
    }
  }
  return seconds / static_cast<double>(std::max<std::size_t>(1, pilot.groups.size()));
}

std::string batches_text(const record::Calls& calls, const std::vector<record::Cell>& cells) {
  constexpr std::size_t kMostListed = 4;
  const record::CellTexts text(cells);
  std::vector<std::string> texts;
  for (const auto& [cell, count] : calls) {
    texts.push_back(text(cells.at(cell)) + ": " + std::to_string(count) + " calls");
  }
  return base::first_items(texts, kMostListed, ", ", "cell");
}

namespace {

// Our own batches, and those of suites that have other limits.
std::string decided_text(const record::Calls& calls, const std::vector<record::Cell>& cells) {
  record::Calls own;
  record::Calls of_suites;
  for (const auto& [cell, count] : calls) {
    (is_of_a_suite(cells.at(cell)) ? of_suites : own)[cell] = count;
  }
  std::vector<std::string> texts;
  if (!own.empty()) {
    texts.push_back("too short for the clock (below 20 steps), from here on timed in batches: " +
                    batches_text(own, cells));
  }
  if (!of_suites.empty()) {
    texts.push_back("batches of other suites that are too short for the clock get more calls: " +
                    batches_text(of_suites, cells));
  }
  return base::join(texts, "; ") + "; the pilot group does not count for them";
}

}  // namespace

Step decide_batches(const StudySoFar& so_far) {
  const Prepared& prepared = so_far.prepared;
  if (so_far.state.ended) return {};
  Step step;
  store::State decided;
  const store::State* state = &so_far.state;
  if (!state->batches && so_far.groups_complete > 0) {
    std::vector<std::vector<std::uint32_t>> curves;
    for (design::AdaptivePlace& place :
         design::adaptive_places(prepared.campaign, prepared.cells)) {
      curves.push_back(std::move(place.cells));
    }
    record::Calls calls = batches_needed(so_far.measured(), prepared.cells.cells, curves);
    if (!calls.empty() && !prepared.cells.sampled.empty()) {
      calls = batches_of_all(prepared, calls, prepared.cells.cells,
                             known_to_pilot(prepared, so_far.measured()));
    }
    const std::string text = batches_text(calls, prepared.cells.cells);
    step.line = store::BatchesLine{
        .calls = calls, .why = calls.empty() ? "no call is too short for the clock" : text};
    if (!calls.empty()) step.say = decided_text(calls, prepared.cells.cells);
    decided = so_far.state;
    decided.batches = calls;
    state = &decided;
  }
  if (!is_batched(*state)) return step;
  step.given_up = outdated_groups(prepared, *state);
  // What is not begun yet must follow the decision.
  std::uint32_t done = so_far.finished.empty() ? 0 : *so_far.finished.rbegin();
  for (const std::uint32_t group : step.given_up) done = std::max(done, group);
  step.plan = batched_plan(prepared, *state, done);
  return step;
}

}  // namespace invar::driver
