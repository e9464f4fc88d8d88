#include "analysis/machine/regimes.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "analysis/words/words.hpp"
#include "base/units.hpp"
#include "stats/describe/quantile.hpp"
#include "stats/model/mixture.hpp"
#include "stats/model/modes.hpp"

namespace invar::analysis {
namespace {

constexpr std::size_t kFewestCanaries = 20;
constexpr std::size_t kMostComponents = 6;
constexpr double kModesAlpha = 0.01;  // that the sample has several modes at all
constexpr double kValleyDepth = 0.5;  // of the lower peak's density
constexpr double kLeastShare = 0.05;
constexpr double kLeastKappa = 0.5;
// Kappa of fewer pairs of visits is a coin: its standard deviation is 0.18 at 30.
constexpr double kFewestNeighbours = 30;

// How fine a kind of canary is: a log's standard deviation below which all is one heap, and the
// least ratio of neighbouring medians.
struct Fineness {
  double sd_floor = 0;
  double least_ratio = 1;
};

Fineness fineness_of(base::CanaryKind kind) {
  return kind == base::CanaryKind::kChain ? Fineness{.sd_floor = 0.002, .least_ratio = 1.02}
                                          : Fineness{.sd_floor = 0.02, .least_ratio = 1.25};
}

// Sorted logs between two places.
struct Heap {
  std::size_t begin = 0;
  std::size_t end = 0;

  [[nodiscard]] std::size_t size() const { return end - begin; }
};

class Splitter {
 public:
  // At most `most` regimes.
  Splitter(std::span<const double> sorted, double step_log, base::CanaryKind kind, std::size_t most)
      : sorted_(sorted), kind_(kind) {
    if (sorted.size() >= kFewestCanaries && most > 1) {
      most_ = std::min(stats::count_modes(sorted, step_log, kModesAlpha), most);
    }
    std::vector<double> cuts;
    if (most_ > 1) {
      const double floor = std::max(fineness_of(kind).sd_floor, step_log / std::sqrt(12.0));
      cuts = stats::valleys(stats::best_mixture(sorted, kMostComponents, floor), kValleyDepth);
    }
    std::size_t begin = 0;
    for (const double cut : cuts) {
      const auto end = static_cast<std::size_t>(
          std::lower_bound(sorted.begin(), sorted.end(), cut) - sorted.begin());
      if (end > begin) heaps_.push_back({begin, end});
      begin = std::max(begin, end);
    }
    if (begin < sorted.size()) heaps_.push_back({begin, sorted.size()});
    join_neighbours();
    merge();
  }

  [[nodiscard]] Regimes regimes() const {
    Regimes result{.kind = kind_};
    for (std::size_t i = 0; i < heaps_.size(); ++i) {
      const Heap& heap = heaps_[i];
      if (i > 0) {
        // In the middle of the gap: no canary lies near the cut.
        result.cuts_ns.push_back(std::exp(0.5 * (sorted_[heap.begin - 1] + sorted_[heap.begin])));
      }
      if (!large(heap) && heaps_.size() > 1) {
        result.members.emplace_back(std::nullopt);
        continue;
      }
      result.members.emplace_back(result.found.size());
      const auto part = sorted_.subspan(heap.begin, heap.size());
      const double median_ns = std::exp(stats::quantile_sorted(part, 0.5));
      result.found.push_back(
          {.name = std::string(base::canary_name(kind_)) + " " + base::duration_text(median_ns),
           .median_ns = median_ns,
           .low_ns = std::exp(stats::quantile_sorted(part, 0.05)),
           .high_ns = std::exp(stats::quantile_sorted(part, 0.95)),
           .share = static_cast<double>(heap.size()) / static_cast<double>(sorted_.size())});
    }
    return result;
  }

 private:
  [[nodiscard]] bool large(const Heap& heap) const {
    return static_cast<double>(heap.size()) >= least_share_ * static_cast<double>(sorted_.size());
  }

  [[nodiscard]] double median_of(const Heap& heap) const {
    return stats::quantile_sorted(sorted_.subspan(heap.begin, heap.size()), 0.5);
  }

  // Indices of the heaps that are large enough.
  [[nodiscard]] std::vector<std::size_t> candidates() const {
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < heaps_.size(); ++i) {
      if (large(heaps_[i])) indices.push_back(i);
    }
    return indices;
  }

  struct Closest {
    double apart = HUGE_VAL;  // logs of their medians
    std::size_t first = 0;
    std::size_t last = 0;

    [[nodiscard]] bool is_one_regime(base::CanaryKind kind) const {
      return apart < std::log(least_ratio(kind));
    }
  };

  // The closest two that follow each other among these heaps.
  [[nodiscard]] Closest closest_of(const std::vector<std::size_t>& indices) const {
    Closest closest;
    for (std::size_t i = 0; i + 1 < indices.size(); ++i) {
      const double apart = median_of(heaps_[indices[i + 1]]) - median_of(heaps_[indices[i]]);
      if (apart < closest.apart) closest = {apart, indices[i], indices[i + 1]};
    }
    return closest;
  }

  // With what lies between them.
  void join(const Closest& two) {
    heaps_[two.first].end = heaps_[two.last].end;
    heaps_.erase(heaps_.begin() + static_cast<std::ptrdiff_t>(two.first) + 1,
                 heaps_.begin() + static_cast<std::ptrdiff_t>(two.last) + 1);
  }

  // Whatever their size: a clock's steps cut a short canary's heap into several, of which each may
  // be too small for a regime.
  void join_neighbours() {
    while (true) {
      std::vector<std::size_t> all(heaps_.size());
      std::iota(all.begin(), all.end(), std::size_t{0});
      const Closest closest = closest_of(all);
      if (!closest.is_one_regime(kind_)) break;
      join(closest);
    }
  }

  // The closest two become one, until all are apart and no more than the sample proves.
  void merge() {
    while (true) {
      const std::vector<std::size_t> indices = candidates();
      if (indices.size() < 2) break;
      const Closest closest = closest_of(indices);
      const bool apart = !closest.is_one_regime(kind_);
      if (indices.size() <= most_ && apart) break;
      // More than the sample proves: a rare one makes no single regime of two others.
      std::size_t rarest = sorted_.size();
      for (const std::size_t i : indices) rarest = std::min(rarest, heaps_[i].size());
      const auto count = static_cast<double>(sorted_.size());
      if (apart && static_cast<double>(rarest) < 2 * kLeastShare * count) {
        least_share_ = (static_cast<double>(rarest) + 0.5) / count;
        continue;
      }
      join(closest);
    }
    // One regime and some stragglers: nothing is split.
    if (candidates().size() < 2) heaps_ = {{0, sorted_.size()}};
  }

  std::span<const double> sorted_;
  base::CanaryKind kind_;
  std::size_t most_ = 1;
  std::vector<Heap> heaps_ = {};
  double least_share_ = kLeastShare;
};

using BlockKey = std::pair<std::uint32_t, std::uint32_t>;  // group, block

// The regime of every block whose visits agree.
std::map<BlockKey, std::optional<std::size_t>> regimes_of_blocks(
    std::span<const VisitSummary> visits, const Regimes& regimes) {
  std::map<BlockKey, std::optional<std::size_t>> blocks;
  for (const VisitSummary& visit : visits) {
    const std::optional<std::size_t> regime = regimes.of(visit);
    const auto [known, first] = blocks.emplace(BlockKey{visit.group, visit.block}, regime);
    if (!first && known->second != regime) known->second.reset();
  }
  return blocks;
}

std::vector<double> canaries_of(const Summaries& summaries, base::CanaryKind kind) {
  std::vector<double> canaries;
  canaries.reserve(summaries.visits.size());
  for (const VisitSummary& visit : summaries.visits) {
    if (const std::optional<double> canary_ns = visit.canary(kind)) canaries.push_back(*canary_ns);
  }
  return canaries;
}

// Why there are no canaries.
std::string why_without(const store::Data& data, const Summaries& summaries) {
  const bool one_a_host = std::all_of(data.cells.begin(), data.cells.end(),
                                      [](const record::Cell& cell) { return cell.ppn < 2; });
  const bool crowded = std::any_of(summaries.arms.begin(), summaries.arms.end(),
                                   [](const Tally& tally) { return tally.oversubscribed > 0; });
  if (one_a_host) return "one rank a host has no canary";
  return crowded ? "more ranks than cores have no canary" : "no canary was measured";
}

}  // namespace

double least_ratio(base::CanaryKind kind) { return fineness_of(kind).least_ratio; }

bool far_apart(const Regimes& regimes) {
  return regimes.found.size() > 1 &&
         regimes.found.back().median_ns >=
             regimes.found.front().median_ns * least_ratio(base::CanaryKind::kLine);
}

std::optional<std::size_t> Regimes::of(double canary_ns) const {
  if (members.empty() || !(canary_ns > 0)) return std::nullopt;
  return members[static_cast<std::size_t>(
      std::upper_bound(cuts_ns.begin(), cuts_ns.end(), canary_ns) - cuts_ns.begin())];
}

Regimes split_canaries(std::span<const double> canaries_ns, double step_ns, base::CanaryKind kind,
                       std::size_t most) {
  std::vector<double> logs;
  logs.reserve(canaries_ns.size());
  for (const double canary : canaries_ns) {
    if (canary > 0) logs.push_back(std::log(canary));
  }
  if (logs.empty()) return {.kind = kind, .why_none = "no canary was measured"};
  std::sort(logs.begin(), logs.end());
  // Where the canaries are short the step is most of them.
  return Splitter(logs, step_ns / std::exp(stats::quantile_sorted(logs, 0.05)), kind, most)
      .regimes();
}

bool regimes_last(std::span<const VisitSummary> visits, const Regimes& regimes) {
  // The last place is of the visits in none.
  std::vector<double> shares(regimes.found.size() + 1, 0);
  double neighbours = 0;
  double alike = 0;
  const auto place = [&](const VisitSummary& visit) {
    return regimes.of(visit).value_or(regimes.found.size());
  };
  for (std::size_t i = 0; i + 1 < visits.size(); ++i) {
    if (visits[i].launch != visits[i + 1].launch || visits[i].group != visits[i + 1].group)
      continue;
    const std::size_t here = place(visits[i]);
    const std::size_t next = place(visits[i + 1]);
    ++neighbours;
    alike += here == next ? 1 : 0;
    shares[here] += 0.5;
    shares[next] += 0.5;
  }
  if (neighbours < kFewestNeighbours) return false;
  double by_chance = 0;
  for (const double share : shares) by_chance += share / neighbours * (share / neighbours);
  return alike / neighbours - by_chance >= kLeastKappa * (1 - by_chance);
}

Regimes chosen_regimes(const std::function<Regimes(base::CanaryKind kind, std::size_t most)>& split,
                       const std::function<bool(const Regimes& regimes)>& last) {
  std::optional<Regimes> first;
  std::optional<Regimes> without;  // of the line, that says why there is none
  for (const base::CanaryKind kind : base::kCanaryKinds) {
    Regimes regimes = split(kind, kMostRegimes);
    if (regimes.found.empty()) {
      if (!without) without = regimes;
      continue;
    }
    const bool several = regimes.found.size() > 1;
    if (several && (kind == base::CanaryKind::kLine || last(regimes))) return regimes;
    if (!first) first = several ? split(kind, 1) : regimes;
  }
  return first ? *first : *without;
}

Regimes regimes_of(const store::Data& data, const Summaries& summaries,
                   std::optional<base::CanaryKind> fixed) {
  const auto split = [&](base::CanaryKind kind, std::size_t most) {
    return split_canaries(canaries_of(summaries, kind), data.clock_step_ns, kind, most);
  };
  const auto none = [&](base::CanaryKind kind) {
    return Regimes{
        .kind = kind,
        .why_none = kind == base::CanaryKind::kLine
                        ? why_without(data, summaries)
                        : "no " + std::string(base::canary_name(kind)) + " was measured"};
  };
  if (fixed) {
    Regimes regimes = split(*fixed, kMostRegimes);
    return regimes.found.empty() ? none(*fixed) : regimes;
  }
  Regimes chosen = chosen_regimes(
      split, [&](const Regimes& regimes) { return regimes_last(summaries.visits, regimes); });
  return chosen.found.empty() ? none(chosen.kind) : chosen;
}

std::string regimes_text(const Regimes& regimes) {
  if (regimes.found.empty()) return regimes.why_none;
  return regimes.found.size() == 1 ? "one regime" : count_text(regimes.found.size(), "regime");
}

CellTable visits_in_regime(std::span<const VisitSummary> visits, const Regimes& regimes,
                           std::size_t regime, std::size_t cells, std::size_t arms,
                           std::size_t fewest_blocks) {
  const auto blocks = regimes_of_blocks(visits, regimes);
  std::vector<VisitSummary> chosen;
  for (const VisitSummary& visit : visits) {
    if (blocks.at({visit.group, visit.block}) == regime) chosen.push_back(visit);
  }
  CellTable table = sort_visits(chosen, cells, arms);
  for (std::vector<CellVisits>& row : table) {
    for (CellVisits& entry : row) {
      std::erase_if(entry.launches, [&](const LaunchVisits& launch) {
        return launch.visits.size() < fewest_blocks;
      });
    }
  }
  return table;
}

}  // namespace invar::analysis
