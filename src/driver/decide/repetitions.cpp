#include "driver/decide/repetitions.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analysis/compare/tuning.hpp"
#include "analysis/repetitions/repetition_needs.hpp"
#include "analysis/study/study.hpp"
#include "base/error.hpp"
#include "base/json_whole.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "driver/decide/batches.hpp"
#include "driver/decide/plans.hpp"
#include "store/json_text.hpp"

namespace invar::driver {
namespace {

// What is predicted for one cell.
struct Predicted {
  std::size_t of_launch = 0;  // the largest over arms; the range's most where some arm needs more
  bool enough = true;         // no arm needs more
};

const store::DecidedLine* decided_before(const store::State& state) {
  const auto found =
      std::ranges::find(state.decided, kRepetitionsDecision, &store::DecidedLine::decision);
  return found == state.decided.end() ? nullptr : &*found;
}

// Complete groups that are timed as all others will be.
bool any_that_counts(const StudySoFar& so_far) {
  return std::ranges::any_of(so_far.state.groups, [&](const store::GroupOutcome& group) {
    return group.complete && follows_batches(so_far.prepared, so_far.state, group.group);
  });
}

// By Cell::id, of those that some arm has measured.
std::map<std::uint32_t, Predicted> predicted_from(const StudySoFar& so_far) {
  const design::Campaign& campaign = so_far.prepared.campaign;
  const design::RepetitionRule& rule = *campaign.prediction;
  const analysis::Rules rules = analysis::make_rules(campaign, {});
  const analysis::Study study(so_far.measured(), campaign, rules);
  std::map<std::uint32_t, Predicted> all;
  for (const analysis::CellNeed& need : analysis::repetition_needs(
           study.data(), study.summaries(), rule, 1 - rules.decision.alpha)) {
    const record::Cell& cell = study.data().cells[need.cell];
    if (cell.scheme != record::kOwnScheme) continue;
    Predicted& predicted = all[cell.id];
    predicted.of_launch =
        std::max(predicted.of_launch, need.repetitions.value_or(std::size_t{rule.max}));
    predicted.enough = predicted.enough && need.repetitions.has_value();
  }
  return all;
}

std::string fields_text(const std::map<std::uint32_t, Predicted>& predicted, std::uint32_t rounds) {
  base::JsonWriter json;
  json.begin_object().key("repetitions").begin_array();
  for (const auto& [cell, one] : predicted) {
    json.begin_object()
        .field("cell", cell)
        .field("launch", one.of_launch)
        .field("visit", design::share_of_a_visit(one.of_launch, rounds))
        .field("enough", one.enough)
        .end_object();
  }
  json.end_array().end_object();
  return json.text();
}

std::string predicted_text(const std::map<std::uint32_t, Predicted>& predicted,
                           const std::vector<record::Cell>& cells,
                           const design::RepetitionRule& rule) {
  constexpr std::size_t kMostListed = 4;
  const record::CellTexts text(cells);
  std::vector<std::string> texts;
  std::vector<std::string> open;
  for (const auto& [cell, one] : predicted) {
    (one.enough ? texts : open)
        .push_back(text(cells.at(cell)) +
                   (one.enough ? ": " + std::to_string(one.of_launch) : std::string()));
  }
  std::string said = "repetitions of a launch that are enough: ";
  said += texts.empty() ? "none" : base::first_items(texts, kMostListed, ", ", "cell");
  if (open.empty()) return said;
  return said + "; " + std::to_string(rule.max) + " are not for " +
         base::first_items(open, kMostListed, ", ", "cell");
}

}  // namespace

double seconds_of_next(const StudySoFar& so_far, const store::State& decided) {
  const design::Campaign& campaign = so_far.prepared.campaign;
  // Costs are those that were measured: `spent` may have what a decision before this one expects.
  const analysis::GroupCosts costs =
      analysis::group_costs(so_far.measured(), mean_group_s(so_far.state));
  const std::vector<record::ArmCell> unchosen = not_chosen(so_far.prepared, decided);
  std::vector<record::ArmCell> places;
  for (const auto& [place, cost] : costs.visits) {
    if (std::ranges::find(unchosen, place) == unchosen.end()) places.push_back(place);
  }
  return costs.seconds(places, campaign.rounds, decided_repetitions(decided), campaign.repetitions);
}

bool predicts_repetitions(const Prepared& prepared) {
  return prepared.campaign.prediction &&
         prepared.campaign.analysis.question != design::Question::kNrep;
}

std::map<std::uint32_t, std::uint32_t> decided_repetitions(const store::State& state) {
  const store::DecidedLine* decided = decided_before(state);
  if (decided == nullptr) return {};
  std::map<std::uint32_t, std::uint32_t> all;
  try {
    const auto fields = store::parse_json(decided->fields);
    for (const auto& one : fields.at("repetitions")) {
      const auto repetitions = base::whole<std::uint32_t>(one.at("visit"));
      if (repetitions > 0) all[base::whole<std::uint32_t>(one.at("cell"))] = repetitions;
    }
  } catch (const nlohmann::json::exception& error) {
    throw base::UserError("the decision '" + std::string(kRepetitionsDecision) + "'",
                          "its fields cannot be read: " + store::without_code(error.what()),
                          "go on with the version that began the campaign");
  }
  return all;
}

store::DecidedLine given_repetitions() {
  return {.decision = std::string(kRepetitionsDecision),
          .why = "the plan was given",
          .fields = fields_text({}, 1)};
}

Step decide_repetitions(const StudySoFar& so_far) {
  const Prepared& prepared = so_far.prepared;
  if (so_far.state.ended || decided_before(so_far.state) != nullptr || !any_that_counts(so_far)) {
    return {};
  }
  const std::map<std::uint32_t, Predicted> predicted = predicted_from(so_far);
  if (predicted.empty()) return {};
  const design::RepetitionRule& rule = *prepared.campaign.prediction;
  Step step;
  step.say = predicted_text(predicted, prepared.cells.cells, rule);
  store::DecidedLine line{.decision = std::string(kRepetitionsDecision),
                          .why = step.say,
                          .fields = fields_text(predicted, prepared.campaign.rounds)};
  store::State decided = so_far.state;
  decided.decided.push_back(line);
  const std::uint32_t done = so_far.finished.empty() ? 0 : *so_far.finished.rbegin();
  const std::uint32_t planned = last_planned(decided);
  if (planned > done) {
    step.plan = plan_after(prepared, decided, done, {.groups = planned - done});
    step.group_s = seconds_of_next(so_far, decided);
  }
  step.line = std::move(line);
  return step;
}

}  // namespace invar::driver
