// The levels that a campaign gives to factors, by their keys (record/factors.hpp) in [[cells]] and
// [engine]. Operation and size are read apart, because a size knows units and ranges.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "design/campaign/campaign.hpp"
#include "record/factors.hpp"

namespace invar::design {

// A level as people write it, to the text that Factor::parse takes.
record::LevelText level_text(const record::Factor& factor, std::string_view written);

// The block's levels of a factor of [engine], or those of [engine].
const std::vector<std::string>& levels_of(const Campaign& campaign, const CellsBlock& block,
                                          std::string_view key);

}  // namespace invar::design
