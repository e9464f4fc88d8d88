#include "driver/decide/splits.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/guidelines/guideline_pairs.hpp"
#include "analysis/study/pairs.hpp"
#include "analysis/study/select.hpp"
#include "analysis/study/study.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "design/plan/families.hpp"
#include "driver/decide/groups.hpp"
#include "driver/decide/plans.hpp"
#include "driver/decide/repetitions.hpp"

namespace invar::driver {
namespace {

bool splits_are_decided(const store::State& state) {
  return std::ranges::find(state.decided, analysis::kSplitsDecision,
                           &store::DecidedLine::decision) != state.decided.end();
}

// What one arm chose in one family. Cells are Cell::id.
struct SplitChoice {
  std::string arm = {};
  std::uint32_t left = 0;
  std::uint32_t chosen = 0;
  std::vector<std::uint32_t> others = {};
  std::map<std::uint32_t, double> median_ns = {};  // of those right sides that were measured
};

// What the complete groups measured of an arm's cells.
class PilotMedians {
 public:
  explicit PilotMedians(const analysis::Study& study) {
    const store::Data& data = study.data();
    analysis::CellTable table =
        analysis::sort_visits(study.summaries().visits, data.cells.size(), data.arms.size());
    analysis::drop_failed_cells(data, table);
    for (std::size_t i = 0; i < data.cells.size(); ++i) {
      for (std::size_t arm = 0; arm < data.arms.size(); ++arm) {
        const analysis::CellVisits& visits = table[i][arm];
        if (visits.empty()) continue;
        medians_ns_[{data.cells[i].id, data.arms[arm].label}] = visits.typical_ns();
      }
    }
  }

  [[nodiscard]] std::optional<double> of(std::uint32_t cell, const std::string& arm) const {
    const auto found = medians_ns_.find({cell, arm});
    return found == medians_ns_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::map<std::pair<std::uint32_t, std::string>, double> medians_ns_ = {};
};

// None: the arm has measured none of the right sides.
std::optional<SplitChoice> split_choice_of(const PilotMedians& pilot, const Prepared& prepared,
                                           const design::SideChoice& sides) {
  const std::vector<record::Cell>& cells = prepared.cells.cells;
  SplitChoice choice{.arm = prepared.campaign.arms[sides.arm].label, .left = cells[sides.left].id};
  for (const std::uint32_t side : sides.rights) {
    const std::uint32_t right = cells[side].id;
    const std::optional<double> median_ns = pilot.of(right, choice.arm);
    if (!median_ns) continue;
    if (choice.median_ns.empty() || *median_ns < choice.median_ns.at(choice.chosen)) {
      choice.chosen = right;
    }
    choice.median_ns[right] = *median_ns;
  }
  if (choice.median_ns.empty()) return std::nullopt;
  for (const std::uint32_t side : sides.rights) {
    if (cells[side].id != choice.chosen) choice.others.push_back(cells[side].id);
  }
  return choice;
}

// Families in their order, of each the arms.
std::vector<SplitChoice> split_choices(const StudySoFar& so_far) {
  const Prepared& prepared = so_far.prepared;
  const std::vector<design::SideChoice> all =
      design::sides_to_choose(prepared.campaign, prepared.cells);
  const analysis::Study study(so_far.measured(), prepared.campaign,
                              analysis::make_rules(prepared.campaign, {}));
  const PilotMedians pilot(study);
  std::vector<SplitChoice> choices;
  choices.reserve(all.size());
  for (const design::SideChoice& sides : all) {
    if (auto choice = split_choice_of(pilot, prepared, sides)) {
      choices.push_back(std::move(*choice));
    }
  }
  return choices;
}

std::vector<store::NotJudging> groups_that_chose(const std::vector<SplitChoice>& choices,
                                                 const store::Data& pilot) {
  struct OfArm {
    std::set<std::uint32_t> looked_at = {};
    std::vector<std::uint32_t> others = {};
  };
  std::map<std::string, OfArm> arms;
  for (const SplitChoice& choice : choices) {
    OfArm& of_arm = arms[choice.arm];
    of_arm.looked_at.insert({choice.left, choice.chosen});
    of_arm.others.insert(of_arm.others.end(), choice.others.begin(), choice.others.end());
  }
  std::vector<std::uint32_t> groups;
  groups.reserve(pilot.groups.size());
  for (const store::Group& group : pilot.groups) groups.push_back(group.group);
  std::vector<store::NotJudging> all;
  for (auto& [arm, cells] : arms) {
    all.push_back({.groups = groups,
                   .cells = {cells.looked_at.begin(), cells.looked_at.end()},
                   .arms = {arm}});
    all.push_back({.cells = std::move(cells.others), .arms = {arm}});
  }
  return all;
}

std::string split_fields(const std::vector<SplitChoice>& choices) {
  base::JsonWriter json;
  json.begin_object().key("splits").begin_array();
  for (const SplitChoice& choice : choices) {
    json.begin_object().field("arm", choice.arm).field("chosen", choice.chosen);
    json.key("medians").begin_array();
    for (const auto& [cell, median_ns] : choice.median_ns) {
      json.begin_object().field("cell", cell).field("median_ns", median_ns).end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().end_object();
  return json.text();
}

// "bcast=4-parts, 8 B (openmpi)"
std::string split_choices_text(const std::vector<SplitChoice>& choices,
                               const std::vector<record::Cell>& cells) {
  constexpr std::size_t kMostListed = 4;
  const record::CellTexts text(cells);
  std::vector<std::string> texts;
  texts.reserve(choices.size());
  for (const SplitChoice& choice : choices) {
    texts.push_back(text(cells.at(choice.chosen)) + " (" + choice.arm + ")");
  }
  return "splits with the smallest medians: " + base::first_items(texts, kMostListed, "; ");
}

}  // namespace

bool chooses_splits(const Prepared& prepared) {
  return !design::sides_to_choose(prepared.campaign, prepared.cells).empty();
}

store::DecidedLine given_splits() {
  return {.decision = std::string(analysis::kSplitsDecision), .why = "the plan was given"};
}

Step decide_splits(const StudySoFar& so_far) {
  const Prepared& prepared = so_far.prepared;
  const store::State& state = so_far.state;
  if (state.ended || splits_are_decided(state) || so_far.groups_complete == 0) return {};
  const std::vector<SplitChoice> choices = split_choices(so_far);
  if (choices.empty()) return {};
  Step step;
  step.say = split_choices_text(choices, prepared.cells.cells);
  store::DecidedLine line{.decision = std::string(analysis::kSplitsDecision),
                          .why = step.say,
                          .not_judging = groups_that_chose(choices, so_far.measured()),
                          .fields = split_fields(choices)};
  store::State decided = state;
  decided.decided.push_back(line);
  const std::uint32_t done = so_far.finished.empty() ? 0 : *so_far.finished.rbegin();
  const std::uint32_t groups =
      std::max(last_planned(decided), asked_launches(prepared, decided).min);
  if (groups > done) {
    step.plan = plan_after(prepared, decided, done, {.groups = groups - done});
    step.group_s = seconds_of_next(so_far, decided);
  }
  step.say += "; the groups so far do not judge them";
  step.line = std::move(line);
  return step;
}

}  // namespace invar::driver
