#include "analysis/suites/preset_processing.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>

#include "stats/describe/moments.hpp"
#include "stats/describe/quantile.hpp"
#include "stats/describe/summary.hpp"
#include "stats/test/student.hpp"

namespace invar::analysis {
namespace {

using Numbers = std::vector<ReportedNumber>;

// SORT(l); mean and standard deviation of l[n / 4 : n - n / 4], whole quarters cut off.
Numbers middle_half(std::vector<double> times) {
  std::ranges::sort(times);
  const std::size_t quarter = times.size() / 4;
  const std::span<const double> half =
      std::span<const double>(times).subspan(quarter, times.size() - 2 * quarter);
  Numbers numbers{{"mean", stats::mean(half)}};
  if (half.size() < 2) return numbers;
  const double variance = stats::variance(half).value_or(0);
  numbers.push_back({"std_error", std::sqrt(variance / static_cast<double>(half.size()))});
  return numbers;
}

// mean +- t(.95) s / sqrt(n): MPIBlib asks for the one-sided quantile, so that its 95 % are 90 %.
Numbers mean_with_interval(std::span<const double> times) {
  Numbers numbers{{"mean", stats::mean(times)}};
  if (times.size() < 2) return numbers;
  const auto n = static_cast<double>(times.size());
  const double half =
      stats::t_quantile(0.95, n - 1) * std::sqrt(stats::variance(times).value_or(0) / n);
  numbers.push_back({"ci_low", numbers.front().time_ns - half});
  numbers.push_back({"ci_high", numbers.front().time_ns + half});
  return numbers;
}

// What a statistic of each rank is over ranks.
template <typename Statistic>
std::vector<double> of_ranks(const PresetSample& sample, Statistic statistic) {
  std::vector<double> values;
  values.reserve(sample.rank_ns.size());
  for (const std::vector<double>& times : sample.rank_ns) values.push_back(statistic(times));
  return values;
}

Numbers mean_of_ranks(const PresetSample& sample) {
  const std::vector<double> means =
      of_ranks(sample, [](const std::vector<double>& times) { return stats::mean(times); });
  return {{"avg", stats::mean(means)},
          {"min", std::ranges::min(means)},
          {"max", std::ranges::max(means)}};
}

// REMOVE_OUTLIERS: above a = 2 times the 99 % quantile of all ranks' repetitions.
Numbers without_outliers(const PresetSample& sample) {
  std::vector<double> all;
  for (const std::vector<double>& times : sample.rank_ns)
    std::ranges::copy(times, std::back_inserter(all));
  const double threshold = 2 * stats::quantile(all, 0.99);
  std::erase_if(all, [&](double time) { return time > threshold; });
  return {
      {"mean", stats::mean(all)}, {"min", std::ranges::min(all)}, {"max", std::ranges::max(all)}};
}

Numbers largest_of_ranks(const PresetSample& sample) {
  const auto largest = [&](auto statistic) {
    return std::ranges::max(of_ranks(sample, statistic));
  };
  using Times = const std::vector<double>&;
  return {{"median", largest([](Times times) { return stats::quantile(times, 0.5); })},
          {"mean", largest([](Times times) { return stats::mean(times); })},
          {"min", largest([](Times times) { return std::ranges::min(times); })},
          {"max", largest([](Times times) { return std::ranges::max(times); })}};
}

// The means of batches of the root, or of the rank that starts a message; the least over passes.
Numbers least_batch(const PresetSample& sample) {
  const std::vector<double>& times =
      sample.initiator_ns.empty() ? sample.rank_ns.front() : sample.initiator_ns;
  return {{"min", std::ranges::min(times)}, {"mean", stats::mean(times)}};
}

// OSU prints nothing else of messages, and no more than the initiator knows.
Numbers mean_of_initiator(const PresetSample& sample) {
  return {{"avg", stats::mean(sample.initiator_ns)}};
}

Numbers largest_mean(const PresetSample& sample) {
  return {{"t", std::ranges::max(of_ranks(
                    sample, [](const std::vector<double>& times) { return stats::mean(times); }))}};
}

Numbers over_passes(std::span<const double> passes) {
  return {{"min", std::ranges::min(passes)},
          {"avg", stats::mean(passes)},
          {"max", std::ranges::max(passes)}};
}

bool needs_initiator(design::Processing processing) {
  return processing == design::Processing::kMeanOfInitiator ||
         processing == design::Processing::kLeastOfPasses;
}

bool lacks_input(design::Processing processing, const PresetSample& sample) {
  if (sample.repetitions() == 0) return true;
  if (needs_initiator(processing)) return sample.initiator_ns.empty();
  if (processing == design::Processing::kRootToLast) return sample.root_to_last_ns.empty();
  return design::needs_ranks(processing) && sample.rank_ns.empty();
}

}  // namespace

std::vector<ReportedNumber> process(design::Processing processing, const PresetSample& sample) {
  using design::Processing;
  if (lacks_input(processing, sample)) return {};
  const std::vector<double>& largest = sample.largest_ns;
  switch (processing) {
    case Processing::kMiddleHalf:
      return middle_half(largest);
    case Processing::kMeanOfLargest:
      return mean_with_interval(largest);
    case Processing::kLeastOfLargest:
      return {{"min", std::ranges::min(largest)},
              {"mean", stats::mean(largest)},
              {"max", std::ranges::max(largest)}};
    case Processing::kMeanOfRanks:
      return mean_of_ranks(sample);
    case Processing::kRootToLast:
      return mean_with_interval(sample.root_to_last_ns);
    case Processing::kWithoutOutliers:
      return without_outliers(sample);
    case Processing::kLargestMedian:
      return largest_of_ranks(sample);
    case Processing::kLeastBatch:
      return least_batch(sample);
    case Processing::kFilteredMedian:
      return {{"median", stats::quantile(stats::tukey_filter(largest), 0.5)}};
    case Processing::kMedian:
      return {{"median", stats::quantile(largest, 0.5)}};
    case Processing::kMeanOfInitiator:
      return mean_of_initiator(sample);
    case Processing::kLargestMean:
      return largest_mean(sample);
    case Processing::kLeastOfPasses:
      return over_passes(sample.initiator_ns);
  }
  return {};
}

}  // namespace invar::analysis
