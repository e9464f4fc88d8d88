// When a visit's global times do not count. MPI-free.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace invar::engine {

// Run-times and their uncertainties of a visit's repetitions, as many of each, in ps. Judged for
// the visit as a whole, by medians: judged one by one, the longer repetitions alone would remain.
// Nothing is uncertain about no repetitions.
inline bool too_uncertain(std::vector<std::int64_t> whole_ps,
                          std::vector<std::int64_t> uncertainty_ps) {
  constexpr std::int64_t kLeastDoubtPs = 200'000;
  constexpr std::int64_t kShare = 50;  // 2 %
  if (whole_ps.empty()) return false;
  const auto median = [](std::vector<std::int64_t>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
  };
  return median(uncertainty_ps) > std::max(median(whole_ps) / kShare, kLeastDoubtPs);
}

}  // namespace invar::engine
