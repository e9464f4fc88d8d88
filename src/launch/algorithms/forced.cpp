#include "launch/algorithms/forced.hpp"

#include <algorithm>
#include <utility>

namespace invar::launch {

std::vector<tuning::ForcedArm> forced_arms(const Profile& profile,
                                           std::span<const ToldLevel> levels) {
  const KnownLibrary known = known_library(profile);
  std::vector<tuning::ForcedArm> arms;
  if (!known.lacks.empty()) return arms;
  arms.reserve(levels.size());
  for (const ToldLevel& level : levels) {
    if (level.unknown || level.algorithm == nullptr) continue;
    tuning::ForcedArm arm{.operation = level.asked.operation, .candidate = level.candidate};
    tuning::Variables variables =
        tuning::enabling_variables(known.library, known.version, arm.operation);
    const tuning::Variables forcing =
        tuning::forcing_variables(known.library, known.version, arm.operation, arm.candidate);
    variables.insert(variables.end(), forcing.begin(), forcing.end());
    arm.settings.reserve(variables.size());
    for (auto& [name, value] : variables) {
      arm.settings.emplace_back(tuning::environment_name(known.library, name), std::move(value));
    }
    arms.push_back(std::move(arm));
  }
  return arms;
}

design::Arm forced_arm(const design::Arm& base, const tuning::ForcedArm& forced) {
  design::Arm arm = base;
  arm.label = (base.label.empty() ? base.library : base.label) + '+' + tuning::forced_label(forced);
  for (const auto& setting : forced.settings) {
    const auto known =
        std::ranges::find(arm.settings, setting.first, &std::pair<std::string, std::string>::first);
    if (known == arm.settings.end()) {
      arm.settings.push_back(setting);
    } else {
      known->second = setting.second;
    }
  }
  return arm;
}

}  // namespace invar::launch
