#include "analysis/memory/memory_pitfalls.hpp"

#include <fmt/format.h>

#include <boost/math/distributions/chi_squared.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "analysis/memory/walk_levels.hpp"
#include "analysis/p2p/message_places.hpp"
#include "analysis/words/numbers.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "stats/describe/moments.hpp"
#include "stats/describe/quantile.hpp"

namespace invar::analysis {
namespace {

using Found = PitfallFound;

std::string of_series(const WalkSeries& series) {
  return series.operation + (series.place.empty() ? "" : " (" + series.place + ")");
}

std::string factor_text(double log_value, const std::optional<stats::Interval>& logs) {
  std::optional<stats::Interval> interval;
  if (logs) interval = {std::exp(logs->low), std::exp(logs->high), logs->confidence};
  const EstimateText text = ratio_text(std::exp(log_value), interval);
  return text.estimate + (text.interval.empty() ? "" : " " + text.interval);
}

// Of launch groups' values; none: fewer than two, or all alike.
struct GroupMean {
  double value = 0;
  std::optional<stats::Interval> interval = {};
};

GroupMean mean_of(const std::map<std::uint32_t, std::vector<double>>& by_group, double confidence) {
  std::vector<double> means;
  means.reserve(by_group.size());
  for (const auto& [group, values] : by_group) means.push_back(stats::mean(values));
  // What the logarithm of a time may be rounded by: so that equal values are no certainty.
  constexpr double kLeastVariance = 1e-8;
  const GroupEstimate mean = mean_over_groups(means, kLeastVariance, confidence);
  return {.value = mean.value, .interval = mean.interval};
}

// --- narrow elements -----------------------------------------------------------------------------

// The sizes on both sides of a cache's end.
struct CacheEdge {
  const store::ToldCache* cache = nullptr;
  std::uint64_t inside = 0;
  std::uint64_t outside = 0;
};

// Within three quarters of a cache, and from one and a half times of it on: what is nearer to its
// end may be in either.
constexpr double kSurelyInside = 0.75;
constexpr double kSurelyOutside = 1.5;
constexpr std::size_t kLoopsTold = 4;

std::vector<CacheEdge> edges_of(const std::vector<store::ToldCache>& caches,
                                const std::map<std::uint64_t, std::size_t>& sizes) {
  std::vector<CacheEdge> edges;
  for (std::size_t c = 0; c < caches.size(); ++c) {
    CacheEdge edge{.cache = &caches[c]};
    const auto bytes = static_cast<double>(caches[c].bytes);
    for (const auto& [size, count] : sizes) {
      const auto at = static_cast<double>(size);
      const bool behind = c == 0 || at >= kSurelyOutside * static_cast<double>(caches[c - 1].bytes);
      if (at <= kSurelyInside * bytes && behind) edge.inside = size;
      const bool next =
          c + 1 == caches.size() || at <= kSurelyInside * static_cast<double>(caches[c + 1].bytes);
      if (at >= kSurelyOutside * bytes && next && edge.outside == 0) edge.outside = size;
    }
    if (edge.inside > 0 && edge.outside > 0) edges.push_back(edge);
  }
  return edges;
}

// log(time a byte outside / inside), of launch groups.
GroupMean drop_of(const WalkSeries& series, const CacheEdge& edge, double confidence) {
  std::map<std::uint32_t, std::pair<double, double>> logs;
  for (const PassTime& one : pass_times(series).times) {
    const double log = std::log(one.pass_ns / static_cast<double>(one.size_bytes));
    if (one.size_bytes == edge.inside) logs[one.group].first = log;
    if (one.size_bytes == edge.outside) logs[one.group].second = log;
  }
  std::map<std::uint32_t, std::vector<double>> drops;
  for (const auto& [group, both] : logs) {
    if (both.first != 0 && both.second != 0) drops[group] = {both.second - both.first};
  }
  if (drops.empty()) return {};
  return mean_of(drops, confidence);
}

class NarrowElements {
 public:
  NarrowElements(const MemoryData& data, const MemoryOptions& options)
      : data_(data), options_(options) {}

  std::vector<WalkPitfall> look() {
    for (const WalkSeries& series : data_.series) {
      if (series.info.chases || series.width_bytes == 0) continue;
      loops_[series.operation + ' ' + unusual_words(series.cell, series.info, {"width", "unroll"})]
          .push_back(&series);
    }
    std::vector<WalkPitfall> found;
    for (const auto& [place, all] : loops_) {
      if (all.size() > 1) look_at(all, found);
    }
    return found;
  }

 private:
  // Median time of a byte, ns.
  static double byte_ns(const WalkSeries& series, std::uint64_t size) {
    std::vector<double> times;
    for (const PassTime& one : pass_times(series).times) {
      if (one.size_bytes == size) times.push_back(one.pass_ns / static_cast<double>(size));
    }
    return stats::median_in_place(times);
  }

  void look_at(const std::vector<const WalkSeries*>& all, std::vector<WalkPitfall>& found) const {
    std::map<std::uint64_t, std::size_t> sizes;
    for (const WalkSeries* series : all) {
      std::map<std::uint64_t, std::size_t> own;
      for (const PassTime& one : pass_times(*series).times) own[one.size_bytes] = 1;
      for (const auto& [size, once] : own) ++sizes[size];
    }
    std::erase_if(sizes, [&](const auto& size) { return size.second < all.size(); });
    for (const CacheEdge& edge : edges_of(data_.caches, sizes)) {
      found.push_back(at_edge(all, edge));
    }
  }

  [[nodiscard]] WalkPitfall at_edge(const std::vector<const WalkSeries*>& all,
                                    const CacheEdge& edge) const {
    const WalkSeries& fastest = **std::ranges::min_element(
        all, {}, [&](const WalkSeries* one) { return byte_ns(*one, edge.inside); });
    const GroupMean whole = drop_of(fastest, edge, options_.confidence);
    const std::string level = "L" + std::to_string(edge.cache->level);
    const std::string beside = unusual_words(fastest.cell, fastest.info, {"width", "unroll"});
    WalkPitfall pitfall{
        .name = std::string(kNarrowElements),
        .of = fastest.operation + (beside.empty() ? "" : " (" + beside + ")") + ", " + level,
        .seen = base::size_text(edge.inside) + " to " + base::size_text(edge.outside) +
                " costs a byte, times: "};
    std::vector<std::string> texts{told(fastest, whole)};
    std::vector<std::string> hiding;
    for (const WalkSeries* series : all) {
      if (series == &fastest) continue;
      const GroupMean narrow = drop_of(*series, edge, options_.confidence);
      if (!narrow.interval) continue;
      texts.push_back(told(*series, narrow));
      if (whole.interval && narrow.interval->high < whole.interval->low / 2) {
        hiding.push_back(loop_text(*series));
      }
    }
    pitfall.seen += base::first_items(texts, kLoopsTold, ", ");
    // Where even the fastest loop sees no end there is none to hide.
    const bool any = whole.interval && whole.interval->low > options_.min_effect;
    if (!any || hiding.empty()) {
      pitfall.found = Found::kNo;
      return pitfall;
    }
    pitfall.found = Found::kYes;
    pitfall.naive = base::first_items(hiding, kLoopsTold, ", ") + ": the end of " + level +
                    " costs next to nothing";
    return pitfall;
  }

  static std::string loop_text(const WalkSeries& series) {
    std::string text = std::to_string(series.width_bytes) + " B";
    if (series.cell.unroll != record::Cell().unroll) {
      text += " unroll " + std::to_string(series.cell.unroll);
    }
    return text;
  }
  static std::string told(const WalkSeries& series, const GroupMean& drop) {
    return loop_text(series) + " " + factor_text(drop.value, drop.interval);
  }

  const MemoryData& data_;
  const MemoryOptions& options_;
  std::map<std::string, std::vector<const WalkSeries*>> loops_ = {};  // by all else
};

// --- few passes ----------------------------------------------------------------------------------

constexpr double kFewPassesMatter = 0.05;
constexpr std::size_t kLevelsOfPasses = 3;

struct PassesOfGroup {
  std::vector<double> times = {};
  std::vector<double> adds = {};
};

std::optional<WalkPitfall> few_passes(const WalkSeries& series, const MemoryOptions& options) {
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
  const GroupMean slope = mean_of(slopes, options.confidence);
  const GroupMean naive = mean_of(divided, options.confidence);
  const bool found = slope.interval && slope.interval->low > kFewPassesMatter;
  WalkPitfall pitfall{.name = std::string(kFewPasses),
                      .of = of_series(series),
                      .found = found ? Found::kYes : Found::kNo};
  pitfall.seen = "a pass from " + std::to_string(fewest) + " on takes " +
                 factor_text(slope.value, slope.interval) + " times one up to " +
                 std::to_string(most);
  if (!clocks.empty()) {
    const GroupMean clock = mean_of(clocks, options.confidence);
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

// --- competitor ----------------------------------------------------------------------------------

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
constexpr double kSdOfMad = 1.4826;

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
  const double sd = kSdOfMad * stats::median_in_place(off);
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
  WalkPitfall pitfall{.name = std::string(kCompetitor)};
  if (all_series.size() == 1) pitfall.of = of_series(all_series.front());
  const std::vector<TimedResidual> residuals = timed_residuals(all_series);
  if (residuals.size() < kFewestForModes) {
    pitfall.seen = "too few visits of the same size and passes";
    return pitfall;
  }
  pitfall.found = Found::kNo;
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
  pitfall.found = Found::kYes;
  pitfall.seen += fmt::format(", {} of these from {:.1f} s to {:.1f} s", percent_text(in_part),
                              part.begin_s, part.end_s);
  pitfall.naive = "a mean that is " + percent_text(mean - 1) + " too long, or two kinds of memory";
  return pitfall;
}

// --- pages of a launch ---------------------------------------------------------------------------

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
  made.visit_sd = kSdOfMad * stats::median_in_place(off);
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
  WalkPitfall pitfall{.name = std::string(kPagesOfALaunch),
                      .of = of_series(series),
                      .found = low > kPagesMatter ? Found::kYes : Found::kNo};
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
  if (pitfall.found == Found::kYes) {
    pitfall.naive = "one launch's drops are taken for the machine's";
  }
  return pitfall;
}

// Of everything, and where nothing is found there of each series: a policy may keep a competitor
// off from some of them.
std::vector<WalkPitfall> competitors(const MemoryData& data) {
  WalkPitfall of_all = competitor(data.series);
  if (of_all.found == Found::kYes || data.series.size() < 2) return {std::move(of_all)};
  std::vector<WalkPitfall> found;
  for (const WalkSeries& series : data.series) {
    WalkPitfall one = competitor(std::span(&series, 1));
    if (one.found == Found::kYes) found.push_back(std::move(one));
  }
  if (found.empty()) found.push_back(std::move(of_all));
  return found;
}

void or_not_judged(std::vector<WalkPitfall>& all, std::vector<WalkPitfall> found,
                   std::string_view name, const std::string& why) {
  if (found.empty()) found.push_back({.name = std::string(name), .seen = why});
  for (WalkPitfall& one : found) all.push_back(std::move(one));
}

template <typename Look>
std::vector<WalkPitfall> of_all_series(const MemoryData& data, Look look) {
  std::vector<WalkPitfall> found;
  for (const WalkSeries& series : data.series) {
    if (std::optional<WalkPitfall> one = look(series)) found.push_back(std::move(*one));
  }
  return found;
}

}  // namespace

std::vector<WalkPitfall> memory_pitfalls(const MemoryData& data, const MemoryOptions& options) {
  std::vector<WalkPitfall> all;
  or_not_judged(all, NarrowElements(data, options).look(), kNarrowElements,
                "no two widths or unrollings at sizes on both sides of a cache's end");
  or_not_judged(
      all, of_all_series(data, [&](const WalkSeries& one) { return few_passes(one, options); }),
      kFewPasses, "fewer than three numbers of passes");
  for (WalkPitfall& one : competitors(data)) all.push_back(std::move(one));
  or_not_judged(
      all,
      of_all_series(data, [&](const WalkSeries& one) { return pages_of_a_launch(one, options); }),
      kPagesOfALaunch, "it takes three visits of a size in each of four launches, and three sizes");
  return all;
}

}  // namespace invar::analysis
