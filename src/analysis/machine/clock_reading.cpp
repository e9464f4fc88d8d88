#include "analysis/machine/clock_reading.hpp"

#include <vector>

#include "stats/describe/quantile.hpp"

namespace invar::analysis {

std::optional<double> clock_reading_ns(const store::Data& data, std::optional<std::uint32_t> arm) {
  std::vector<double> all;
  for (const store::Group& group : data.groups) {
    for (const store::Launch& launch : group.launches) {
      if (arm && launch.arm != *arm) continue;
      for (const store::Visit& visit : launch.visits) {
        if (visit.line.empty_ps) all.push_back(static_cast<double>(*visit.line.empty_ps) / 1000);
      }
    }
  }
  if (all.empty()) return std::nullopt;
  return stats::median_in_place(all);
}

}  // namespace invar::analysis
