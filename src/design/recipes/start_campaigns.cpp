#include "design/recipes/start_campaigns.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"

namespace invar::design {
namespace {

// `repetitions`: enough that a test of modes finds one that has a tenth of a visit's.
Campaign start_campaign(const QuickOrder& order, Question question, std::uint32_t repetitions) {
  Campaign campaign = begin_campaign(order, std::string(to_string(question)), question);
  label_arms(campaign.arms, "--library");
  campaign.repetitions = repetitions;
  campaign.rounds = quick_rounds(
      order.operations.size() * std::max<std::size_t>(1, order.sizes_bytes.size()) *
      campaign.engine.levels.at("sync").size() * campaign.engine.levels.at("dither").size());
  campaign.cells.push_back(ordered_cells(order));
  return campaign;
}

}  // namespace

Campaign local_global_campaign(const QuickOrder& order) {
  return start_campaign(order, Question::kLocalGlobal, 50);
}

Campaign sync_bias_campaign(const QuickOrder& order) {
  if (order.arms.size() < 2) {
    throw base::UserError("--library", "one library has nobody to be compared with",
                          "name two or more; the same one twice is an A/A test");
  }
  return start_campaign(order, Question::kSyncBias, 100);
}

}  // namespace invar::design
