#include "analysis/memory/pitfalls/looks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "analysis/memory/memory_pitfalls.hpp"
#include "analysis/memory/pitfalls/look_words.hpp"
#include "analysis/memory/walk_levels.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "stats/describe/quantile.hpp"

namespace invar::analysis {
namespace {

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
GroupEstimate drop_of(const WalkSeries& series, const CacheEdge& edge, double confidence) {
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
  return mean_of_groups(drops, confidence);
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
    const GroupEstimate whole = drop_of(fastest, edge, options_.confidence);
    const std::string level = "L" + std::to_string(edge.cache->level);
    const std::string beside = unusual_words(fastest.cell, fastest.info, {"width", "unroll"});
    WalkPitfall pitfall{
        .of = fastest.operation + (beside.empty() ? "" : " (" + beside + ")") + ", " + level,
        .seen = base::size_text(edge.inside) + " to " + base::size_text(edge.outside) +
                " costs a byte, times: "};
    std::vector<std::string> texts{told(fastest, whole)};
    std::vector<std::string> hiding;
    for (const WalkSeries* series : all) {
      if (series == &fastest) continue;
      const GroupEstimate narrow = drop_of(*series, edge, options_.confidence);
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
      pitfall.found = PitfallFound::kNo;
      return pitfall;
    }
    pitfall.found = PitfallFound::kYes;
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
  static std::string told(const WalkSeries& series, const GroupEstimate& drop) {
    return loop_text(series) + " " + factor_text(drop.value, drop.interval);
  }

  const MemoryData& data_;
  const MemoryOptions& options_;
  std::map<std::string, std::vector<const WalkSeries*>> loops_ = {};  // by all else
};

}  // namespace

std::vector<WalkPitfall> narrow_elements(const MemoryData& data, const MemoryOptions& options) {
  return NarrowElements(data, options).look();
}

}  // namespace invar::analysis
