// A memory whose levels are known: caches and translation buffers that are simulated access by
// access, and times of passes over buffers in them, measured by launch groups that each have a
// factor, pages, heavy tails and bursts of their own. Used by tests and by bench/memory.cpp;
// nothing here knows of test programs, nor of the shapes that the fit knows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "base/random.hpp"
#include "stats/model/group_factors.hpp"
#include "stats/test/normal.hpp"

namespace invar::simulated {

inline double memory_normal(base::Random& random) {
  return stats::normal_quantile(0.5e-12 + (1 - 1e-12) * random.uniform());
}

inline double memory_between(double low, double high, base::Random& random) {
  return low + (high - low) * random.uniform();
}

enum class Replacement {
  kLru,          // fully associative, as a translation buffer: a walk in a circle
  kLruPages,     // 8 ways, sets by physical address, pages where chance put them in each launch
  kRandom,       // a victim by chance: a walk in a circle
  kIndependent,  // every access at a place of its own choice
};

// Misses over accesses, once a buffer of `lines` has been walked over often, of a cache for
// `capacity` lines.
class CacheSimulation {
 public:
  CacheSimulation(Replacement policy, std::size_t capacity) : policy_(policy), slots_(capacity) {}

  double misses(std::size_t lines, base::Random& random) const {
    switch (policy_) {
      case Replacement::kLru:
        return lru_circle(lines, 1, random);
      case Replacement::kLruPages:
        return lru_circle(lines, kPageLines, random);
      case Replacement::kRandom:
        return random_circle(lines, random);
      case Replacement::kIndependent:
        break;
    }
    return independent(lines, random);
  }

 private:
  static constexpr std::size_t kPageLines = 16;
  static constexpr std::size_t kWays = 8;

  // A set that has more lines than ways throws each out before it comes again; others keep all.
  [[nodiscard]] double lru_circle(std::size_t lines, std::size_t page_lines,
                                  base::Random& random) const {
    if (page_lines == 1) return lines > slots_ ? 1 : 0;
    const std::size_t sets = slots_ / kWays;
    const std::size_t colours = std::max<std::size_t>(sets / page_lines, 1);
    std::vector<std::size_t> of_set(sets, 0);
    for (std::size_t page = 0; page * page_lines < lines; ++page) {
      const std::size_t colour = random.below(colours);
      for (std::size_t line = page * page_lines; line < std::min(lines, (page + 1) * page_lines);
           ++line) {
        ++of_set[(colour * page_lines + line % page_lines) % sets];
      }
    }
    std::size_t missing = 0;
    for (const std::size_t count : of_set) missing += count > kWays ? count : 0;
    return static_cast<double>(missing) / static_cast<double>(lines);
  }

  [[nodiscard]] double random_circle(std::size_t lines, base::Random& random) const {
    if (lines <= slots_) return 0;
    constexpr std::size_t kNone = ~std::size_t{0};
    std::vector<std::size_t> line_in(slots_, kNone);
    std::vector<bool> present(lines, false);
    const double ratio = static_cast<double>(lines) / static_cast<double>(slots_);
    // Just above the capacity it takes long until as many are thrown out as come.
    const std::size_t passes = ratio < 1.1 ? 120 : ratio < 2 ? 40 : 8;
    std::size_t missing = 0;
    for (std::size_t pass = 0; pass < passes; ++pass) {
      for (std::size_t line = 0; line < lines; ++line) {
        if (present[line]) continue;
        if (pass >= passes / 2) ++missing;
        const std::size_t victim = random.below(slots_);
        if (line_in[victim] != kNone) present[line_in[victim]] = false;
        line_in[victim] = line;
        present[line] = true;
      }
    }
    const auto counted_passes = passes - passes / 2;
    return static_cast<double>(missing) / static_cast<double>(lines * counted_passes);
  }

  // All lines are alike, so that it does not matter which one is thrown out.
  [[nodiscard]] double independent(std::size_t lines, base::Random& random) const {
    if (lines <= slots_) return 0;
    std::vector<std::size_t> line_in(slots_);
    std::vector<bool> present(lines, false);
    for (std::size_t slot = 0; slot < slots_; ++slot) {
      line_in[slot] = slot;
      present[slot] = true;
    }
    std::size_t missing = 0;
    const std::size_t accesses = 8 * slots_;
    for (std::size_t access = 0; access < accesses; ++access) {
      const std::size_t line = random.below(lines);
      if (present[line]) continue;
      ++missing;
      const std::size_t victim = random.below(slots_);
      present[line_in[victim]] = false;
      line_in[victim] = line;
      present[line] = true;
    }
    return static_cast<double>(missing) / static_cast<double>(accesses);
  }

  Replacement policy_;
  std::size_t slots_;
};

struct TrueLevel {
  Replacement policy = Replacement::kLru;
  double capacity = 0;  // bytes
  double rise = 0;      // ns a byte of those that miss
};

struct TrueMemory {
  double overhead_ns = 0;
  double first = 0;  // ns a byte
  std::vector<TrueLevel> levels = {};

  // Caches are simulated at a scale: what misses depends on ratios, and so many lines are many.
  static constexpr double kScaledLines = 1024;
  static constexpr double kFar = 24;  // capacities, beyond which next to nothing hits

  // What a pass takes in one launch: another draws other pages.
  [[nodiscard]] double pass_ns(double bytes, base::Random& random) const {
    double ns = overhead_ns + first * bytes;
    for (const TrueLevel& level : levels) {
      const double ratio = bytes / level.capacity;
      const bool far = ratio > kFar && level.policy != Replacement::kIndependent;
      const auto lines = static_cast<std::size_t>(std::ceil(ratio * kScaledLines - 1e-9));
      const double missing =
          far                ? 1
          : ratio > 4 * kFar ? 1 - 1 / ratio
                             : CacheSimulation(level.policy, static_cast<std::size_t>(kScaledLines))
                                   .misses(std::max<std::size_t>(lines, 1), random);
      ns += level.rise * bytes * missing;
    }
    return ns;
  }
};

struct MemoryNoise {
  double group_sd = 0.03;    // of the logarithm of a launch group's factor
  double sd = 0.01;          // of a group's time of a size
  double size_sd = 0.004;    // of a size, the same in all groups: it begins a page otherwise
  double tail_share = 0.04;  // of the times, which are longer by a Pareto factor (index 2)
  double bursts = 1;         // stretches of a group that are slower, on average
  double burst_share = 0.04;
  double burst_factor = 1.5;
};

struct MemoryDesign {
  std::size_t sizes = 80;
  std::size_t groups = 8;
  std::size_t groups_of_size = 6;
  double from = 2048;
  double to = 1U << 28U;
};

// Capacities a factor of 6 apart at least, as caches are. `policies`, one a level, fastest first.
inline TrueMemory drawn_memory(const std::vector<Replacement>& policies, const MemoryDesign& design,
                               base::Random& random) {
  constexpr double kApart = 6;
  const double low = std::log(design.from * 6);
  const double high = std::log(design.to / 12);
  std::vector<double> places;
  while (places.size() < policies.size()) {
    places.clear();
    for (std::size_t i = 0; i < policies.size(); ++i) {
      places.push_back(memory_between(low, high, random));
    }
    std::ranges::sort(places);
    for (std::size_t i = 1; i < places.size(); ++i) {
      if (places[i] - places[i - 1] < std::log(kApart)) {
        places.clear();
        break;
      }
    }
  }
  TrueMemory memory{.overhead_ns = memory_between(1, 8, random),
                    .first = memory_between(.005, .05, random)};
  double slope = memory.first;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    // A translation buffer costs less than what is behind a cache.
    const bool tlb = policies[i] == Replacement::kLru && i > 0 && i + 1 < policies.size();
    const double rise =
        slope * (tlb ? memory_between(.25, .8, random) : memory_between(.6, 2.5, random));
    memory.levels.push_back({policies[i], std::round(std::exp(places[i])), rise});
    slope += rise;
  }
  return memory;
}

inline std::vector<double> drawn_buffers(const MemoryDesign& design, base::Random& random) {
  std::set<double> sizes;
  while (sizes.size() < design.sizes) {
    const double size =
        std::exp(memory_between(std::log(design.from), std::log(design.to), random));
    sizes.insert(64 * std::round(size / 64));
  }
  return {sizes.begin(), sizes.end()};
}

inline std::vector<stats::GroupTime> measured_passes(const TrueMemory& memory,
                                                     const std::vector<double>& sizes,
                                                     const MemoryDesign& design,
                                                     const MemoryNoise& noise,
                                                     base::Random& random) {
  std::vector<std::vector<std::size_t>> of_group(design.groups);
  std::vector<std::size_t> groups(design.groups);
  for (std::size_t g = 0; g < groups.size(); ++g) groups[g] = g;
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    random.shuffle(std::span(groups));
    for (std::size_t i = 0; i < std::min(design.groups_of_size, groups.size()); ++i) {
      of_group[groups[i]].push_back(s);
    }
  }
  std::vector<double> own(sizes.size());
  for (double& factor : own) factor = std::exp(noise.size_sd * memory_normal(random));
  std::vector<stats::GroupTime> times;
  for (std::size_t g = 0; g < of_group.size(); ++g) {
    std::vector<std::size_t>& order = of_group[g];
    random.shuffle(std::span(order));
    const double factor = noise.group_sd * memory_normal(random);
    std::vector<double> slowed(order.size(), 1);
    double bursts = noise.bursts;
    while (random.uniform() < bursts) {
      bursts -= 1;
      const auto length = static_cast<std::size_t>(
          std::ceil(noise.burst_share * static_cast<double>(order.size())));
      const std::size_t begin = random.below(order.size());
      const double by = memory_between(1.1, noise.burst_factor, random);
      for (std::size_t i = begin; i < std::min(begin + length, order.size()); ++i) slowed[i] = by;
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
      const double size = sizes[order[i]];
      const double tail = random.uniform() < noise.tail_share
                              ? 1 + 0.05 * (1 / std::sqrt(1 - random.uniform() * (1 - 1e-3)) - 1)
                              : 1;
      times.push_back({.group = g,
                       .size = size,
                       .mean = memory.pass_ns(size, random) * own[order[i]] * slowed[i] * tail *
                               std::exp(factor + noise.sd * memory_normal(random))});
    }
  }
  return times;
}

}  // namespace invar::simulated
