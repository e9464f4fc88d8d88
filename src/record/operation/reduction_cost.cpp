#include "record/operation/reduction_cost.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"

namespace invar::record {

std::optional<std::vector<ReductionCost>> parse_reduction_costs(std::string_view text) {
  std::vector<ReductionCost> costs;
  for (const std::string_view section : base::split(text, ';')) {
    const std::vector<std::string_view> parts = base::split(section, ':');
    if (parts.size() != 3) return std::nullopt;
    const std::optional<std::uint64_t> above = base::parse_u64(parts[0]);
    const std::optional<double> seconds = base::parse_double(parts[1]);
    const std::optional<double> per_byte = base::parse_double(parts[2]);
    if (!above || !seconds || !per_byte || !std::isfinite(*seconds) || !std::isfinite(*per_byte)) {
      return std::nullopt;
    }
    if (costs.empty() ? *above != 0 : *above <= costs.back().above_bytes) return std::nullopt;
    costs.push_back({.above_bytes = *above, .seconds = *seconds, .seconds_per_byte = *per_byte});
  }
  return costs;
}

double reduction_seconds(const std::vector<ReductionCost>& costs, std::uint64_t bytes) {
  const ReductionCost* holds = costs.empty() ? nullptr : &costs.front();
  for (const ReductionCost& cost : costs) {
    if (bytes > cost.above_bytes) holds = &cost;
  }
  if (holds == nullptr) return 0;
  return std::max(0.0, holds->seconds + holds->seconds_per_byte * static_cast<double>(bytes));
}

}  // namespace invar::record
