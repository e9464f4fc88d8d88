#include "analysis/memory/memory_causes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "analysis/memory/walk_levels.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::analysis {
namespace {

// A knee farther from what a cache is told to have is not its.
constexpr double kNearWithin = 16;
// What is off by less contradicts nothing: lines of other data are in a cache, too.
constexpr double kContradictsBy = 4.0 / 3;
// A buffer is in huge pages if nearly all of it is.
constexpr double kAllHuge = 0.9;
constexpr double kLineBytes = 64;

bool is_huge(const WalkModel& walk) {
  const bool asked = walk.cell.pages != "default" && walk.cell.pages != "4KiB";
  return asked && walk.huge.value_or(0) >= kAllHuge;
}

const WalkModel* with_huge_pages(const MemoryModel& model, const WalkModel& walk) {
  for (const WalkModel& other : model.walks) {
    if (other.operation != walk.operation || !is_huge(other) || other.plateaus.empty()) continue;
    const std::vector<std::string_view> factors = differing_factors(walk.cell, other.cell);
    if (factors.size() == 1 && factors.front() == "pages") return &other;
  }
  return nullptr;
}

bool regions_touch(const stats::Interval& a, const stats::Interval& b) {
  return a.low <= b.high && b.low <= a.high;
}

void find_translation_knees(MemoryModel& model) {
  for (WalkModel& walk : model.walks) {
    if (is_huge(walk)) continue;
    const WalkModel* huge = with_huge_pages(model, walk);
    if (huge == nullptr) continue;
    const double least = huge->estimate.points.front().x;
    const double most = huge->estimate.points.back().x;
    for (WalkKnee& one : walk.knees) {
      const stats::Interval region = one.knee.region();
      const bool measured = least <= region.low && region.high <= most;
      const bool there = std::ranges::any_of(huge->knees, [&](const WalkKnee& other) {
        return regions_touch(region, other.knee.region());
      });
      if (!measured || there) continue;
      one.cause = KneeCause::kTranslation;
      one.name = "TLB";
      one.why = "gone with pages of " + huge->cell.pages;
    }
  }
}

std::string cache_name(const store::ToldCache& cache) { return "L" + std::to_string(cache.level); }

// Which knee is which cache's, in the order of both: the assignment with the least sum of
// |log(capacity / told)|, where a cache without one counts as if it were just too far.
class CacheAssignment {
 public:
  CacheAssignment(const WalkModel& walk, std::span<const store::ToldCache> caches)
      : walk_(walk), caches_(caches) {
    for (std::size_t k = 0; k < walk.knees.size(); ++k) {
      if (walk.knees[k].cause != KneeCause::kTranslation) knees_.push_back(k);
    }
  }

  // By cache; none: no knee.
  [[nodiscard]] std::vector<std::optional<std::size_t>> best() const {
    std::vector<std::optional<std::size_t>> chosen(caches_.size());
    std::vector<std::optional<std::size_t>> least(caches_.size());
    double cost = std::numeric_limits<double>::infinity();
    assign(0, 0, 0, chosen, cost, least);
    return least;
  }

 private:
  void assign(std::size_t cache, std::size_t from, double cost,
              std::vector<std::optional<std::size_t>>& chosen, double& least_cost,
              std::vector<std::optional<std::size_t>>& least) const {
    if (cost >= least_cost) return;
    if (cache == caches_.size()) {
      least_cost = cost;
      least = chosen;
      return;
    }
    const double too_far = std::log(kNearWithin);
    for (std::size_t i = from; i < knees_.size(); ++i) {
      const double off = std::abs(std::log(walk_.knees[knees_[i]].knee.capacity /
                                           static_cast<double>(caches_[cache].bytes)));
      if (off >= too_far) continue;
      chosen[cache] = knees_[i];
      assign(cache + 1, i + 1, cost + off, chosen, least_cost, least);
    }
    chosen[cache] = std::nullopt;
    assign(cache + 1, from, cost + too_far, chosen, least_cost, least);
  }

  const WalkModel& walk_;
  std::span<const store::ToldCache> caches_;
  std::vector<std::size_t> knees_ = {};
};

void name_plateaus(WalkModel& walk, bool caches_told) {
  std::string name = caches_told ? "memory" : "";
  for (std::size_t k = walk.plateaus.size(); k-- > 0;) {
    if (k < walk.knees.size() && walk.knees[k].cause == KneeCause::kCache) {
      name = walk.knees[k].name;
    }
    walk.plateaus[k].name = name;
  }
}

CacheBehaviour behaviour(const store::ToldCache& told, const WalkModel& walk,
                         const std::optional<std::size_t>& knee) {
  CacheBehaviour made{.told = told,
                      .name = cache_name(told),
                      .series = walk.operation + (walk.place.empty() ? "" : ", " + walk.place)};
  const auto told_bytes = static_cast<double>(told.bytes);
  if (!knee) {
    const double most = walk.estimate.points.back().x;
    made.why = most < 2 * told_bytes ? "no buffer was twice as large" : "no knee is near";
    return made;
  }
  const stats::Knee& found = walk.knees[*knee].knee;
  made.behaves_bytes = found.capacity;
  made.interval_bytes = found.capacity_interval;
  made.shape = found.shape;
  const stats::Interval sure =
      found.capacity_interval.value_or(stats::Interval{found.begin, found.end, 0});
  const bool outside = told_bytes < sure.low || told_bytes > sure.high;
  const double off = std::max(told_bytes / found.capacity, found.capacity / told_bytes);
  made.contradicts = found.capacity_interval && outside && off >= kContradictsBy;
  return made;
}

// How far the ends of what is known of a capacity are apart, as a factor; infinite: it is not
// known.
double uncertainty(const CacheBehaviour& one) {
  if (!one.behaves_bytes) return std::numeric_limits<double>::infinity();
  if (!one.interval_bytes) return std::numeric_limits<double>::max();
  return one.interval_bytes->high / one.interval_bytes->low;
}

// Of one rank's usual chains and reads, in whatever pages, the one that knows best: chains miss
// what prefetchers hide, but reads have more sizes, and huge pages nothing that translation adds.
// None: nobody walks over enough sizes.
std::optional<CacheBehaviour> best_behaviour(std::span<const store::ToldCache> caches,
                                             std::size_t cache, const MemoryModel& model) {
  std::optional<CacheBehaviour> best;
  for (const std::string_view operation : {"chase", "read"}) {
    for (const WalkModel& walk : model.walks) {
      if (walk.operation != operation || walk.plateaus.empty()) continue;
      if (!unusual_words(walk.cell, walk.info, {"pages"}).empty()) continue;
      const auto assigned = CacheAssignment(walk, caches).best();
      CacheBehaviour made = behaviour(caches[cache], walk, assigned[cache]);
      if (!best || uncertainty(made) < uncertainty(*best)) best = std::move(made);
    }
  }
  if (best) return best;
  // No usual ones: whatever there is.
  for (const WalkModel& walk : model.walks) {
    if (walk.plateaus.empty()) continue;
    return behaviour(caches[cache], walk, CacheAssignment(walk, caches).best()[cache]);
  }
  return std::nullopt;
}

// Named bytes of a cycle over the width: one store, and beside it two loads at most.
double widths_a_cycle(std::string_view operation) {
  if (operation == "write" || operation == "write_nt") return 1;
  return operation == "triad" ? 3 : 2;
}

void add_port_limits(const MemoryModel& model, std::vector<MemoryLimit>& limits) {
  for (const WalkModel& walk : model.walks) {
    if (walk.info.chases || walk.plateaus.empty() || walk.width_bytes == 0) continue;
    if (walk.cell.ranks > 1 || walk.operation.ends_with("_nt")) continue;
    const WalkPlateau& first = walk.plateaus.front();
    const std::optional<double>& cycle_ns = first.cycle_ns;
    if (!cycle_ns) continue;
    const double bytes = widths_a_cycle(walk.operation) * walk.width_bytes;
    limits.push_back({.name = "ports",
                      .of = walk.operation + (walk.place.empty() ? "" : " (" + walk.place + ")"),
                      .value = bytes / *cycle_ns,
                      .reached = first.gb_s.value * *cycle_ns / bytes,
                      .unit = "GB/s",
                      .how = "2 loads and 1 store of " + std::to_string(walk.width_bytes) +
                             " B a cycle, which is a dependent add"});
  }
}

void add_lines_in_flight(const MemoryModel& model, std::vector<MemoryLimit>& limits) {
  const WalkModel* read = model.find("read");
  const WalkModel* chase = model.find("chase");
  if (read == nullptr || chase == nullptr) return;
  for (const WalkPlateau& plateau : read->plateaus) {
    const auto same = std::ranges::find_if(chase->plateaus, [&](const WalkPlateau& other) {
      return !plateau.name.empty() && other.name == plateau.name;
    });
    if (same == chase->plateaus.end()) continue;
    limits.push_back({.name = "lines in flight",
                      .of = plateau.name,
                      .value = plateau.gb_s.value * same->load_ns.value / kLineBytes,
                      .unit = "lines",
                      .how = "bandwidth of read x latency of chase / 64 B"});
  }
}

void add_totals(const MemoryModel& model, std::vector<MemoryLimit>& limits) {
  std::map<std::string, std::map<std::uint32_t, const WalkModel*>> by_operation;
  for (const WalkModel& walk : model.walks) {
    if (walk.info.chases || walk.points.empty()) continue;
    by_operation[walk.operation].try_emplace(walk.cell.ranks, &walk);
  }
  for (const auto& [operation, by_ranks] : by_operation) {
    if (by_ranks.size() < 2) continue;
    const double alone =
        by_ranks.begin()->second->points.back().gb_s / static_cast<double>(by_ranks.begin()->first);
    for (const auto& [ranks, walk] : by_ranks) {
      const WalkPoint& largest = walk->points.back();
      limits.push_back({.name = "total",
                        .of = operation + ", " + count_text(ranks, "core"),
                        .value = largest.gb_s,
                        .reached = largest.gb_s / (alone * ranks),
                        .unit = "GB/s",
                        .how = "named bytes of all over the extent, " +
                               base::capacity_text(static_cast<double>(largest.size_bytes)) +
                               " each"});
    }
  }
}

}  // namespace

void name_causes(const MemoryData& data, MemoryModel& model) {
  find_translation_knees(model);
  for (WalkModel& walk : model.walks) {
    if (walk.plateaus.empty()) continue;
    const auto assigned = CacheAssignment(walk, data.caches).best();
    for (std::size_t c = 0; c < assigned.size(); ++c) {
      if (!assigned[c]) continue;
      walk.knees[*assigned[c]].cause = KneeCause::kCache;
      walk.knees[*assigned[c]].name = cache_name(data.caches[c]);
    }
    name_plateaus(walk, !data.caches.empty());
  }
  for (std::size_t c = 0; c < data.caches.size(); ++c) {
    const std::optional<CacheBehaviour> made = best_behaviour(data.caches, c, model);
    if (!made) return;
    model.caches.push_back(*made);
    if (!made->contradicts) continue;
    model.warnings.emplace_back(
        model.arm + ": " + made->name + " says " + base::size_text(made->told.bytes) + ", but " +
        made->series + " leaves it at " + base::capacity_text(*made->behaves_bytes) +
        ": others share it, or a part of it is all that this machine was given");
  }
}

std::vector<MemoryLimit> memory_limits(const MemoryData& /*data*/, const MemoryModel& model) {
  std::vector<MemoryLimit> limits;
  add_port_limits(model, limits);
  add_lines_in_flight(model, limits);
  add_totals(model, limits);
  return limits;
}

}  // namespace invar::analysis
