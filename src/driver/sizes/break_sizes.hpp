// Sizes that are added where fits of curves by straight pieces break (rule = "breaks"): inside of
// the interval between the last size of a piece and the first one of the next. Every launch group
// counts, also those that were looked at: what a size takes does not depend on why it was chosen
// (docs/methods.md, "Sizes at breaks").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/steps/size_choices.hpp"
#include "driver/decide/decision.hpp"
#include "driver/prepare/prepare.hpp"

namespace invar::driver {

// "adaptive sizes (pingpong has 176 of at most 400, ...): ..."
std::string break_sizes_text(const Prepared& prepared);

// Looks at the fits when every size has had its second turn, and again whenever all have had
// another one: new sizes go into the plan of all groups to come. The last look is one after which
// every new size can still be in design::kLeastGroupsOfSize of the groups that the campaign asks
// for; what would keep the budget from holding these is left out, widest intervals first in.
// `before`: what was decided as yet, and not final. Only while no number of groups is decided.
Step decide_break_sizes(const StudySoFar& so_far,
                        const std::optional<analysis::SizeChoice>& before);

// Sizes to put between two others, into each quarter on the logarithm: a power of two and the next
// size, because libraries' limits lie there and users ask for them; where both are `taken`, or
// there is none, one by lot. Multiples of `element_bytes`, none that is `taken`. The same on every
// platform.
std::vector<std::uint64_t> sizes_between(std::uint64_t low_bytes, std::uint64_t high_bytes,
                                         std::uint64_t element_bytes,
                                         const std::vector<std::uint64_t>& taken,
                                         std::uint64_t seed);

}  // namespace invar::driver
