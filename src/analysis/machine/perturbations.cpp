#include "analysis/machine/perturbations.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>

#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "stats/describe/quantile.hpp"
#include "stats/model/changepoints.hpp"

namespace invar::analysis {
namespace {

constexpr std::size_t kFewestInStretch = 3;  // of an arm and cell in a launch; of a stretch
constexpr double kSlower = 0.10;
constexpr double kMostOfASeries = 1.0 / 3;
constexpr double kClip = 3;         // standard deviations
constexpr double kLeastSd = 0.005;  // of a log residual
// Longer series are cut: what finds no change takes the square of its length.
constexpr std::size_t kLongest = 1024;
constexpr std::size_t kMostTold = 3;

struct Residual {
  std::uint32_t group = 0;
  std::uint32_t launch = 0;
  std::uint32_t block = 0;
  std::uint64_t kind = 0;  // arm and cell
  std::int64_t begin_ps = 0;
  std::int64_t end_ps = 0;
  double log = 0;
};

std::uint64_t kind_of(const VisitSummary& visit) {
  return (std::uint64_t{visit.arm} << 32U) | visit.cell;
}

// Logs of the visits' medians less the median of theirs of the same arm, cell and launch.
std::vector<Residual> residuals_of(const Summaries& summaries) {
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<double>> logs;  // by launch
  for (const VisitSummary& visit : summaries.visits) {
    if (visit.median_ns > 0) {
      logs[{visit.launch, kind_of(visit)}].push_back(std::log(visit.median_ns));
    }
  }
  std::map<std::pair<std::uint32_t, std::uint64_t>, double> levels;
  for (auto& [place, values] : logs) {
    if (values.size() >= kFewestInStretch) levels[place] = stats::median_in_place(values);
  }
  std::vector<Residual> residuals;
  residuals.reserve(summaries.visits.size());
  for (const VisitSummary& visit : summaries.visits) {
    const auto level = levels.find({visit.launch, kind_of(visit)});
    if (level == levels.end() || !(visit.median_ns > 0)) continue;
    residuals.push_back({.group = visit.group,
                         .launch = visit.launch,
                         .block = visit.block,
                         .kind = kind_of(visit),
                         .begin_ps = visit.source->line.begin_ps,
                         .end_ps = visit.source->line.end_ps,
                         .log = std::log(visit.median_ns) - level->second});
  }
  return residuals;
}

// Robust standard deviations, one for every arm and cell. The visit in the middle of its launch has
// a residual of 0 by construction and does not count.
std::map<std::uint64_t, double> sds_of(std::span<const Residual> residuals) {
  std::map<std::uint64_t, std::vector<double>> sizes;
  for (const Residual& one : residuals) {
    if (one.log != 0) sizes[one.kind].push_back(std::abs(one.log));
  }
  std::map<std::uint64_t, double> sds;
  for (auto& [kind, values] : sizes) {
    sds[kind] = std::max(kLeastSd, stats::kSdOfMad * stats::median_in_place(values));
  }
  return sds;
}

// Consecutive residuals of one level.
struct Stretch {
  std::size_t begin = 0;
  std::size_t end = 0;
};

double median_log(std::span<const Residual> residuals, Stretch stretch) {
  std::vector<double> logs;
  logs.reserve(stretch.end - stretch.begin);
  for (std::size_t i = stretch.begin; i < stretch.end; ++i) logs.push_back(residuals[i].log);
  return stats::median_in_place(logs);
}

// The slowed ones of a time line's residuals, in their order.
std::vector<Stretch> slowed_stretches(std::span<const Residual> residuals,
                                      const std::map<std::uint64_t, double>& sds) {
  std::vector<Stretch> slowed;
  for (std::size_t first = 0; first < residuals.size(); first += kLongest) {
    const std::size_t count = std::min(kLongest, residuals.size() - first);
    std::vector<stats::WeightedValue> series;
    series.reserve(count);
    for (std::size_t i = first; i < first + count; ++i) {
      const auto known = sds.find(residuals[i].kind);
      const double sd = known == sds.end() ? kLeastSd : known->second;
      series.push_back({.value = residuals[i].log, .weight = 1 / (sd * sd)});
    }
    stats::clip_series(series, 0, kClip);
    const double penalty = 2 * std::log(static_cast<double>(std::max<std::size_t>(count, 2)));
    std::vector<std::size_t> ends = stats::changepoints(series, penalty);
    ends.push_back(count);
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      const Stretch stretch{.begin = first + begin, .end = first + end};
      begin = end;
      if (median_log(residuals, stretch) <= std::log1p(kSlower)) continue;
      if (!slowed.empty() && slowed.back().end == stretch.begin) {
        slowed.back().end = stretch.end;
      } else {
        slowed.push_back(stretch);
      }
    }
  }
  std::erase_if(slowed, [](Stretch one) { return one.end - one.begin < kFewestInStretch; });
  return slowed;
}

Perturbation perturbation_of(std::span<const Residual> residuals, Stretch stretch) {
  Perturbation result{.group = residuals.front().group,
                      .launch = residuals.front().launch,
                      .slowdown = std::expm1(median_log(residuals, stretch)),
                      .visits = stretch.end - stretch.begin,
                      .begin_s = static_cast<double>(residuals[stretch.begin].begin_ps) * 1e-12};
  std::set<std::uint32_t> blocks;
  for (std::size_t i = stretch.begin; i < stretch.end; ++i) {
    blocks.insert(residuals[i].block);
    result.end_s = std::max(result.end_s, static_cast<double>(residuals[i].end_ps) * 1e-12);
  }
  result.blocks.assign(blocks.begin(), blocks.end());
  return result;
}

// "block 4", "blocks 12 to 15", "7 blocks from 12 to 40".
std::string blocks_text(std::span<const std::uint32_t> blocks) {
  if (blocks.size() == 1) return "block " + std::to_string(blocks.front());
  const std::string range = std::to_string(blocks.front()) + " to " + std::to_string(blocks.back());
  const bool whole = blocks.back() - blocks.front() + 1 == blocks.size();
  return whole ? "blocks " + range : count_text(blocks.size(), "block") + " from " + range;
}

}  // namespace

std::vector<Perturbation> find_perturbations(const store::Data& data, const Summaries& summaries,
                                             Pairing pairing) {
  std::vector<Residual> residuals = residuals_of(summaries);
  const std::map<std::uint64_t, double> sds = sds_of(residuals);
  // Launches that follow each other count their time from their own start.
  const bool launches_overlap = pairing != Pairing::kLaunches;
  if (launches_overlap) {
    for (Residual& one : residuals) one.launch = 0;
  }
  std::ranges::stable_sort(residuals, [](const Residual& a, const Residual& b) {
    return std::tie(a.group, a.launch, a.begin_ps) < std::tie(b.group, b.launch, b.begin_ps);
  });
  std::vector<Perturbation> result;
  result.reserve(data.groups.size());
  const std::span<const Residual> all = residuals;
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin;
    const auto same_time_line = [&](const Residual& one) {
      return one.group == all[begin].group && one.launch == all[begin].launch;
    };
    while (end < all.size() && same_time_line(all[end])) ++end;
    const std::span<const Residual> series = all.subspan(begin, end - begin);
    const std::vector<Stretch> slowed = slowed_stretches(series, sds);
    std::size_t visits = 0;
    for (const Stretch& one : slowed) visits += one.end - one.begin;
    if (static_cast<double>(visits) < kMostOfASeries * static_cast<double>(series.size())) {
      for (const Stretch& one : slowed) result.push_back(perturbation_of(series, one));
    }
    begin = end;
  }
  return result;
}

std::vector<RepeatedBlock> blocks_to_repeat(const store::Data& data,
                                            std::span<const Perturbation> perturbations) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> wanted;  // group, block
  for (const Perturbation& one : perturbations) {
    for (const std::uint32_t block : one.blocks) wanted.emplace(one.group, block);
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, RepeatedBlock> found;
  for (const store::Group& group : data.groups) {
    for (const store::Launch& launch : group.launches) {
      for (const store::Visit& visit : launch.visits) {
        const std::pair<std::uint32_t, std::uint32_t> key{group.group, visit.line.block};
        if (!wanted.contains(key)) continue;
        found.emplace(key, RepeatedBlock{.group = group.group,
                                         .round = visit.line.round,
                                         .block = visit.line.block,
                                         .cell = visit.line.cell});
      }
    }
  }
  std::vector<RepeatedBlock> blocks;
  blocks.reserve(found.size());
  for (const auto& [key, block] : found) blocks.push_back(block);
  return blocks;
}

std::vector<Warning> perturbation_warnings(std::span<const Perturbation> perturbations) {
  if (perturbations.empty()) return {};
  std::vector<Perturbation> worst(perturbations.begin(), perturbations.end());
  std::ranges::stable_sort(
      worst, [](const Perturbation& a, const Perturbation& b) { return a.slowdown > b.slowdown; });
  std::vector<std::string> texts;
  for (const Perturbation& one : worst) {
    char times[64];
    std::snprintf(times, sizeof times, " (%.2f s to %.2f s)", one.begin_s, one.end_s);
    texts.push_back(blocks_text(one.blocks) + " of group " + std::to_string(one.group) + " ran " +
                    percent_text(one.slowdown) + " slower" + times);
  }
  return {{base::first_items(texts, kMostTold, "; ") +
               ": something else used the machine for a while; they are kept",
           Gravity::kBorne}};
}

}  // namespace invar::analysis
