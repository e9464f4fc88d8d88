// Splits: into how many calls the right side of a split-robustness rule divides is chosen by the
// pilot group, which judges none of them (docs/methods.md, "Guidelines").
#pragma once

#include "driver/decide/decision.hpp"
#include "driver/prepare/prepare.hpp"
#include "store/campaign_dir.hpp"

namespace invar::driver {

// Some guideline has several right sides to choose from, in some arm.
bool chooses_splits(const Prepared& prepared);

// What says that nothing is to be chosen, because the plan was given: all right sides are measured
// and judged, each by itself.
store::DecidedLine given_splits();

// After the first complete group (if a group failed before it, that one may still judge when it is
// measured once more): in each arm the right side with the smallest median, of equal ones the one
// of fewer calls. The groups that it was chosen from judge neither side, the other right sides
// judge nowhere and are measured no more. The line's `fields` hold the medians, which nobody reads
// again.
Step decide_splits(const StudySoFar& so_far);

}  // namespace invar::driver
