// What looks have in common.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/memory/memory_data.hpp"
#include "analysis/p2p/message_places.hpp"

namespace invar::analysis {

// "read (width 4 B)".
std::string of_series(const WalkSeries& series);

// "1.276 [1.268, 1.285]", of logarithms.
std::string factor_text(double log_value, const std::optional<stats::Interval>& logs);

// The mean of the groups' means. Values are logarithms, by launch group.
GroupEstimate mean_of_groups(const std::map<std::uint32_t, std::vector<double>>& by_group,
                             double confidence);

}  // namespace invar::analysis
