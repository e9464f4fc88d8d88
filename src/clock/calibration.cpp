#include "clock/calibration.hpp"

#include <cmath>
#include <numeric>
#include <stdexcept>

namespace invar::clock {

std::int64_t Rate::to_ps(std::int64_t ticks) const {
  // A double would lose picoseconds after 2.5 hours (2^53 ps).
  const auto per_second = static_cast<long double>(ticks_per_s);
  return static_cast<std::int64_t>(
      std::llround(static_cast<long double>(ticks) / per_second * 1e12L));
}

Rate rate_between(const Bracket& first, const Bracket& last) {
  const std::int64_t raw_ns = last.raw_ns - first.raw_ns;
  const std::int64_t ticks = last.ticks - first.ticks;
  if (raw_ns <= 0 || ticks <= 0) {
    throw std::invalid_argument("a clock's rate needs two readings at different times");
  }
  const double seconds = static_cast<double>(raw_ns) * 1e-9;
  return {
      .ticks_per_s = static_cast<double>(ticks) / seconds,
      .half_width_per_s = static_cast<double>(first.width_ticks + last.width_ticks) / 2 / seconds};
}

std::string rate_doubt(double ticks_per_s, double nominal_ticks_per_s) {
  constexpr double kTolerance = 0.01;
  if (nominal_ticks_per_s <= 0 || std::abs(ticks_per_s / nominal_ticks_per_s - 1) <= kTolerance) {
    return {};
  }
  const auto mhz = [](double hz) { return std::to_string(std::llround(hz / 1e6)) + " MHz"; };
  return "the counter ticks at " + mhz(ticks_per_s) + " where the processor claims " +
         mhz(nominal_ticks_per_s);
}

namespace {

std::vector<std::int64_t> distances(const std::vector<std::int64_t>& reads) {
  std::vector<std::int64_t> all;
  for (std::size_t i = 1; i < reads.size(); ++i) all.push_back(reads[i] - reads[i - 1]);
  return all;
}

// Distances of a clock that advances in steps cluster around multiples of the step; rounding to
// whole ticks spreads a cluster over two neighbouring values. The median gap between clusters is
// the step; a clock that advances tick by tick gives one dense cluster.
double step_of(std::vector<std::int64_t> values) {
  std::erase_if(values, [](std::int64_t distance) { return distance <= 0; });
  std::sort(values.begin(), values.end());
  // Interruptions make a thin upper tail.
  values.resize(values.size() * 9 / 10);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  std::vector<double> centres;
  for (std::size_t i = 0; i < values.size();) {
    std::size_t end = i + 1;
    while (end < values.size() && values[end] - values[end - 1] <= 1) ++end;
    if (end - i > 2) return 1;
    centres.push_back(static_cast<double>(values[i] + values[end - 1]) / 2);
    i = end;
  }
  std::vector<double> gaps;
  for (std::size_t i = 1; i < centres.size(); ++i) gaps.push_back(centres[i] - centres[i - 1]);
  if (gaps.empty()) return centres.empty() ? 1 : centres[0];
  const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
  std::nth_element(gaps.begin(), middle, gaps.end());
  // Gaps of one step differ by the rounding: their mean says what they are more precisely.
  double sum = 0;
  int count = 0;
  for (const double gap : gaps) {
    if (std::abs(gap - *middle) > 1) continue;
    sum += gap;
    ++count;
  }
  return sum / count;
}

// The median distance. Where a read costs less than a step that is 0: then the means of chunks of
// reads, of which again the median, so that no interruption moves it.
double cost_of(std::vector<std::int64_t> distances) {
  constexpr std::size_t kChunk = 50;
  const auto median = [](auto& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return static_cast<double>(*middle);
  };
  std::vector<double> means;
  for (std::size_t begin = 0; begin < distances.size(); begin += kChunk) {
    const std::size_t count = std::min(kChunk, distances.size() - begin);
    std::int64_t sum = 0;
    for (std::size_t i = begin; i < begin + count; ++i) sum += distances[i];
    means.push_back(static_cast<double>(sum) / static_cast<double>(count));
  }
  if (means.empty()) return 0;
  const double typical = median(distances);
  return typical > 0 ? typical : median(means);
}

}  // namespace

Quality quality_of(const std::vector<std::int64_t>& back_to_back,
                   const std::vector<std::int64_t>& spread) {
  Quality quality;
  const std::vector<std::int64_t> near = distances(back_to_back);
  std::vector<std::int64_t> all = distances(spread);
  all.insert(all.end(), near.begin(), near.end());
  for (const std::int64_t distance : all) {
    if (distance < 0) quality.monotonic = false;
    if (distance <= 0) continue;
    quality.resolution_ticks =
        quality.resolution_ticks == 0 ? distance : std::min(quality.resolution_ticks, distance);
  }
  quality.cost_ticks = cost_of(near);
  quality.step_ticks = step_of(std::move(all));
  return quality;
}

}  // namespace invar::clock
