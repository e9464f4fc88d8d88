#include "analysis/memory/pitfalls/looks.hpp"

#include <fmt/format.h>

#include <boost/math/distributions/chi_squared.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "analysis/memory/memory_pitfalls.hpp"
#include "analysis/memory/pitfalls/look_words.hpp"
#include "analysis/words/words.hpp"
#include "stats/describe/quantile.hpp"

namespace invar::analysis {
namespace {

constexpr double kPagesMatter = 0.05;
constexpr std::size_t kLaunchesForPages = 4;
constexpr std::size_t kSizesForPages = 3;
constexpr std::size_t kVisitsForPages = 3;
// Variance of a median over that of a mean, of normal values.
constexpr double kMedianCosts = 1.5707963267948966;

// Medians of a series' launches at each size and number of passes.
struct LaunchMedians {
  std::vector<std::vector<double>> logs = {};  // by block, then by launch
  double visit_sd = 0;
  double visits = 0;  // of a launch at a size, the fewest
};

std::optional<LaunchMedians> launch_medians(const WalkSeries& series) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::map<std::uint32_t, std::vector<double>>>
      blocks;
  std::map<std::uint32_t, std::size_t> launches;
  for (const WalkObservation& one : series.observations) {
    blocks[{one.size_bytes, one.loops}][one.group].push_back(std::log(one.time_ns));
    ++launches[one.group];
  }
  LaunchMedians made{.visits = std::numeric_limits<double>::max()};
  std::vector<double> off;
  for (auto& [of, by_launch] : blocks) {
    if (by_launch.size() != launches.size()) continue;
    std::vector<double> medians;
    for (auto& [launch, logs] : by_launch) {
      if (logs.size() < kVisitsForPages) return std::nullopt;
      made.visits = std::min(made.visits, static_cast<double>(logs.size()));
      medians.push_back(stats::median_in_place(logs));
      // The median lies among the values: what they are off is as much too little.
      const double fewer =
          std::sqrt(static_cast<double>(logs.size()) / static_cast<double>(logs.size() - 1));
      for (const double log : logs) off.push_back(fewer * std::abs(log - medians.back()));
    }
    made.logs.push_back(std::move(medians));
  }
  if (launches.size() < kLaunchesForPages || made.logs.size() < kSizesForPages) return std::nullopt;
  made.visit_sd = stats::kSdOfMad * stats::median_in_place(off);
  return made;
}

// Between launches at single sizes: squares that are left when each size's and each launch's usual
// time are taken away (medians, which a size with other pages does not move).
struct SquaresAtSizes {
  double sum = 0;
  double degrees = 0;
};

SquaresAtSizes squares_at_sizes(std::vector<std::vector<double>> logs) {
  for (std::vector<double>& of_size : logs) {
    std::vector<double> scratch = of_size;
    const double usual = stats::median_in_place(scratch);
    for (double& log : of_size) log -= usual;
  }
  const std::size_t launches = logs.front().size();
  SquaresAtSizes squares{.degrees = static_cast<double>((logs.size() - 1) * (launches - 1))};
  std::vector<double> of_launch(logs.size());
  for (std::size_t l = 0; l < launches; ++l) {
    for (std::size_t s = 0; s < logs.size(); ++s) of_launch[s] = logs[s][l];
    std::vector<double> scratch = of_launch;
    const double usual = stats::median_in_place(scratch);
    for (const double log : of_launch) squares.sum += (log - usual) * (log - usual);
  }
  return squares;
}

std::optional<WalkPitfall> pages_of_a_launch(const WalkSeries& series,
                                             const MemoryOptions& options) {
  const std::optional<LaunchMedians> medians = launch_medians(series);
  if (!medians) return std::nullopt;
  const SquaresAtSizes squares = squares_at_sizes(medians->logs);
  const double explained = kMedianCosts * medians->visit_sd * medians->visit_sd / medians->visits;
  const boost::math::chi_squared chi(squares.degrees);
  const auto sd = [&](double square) { return std::sqrt(std::max(square - explained, 0.0)); };
  const double tail = (1 - options.confidence) / 2;
  const double low = sd(squares.sum / boost::math::quantile(chi, 1 - tail));
  const double high = sd(squares.sum / boost::math::quantile(chi, tail));
  WalkPitfall pitfall{.of = of_series(series),
                      .found = low > kPagesMatter ? PitfallFound::kYes : PitfallFound::kNo};
  pitfall.seen =
      fmt::format("launches differ at single sizes by {} [{:.1f}, {:.1f}], visits inside by {}",
                  percent_text(sd(squares.sum / squares.degrees)), 100 * low, 100 * high,
                  percent_text(medians->visit_sd));
  std::vector<double> again;
  for (const WalkObservation& one : series.observations) {
    if (one.frames_again) again.push_back(*one.frames_again);
  }
  if (!again.empty()) {
    pitfall.seen += "; " + percent_text(stats::median_in_place(again)) +
                    " of a visit's pages are those of the visit before";
  }
  if (pitfall.found == PitfallFound::kYes) {
    pitfall.naive = "one launch's drops are taken for the machine's";
  }
  return pitfall;
}

}  // namespace

std::vector<WalkPitfall> pages_of_launches(const MemoryData& data, const MemoryOptions& options) {
  std::vector<WalkPitfall> found;
  for (const WalkSeries& series : data.series) {
    if (std::optional<WalkPitfall> one = pages_of_a_launch(series, options))
      found.push_back(std::move(*one));
  }
  return found;
}

}  // namespace invar::analysis
