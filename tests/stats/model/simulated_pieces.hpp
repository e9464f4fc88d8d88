// A machine whose times over sizes are known lines in pieces, measured by launch groups that each
// have a factor, noise and bursts of their own, and sizes of their own. Used by tests and by
// bench/pieces.cpp; nothing here knows of test programs.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <vector>

#include "base/random.hpp"
#include "stats/model/group_factors.hpp"
#include "stats/test/normal.hpp"

namespace invar::simulated {

struct TruePiece {
  double above = 0;  // holds for larger sizes, up to the next piece's
  double intercept = 0;
  double slope = 0;
};

struct TrueLines {
  std::vector<TruePiece> pieces = {};

  double time(double size) const {
    const auto next =
        std::ranges::find_if(pieces.begin() + 1, pieces.end(),
                             [&](const TruePiece& piece) { return size <= piece.above; });
    const TruePiece& piece = *(next - 1);
    return piece.intercept + piece.slope * size;
  }
};

// What launch groups do to times.
struct GroupedNoise {
  double group_sd = 0.05;  // of the logarithm of a group's factor
  double sd = 0.02;        // of a group's mean time of a size, relative
  // Bursts, in the order of measurement, which has nothing to do with size: how many a group has,
  // on average, which share of its sizes each hits, and by what they multiply times, at most.
  double bursts = 0;
  double burst_share = 0.05;
  double burst_factor = 4;
};

struct GroupedDesign {
  std::size_t sizes = 100;
  std::size_t groups = 8;
  std::size_t groups_of_size = 5;  // at most as many as groups
  double from = 1;
  double to = 1 << 24;
};

inline double drawn_normal(base::Random& random) {
  return stats::normal_quantile(0.5e-12 + (1 - 1e-12) * random.uniform());
}

inline double drawn_between(double low, double high, base::Random& random) {
  return low + (high - low) * random.uniform();
}

// Times jump up by a quarter to a factor of 2.5 at a break, and grow on with another slope. Breaks
// have a factor of 6 in sizes between them at least, which is where a dozen sizes are measured.
inline TrueLines drawn_lines(std::size_t breaks, const GroupedDesign& design,
                             base::Random& random) {
  constexpr double kApart = 6;
  const double low = std::log(design.from * 8);
  const double high = std::log(design.to / 8);
  std::vector<double> places;
  while (places.size() < breaks) {
    places.clear();
    for (std::size_t i = 0; i < breaks; ++i) places.push_back(drawn_between(low, high, random));
    std::ranges::sort(places);
    for (std::size_t i = 1; i < places.size(); ++i) {
      if (places[i] - places[i - 1] < std::log(kApart)) places.clear();
    }
  }
  TrueLines lines{
      .pieces = {{.above = 0,
                  .intercept = drawn_between(200, 2000, random),
                  .slope = std::exp(drawn_between(std::log(.05), std::log(2), random))}}};
  for (const double place : places) {
    const double at = std::round(std::exp(place));
    const double above = lines.time(at) * drawn_between(1.25, 2.5, random);
    const double slope = above / at * drawn_between(.05, .95, random);
    lines.pieces.push_back({.above = at, .intercept = above - slope * at, .slope = slope});
  }
  return lines;
}

inline std::vector<double> drawn_sizes(const GroupedDesign& design, base::Random& random) {
  std::set<double> sizes;
  while (sizes.size() < design.sizes) {
    sizes.insert(
        std::round(std::exp(drawn_between(std::log(design.from), std::log(design.to), random))));
  }
  return {sizes.begin(), sizes.end()};
}

inline std::vector<stats::GroupTime> measured(const TrueLines& lines,
                                              const std::vector<double>& sizes,
                                              const GroupedDesign& design,
                                              const GroupedNoise& noise, base::Random& random) {
  std::vector<std::vector<double>> of_group(design.groups);
  std::vector<std::size_t> groups(design.groups);
  for (std::size_t g = 0; g < groups.size(); ++g) groups[g] = g;
  for (const double size : sizes) {
    random.shuffle(std::span(groups));
    for (std::size_t i = 0; i < std::min(design.groups_of_size, groups.size()); ++i) {
      of_group[groups[i]].push_back(size);
    }
  }
  std::vector<stats::GroupTime> times;
  for (std::size_t g = 0; g < of_group.size(); ++g) {
    std::vector<double>& own = of_group[g];
    random.shuffle(std::span(own));
    const double factor = noise.group_sd * drawn_normal(random);
    std::vector<double> slowed(own.size(), 1.0);
    double bursts = noise.bursts;
    while (random.uniform() < bursts) {
      bursts -= 1;
      const auto length =
          static_cast<std::size_t>(std::ceil(noise.burst_share * static_cast<double>(own.size())));
      const std::size_t begin = random.below(own.size());
      const double by = drawn_between(1.3, noise.burst_factor, random);
      for (std::size_t i = begin; i < std::min(begin + length, own.size()); ++i) slowed[i] = by;
    }
    for (std::size_t i = 0; i < own.size(); ++i) {
      const double error = factor + noise.sd * drawn_normal(random);
      times.push_back(
          {.group = g, .size = own[i], .mean = lines.time(own[i]) * slowed[i] * std::exp(error)});
    }
  }
  return times;
}

}  // namespace invar::simulated
