#include "design/recipes/factors_campaign.hpp"

#include "base/error.hpp"

namespace invar::design {

Campaign factors_campaign(Campaign campaign, const std::string& place) {
  if (campaign.stopping == Stopping::kLooks) {
    throw base::UserError(place,
                          "looks at the results end it (stopping = \"looks\"): such data allow no "
                          "verdict on factors",
                          "write stopping = \"fixed\"");
  }
  campaign.analysis.question = Question::kFactors;
  campaign.analysis.gate.reset();
  return campaign;
}

}  // namespace invar::design
