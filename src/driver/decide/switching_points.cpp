#include "driver/decide/switching_points.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/compare/tuning.hpp"
#include "analysis/study/rules.hpp"
#include "analysis/study/study.hpp"
#include "analysis/tuning/added_races.hpp"
#include "analysis/tuning/chosen.hpp"
#include "analysis/tuning/races.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "design/races/race.hpp"
#include "design/recipes/known_operations.hpp"
#include "driver/decide/added_cells.hpp"
#include "driver/decide/budget.hpp"
#include "driver/decide/looks.hpp"
#include "driver/decide/plans.hpp"
#include "tuning/candidate.hpp"

namespace invar::driver {
namespace {

using analysis::SwitchingGap;

std::size_t steps_before(const store::State& state) {
  return static_cast<std::size_t>(std::ranges::count(state.decided, analysis::kSwitchingDecision,
                                                     &store::DecidedLine::decision));
}

// The race of a cell, among those that there are.
const design::RaceBlock* race_of(const std::vector<design::RaceBlock>& races,
                                 const analysis::ChosenCell& cell) {
  const auto found = std::ranges::find_if(races, [&](const design::RaceBlock& race) {
    return race.operation == cell.operation && race.ranks == cell.ranks &&
           race.size_bytes == cell.size_bytes;
  });
  return found == races.end() ? nullptr : &*found;
}

// The candidate's cell in its race, and the arm: what a cell of another size is made from.
struct Pattern {
  record::Cell cell = {};
  std::string arm = {};
};

std::optional<Pattern> pattern_of(const Prepared& prepared, const design::RaceBlock& race,
                                  const tuning::Candidate& candidate) {
  for (const design::RaceCandidate& raced : race.candidates) {
    if (design::candidate_of(raced) != candidate) continue;
    const design::Arm* arm = prepared.campaign.find_arm(raced.arm);
    if (arm == nullptr) return std::nullopt;
    const auto number = static_cast<std::uint32_t>(arm - prepared.campaign.arms.data());
    std::optional<Pattern> pattern;
    for (const record::Cell& cell : prepared.cells.cells) {
      const std::vector<std::uint32_t>& arms = prepared.cells.arms.at(cell.id);
      if (!design::is_cell_of(cell, race, candidate)) continue;
      if (std::ranges::find(arms, number) == arms.end()) continue;
      // The cell that is switched, where the family has both.
      if (!pattern || cell.algorithm == raced.is) pattern = Pattern{cell, raced.arm};
    }
    return pattern;
  }
  return std::nullopt;
}

// What is added, and what it costs.
struct SwitchingCells {
  std::vector<store::AddedCell> cells = {};
  std::vector<design::RaceBlock> races = {};
  std::vector<record::ArmCell> alike = {};  // measured before, at another size
};

class SwitchingPlanner {
 public:
  SwitchingPlanner(const Prepared& prepared, const store::State& state,
                   const std::vector<design::RaceBlock>& races)
      : prepared_(prepared), state_(state), races_(races) {}

  SwitchingCells cells_of(const std::vector<SwitchingGap>& gaps) {
    for (const SwitchingGap& gap : gaps) {
      // Where the size half way did not tell, neither half is known to have the point.
      if (gap.coarse() && !gap.tried) add(gap);
    }
    return std::move(added_);
  }

 private:
  // Those that win on either side, what would be written for the sizes in between, the arm as
  // given, and the library's own choice.
  [[nodiscard]] std::vector<std::pair<tuning::Candidate, Pattern>> contenders(
      const SwitchingGap& gap, const design::RaceBlock& below,
      const design::RaceBlock& above) const {
    std::vector<tuning::Candidate> wanted{{.kind = tuning::CandidateKind::kAsGiven},
                                          {.kind = tuning::CandidateKind::kLibraryDefault}};
    for (const auto& winner : {gap.below.winner, gap.above.winner, gap.between}) {
      if (winner && std::ranges::find(wanted, *winner) == wanted.end()) wanted.push_back(*winner);
    }
    std::vector<std::pair<tuning::Candidate, Pattern>> found;
    for (const tuning::Candidate& candidate : wanted) {
      std::optional<Pattern> pattern = pattern_of(prepared_, above, candidate);
      // One that refuses the size on one side may have won on the other.
      if (!pattern || is_out(*pattern)) pattern = pattern_of(prepared_, below, candidate);
      if (pattern && !is_out(*pattern)) found.emplace_back(candidate, std::move(*pattern));
    }
    return found;
  }

  // Its arm was dropped, or it failed.
  [[nodiscard]] bool is_out(const Pattern& pattern) const {
    const auto& dropped = state_.dropped_arms;
    const auto& failed = state_.failed_cells;
    return std::ranges::find(dropped, pattern.arm) != dropped.end() ||
           std::ranges::find(failed, std::pair(pattern.cell.id, pattern.arm)) != failed.end();
  }

  void add(const SwitchingGap& gap) {
    const design::RaceBlock* below = race_of(races_, gap.below);
    const design::RaceBlock* above = race_of(races_, gap.above);
    if (below == nullptr || above == nullptr) return;
    auto them = contenders(gap, *below, *above);
    if (them.empty()) return;
    const record::Cell given = them.front().second.cell;
    const record::OperationInfo& info = prepared_.cells.operation(given.operation);
    const record::DatatypeInfo* type = info.datatype(given.datatype);
    const std::optional<std::uint64_t> size_bytes = analysis::size_between(
        *gap.below.size_bytes, *gap.above.size_bytes, type == nullptr ? 1 : type->size_bytes);
    if (!size_bytes || is_raced(gap.above, *size_bytes)) return;
    std::erase_if(them, [&](const auto& one) { return lacks(one.second.cell, *size_bytes); });
    if (them.size() < 2 || them.front().first.kind != tuning::CandidateKind::kAsGiven) return;

    design::RaceBlock race{
        .operation = gap.above.operation, .size_bytes = size_bytes, .ranks = gap.above.ranks};
    race.family = design::race_name(race.operation, size_bytes, race.ranks);
    for (const auto& [candidate, pattern] : them) {
      race.candidates.push_back({.is = tuning::to_string(candidate), .arm = pattern.arm});
      enter(pattern, race);
    }
    added_.races.push_back(std::move(race));
  }

  // It was planned before, and has no times: it failed, or none of its visits counts.
  [[nodiscard]] bool is_raced(const analysis::ChosenCell& beside, std::uint64_t size_bytes) const {
    analysis::ChosenCell cell = beside;
    cell.size_bytes = size_bytes;
    return race_of(races_, cell) != nullptr;
  }

  // A split, say, of which more parts than the last would be shorter.
  [[nodiscard]] bool lacks(const record::Cell& cell, std::uint64_t size_bytes) const {
    const record::OperationInfo& info = prepared_.cells.operation(cell.operation);
    return !design::lack_of_size(info, size_bytes, {{"datatype", {cell.datatype}}}).empty();
  }

  // Arms that have one cell have it once.
  void enter(const Pattern& pattern, const design::RaceBlock& race) {
    const design::Arm* arm = prepared_.campaign.find_arm(pattern.arm);
    const auto number = static_cast<std::uint32_t>(arm - prepared_.campaign.arms.data());
    added_.alike.push_back({pattern.cell.id, number});
    record::Cell cell = pattern.cell;
    cell.size_bytes = race.size_bytes;
    cell.family = race.family;
    for (store::AddedCell& known : added_.cells) {
      cell.id = known.cell.id;
      if (!known.cell.same_levels(cell)) continue;
      if (std::ranges::find(known.arms, pattern.arm) == known.arms.end()) {
        known.arms.push_back(pattern.arm);
      }
      return;
    }
    cell.id = static_cast<std::uint32_t>(prepared_.cells.cells.size() + added_.cells.size());
    added_.cells.push_back({.cell = std::move(cell), .arms = {pattern.arm}});
  }

  const Prepared& prepared_;
  const store::State& state_;
  const std::vector<design::RaceBlock>& races_;
  SwitchingCells added_ = {};
};

// Everything but the cells that are added: what was measured so far.
std::vector<record::ArmCell> all_known(const Prepared& prepared) {
  std::vector<record::ArmCell> known;
  for (const record::Cell& cell : prepared.cells.cells) {
    for (const std::uint32_t arm : prepared.cells.arms.at(cell.id)) {
      known.push_back({cell.id, arm});
    }
  }
  return known;
}

std::string switching_text(const SwitchingCells& added) {
  constexpr std::size_t kMostListed = 4;
  std::vector<std::string> places;
  places.reserve(added.races.size());
  for (const design::RaceBlock& race : added.races) places.push_back(design::race_text(race));
  return "the winner changes from size to size: measured half way, in " +
         base::count_text(kSwitchingGroups, "group") + ": " +
         base::first_items(places, kMostListed, "; ", "cell");
}

// The groups of a step that still wait, where no more of them end in time.
Step end_for_the_budget(const StudySoFar& so_far) {
  Step step;
  const std::string why = budget_over_text(so_far.prepared, so_far.state, so_far.spent);
  if (why.empty() || steps_before(so_far.state) == 0) return step;
  step.groups = {.groups = so_far.finished.empty() ? 0 : *so_far.finished.rbegin(), .why = why};
  return step;
}

}  // namespace

bool has_switching_points(const Prepared& prepared) {
  return !prepared.campaign.races.empty() && is_sequential(prepared);
}

Step decide_switching_points(const StudySoFar& so_far) {
  const Prepared& prepared = so_far.prepared;
  const store::State& state = so_far.state;
  // The looks end with a number of groups.
  if (state.ended || !state.planned_groups || so_far.groups_complete == 0) return {};
  if (next_group(state, so_far.finished)) return end_for_the_budget(so_far);
  if (steps_before(state) >= kMostSwitchingSteps || !so_far.spent.cut.empty()) return {};

  const analysis::Rules rules = analysis::make_rules(prepared.campaign, {});
  const analysis::Study study(so_far.measured(), prepared.campaign, rules);
  if (analysis::races_lack(study)) return {};
  const analysis::TuneRaces found = analysis::tune_races(study);
  const std::vector<design::RaceBlock> races = analysis::all_races(study);
  const SwitchingCells added = SwitchingPlanner(prepared, state, races).cells_of(found.gaps);
  if (added.races.empty()) return {};

  // The costs are those of all groups: the latest ones had few cells left.
  const analysis::GroupCosts costs = analysis::group_costs(so_far.measured(), mean_group_s(state));
  const double group_s =
      costs.seconds(added.alike, prepared.campaign.rounds, {}, prepared.campaign.repetitions);
  if (so_far.budget_s && so_far.spent.elapsed_s + kSwitchingGroups * group_s > *so_far.budget_s) {
    return {};  // the answer says between which sizes
  }
  Step step;
  step.say = switching_text(added);
  store::DecidedLine line{.decision = std::string(analysis::kSwitchingDecision),
                          .why = step.say,
                          .added = added.cells,
                          .fields = analysis::added_races_text(added.races)};
  // The groups that chose have nothing to say of what they chose.
  store::NotJudging& chose = line.not_judging.emplace_back();
  for (const store::Group& group : so_far.measured().groups) chose.groups.push_back(group.group);
  for (const store::AddedCell& cell : added.cells) chose.cells.push_back(cell.cell.id);

  Prepared extended = prepared;
  add_cells(extended, line);
  const std::uint32_t done = *so_far.finished.rbegin();
  step.plan = plan_after(extended, state, done,
                         {.groups = kSwitchingGroups, .dropped = all_known(prepared)});
  step.group_s = group_s;
  step.line = std::move(line);
  return step;
}

}  // namespace invar::driver
