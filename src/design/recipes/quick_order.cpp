#include "design/recipes/quick_order.hpp"

#include <algorithm>
#include <utility>

namespace invar::design {
namespace {

constexpr std::size_t kVisitsOfAnArm = 120;

}  // namespace

std::uint32_t quick_rounds(std::size_t cells) {
  const std::size_t rounds = kVisitsOfAnArm / std::max<std::size_t>(1, cells);
  return static_cast<std::uint32_t>(std::clamp<std::size_t>(rounds, 6, 20));
}

base::Fault adaptive_of_shared_cores() {
  return {.place = "--size",
          .what = "with --oversubscribe times say when ranks got their turns, and choose no sizes",
          .remedy = "write a list of sizes, 8,1KiB:64KiB"};
}

Campaign begin_campaign(const QuickOrder& order, std::string name, Question question) {
  Campaign campaign{.name = std::move(name), .seed = order.seed, .launches = kQuickLaunches};
  campaign.budget_s = order.budget_s;
  campaign.arms = order.arms;
  campaign.analysis.question = question;
  campaign.analysis.regime = order.regime;
  campaign.analysis.gate = order.gate;
  campaign.analysis.alpha = order.alpha.value_or(campaign.analysis.alpha);
  campaign.analysis.min_effect = order.min_effect.value_or(campaign.analysis.min_effect);
  if (order.oversubscribe) {
    campaign.engine.oversubscribe = true;
    campaign.engine.pinning = "none";
  }
  for (const auto& [key, levels] : order.engine_levels) campaign.engine.levels[key] = levels;
  return campaign;
}

CellsBlock ordered_cells(const QuickOrder& order) {
  return {.operations = order.operations,
          .sizes_bytes = order.sizes_bytes,
          .adaptive = order.adaptive,
          .levels = order.cell_levels};
}

}  // namespace invar::design
