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
  // Only one of several ranks tells of its pages, and others may have got none.
  const bool asked =
      walk.cell.pages != "default" && walk.cell.pages != "4KiB" && walk.cell.ranks <= 1;
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

// What a pass over arrays of `bytes` takes of a cache: copy twice as much, triad three times.
double walked_bytes(const WalkModel& walk, double bytes) { return bytes * walk.info.walks; }

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
      const double off =
          std::abs(std::log(walked_bytes(walk_, walk_.knees[knees_[i]].knee.capacity) /
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

// What is behind the last knee: memory only where that is the last cache's, or buffers are twice as
// large as that. Else the cache that all of it is in; nothing where it may or may not be in one.
std::string last_level(const WalkModel& walk, std::span<const store::ToldCache> caches) {
  if (caches.empty()) return {};
  const double most = walked_bytes(walk, walk.estimate.points.back().x);
  const bool left = std::ranges::any_of(walk.knees, [&](const WalkKnee& one) {
    return one.cause == KneeCause::kCache && one.name == cache_name(caches.back());
  });
  if (left || most >= 2 * static_cast<double>(caches.back().bytes)) return "memory";
  for (const store::ToldCache& cache : caches) {
    if (most <= static_cast<double>(cache.bytes)) return cache_name(cache);
  }
  return {};
}

void name_plateaus(WalkModel& walk, std::span<const store::ToldCache> caches) {
  std::string name = last_level(walk, caches);
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
  if (!made.interval_bytes) return made;
  const stats::Interval& sure = *made.interval_bytes;
  const bool outside = told_bytes < sure.low || told_bytes > sure.high;
  const double off = std::max(told_bytes / found.capacity, found.capacity / told_bytes);
  made.contradicts = outside && off >= kContradictsBy;
  return made;
}

// How far the ends of what is known of a capacity are apart, as a factor; infinite: it is not
// known.
double uncertainty(const CacheBehaviour& one) {
  if (!one.behaves_bytes) return std::numeric_limits<double>::infinity();
  if (!one.interval_bytes) return std::numeric_limits<double>::max();
  return one.interval_bytes->high / one.interval_bytes->low;
}

// What one rank's usual chains and reads say of a cache, in whatever pages: the one that knows
// best. Chains show misses that prefetchers hide, reads have more sizes, and huge pages have
// nothing that translation adds. Without usual walks, it is any walk of one rank over one array.
// None: nobody walks over enough sizes in any of these ways.
std::optional<CacheBehaviour> best_behaviour(std::span<const store::ToldCache> caches,
                                             std::size_t cache, const MemoryModel& model) {
  std::optional<CacheBehaviour> best;
  bool agrees = false;
  for (const std::string_view operation : {"chase", "read"}) {
    for (const WalkModel& walk : model.walks) {
      if (walk.operation != operation || walk.plateaus.empty()) continue;
      if (!unusual_words(walk.cell, walk.info, {"pages"}).empty()) continue;
      const auto assigned = CacheAssignment(walk, caches).best();
      CacheBehaviour made = behaviour(caches[cache], walk, assigned[cache]);
      agrees = agrees || (made.contradicts && !*made.contradicts);
      if (!best || uncertainty(made) < uncertainty(*best)) best = std::move(made);
    }
  }
  if (best && best->contradicts && *best->contradicts && agrees) {
    best->contradicts = false;
    best->why = "another walk agrees with what it says";
  }
  if (best) return best;
  // No usual ones: any of one rank that walks over one array.
  for (const WalkModel& walk : model.walks) {
    if (walk.plateaus.empty() || walk.cell.ranks > 1 || walk.info.walks != 1) continue;
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

// Walks that differ in the number of ranks alone, at the largest size that all of them have.
void add_totals(const MemoryModel& model, std::vector<MemoryLimit>& limits) {
  std::map<std::string, std::map<std::uint32_t, const WalkModel*>> alike;
  for (const WalkModel& walk : model.walks) {
    if (walk.info.chases || walk.points.empty()) continue;
    const std::string beside = unusual_words(walk.cell, walk.info, {"ranks"});
    alike[walk.operation + (beside.empty() ? "" : " (" + beside + ")")].try_emplace(walk.cell.ranks,
                                                                                    &walk);
  }
  for (const auto& [of, by_ranks] : alike) {
    if (by_ranks.size() < 2) continue;
    std::map<std::uint64_t, std::vector<const WalkPoint*>> by_size;
    for (const auto& [ranks, walk] : by_ranks) {
      for (const WalkPoint& point : walk->points) by_size[point.size_bytes].push_back(&point);
    }
    const std::size_t all = by_ranks.size();
    std::erase_if(by_size, [all](const auto& one) { return one.second.size() < all; });
    if (by_size.empty()) continue;
    const auto& [size, points] = *by_size.rbegin();
    const double alone = points.front()->gb_s / by_ranks.begin()->first;
    std::size_t i = 0;
    for (const auto& [ranks, walk] : by_ranks) {
      const double gb_s = points[i++]->gb_s;
      limits.push_back({.name = "total",
                        .of = of + ", " + count_text(ranks, "core"),
                        .value = gb_s,
                        .reached = gb_s / (alone * ranks),
                        .unit = "GB/s",
                        .how = "named bytes of all over the extent, " +
                               base::capacity_text(static_cast<double>(size)) + " each"});
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
    name_plateaus(walk, data.caches);
  }
  for (std::size_t c = 0; c < data.caches.size(); ++c) {
    const std::optional<CacheBehaviour> made = best_behaviour(data.caches, c, model);
    if (!made) return;
    model.caches.push_back(*made);
    if (!made->contradicts.value_or(false)) continue;
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
