#include "analysis/memory/pitfalls/look_words.hpp"

#include <cmath>

#include "analysis/words/numbers.hpp"
#include "stats/describe/moments.hpp"

namespace invar::analysis {

std::string of_series(const WalkSeries& series) {
  return series.operation + (series.place.empty() ? "" : " (" + series.place + ")");
}

std::string factor_text(double log_value, const std::optional<stats::Interval>& logs) {
  std::optional<stats::Interval> interval;
  if (logs) interval = {std::exp(logs->low), std::exp(logs->high), logs->confidence};
  const EstimateText text = ratio_text(std::exp(log_value), interval);
  return text.estimate + (text.interval.empty() ? "" : " " + text.interval);
}

GroupEstimate mean_of_groups(const std::map<std::uint32_t, std::vector<double>>& by_group,
                             double confidence) {
  std::vector<double> means;
  means.reserve(by_group.size());
  for (const auto& [group, values] : by_group) means.push_back(stats::mean(values));
  // What the logarithm of a time may be rounded by: so that equal values are no certainty.
  constexpr double kLeastVariance = 1e-8;
  return mean_over_groups(means, kLeastVariance, confidence);
}

}  // namespace invar::analysis
