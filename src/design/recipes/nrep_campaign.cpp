#include "design/recipes/nrep_campaign.hpp"

namespace invar::design {

Campaign nrep_campaign(const NrepOrder& order) {
  Campaign campaign = begin_campaign(order.quick, "nrep", Question::kNrep);
  campaign.launches = {.min = order.launches, .max = order.launches};
  campaign.rounds = 1;
  predict_repetitions(campaign, order.rule);
  label_arms(campaign.arms, "nrep");
  campaign.cells.push_back(ordered_cells(order.quick));
  return campaign;
}

}  // namespace invar::design
