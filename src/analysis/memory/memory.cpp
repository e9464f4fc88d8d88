#include "analysis/memory/memory.hpp"

#include <algorithm>
#include <utility>

#include "analysis/compare/reference_frame.hpp"
#include "analysis/compare/reference_regime.hpp"
#include "analysis/machine/diagnostics.hpp"
#include "analysis/study/select.hpp"

namespace invar::analysis {
namespace {

std::vector<MemoryModel> models_of(const Study& study, const Rules& rules, const TakenVisits& takes,
                                   std::vector<Warning>& warnings) {
  std::vector<MemoryModel> models;
  for (const MemoryData& data : memory_data(study, takes)) {
    models.push_back(memory_model(
        data, {.confidence = 1 - rules.decision.alpha, .min_effect = rules.decision.min_effect}));
    for (Warning& warning : models.back().warnings) warnings.push_back(std::move(warning));
    models.back().warnings.clear();
  }
  return models;
}

}  // namespace

std::optional<Lack> memory_lack(const Study& study) {
  const store::Data& data = study.data();
  if (std::optional<Lack> lack = lack_of_groups(data)) return lack;
  const bool any = std::ranges::any_of(
      data.cells, [&](const record::Cell& cell) { return walks_over_memory(data, cell); });
  if (!any) {
    return Lack{.faults = {{.place = data.dir.string(),
                            .what = "no cell walks over memory (operation = \"read\")",
                            .remedy = "invar memory measures all that a model needs; in a campaign "
                                      "operation = [\"read\", \"chase\"] of many sizes"}}};
  }
  const Summaries& summaries = study.summaries_of({});
  if (std::optional<Lack> lack = lack_of_repetitions(data, summaries)) return lack;
  return lack_of_regime(data, summaries, study.rules());
}

Memory memory(const Study& study) {
  require(memory_lack(study));
  const ReferenceFrame frame(study);
  Memory found{.arms = compared_arms(study.data(), frame.arms()),
               .regimes = frame.regimes(),
               .reference = reference_regime(frame.contest()),
               .shows_regimes = study.options().regimes,
               .asked = asked_words(study.options()),
               .alpha = frame.rules().decision.alpha,
               .min_effect = frame.rules().decision.min_effect,
               .no_verdict = frame.rules().no_verdict,
               .dir = study.data().dir};
  found.models = models_of(study, frame.rules(), frame.reference_visits(), found.warnings);
  std::vector<Warning> unsaid;  // the reference's have said as much
  frame.for_each_elsewhere([&](const std::string& name, const TakenVisits& takes) {
    for (MemoryModel& model : models_of(study, frame.rules(), takes, unsaid)) {
      if (model.groups < kRegimeGroups) continue;
      found.elsewhere.push_back({.regime = name, .model = std::move(model)});
    }
  });
  found.scope = frame.scope();
  frame.append_warnings(found.warnings);
  found.health = health_of(study.all(), frame.summaries());
  found.sentence = memory_sentence(found);
  return found;
}

}  // namespace invar::analysis
