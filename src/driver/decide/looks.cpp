#include "driver/decide/looks.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "analysis/compare/looks.hpp"
#include "analysis/compare/tuning.hpp"
#include "analysis/machine/perturbations.hpp"
#include "analysis/questions/asked_pairs.hpp"
#include "analysis/study/rules.hpp"
#include "analysis/study/study.hpp"
#include "analysis/study/summaries.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "design/races/race.hpp"
#include "driver/decide/groups.hpp"
#include "driver/decide/plans.hpp"
#include "driver/prepare/checks.hpp"
#include "record/scheme.hpp"
#include "stats/decide/sequential.hpp"
#include "stats/decide/verdict.hpp"

namespace invar::driver {
namespace {

using analysis::Standings;

// As many failed groups as complete ones are made up for; beyond that something is wrong.
constexpr std::size_t kFailuresMadeUpFor = 3;

// What is measured no more.
std::vector<record::ArmCell> left_out(const Prepared& prepared, const store::State& state,
                                      const store::Data& data, const Standings& standings) {
  std::vector<record::ArmCell> out = standings.done(data);
  const auto index_of = [&](const std::string& label) {
    const auto& arms = prepared.campaign.arms;
    const auto found = std::find_if(arms.begin(), arms.end(),
                                    [&](const design::Arm& arm) { return arm.label == label; });
    return static_cast<std::uint32_t>(found - arms.begin());
  };
  const std::vector<record::ArmCell> unchosen = not_chosen(prepared, state);
  out.insert(out.end(), unchosen.begin(), unchosen.end());
  out = with_other_suites(prepared.cells, std::move(out));
  for (const store::FailedCell& failed : data.failed_cells) {
    out.push_back({failed.cell, index_of(failed.arm)});
  }
  for (const store::DroppedArm& dropped : data.dropped_arms) {
    for (const record::Cell& cell : prepared.cells.cells) {
      out.push_back({cell.id, index_of(dropped.arm)});
    }
  }
  return out;
}

// The visits of a round of the groups to come.
std::vector<record::ArmCell> places_left(const Prepared& prepared, const NextLaunches& next) {
  const std::set<record::ArmCell> out(next.dropped.begin(), next.dropped.end());
  std::vector<record::ArmCell> places;
  for (std::size_t i = 0; i < prepared.cells.cells.size(); ++i) {
    const std::uint32_t id = prepared.cells.cells[i].id;
    for (const std::uint32_t arm : prepared.cells.arms[i]) {
      if (!out.contains({id, arm})) places.push_back({id, arm});
    }
  }
  return places;
}

struct Open {
  std::size_t questions = 0;
  std::set<std::uint32_t> cells = {};

  [[nodiscard]] bool none() const { return cells.empty(); }
};

Open open_of(const store::Data& data, const Standings& standings) {
  Open open;
  for (std::size_t i = 0; i < standings.pairs.size(); ++i) {
    if (standings.closed(data, i)) continue;
    ++open.questions;
    for (const analysis::Side& side : {standings.pairs[i].a, standings.pairs[i].b}) {
      open.cells.insert(standings.contest.cells[side.cell].id);
    }
  }
  for (const analysis::LonelyTime& lonely : standings.looks.lonely) {
    const std::string& arm = standings.contest.labels[lonely.arm];
    const bool gone = std::any_of(data.dropped_arms.begin(), data.dropped_arms.end(),
                                  [&](const auto& dropped) { return dropped.arm == arm; });
    if (lonely.look || gone) continue;
    ++open.questions;
    open.cells.insert(standings.contest.cells[lonely.cell].id);
  }
  return open;
}

std::size_t questions_of(const Standings& standings) {
  return standings.pairs.size() + standings.looks.lonely.size();
}

// What this look has decided, and what is left.
void fill(store::LookLine& line, const store::Data& data, const Standings& standings,
          const analysis::Rules& rules) {
  const analysis::Contest& contest = standings.contest;
  for (std::size_t i = 0; i < standings.pairs.size(); ++i) {
    const analysis::ComparedCell& row = standings.looks.answers.rows[i];
    if (row.look != line.look) continue;
    const analysis::Side& a = standings.pairs[i].a;
    const analysis::Side& b = standings.pairs[i].b;
    line.decided.push_back(
        {.cell = contest.cells[a.cell].id,
         .arm_a = contest.labels[a.arm],
         .arm_b = contest.labels[b.arm],
         .time_a = std::string(analysis::to_string(a.time)),
         .time_b = std::string(analysis::to_string(b.time)),
         .verdict = analysis::decided_word(standings.pairs[i], *row.verdict, rules),
         .ratio = row.ratio,
         .p_adjusted = row.p_adjusted});
    if (a.cell != b.cell) line.decided.back().cell_b = contest.cells[b.cell].id;
  }
  for (const analysis::LonelyTime& lonely : standings.looks.lonely) {
    if (lonely.look != line.look) continue;
    line.decided.push_back({.cell = contest.cells[lonely.cell].id,
                            .arm_a = contest.labels[lonely.arm],
                            .verdict = "settled"});
  }
  const Open open = open_of(data, standings);
  line.open.assign(open.cells.begin(), open.cells.end());
  line.questions = questions_of(standings);
  line.undecided = open.questions;
}

// Blocks of the groups since the last plan that something else on the machine slowed down: they are
// measured once more, and both enter. Cell::id, one for each block.
std::vector<std::uint32_t> disturbed_cells(const store::State& state, const store::Data& data,
                                           const analysis::Rules& rules) {
  const record::Plan& last = state.plans.back();
  if (last.rows.empty()) return {};
  const analysis::Summaries summaries =
      analysis::summarize_visits(data, rules.runtime, rules.agreed_start, {}, rules.one_runtime());
  const auto found = analysis::find_perturbations(data, summaries, rules.pairing);
  std::vector<std::uint32_t> cells;
  for (const analysis::RepeatedBlock& block : analysis::blocks_to_repeat(data, found)) {
    if (block.group >= last.rows.front().group) cells.push_back(block.cell);
  }
  return cells;
}

std::string counts_text(const NextLaunches& next, std::uint32_t usual) {
  std::uint32_t least = usual;
  std::uint32_t most = usual;
  if (!next.repetitions.empty()) {
    const auto by_count = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto [low, high] =
        std::minmax_element(next.repetitions.begin(), next.repetitions.end(), by_count);
    least = low->second;
    most = high->second;
  }
  return base::count_text(next.rounds.value_or(0), "round") + " of " + std::to_string(least) +
         (least == most ? "" : " to " + std::to_string(most)) + " repetitions";
}

// Groups of this length that the looks' budget still has room for.
double affordable(const Prepared& prepared, const Spent& spent, double group_s) {
  const std::optional<double> budget_s = design::budget_of_looks_s(prepared.campaign);
  if (!budget_s || !(group_s > 0)) return stats::kLooks.back().launches;
  return std::floor(std::max(0.0, *budget_s - spent.elapsed_s) / group_s);
}

bool has_visits(const store::Data& data) {
  return std::ranges::any_of(data.groups, [](const store::Group& group) {
    return std::ranges::any_of(group.launches,
                               [](const store::Launch& launch) { return !launch.visits.empty(); });
  });
}

std::string look_text(const store::LookLine& line) {
  return "look " + std::to_string(line.look) + " after " +
         base::count_text(line.groups.size(), "launch group") + ": " +
         std::to_string(line.questions - line.undecided) + " of " +
         base::count_text(line.questions, "question") + " decided";
}

}  // namespace

std::vector<record::ArmCell> with_other_suites(const design::ResolvedCells& resolved,
                                               std::vector<record::ArmCell> decided) {
  const std::set<record::ArmCell> gone(decided.begin(), decided.end());
  const auto& cells = resolved.cells;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const record::Scheme* scheme = record::find_scheme(cells[i].scheme);
    if (scheme == nullptr) continue;
    for (const std::uint32_t arm : resolved.arms[i]) {
      const bool asked = std::any_of(cells.begin(), cells.end(), [&](const record::Cell& own) {
        if (own.scheme != record::kOwnScheme || gone.count({own.id, arm}) > 0) return false;
        const auto measured = record::cell_by_scheme(own, *scheme, true);
        return measured && measured->same_levels(cells[i]);
      });
      if (!asked) decided.push_back({cells[i].id, arm});
    }
  }
  return decided;
}

bool is_sequential(const Prepared& prepared) {
  return prepared.campaign.stopping == design::Stopping::kLooks;
}

std::optional<std::uint32_t> next_look_at(const Prepared& prepared, const store::State& state) {
  const std::size_t next = state.looks.size();
  if (next >= stats::kLooks.size()) return std::nullopt;
  const auto launches = static_cast<std::uint32_t>(stats::kLooks.at(next).launches);
  if (launches > prepared.campaign.launches.max) return std::nullopt;
  return launches + spare_groups(state);
}

namespace {

// The next look comes then, however few of the groups count. The last one of a campaign with a
// budget is more patient, since nothing else could use what is left of it.
std::uint32_t latest_look(const design::Campaign& campaign, const store::State& state,
                          std::uint32_t at) {
  const std::size_t after = state.looks.size() + 1;
  const bool is_last =
      after >= stats::kLooks.size() || stats::kLooks.at(after).launches > campaign.launches.max;
  const std::size_t times =
      is_last && campaign.budget_s ? analysis::kMostWaitingOfLast : analysis::kMostWaiting;
  return static_cast<std::uint32_t>(times) * at;
}

Step ended(Step step, const StudySoFar& so_far, const std::string& why) {
  const auto& finished = so_far.finished;
  step.groups = {.groups = finished.empty() ? 0 : *finished.rbegin(), .why = why};
  return step;
}

// The latest look did not wait for its groups, because the budget had no room for them: also where
// it was the last one there is. `counting` of the `complete` groups count.
bool came_early(const design::Campaign& campaign, const store::State& state, std::size_t counting,
                std::size_t complete) {
  if (state.looks.empty() || !campaign.budget_s) return false;
  const std::uint32_t at =
      static_cast<std::uint32_t>(stats::kLooks.at(state.looks.size() - 1).launches) +
      spare_groups(state);
  return counting < at && complete < latest_look(campaign, state, at);
}

// What follows when no planned group is left to be measured, or no more should be. `stop`: why no
// further group may begin, whatever is undecided ("the budget of 60 s is over"); empty: the budget
// alone decides.
Step look(const StudySoFar& so_far, const std::string& stop) {
  const Prepared& prepared = so_far.prepared;
  const store::Data& measured = so_far.measured();
  const Spent& spent = so_far.spent;
  const design::Campaign& campaign = prepared.campaign;
  const analysis::Rules rules = analysis::make_rules(campaign, {});
  // Other suites' visits decide nothing, and neither do groups that something was chosen from.
  store::Data data = analysis::Study(measured, campaign, rules).data();
  store::State state = so_far.state;
  Step step;
  std::string end;  // why the campaign ends here; empty: it goes on
  std::vector<std::uint32_t> complete;
  for (const store::Group& group : data.groups) complete.push_back(group.group);
  const std::uint32_t first =
      static_cast<std::uint32_t>(stats::kLooks.front().launches) + spare_groups(state);
  const bool fresh =
      !complete.empty() && (state.looks.empty() || complete != state.looks.back().groups);
  const bool no_more =
      !stop.empty() || (complete.size() >= first && affordable(prepared, spent, spent.group_s) < 1);
  std::optional<std::uint32_t> at = next_look_at(prepared, state);
  data.looks = state.looks;
  // The regime is chosen before the first look, from canaries alone, and never again.
  const analysis::LookGround ground = analysis::look_ground(data, rules);
  const std::size_t counting = complete.size() - ground.outside;
  // A group that does not count is none of those that were asked for.
  const std::uint32_t asked = campaign.launches.max + spare_groups(state);
  const bool most = counting >= asked || complete.size() >= latest_look(campaign, state, asked);
  const bool due = at && fresh &&
                   (counting >= *at || complete.size() >= latest_look(campaign, state, *at) ||
                    ((no_more || most) && complete.size() >= first));
  if (due) {
    const std::size_t index = state.looks.size();
    data.looks.push_back({.look = static_cast<std::uint32_t>(index + 1),
                          .alpha = rules.decision.alpha * stats::kLooks.at(index).alpha_share,
                          .groups = complete});
    if (index == 0) data.looks.back().regime = ground.regime;
  }
  const std::size_t failed = data.failed_groups.size();
  // Those that chose may have measured nothing that they judge.
  if (complete.empty() || (complete.size() <= spare_groups(state) && !has_visits(data))) {
    end = stop;
    if (failed > kFailuresMadeUpFor) end = "no launch group was complete";
    if (!end.empty()) {
      if (!stop.empty()) {
        step.warning = cut_short_text(prepared, state, spent,
                                      static_cast<std::uint32_t>(complete.size()), stop);
      }
      return ended(std::move(step), so_far, end);
    }
    NextLaunches next{.groups = first};
    step.plan = plan_after(prepared, state, last_planned(state), next);
    return step;
  }

  const Standings standings = analysis::stand(data, rules, analysis::asked_pairs(campaign, data));
  const Open open = open_of(data, standings);
  const analysis::GroupCosts costs = analysis::group_costs(measured, mean_group_s(state));
  if (due) {
    store::LookLine& line = data.looks.back();
    fill(line, data, standings, rules);
    if (line.look == 1 && !open.none()) {
      const analysis::Tuning tuning =
          analysis::tune(data, standings, rules, costs, campaign.rounds, campaign.repetitions);
      line.rounds = tuning.rounds;
      line.repetitions = tuning.repetitions;
    }
    step.line = line;
    step.say = look_text(line);
    if (counting < complete.size()) {
      step.say += " (" + base::count_text(complete.size() - counting, "group") +
                  " outside of the reference regime)";
    }
    store::append_look(state.looks, line);
    at = next_look_at(prepared, state);
  }

  NextLaunches next{.dropped = left_out(prepared, state, data, standings),
                    .rounds = campaign.rounds};
  for (const store::LookLine& line : state.looks) {
    if (line.rounds) next.rounds = line.rounds;
    if (line.rounds) next.repetitions = line.repetitions;
  }
  const double group_s = costs.seconds(places_left(prepared, next), *next.rounds, next.repetitions,
                                       campaign.repetitions);
  const double room = affordable(prepared, spent, group_s);
  if (!state.looks.empty() && open.none()) {
    end = "everything is decided";
  } else if (!stop.empty()) {
    end = stop;
  } else if (!at) {
    end = came_early(campaign, state, counting, complete.size())
              ? design::looks_are_over_text(campaign)
              : "all looks were taken";
  } else if (failed > std::max(complete.size(), kFailuresMadeUpFor)) {
    end = base::count_text(failed, "launch group") + " failed";
  } else if (most) {
    end = "all " + base::count_text(complete.size(), "launch group") + " were measured";
  } else if (complete.size() >= first && room < 1) {
    end = design::looks_are_over_text(campaign);
  }
  if (!end.empty()) {
    if (open.none()) return ended(std::move(step), so_far, end);
    // How many more would do is for whoever looks at the data: one number for one question.
    step.warning = store::LeftOpen{
        .reason = end, .undecided = open.questions, .questions = questions_of(standings)};
    return ended(std::move(step), so_far, end);
  }
  const auto until = [](std::uint32_t groups, std::size_t there) {
    return groups - std::min(groups, static_cast<std::uint32_t>(there));
  };
  next.groups = std::max(1U, std::min(until(*at, counting),
                                      until(latest_look(campaign, state, *at), complete.size())));
  // The last look may have to come early.
  if (complete.size() >= first) {
    next.groups =
        static_cast<std::uint32_t>(std::min(static_cast<double>(next.groups), std::max(1.0, room)));
  }
  next.repeated = disturbed_cells(state, data, rules);
  step.plan = plan_after(prepared, state, last_planned(state), next);
  step.group_s = group_s;
  if (due) {
    step.say += "; " + base::count_text(open.cells.size(), "cell") +
                (open.cells.size() == 1 ? " goes on, " : " go on, ") +
                base::count_text(next.groups, "group") + " of " +
                counts_text(next, campaign.repetitions);
    if (!next.repeated.empty()) {
      step.say += "; " + base::count_text(next.repeated.size(), "disturbed block") +
                  (next.repeated.size() == 1 ? " is" : " are") + " measured once more";
    }
  }
  return step;
}

}  // namespace

Step end_looks(const StudySoFar& so_far, const std::string& why) {
  const store::State& state = so_far.state;
  if (state.ended || state.planned_groups) return {};
  return look(so_far, why);
}

Step decide_looks(const StudySoFar& so_far) {
  const store::State& state = so_far.state;
  if (state.ended || state.planned_groups) return {};
  std::string stop;
  if (!arms_remain(so_far.prepared, state)) {
    stop = so_far.prepared.campaign.compares_inside_arms() ? "no arm is left"
                                                           : "fewer than two arms are left";
  } else {
    stop = budget_over_text(so_far.prepared, state, so_far.spent);
  }
  if (next_group(state, so_far.finished) && stop.empty()) return {};
  return look(so_far, stop);
}

}  // namespace invar::driver
