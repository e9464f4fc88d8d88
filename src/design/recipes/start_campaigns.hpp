// The campaigns of `invar clocks local-global` and `sync-bias`: the same cells after several ways
// of starting a repetition.
#pragma once

#include "design/recipes/quick_order.hpp"

namespace invar::design {

// The order's engine levels name synchronisations and dithers.
Campaign local_global_campaign(const QuickOrder& order);

// Throws UserError where there are fewer than two arms.
Campaign sync_bias_campaign(const QuickOrder& order);

}  // namespace invar::design
