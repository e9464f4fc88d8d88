#include "driver/decide/decisions.hpp"

#include <array>

#include "analysis/guidelines/guideline_pairs.hpp"
#include "analysis/steps/size_choices.hpp"
#include "analysis/tuning/added_races.hpp"
#include "driver/decide/batches.hpp"
#include "driver/decide/groups.hpp"
#include "driver/decide/looks.hpp"
#include "driver/decide/repetitions.hpp"
#include "driver/decide/splits.hpp"
#include "driver/decide/switching_points.hpp"
#include "driver/sizes/sizes.hpp"

namespace invar::driver {

std::span<const Decision> all_decisions() {
  static constexpr std::array kAll{
      // First of all, because a driver before this one may have ended between pilot and decision.
      Decision{.name = "batches",
               .asked = [](const Prepared&) { return true; },
               .decide = decide_batches},
      Decision{.name = kRepetitionsDecision,
               .asked = predicts_repetitions,
               .decide = decide_repetitions},
      // Behind what else looks at the pilot group, of which it takes data away.
      Decision{.name = analysis::kSplitsDecision, .asked = chooses_splits, .decide = decide_splits},
      // What adds groups or cells stands here: the last ones end the campaign.
      Decision{.name = analysis::kSizesDecision,
               .asked = chooses_sizes,
               .decide = decide_sizes,
               .operations = evidence_operations},
      Decision{.name = "looks", .asked = is_sequential, .decide = decide_looks},
      Decision{.name = "groups",
               .asked = [](const Prepared& prepared) { return !is_sequential(prepared); },
               .decide = decide_groups},
      // Behind the looks, because it begins where these end.
      Decision{.name = analysis::kSwitchingDecision,
               .asked = has_switching_points,
               .decide = decide_switching_points},
  };
  return kAll;
}

}  // namespace invar::driver
