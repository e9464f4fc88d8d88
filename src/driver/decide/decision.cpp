#include "driver/decide/decision.hpp"

#include <algorithm>

namespace invar::driver {
namespace {

// All in one line. Who was to run no more groups than so many runs those of the plan, too.
void write_decided(store::CampaignDir& dir, std::string_view name, store::DecidedLine line,
                   const Step& step) {
  line.decision = name;
  if (step.groups) {
    line.planned_groups = step.groups->groups;
    if (line.why.empty()) line.why = step.groups->why;
  } else if (step.plan && !step.plan->rows.empty() && dir.state().planned_groups) {
    line.planned_groups = std::max(*dir.state().planned_groups, step.plan->rows.back().group);
  }
  dir.decide(line, step.plan);
}

}  // namespace

void write_step(store::CampaignDir& dir, std::string_view name, const Step& step) {
  const auto keep_warning = [&] {
    const std::vector<store::WarningLine>& kept = dir.state().warnings;
    if (step.warning.text.empty() || std::ranges::find(kept, step.warning) != kept.end()) return;
    dir.warn(step.warning);
  };
  if (const auto* decided = std::get_if<store::DecidedLine>(&step.line)) {
    keep_warning();
    write_decided(dir, name, *decided, step);
    return;
  }
  if (const auto* batches = std::get_if<store::BatchesLine>(&step.line)) {
    dir.decide_batches(batches->calls, batches->why);
  }
  if (const auto* look = std::get_if<store::LookLine>(&step.line)) dir.note_look(*look);
  if (step.plan) dir.add_plan(*step.plan);
  keep_warning();
  if (step.groups) dir.decide_groups(step.groups->groups, step.groups->why);
}

}  // namespace invar::driver
