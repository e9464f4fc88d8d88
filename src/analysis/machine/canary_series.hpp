// The canary over a campaign.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/study/summaries.hpp"
#include "analysis/study/time_axis.hpp"
#include "base/canary_band.hpp"

namespace invar::analysis {

struct CanarySeries {
  base::CanaryKind kind = base::CanaryKind::kLine;
  // Equal stretches of the campaign's time in which a canary was measured: their middles, median
  // and 5 % and 95 % quantiles of their canaries.
  std::vector<double> seconds = {};
  std::vector<double> median_ns = {};
  std::vector<double> low_ns = {};
  std::vector<double> high_ns = {};
  // The histogram of all canaries: edges equally spaced on a log scale, one more than counts.
  std::vector<double> edges_ns = {};
  std::vector<std::uint64_t> counts = {};
};

// None where no visit had a canary of that kind.
std::optional<CanarySeries> canary_series(const Summaries& summaries, const TimeAxis& axis,
                                          base::CanaryKind kind = base::CanaryKind::kLine,
                                          std::size_t most_columns = 160);

}  // namespace invar::analysis
