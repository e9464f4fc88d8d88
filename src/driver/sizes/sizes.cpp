#include "driver/sizes/sizes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "analysis/compare/tuning.hpp"
#include "analysis/steps/size_choices.hpp"
#include "analysis/ticks/declared_time.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "design/campaign/gate.hpp"
#include "design/factors/adaptive_sizes.hpp"
#include "design/plan/adaptive_places.hpp"
#include "driver/decide/added_cells.hpp"
#include "driver/decide/plans.hpp"
#include "driver/sizes/break_sizes.hpp"
#include "driver/sizes/size_rounds.hpp"
#include "record/factors.hpp"
#include "record/p2p/message_factors.hpp"
#include "record/p2p/pattern.hpp"
#include "record/synchronisation.hpp"

namespace invar::driver {
namespace {

using analysis::SizeChoice;
using analysis::SizePhase;

// The operation whose sender is looked at.
constexpr std::string_view kEvidenceOperation = "oneway";
// So many of the narrowest jumps are looked at: those that stayed wide were mostly not found again.
constexpr std::size_t kMostEvidence = 20;
// Choosing may take this share of the budget.
constexpr double kChoosingShare = 0.5;
// So many groups that judge what was chosen must also end within the budget, or as many as are
// asked for if these are fewer.
constexpr std::uint32_t kLeastJudging = 3;
// On top of what is needed, where somebody is told how much to give.
constexpr double kEnoughToChoose = 1.5;
// Whether a sender waits is seen at once: a probe group has so many rounds and repetitions.
constexpr std::uint32_t kEvidenceRounds = 1;
constexpr std::uint32_t kEvidenceRepetitions = 15;
// What a late receiver adds to a repetition: 200 us of it are asked for, the rest is what starts
// take that are agreed behind it (1.2 ms in all at first, the more the longer a launch goes on).
constexpr double kLateRepetitionS = 2e-3;

std::size_t groups_of_round(const Prepared& prepared) {
  std::size_t groups = 0;
  for (const design::CellsBlock& block : prepared.campaign.cells) {
    for (const design::AdaptiveSizes& asked : block.adaptive) {
      groups =
          std::max(groups, stats::groups_of_round(asked.rule == design::RefinementRule::kMpptest
                                                      ? stats::RefiningRule::kMpptest
                                                      : stats::RefiningRule::kInvar));
    }
  }
  return groups;
}

// Groups that did something else than judging until now: none of them judges, also one that failed
// and is measured once more.
std::vector<std::uint32_t> choosing_groups(const StudySoFar& so_far) {
  const std::vector<std::uint32_t> known = groups_that_chose_sizes(so_far.state);
  std::vector<std::uint32_t> all;
  std::ranges::set_difference(so_far.finished, known, std::back_inserter(all));
  return all;
}

// The line of a phase, without its plan.
store::DecidedLine line_of(const StudySoFar& so_far, const SizeChoice& choice, std::string why) {
  store::DecidedLine line{.decision = std::string(analysis::kSizesDecision),
                          .why = std::move(why),
                          .fields = analysis::size_choice_text(choice)};
  std::vector<std::uint32_t> groups = choosing_groups(so_far);
  if (!groups.empty()) line.not_judging.push_back({.groups = std::move(groups)});
  return line;
}

// What a group costs that measures these: what is new costs as much as the cell that it was made
// from.
class NextCosts {
 public:
  explicit NextCosts(const StudySoFar& so_far)
      : campaign_(so_far.prepared.campaign),
        costs_(analysis::group_costs(so_far.measured(), mean_group_s(so_far.state))) {}

  [[nodiscard]] double seconds(const std::vector<record::ArmCell>& alike) const {
    return costs_.seconds(alike, campaign_.rounds, {}, campaign_.repetitions);
  }

  // The same of a probe group. `alike`: what its cells were made from.
  [[nodiscard]] double probe_seconds(const std::vector<record::ArmCell>& alike) const {
    return costs_.seconds(alike, kEvidenceRounds, {}, kEvidenceRepetitions) +
           static_cast<double>(alike.size()) * kEvidenceRounds * kEvidenceRepetitions *
               kLateRepetitionS;
  }

 private:
  const design::Campaign& campaign_;
  analysis::GroupCosts costs_;
};

// What groups that judge have to find left of the budget, if one takes this long.
double judging_s(const StudySoFar& so_far, double group_s) {
  return group_s * std::clamp(so_far.prepared.campaign.launches.min, 1U, kLeastJudging);
}

// What a group that judges measures, as far as is known: everything but the probes.
std::vector<record::ArmCell> judged_places(const StudySoFar& so_far) {
  const std::vector<record::ArmCell> probes = evidence_cells(so_far.prepared, so_far.state);
  const std::set<record::ArmCell> out(probes.begin(), probes.end());
  std::vector<record::ArmCell> places;
  for (const record::Cell& cell : so_far.prepared.cells.cells) {
    for (const std::uint32_t arm : so_far.prepared.cells.arms.at(cell.id)) {
      const record::ArmCell place{.cell = cell.id, .arm = arm};
      if (!out.contains(place)) places.push_back(place);
    }
  }
  return places;
}

// Groups that judge, each as long as `judging_group_s`, still fit behind `before_s` from now.
bool leaves_time_to_judge(const StudySoFar& so_far, double before_s, double judging_group_s) {
  return !so_far.budget_s ||
         so_far.spent.elapsed_s + before_s + judging_s(so_far, judging_group_s) <= *so_far.budget_s;
}

// The cells of a round to come.
class NextRound {
 public:
  NextRound(const StudySoFar& so_far, const SizeRounds& rounds, const stats::RefinedRound& round)
      : prepared_(so_far.prepared) {
    for (std::size_t place = 0; place < rounds.places().size(); ++place) {
      for (const double size : round.added[place]) add(rounds.places()[place], bytes(size));
    }
    for (std::size_t place = 0; place < rounds.places().size(); ++place) {
      for (const double size : round.needed[place]) need(rounds.places()[place], bytes(size));
    }
  }

  [[nodiscard]] const std::vector<store::AddedCell>& added() const { return added_; }
  [[nodiscard]] bool needs(std::uint32_t cell) const { return needed_.contains(cell); }
  // Measured before, for what a group costs.
  [[nodiscard]] const std::vector<record::ArmCell>& alike() const { return alike_; }
  // The same of a group that judges: everything there is, and what is new.
  [[nodiscard]] std::vector<record::ArmCell> alike_when_judged() const {
    std::vector<record::ArmCell> all = alike_of_added_;
    for (const record::Cell& cell : prepared_.cells.cells) {
      for (const std::uint32_t arm : prepared_.cells.arms.at(cell.id)) {
        all.push_back({.cell = cell.id, .arm = arm});
      }
    }
    return all;
  }

 private:
  static std::uint64_t bytes(double size) { return static_cast<std::uint64_t>(std::llround(size)); }

  void add(const design::AdaptivePlace& place, std::uint64_t size_bytes) {
    CellBetween between =
        cell_between(prepared_, place, size_bytes,
                     static_cast<std::uint32_t>(prepared_.cells.cells.size() + added_.size()));
    alike_.insert(alike_.end(), between.alike.begin(), between.alike.end());
    alike_of_added_.insert(alike_of_added_.end(), between.alike.begin(), between.alike.end());
    needed_.insert(between.added.cell.id);
    added_.push_back(std::move(between.added));
  }

  void need(const design::AdaptivePlace& place, std::uint64_t size_bytes) {
    for (const std::uint32_t cell : place.cells) {
      if (*prepared_.cells.cells.at(cell).size_bytes != size_bytes) continue;
      if (!needed_.insert(cell).second) continue;
      for (const std::uint32_t arm : prepared_.cells.arms.at(cell)) {
        alike_.push_back({.cell = cell, .arm = arm});
      }
    }
  }

  const Prepared& prepared_;
  std::vector<store::AddedCell> added_ = {};
  std::set<std::uint32_t> needed_ = {};
  std::vector<record::ArmCell> alike_ = {};
  std::vector<record::ArmCell> alike_of_added_ = {};
};

// Everything that is not `wanted`.
template <typename Wanted>
std::vector<record::ArmCell> all_but(const Prepared& prepared, Wanted wanted) {
  std::vector<record::ArmCell> dropped;
  for (const record::Cell& cell : prepared.cells.cells) {
    if (wanted(cell.id)) continue;
    for (const std::uint32_t arm : prepared.cells.arms.at(cell.id)) {
      dropped.push_back({.cell = cell.id, .arm = arm});
    }
  }
  return dropped;
}

std::string round_text(const SizeChoice& choice, const NextRound& next, std::size_t groups) {
  const auto beyond = std::ranges::count(choice.candidates, true, &analysis::SizeCandidate::beyond);
  std::string text = "round " + std::to_string(choice.round) +
                     " of choosing sizes: " + std::to_string(beyond) + " of " +
                     base::count_text(choice.candidates.size(), "middle") + " off the line, ";
  text += next.added().empty() ? std::string("no size added")
                               : "added " + added_sizes_text(next.added());
  return text + "; " + base::count_text(groups, "group") + " more";
}

// Nothing is known of sizes as yet: too many groups failed, or the campaign asks for very few.
Step first_groups_once_more(const StudySoFar& so_far, std::size_t lacking) {
  const SizeChoice choice{.phase = SizePhase::kChoose};
  Step step;
  step.say = "choosing sizes takes " + base::count_text(lacking, "group") + " more";
  store::DecidedLine line = line_of(so_far, choice, step.say);
  line.not_judging.clear();  // it looked at nothing
  step.plan = plan_after(so_far.prepared, so_far.state, last_finished(so_far),
                         {.groups = static_cast<std::uint32_t>(lacking)});
  step.line = std::move(line);
  return step;
}

// Who chose would not judge, and there is no time for others: these groups judge what they have.
Step nothing_chosen(const StudySoFar& so_far) {
  const double needed_s = so_far.spent.elapsed_s + judging_s(so_far, so_far.spent.group_s);
  const double enough_s =
      kEnoughToChoose * std::max(needed_s, so_far.spent.elapsed_s / kChoosingShare);
  Step step;
  step.say = "no sizes are chosen: the budget of " + base::span_text(*so_far.budget_s) +
             " leaves no time for launch groups that would judge them; one of about " +
             base::span_text(std::ceil(enough_s)) + " would, or fewer operations or sizes";
  step.warning = step.say;
  store::DecidedLine line = line_of(so_far, {.phase = SizePhase::kGiven}, step.say);
  line.not_judging.clear();
  step.line = std::move(line);
  return step;
}

// Deviations from the line cannot be told from noise: no size would ever be chosen by them.
void refuse_noise(const StudySoFar& so_far, const SizeRounds& rounds) {
  const Prepared& prepared = so_far.prepared;
  base::Faults faults;
  for (std::size_t place = 0; place < rounds.places().size(); ++place) {
    const design::AdaptivePlace& one = rounds.places()[place];
    if (one.asked.rule != design::RefinementRule::kInvar) continue;
    std::vector<stats::RefinedCurve> curves;
    std::ranges::copy_if(rounds.curves(), std::back_inserter(curves),
                         [&](const stats::RefinedCurve& curve) { return curve.place == place; });
    const std::optional<double> known = stats::knowable_deviation(curves);
    if (!known || *known <= std::log1p(one.asked.tolerance)) continue;
    const double enough = std::ceil(std::expm1(*known) * 120) / 100;
    const double rounds_needed =
        prepared.campaign.rounds * std::pow(*known / std::log1p(one.asked.tolerance), 2) * 1.2;
    constexpr double kMostRounds = 1000;
    const std::string more =
        rounds_needed <= kMostRounds
            ? ", or rounds = " + std::to_string(std::llround(std::ceil(rounds_needed)))
            : std::string();
    faults.add(
        prepared.place,
        "the tolerance of " + design::percent_words(one.asked.tolerance) + " (" +
            prepared.cells.cells.at(one.cells.front()).operation + ") is below the noise: after " +
            base::count_text(stats::kMostGroupsOfMiddle, "group") + " deviations are known to +-" +
            design::percent_words(std::round(std::expm1(*known) * 1000) / 1000),
        "write tolerance = \"" + design::percent_words(enough) + "\" (on a command line " +
            "adaptive:LOW:HIGH:" + design::percent_words(enough) + ")" + more +
            ", or measure on a quieter machine");
  }
  faults.throw_if_any();
}

// Ends of jumps of messages between single ranks, and what a sender does there with a late
// receiver.
class Evidence {
 public:
  Evidence(const StudySoFar& so_far, const SizeChoice& choice) : prepared_(so_far.prepared) {
    std::vector<analysis::ChosenJump> jumps = choice.jumps;
    std::ranges::stable_sort(jumps, {}, [](const analysis::ChosenJump& jump) {
      return static_cast<double>(jump.high_bytes - jump.low_bytes) /
             static_cast<double>(jump.high_bytes);
    });
    for (const analysis::ChosenJump& jump : jumps) {
      const bool known = std::ranges::any_of(cells_, [&](const analysis::EvidenceCells& cells) {
        return cells.cell == jump.cell && cells.low_bytes == jump.low_bytes &&
               cells.high_bytes == jump.high_bytes;
      });
      if (!known) add(jump);
    }
  }

  [[nodiscard]] const std::vector<analysis::EvidenceCells>& cells() const { return cells_; }
  [[nodiscard]] const std::vector<store::AddedCell>& added() const { return added_; }
  // Jumps that nobody looks at, because there are too many.
  [[nodiscard]] std::size_t left_out() const { return left_out_; }
  // What was measured that is like what it adds.
  [[nodiscard]] const std::vector<record::ArmCell>& alike() const { return alike_; }

 private:
  // The operation as the first arm that can do it describes it. Null: no arm can.
  [[nodiscard]] const record::OperationInfo* described(const std::vector<std::string>& arms) const {
    for (const std::string& label : arms) {
      const auto& known = prepared_.cells.operations.at(number_of(label));
      const auto found = known.find(std::string(kEvidenceOperation));
      if (found != known.end()) return &found->second;
    }
    return nullptr;
  }

  [[nodiscard]] std::size_t number_of(const std::string& label) const {
    return static_cast<std::size_t>(prepared_.campaign.find_arm(label) -
                                    prepared_.campaign.arms.data());
  }

  // The arms of the place that describe the operation.
  [[nodiscard]] std::vector<std::string> arms_of(const record::Cell& place) const {
    std::vector<std::string> labels;
    for (const std::uint32_t arm : prepared_.cells.arms.at(place.id)) {
      if (arm >= prepared_.cells.operations.size()) continue;
      if (!prepared_.cells.operations[arm].contains(std::string(kEvidenceOperation))) continue;
      labels.push_back(prepared_.campaign.arms.at(arm).label);
    }
    return labels;
  }

  // The place's levels as far as the operation has them. None: these ranks have no last one that
  // receives alone, or the operation refuses a level.
  [[nodiscard]] std::optional<record::Cell> cell_of(const record::Cell& place,
                                                    const record::OperationInfo& info,
                                                    std::uint64_t size_bytes) const {
    record::Cell cell = place;
    cell.operation = info.name;
    cell.size_bytes = size_bytes;
    for (const record::Factor& factor : record::factors()) {
      const bool has = factor.applies == nullptr || factor.applies(info);
      if (!has && factor.absent && !factor.parse(cell, *factor.absent)) return std::nullopt;
    }
    // Who is late is late behind an agreed start.
    if (!record::synchronisation(cell.sync).agreed_start) return std::nullopt;
    const record::Factor& arrival = *record::find_factor_by_key("arrival");
    const record::LevelText late = arrival.level(kLateReceiver);
    if (!late.text || !arrival.parse(cell, *late.text)) return std::nullopt;
    for (const record::Factor& factor : record::factors()) {
      const bool has = factor.applies == nullptr || factor.applies(info);
      if (!has || factor.check == nullptr) continue;
      if (!factor.check(info, cell).complaint.empty()) return std::nullopt;
    }
    if (info.datatype(cell.datatype) == nullptr) return std::nullopt;
    const std::vector<record::RankPair> pairs = analysis::pairs_of_cell(info, cell);
    if (pairs.size() != 1 || pairs.front().to + 1 != cell.ranks) return std::nullopt;
    return cell;
  }

  std::uint32_t enter(record::Cell cell, std::uint32_t like, const std::vector<std::string>& arms) {
    for (const store::AddedCell& known : added_) {
      cell.id = known.cell.id;
      if (known.cell.same_levels(cell)) return known.cell.id;
    }
    cell.id = static_cast<std::uint32_t>(prepared_.cells.cells.size() + added_.size());
    added_.push_back({.cell = cell, .arms = arms});
    for (const std::string& label : arms) {
      alike_.push_back({.cell = like, .arm = static_cast<std::uint32_t>(number_of(label))});
    }
    return cell.id;
  }

  void add(const analysis::ChosenJump& jump) {
    const record::Cell& place = prepared_.cells.cells.at(jump.cell);
    if (!record::has_messages(prepared_.cells.operation(place.operation))) return;
    const std::vector<std::string> arms = arms_of(place);
    const record::OperationInfo* info = described(arms);
    if (info == nullptr) return;
    const auto low = cell_of(place, *info, jump.low_bytes);
    const auto high = cell_of(place, *info, jump.high_bytes);
    if (!low || !high) return;
    if (cells_.size() >= kMostEvidence) {
      ++left_out_;
      return;
    }
    const std::uint32_t low_cell = enter(*low, jump.cell, arms);
    const std::uint32_t high_cell = enter(*high, jump.cell, arms);
    cells_.push_back({.cell = jump.cell,
                      .low_bytes = jump.low_bytes,
                      .high_bytes = jump.high_bytes,
                      .low_cell = low_cell,
                      .high_cell = high_cell});
  }

  const Prepared& prepared_;
  std::vector<analysis::EvidenceCells> cells_ = {};
  std::vector<store::AddedCell> added_ = {};
  std::vector<record::ArmCell> alike_ = {};
  std::size_t left_out_ = 0;
};

// Few repetitions of one round, of what is added alone.
NextLaunches probe_launches(const Prepared& extended, const Evidence& evidence) {
  std::set<std::uint32_t> probes;
  NextLaunches next{.groups = kEvidenceGroups, .rounds = kEvidenceRounds};
  for (const store::AddedCell& added : evidence.added()) {
    probes.insert(added.cell.id);
    next.repetitions[added.cell.id] = kEvidenceRepetitions;
  }
  next.dropped = all_but(extended, [&](std::uint32_t cell) { return probes.contains(cell); });
  return next;
}

std::string chosen_text(const StudySoFar& so_far, const SizeChoice& choice,
                        const std::string& why) {
  std::set<std::uint32_t> evidence;
  for (const analysis::EvidenceCells& pair : choice.evidence) {
    evidence.insert({pair.low_cell, pair.high_cell});
  }
  std::size_t added = 0;
  for (const store::DecidedLine& line : so_far.state.decided) {
    if (line.decision != analysis::kSizesDecision) continue;
    added += static_cast<std::size_t>(std::ranges::count_if(
        line.added, [&](const store::AddedCell& one) { return !evidence.contains(one.cell.id); }));
  }
  return "sizes are chosen (" + why + "): " + base::count_text(added, "size") + " added, " +
         base::count_text(choice.jumps.size(), "possible step");
}

// The groups that judge everything.
Step judge(const StudySoFar& so_far, SizeChoice choice, const std::string& why) {
  choice.phase = SizePhase::kJudge;
  const std::uint32_t groups = std::max(1U, so_far.prepared.campaign.launches.min);
  Step step;
  step.say = chosen_text(so_far, choice, why) + "; fresh groups judge them";
  store::DecidedLine line = line_of(so_far, choice, step.say);
  store::State decided = so_far.state;
  decided.decided.push_back(line);
  const std::uint32_t done = last_finished(so_far);
  step.plan = plan_after(so_far.prepared, decided, done, {.groups = groups});
  std::vector<record::ArmCell> places;
  for (const record::PlanRow& row : step.plan->rows) {
    const design::Arm* arm = so_far.prepared.campaign.find_arm(row.arm);
    const auto number = static_cast<std::uint32_t>(arm - so_far.prepared.campaign.arms.data());
    if (row.group == done + 1 && row.round == 0) places.push_back({row.cell, number});
  }
  step.group_s = NextCosts(so_far).seconds(places);
  step.line = std::move(line);
  return step;
}

// First the groups with late receivers, where there are any to measure and time is left for those
// that judge.
Step end_of_choosing(const StudySoFar& so_far, SizeChoice choice, const std::string& why) {
  const Evidence evidence(so_far, choice);
  if (evidence.cells().empty()) return judge(so_far, std::move(choice), why);
  const NextCosts costs(so_far);
  const double probe_s = costs.probe_seconds(evidence.alike());
  if (!leaves_time_to_judge(so_far, kEvidenceGroups * probe_s,
                            costs.seconds(judged_places(so_far)))) {
    return judge(so_far, std::move(choice), why + ", and no time is left for late receivers");
  }
  choice.phase = SizePhase::kEvidence;
  choice.evidence = evidence.cells();
  Step step;
  step.say = "sizes are chosen (" + why + "); what senders do there whose receiver is late: " +
             base::count_text(kEvidenceGroups, "group");
  if (evidence.left_out() > 0) {
    step.say += " (not for " + base::count_text(evidence.left_out(), "further possible step") +
                ", of which no protocol will be told)";
  }
  store::DecidedLine line = line_of(so_far, choice, step.say);
  line.added = evidence.added();
  Prepared extended = so_far.prepared;
  add_cells(extended, line);
  step.plan =
      plan_after(extended, so_far.state, last_finished(so_far), probe_launches(extended, evidence));
  step.group_s = probe_s;
  step.line = std::move(line);
  return step;
}

// The groups that judge, when those with late receivers are measured, or when these take so long
// that another one would leave no time to judge anything. Of steps that were not looked at no
// protocol is told.
Step after_probes(const StudySoFar& so_far, const SizeChoice& before, bool waiting) {
  std::string why = "what senders do is measured";
  if (waiting) {
    if (!so_far.budget_s) return {};
    const double group_s = NextCosts(so_far).seconds(judged_places(so_far));
    if (leaves_time_to_judge(so_far, so_far.spent.most_s, group_s)) return {};
    why = "no time is left for more groups with late receivers";
  }
  SizeChoice choice = before;
  choice.candidates.clear();
  return judge(so_far, std::move(choice), why);
}

Step next_round(const StudySoFar& so_far, const std::optional<SizeChoice>& before) {
  const Prepared& prepared = so_far.prepared;
  const SizeRounds rounds(so_far, before);
  SizeChoice choice{.round = before ? before->round + 1 : 1, .places = rounds.chosen_places()};
  if (rounds.new_groups() == 0) {
    if (before) {
      choice.jumps = before->jumps;
      choice.bends = before->bends;
    }
    return end_of_choosing(so_far, std::move(choice), "no group of the last round was complete");
  }
  if (groups_that_chose_sizes(so_far.state).empty()) {
    const double needed_s = so_far.spent.elapsed_s + judging_s(so_far, so_far.spent.group_s);
    if (so_far.budget_s && needed_s > *so_far.budget_s) return nothing_chosen(so_far);
    refuse_noise(so_far, rounds);
  }
  const stats::RefinedRound round = stats::refine(rounds.curves(), rounds.refined_places());
  std::vector<stats::SizeBracket> jumps = rounds.jumps_before();
  stats::follow_jumps(jumps, round);
  choice.candidates = rounds.candidates(round);
  choice.jumps = rounds.jumps(jumps);
  choice.bends = rounds.bends(round);
  if (round.done()) return end_of_choosing(so_far, std::move(choice), "nothing is left to cut");
  if (choice.round >= kMostSizeRounds) {
    const std::string why = "after " + base::count_text(choice.round, "round");
    return end_of_choosing(so_far, std::move(choice), why);
  }
  const NextRound next(so_far, rounds, round);
  const std::size_t groups = groups_of_round(prepared);
  const NextCosts costs(so_far);
  const double group_s = costs.seconds(next.alike());
  const double end_s = so_far.spent.elapsed_s + static_cast<double>(groups) * group_s;
  if (so_far.budget_s && end_s > kChoosingShare * *so_far.budget_s) {
    return end_of_choosing(so_far, std::move(choice), "half of the budget is used");
  }
  const Evidence evidence(so_far, choice);
  const double probes_s =
      evidence.cells().empty() ? 0 : kEvidenceGroups * costs.probe_seconds(evidence.alike());
  if (!leaves_time_to_judge(so_far, end_s - so_far.spent.elapsed_s + probes_s,
                            costs.seconds(next.alike_when_judged()))) {
    return end_of_choosing(so_far, std::move(choice), "what is left of the budget is for judging");
  }
  Step step;
  step.say = round_text(choice, next, groups);
  store::DecidedLine line = line_of(so_far, choice, step.say);
  line.added = next.added();
  Prepared extended = prepared;
  add_cells(extended, line);
  step.plan = plan_after(
      extended, so_far.state, last_finished(so_far),
      {.groups = static_cast<std::uint32_t>(groups),
       .dropped = all_but(extended, [&](std::uint32_t cell) { return next.needs(cell); })});
  step.group_s = group_s;
  step.line = std::move(line);
  return step;
}

}  // namespace

bool chooses_sizes(const Prepared& prepared) {
  return design::has_adaptive_sizes(prepared.campaign);
}

bool sizes_are_chosen(const Prepared& prepared, const store::State& state) {
  if (!chooses_sizes(prepared)) return true;
  const std::optional<SizeChoice> last = analysis::last_size_choice(state.decided);
  return last && last->is_final();
}

bool sizes_are_being_chosen(const Prepared& prepared, const store::State& state) {
  if (!chooses_sizes(prepared)) return false;
  const std::optional<SizeChoice> last = analysis::last_size_choice(state.decided);
  return last && !last->is_final();
}

std::string cut_while_choosing_text(const StudySoFar& so_far, const std::string& why) {
  const store::State& state = so_far.state;
  const Spent& spent = so_far.spent;
  const bool choosing = analysis::is_choosing_sizes(state.decided);
  if (!choosing && (groups_that_chose_sizes(state).empty() || !judging_groups(state).empty())) {
    return {};
  }
  std::string text = why + ", and none of the " +
                     base::count_text(so_far.groups_complete, "complete launch group") +
                     " judges the sizes that were chosen";
  if (!so_far.budget_s || so_far.groups_complete == 0) return text;
  // One that was dropped has shown that groups may take as long.
  const double group_s = spent.cut.empty() ? spent.group_s : std::max(spent.group_s, spent.most_s);
  const std::uint32_t planned = last_planned(state);
  double left_s = group_s * (planned - std::min(planned, spent.groups_done));
  double behind_s = judging_s(so_far, NextCosts(so_far).seconds(judged_places(so_far)));
  if (choosing) left_s += behind_s;
  const std::optional<SizeChoice> last = analysis::last_size_choice(state.decided);
  if (last && last->phase == SizePhase::kEvidence) behind_s += kEvidenceGroups * group_s;
  // Choosing takes its share of a larger budget, too.
  const double needed_s =
      std::max({*so_far.budget_s, spent.elapsed_s + left_s, behind_s / (1 - kChoosingShare)});
  return text + "; a budget of about " + base::span_text(std::ceil(kEnoughToChoose * needed_s)) +
         " would be enough";
}

std::vector<store::GroupOutcome> judging_groups(const store::State& state) {
  const std::vector<std::uint32_t> chose = groups_that_chose_sizes(state);
  std::vector<store::GroupOutcome> judging;
  std::ranges::copy_if(state.groups, std::back_inserter(judging),
                       [&](const store::GroupOutcome& group) {
                         return group.complete && !std::ranges::binary_search(chose, group.group);
                       });
  return judging;
}

store::DecidedLine given_sizes() {
  return {.decision = std::string(analysis::kSizesDecision),
          .why = "the plan was given",
          .fields = analysis::size_choice_text({.phase = SizePhase::kGiven})};
}

std::vector<std::string> evidence_operations(const Prepared& prepared) {
  for (const design::AdaptivePlace& place :
       design::adaptive_places(prepared.campaign, prepared.cells)) {
    // What a fit breaks at its campaign looks into by operations of its own.
    if (place.asked.rule == design::RefinementRule::kBreaks) continue;
    const record::Cell& first = prepared.cells.cells.at(place.cells.front());
    if (record::has_messages(prepared.cells.operation(first.operation))) {
      return {std::string(kEvidenceOperation)};
    }
  }
  return {};
}

std::vector<record::ArmCell> evidence_cells(const Prepared& prepared, const store::State& state) {
  std::vector<record::ArmCell> cells;
  const std::optional<SizeChoice> last = analysis::last_size_choice(state.decided);
  if (!last) return cells;
  for (const analysis::EvidenceCells& pair : last->evidence) {
    for (const std::uint32_t cell : {pair.low_cell, pair.high_cell}) {
      if (cell >= prepared.cells.arms.size()) continue;
      for (const std::uint32_t arm : prepared.cells.arms[cell]) cells.push_back({cell, arm});
    }
  }
  return cells;
}

std::string counted_sizes_text(const Prepared& prepared, std::string_view has) {
  std::vector<std::string> texts;
  for (const design::AdaptivePlace& place :
       design::adaptive_places(prepared.campaign, prepared.cells)) {
    const record::Cell& first = prepared.cells.cells.at(place.cells.front());
    texts.push_back(first.operation + " " + std::string(has) + " " +
                    std::to_string(place.cells.size()) + " of at most " +
                    std::to_string(place.asked.most));
  }
  constexpr std::size_t kMostListed = 3;
  return base::first_items(texts, kMostListed, ", ");
}

std::string adaptive_text(const Prepared& prepared) {
  if (!chooses_sizes(prepared)) return {};
  if (design::adds_at_breaks(prepared.campaign)) return break_sizes_text(prepared);
  return "adaptive sizes (" + counted_sizes_text(prepared, "begins with") +
         "): groups that choose sizes judge nothing, and nothing is decided under way (--fixed)";
}

Step decide_sizes(const StudySoFar& so_far) {
  const store::State& state = so_far.state;
  if (state.ended || state.planned_groups || so_far.groups_complete == 0) return {};
  const std::optional<SizeChoice> before = analysis::last_size_choice(state.decided);
  if (before && before->is_final()) return {};
  if (design::adds_at_breaks(so_far.prepared.campaign)) return decide_break_sizes(so_far, before);
  const bool waiting = next_group(state, so_far.finished).has_value();
  if (before && before->phase == SizePhase::kEvidence)
    return after_probes(so_far, *before, waiting);
  // The first round may have more groups in its plan than it needs.
  const bool first = groups_that_chose_sizes(state).empty();
  const std::size_t usable = usable_groups(so_far);
  const std::size_t needed = groups_of_round(so_far.prepared);
  if (first && usable < needed) {
    // Once: where groups go on to fail, what there is has to do.
    if (waiting) return {};
    if (!before) return first_groups_once_more(so_far, needed - usable);
  } else if (!first && waiting) {
    return {};
  }
  return next_round(so_far, before);
}

}  // namespace invar::driver
