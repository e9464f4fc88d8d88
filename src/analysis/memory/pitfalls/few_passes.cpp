#include "analysis/memory/pitfalls/looks.hpp"

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "analysis/memory/memory_pitfalls.hpp"
#include "analysis/memory/pitfalls/look_words.hpp"
#include "stats/describe/quantile.hpp"

namespace invar::analysis {
namespace {

constexpr double kFewPassesMatter = 0.05;
constexpr std::size_t kLevelsOfPasses = 3;

struct PassesOfGroup {
  std::vector<double> times = {};
  std::vector<double> adds = {};
};

std::optional<WalkPitfall> few_passes_of(const WalkSeries& series, const MemoryOptions& options) {
  using SizeOfGroup = std::pair<std::uint64_t, std::uint32_t>;
  std::map<SizeOfGroup, std::map<std::uint64_t, PassesOfGroup>> all;
  for (const WalkObservation& one : series.observations) {
    PassesOfGroup& level = all[{one.size_bytes, one.group}][one.loops];
    level.times.push_back(one.time_ns);
    if (one.add_ns) level.adds.push_back(*one.add_ns);
  }
  std::map<std::uint32_t, std::vector<double>> slopes;
  std::map<std::uint32_t, std::vector<double>> divided;
  std::map<std::uint32_t, std::vector<double>> clocks;
  std::uint64_t fewest = 0;
  std::uint64_t most = 0;
  for (auto& [of, levels] : all) {
    if (levels.size() < kLevelsOfPasses) continue;
    std::vector<std::pair<double, double>> points;  // passes, time
    for (auto& [loops, level] : levels) {
      points.emplace_back(static_cast<double>(loops), stats::median_in_place(level.times));
    }
    const auto slope = [&](std::size_t k) {
      return (points[k + 1].second - points[k].second) / (points[k + 1].first - points[k].first);
    };
    const double few = slope(0);
    const double many = slope(points.size() - 2);
    if (!(few > 0) || !(many > 0)) continue;
    slopes[of.second].push_back(std::log(few / many));
    divided[of.second].push_back(std::log(points.front().second / points.front().first / many));
    fewest = levels.begin()->first;
    most = levels.rbegin()->first;
    std::vector<double>& low = levels.begin()->second.adds;
    std::vector<double>& high = levels.rbegin()->second.adds;
    if (low.empty() || high.empty()) continue;
    clocks[of.second].push_back(
        std::log(stats::median_in_place(low) / stats::median_in_place(high)));
  }
  if (slopes.size() < 2) return std::nullopt;
  const GroupEstimate slope = mean_of_groups(slopes, options.confidence);
  const GroupEstimate naive = mean_of_groups(divided, options.confidence);
  const bool found = slope.interval && slope.interval->low > kFewPassesMatter;
  WalkPitfall pitfall{.of = of_series(series),
                      .found = found ? PitfallFound::kYes : PitfallFound::kNo};
  pitfall.seen = "a pass from " + std::to_string(fewest) + " on takes " +
                 factor_text(slope.value, slope.interval) + " times one up to " +
                 std::to_string(most);
  if (!clocks.empty()) {
    const GroupEstimate clock = mean_of_groups(clocks, options.confidence);
    const bool moved = clock.interval && (clock.interval->low > kFewPassesMatter ||
                                          clock.interval->high < -kFewPassesMatter);
    pitfall.seen += ", a cycle of the core " + factor_text(clock.value, clock.interval) + ": ";
    pitfall.seen += moved ? "its clock moves" : "its clock stays";
  }
  if (found) {
    pitfall.naive = "time over passes, of " + std::to_string(fewest) + ": " +
                    factor_text(naive.value, {}) + " times a pass";
  }
  return pitfall;
}

}  // namespace

std::vector<WalkPitfall> few_passes(const MemoryData& data, const MemoryOptions& options) {
  std::vector<WalkPitfall> found;
  for (const WalkSeries& series : data.series) {
    if (std::optional<WalkPitfall> one = few_passes_of(series, options))
      found.push_back(std::move(*one));
  }
  return found;
}

}  // namespace invar::analysis
