// `compare`: which arm takes less time, cell by cell (docs/methods.md, "Comparing").
#pragma once

#include <optional>

#include "analysis/compare/comparison.hpp"
#include "analysis/study/lack.hpp"
#include "analysis/study/study.hpp"

namespace invar::analysis {

// The arms of one campaign that the study's options name, each against the first one (or every
// pair), paired by launch group. Throws UserError for an unknown arm (with a did-you-mean), and
// what comparison_lack() says.
Comparison compare(const Study& study);
// Fewer than two arms; no complete launch group; no valid repetition; no cell that two arms have.
std::optional<Lack> comparison_lack(const Study& study);

// Two sides of campaigns: cells of equal levels, arms labelled `label@campaign`. Arms of the same
// label are compared with each other, or, where there are none, all of the second side with the
// first arm of the first one; unpaired. One campaign a side: over launches, and the verdict
// includes the machine's change. Several: over sessions, each of which is one value, the mean of
// its launches' logs in the regime that all have in common; the sides are called A and B. Throws
// UserError for an unknown arm, and what campaigns_lack() says.
Comparison compare_campaigns(const Study& both);
// A campaign has nothing to compare; both are the same; no cell is common, with what each has. Of
// sessions see lack_of_sessions().
std::optional<Lack> campaigns_lack(const Study& both);

}  // namespace invar::analysis
