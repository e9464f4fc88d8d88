#include "analysis/memory/pitfalls/looks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "analysis/memory/memory_pitfalls.hpp"
#include "analysis/memory/pitfalls/look_words.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "stats/describe/quantile.hpp"

namespace invar::analysis {
namespace {

constexpr double kSecondModeFrom = 0.22;  // 25 % slower
constexpr double kModesApart = 6;         // in standard deviations of the faster one
constexpr double kLeastShareOfMode = 0.03;
constexpr double kMostShareOfMode = 0.6;
constexpr double kMostBetween = 0.25;    // of the slower ones, between the modes
constexpr double kLeastOfStretch = 0.7;  // of a stretch's visits are slow
constexpr double kLeastOfSlow = 0.8;     // of the slow ones are in it
constexpr std::size_t kFewestSlow = 5;
constexpr std::size_t kFewestOfBlock = 4;
constexpr std::size_t kFewestForModes = 40;

struct TimedResidual {
  double start_s = 0;
  double log = 0;  // over what is usual for its size and passes
};

std::vector<TimedResidual> timed_residuals(std::span<const WalkSeries> all_series) {
  std::vector<TimedResidual> all;
  for (const WalkSeries& series : all_series) {
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<TimedResidual>> blocks;
    for (const WalkObservation& one : series.observations) {
      blocks[{one.size_bytes, one.loops}].push_back(
          {.start_s = one.start_s, .log = std::log(one.time_ns)});
    }
    for (auto& [of, block] : blocks) {
      if (block.size() < kFewestOfBlock) continue;
      std::vector<double> logs;
      for (const TimedResidual& one : block) logs.push_back(one.log);
      // Not the median: of a half in each of two modes it is in neither.
      const double usual = stats::quantile_in_place(logs, 0.25);
      for (const TimedResidual& one : block) all.push_back({one.start_s, one.log - usual});
    }
  }
  std::ranges::stable_sort(all, {}, &TimedResidual::start_s);
  return all;
}

// The threshold between two classes with the most variance between them (Otsu, IEEE Trans. Syst.
// Man Cybern. 9, 1979). `sorted` ascending, two values at least. How many are in the first.
std::size_t first_class(std::span<const double> sorted) {
  double all = 0;
  for (const double value : sorted) all += value;
  const auto n = static_cast<double>(sorted.size());
  double below = 0;
  double best = -1;
  std::size_t count = 1;
  for (std::size_t k = 1; k < sorted.size(); ++k) {
    below += sorted[k - 1];
    const auto of_first = static_cast<double>(k);
    const double apart = below / of_first - (all - below) / (n - of_first);
    const double between = of_first * (n - of_first) * apart * apart;
    if (between > best) {
      best = between;
      count = k;
    }
  }
  return count;
}

struct TwoModes {
  double threshold = 0;
  double apart = 0;
  double share = 0;  // of the slower one
};

std::optional<TwoModes> two_modes(const std::vector<TimedResidual>& residuals) {
  std::vector<double> logs;
  logs.reserve(residuals.size());
  for (const TimedResidual& one : residuals) logs.push_back(one.log);
  std::ranges::sort(logs);
  const std::size_t fast = first_class(logs);
  const std::span<double> low = std::span(logs).first(fast);
  const std::span<double> high = std::span(logs).subspan(fast);
  TwoModes modes{.threshold = high.front(),
                 .share = static_cast<double>(high.size()) / static_cast<double>(logs.size())};
  const double middle = stats::median_in_place(low);
  const double slow = stats::median_in_place(high);
  modes.apart = slow - middle;
  std::vector<double> off;
  off.reserve(low.size());
  for (const double log : low) off.push_back(std::abs(log - middle));
  const double sd = stats::kSdOfMad * stats::median_in_place(off);
  const auto between = std::ranges::count_if(logs, [&](double log) {
    return log > middle + modes.apart / 3 && log < slow - modes.apart / 3;
  });
  const bool apart =
      modes.apart >= kSecondModeFrom && modes.apart >= kModesApart * sd &&
      static_cast<double>(between) <= kMostBetween * static_cast<double>(high.size());
  const bool shares = modes.share >= kLeastShareOfMode && modes.share <= kMostShareOfMode &&
                      high.size() >= kFewestSlow;
  if (!apart || !shares) return std::nullopt;
  return modes;
}

struct SlowPart {
  double begin_s = 0;
  double end_s = 0;
  std::size_t slow = 0;
  std::size_t visits = 0;
};

// The part of the time in which slow visits outnumber others most.
SlowPart slowest_part(const std::vector<TimedResidual>& residuals, double threshold) {
  std::int64_t sum = 0;
  std::int64_t best = 0;
  std::size_t from = 0;
  std::pair<std::size_t, std::size_t> part{0, 0};
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    sum += residuals[i].log >= threshold ? 1 : -1;
    if (sum > best) {
      best = sum;
      part = {from, i};
    }
    if (sum < 0) {
      sum = 0;
      from = i + 1;
    }
  }
  SlowPart made{.begin_s = residuals[part.first].start_s,
                .end_s = residuals[part.second].start_s,
                .visits = part.second - part.first + 1};
  for (std::size_t i = part.first; i <= part.second; ++i) {
    made.slow += residuals[i].log >= threshold ? 1U : 0U;
  }
  return made;
}

WalkPitfall competitor(std::span<const WalkSeries> all_series) {
  WalkPitfall pitfall;
  if (all_series.size() == 1) pitfall.of = of_series(all_series.front());
  const std::vector<TimedResidual> residuals = timed_residuals(all_series);
  if (residuals.size() < kFewestForModes) return pitfall;
  pitfall.found = PitfallFound::kNo;
  const std::optional<TwoModes> modes = two_modes(residuals);
  if (!modes) {
    pitfall.seen = count_text(residuals.size(), "visit") + " have one mode";
    return pitfall;
  }
  const SlowPart part = slowest_part(residuals, modes->threshold);
  std::size_t slow = 0;
  double mean = 0;
  for (const TimedResidual& one : residuals) {
    slow += one.log >= modes->threshold ? 1U : 0U;
    mean += std::exp(one.log) / static_cast<double>(residuals.size());
  }
  const double in_part = static_cast<double>(part.slow) / static_cast<double>(slow);
  pitfall.seen = percent_text(modes->share) + " of " + count_text(residuals.size(), "visit") +
                 " took " + factor_text(modes->apart, {}) + " times as long";
  const bool stretch =
      in_part >= kLeastOfSlow &&
      static_cast<double>(part.slow) >= kLeastOfStretch * static_cast<double>(part.visits);
  if (!stretch) {
    pitfall.seen += ", at no particular time";
    return pitfall;
  }
  pitfall.found = PitfallFound::kYes;
  pitfall.seen += fmt::format(", {} of these from {:.1f} s to {:.1f} s", percent_text(in_part),
                              part.begin_s, part.end_s);
  pitfall.naive = "a mean that is " + percent_text(mean - 1) + " too long, or two kinds of memory";
  return pitfall;
}

}  // namespace

// Looks at all series together. Where nothing is found, it looks at each one alone: a policy may
// keep a competitor off from some of them.
std::vector<WalkPitfall> competitors(const MemoryData& data, const MemoryOptions& /*options*/) {
  WalkPitfall of_all = competitor(data.series);
  if (of_all.found == PitfallFound::kYes) return {std::move(of_all)};
  std::vector<WalkPitfall> found;
  for (const WalkSeries& series : data.series) {
    if (data.series.size() == 1) break;  // it is everything
    WalkPitfall one = competitor(std::span(&series, 1));
    if (one.found == PitfallFound::kYes) found.push_back(std::move(one));
  }
  if (found.empty() && of_all.found != PitfallFound::kNotJudged) found.push_back(std::move(of_all));
  return found;
}

}  // namespace invar::analysis
