#include "stats/plateaus/hierarchy_fit.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "stats/check.hpp"
#include "stats/model/bounded_lines.hpp"

namespace invar::stats {
namespace {

constexpr int kMostMoves = 12;
// A column that the others make up, but for rounding.
constexpr double kMadeUp = 1e-10;

double inner_of(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// A place between two sizes, and from where to where a capacity may be that is taken for it: a jump
// is the same wherever it is between the sizes; of other shapes the places
// on both sides are told from it, what lies between is not.
struct PlaceBetween {
  double before = 0;
  double capacity = 0;
  double after = 0;
};

double way_between(double low, double high, double share) {
  return low * std::pow(high / low, share);
}

// Between the sizes `below - 1` and `below`; there are two sizes on each side.
std::vector<PlaceBetween> places_between(std::span<const double> sizes, std::size_t below,
                                         KneeShape shape) {
  const double low = sizes[below - 1];
  const double high = sizes[below];
  if (shape == KneeShape::kJump) return {{low, way_between(low, high, 0.5), high}};
  const double first = way_between(low, high, 0.25);
  const double second = way_between(low, high, 0.75);
  return {{way_between(sizes[below - 2], low, 0.75), first, second},
          {first, second, way_between(high, sizes[below + 1], 0.25)}};
}

}  // namespace

// Columns made orthogonal as they come (modified Gram-Schmidt, twice; Golub and Van Loan, Matrix
// Computations, 4th ed., section 5.2), and what they leave of y, all of them divided by the points'
// standard deviations.
class HierarchySearch::Basis {
 public:
  explicit Basis(std::span<const WeightedPoint> points) {
    for (const WeightedPoint& point : points) {
      weights_.push_back(1 / std::sqrt(point.variance));
      residual_.push_back(point.y * weights_.back());
    }
    scratch_.resize(weights_.size());
  }

  void add(std::span<const double> column) {
    const double size = weighted(column);
    make_orthogonal();
    make_orthogonal();
    const double left = inner_of(scratch_, scratch_);
    if (!(left > kMadeUp * size)) return;
    const double scale = 1 / std::sqrt(left);
    for (double& value : scratch_) value *= scale;
    const double along = inner_of(scratch_, residual_);
    for (std::size_t i = 0; i < residual_.size(); ++i) residual_[i] -= along * scratch_[i];
    columns_.push_back(scratch_);
  }

  // By how much the squares shrink; 0 where the column would have to be taken away.
  [[nodiscard]] double gain(std::span<const double> column) const {
    const double size = weighted(column);
    const double along = inner_of(scratch_, residual_);
    if (!(along > 0)) return 0;
    double left = size;
    for (const std::vector<double>& unit : columns_) {
      const double part = inner_of(unit, scratch_);
      left -= part * part;
    }
    return left > kMadeUp * size ? along * along / left : 0;
  }

  [[nodiscard]] double rss() const { return inner_of(residual_, residual_); }

 private:
  double weighted(std::span<const double> column) const {
    for (std::size_t i = 0; i < column.size(); ++i) scratch_[i] = column[i] * weights_[i];
    return inner_of(scratch_, scratch_);
  }

  void make_orthogonal() {
    for (const std::vector<double>& unit : columns_) {
      const double part = inner_of(unit, scratch_);
      for (std::size_t i = 0; i < scratch_.size(); ++i) scratch_[i] -= part * unit[i];
    }
  }

  std::vector<double> weights_ = {};
  std::vector<double> residual_ = {};
  std::vector<std::vector<double>> columns_ = {};
  mutable std::vector<double> scratch_ = {};
};

double HierarchyFit::predicted(double x) const {
  double y = overhead + first * x;
  for (const Level& level : levels) {
    y += level.rise * x * missing_share(level.shape, x / level.capacity);
  }
  return y;
}

HierarchySearch::HierarchySearch(std::span<const double> sizes, const HierarchyLimits& limits)
    : limits_(limits), sizes_(sizes.begin(), sizes.end()) {
  if (limits.least_points < 2)
    stats::check::fail("HierarchySearch", "2 points on each side at least");
  if (!(limits.apart > 1)) stats::check::fail("HierarchySearch", "capacities are apart by above 1");
  stats::check::not_negative("HierarchySearch", "cost", limits.cost);
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    stats::check::positive("HierarchySearch", "x", sizes_[i]);
    if (i > 0 && !(sizes_[i] > sizes_[i - 1])) {
      stats::check::fail("HierarchySearch", "the points' x must be distinct and ascending");
    }
  }
  for (std::size_t below = limits.least_points; below + limits.least_points <= sizes_.size();
       ++below) {
    for (const KneeShape shape : kKneeShapes) {
      for (const PlaceBetween& place : places_between(sizes_, below, shape)) {
        Candidate candidate{.shape = shape,
                            .capacity = place.capacity,
                            .below = below,
                            .before = place.before,
                            .after = place.after};
        for (const double size : sizes_) {
          candidate.column.push_back(size * missing_share(shape, size / place.capacity));
        }
        candidates_.push_back(std::move(candidate));
      }
    }
  }
}

void HierarchySearch::check(const char* function, std::span<const WeightedPoint> points) const {
  if (points.size() != sizes_.size()) {
    stats::check::fail(function, "these are not the sizes of the search");
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].x != sizes_[i]) {
      stats::check::fail(function, "these are not the sizes of the search");
    }
    stats::check::positive(function, "y", points[i].y);
    stats::check::positive(function, "variance", points[i].variance);
    stats::check::positive(function, "1 / variance", 1 / points[i].variance);
  }
}

bool HierarchySearch::collides(const Chosen& chosen, double capacity) const {
  return std::ranges::any_of(chosen, [&](std::size_t one) {
    const double other = candidates_[one].capacity;
    return std::max(other, capacity) < limits_.apart * std::min(other, capacity);
  });
}

HierarchySearch::Basis HierarchySearch::basis_of(std::span<const WeightedPoint> points,
                                                 const Chosen& chosen) const {
  Basis basis(points);
  basis.add(std::vector<double>(points.size(), 1.0));
  basis.add(sizes_);
  for (const std::size_t one : chosen) basis.add(candidates_[one].column);
  return basis;
}

template <typename May>
std::size_t HierarchySearch::best(const Basis& basis, May may) const {
  std::size_t found = candidates_.size();
  double most = 0;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (!may(candidates_[i])) continue;
    const double gain = basis.gain(candidates_[i].column);
    if (gain > most) {
      most = gain;
      found = i;
    }
  }
  return found;
}

// Each level in turn where it is best beside the others.
HierarchySearch::Chosen HierarchySearch::improved(std::span<const WeightedPoint> points,
                                                  Chosen chosen) const {
  for (int sweep = 0; sweep < kMostMoves; ++sweep) {
    bool moved = false;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      Chosen others = chosen;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
      const std::size_t place = best(basis_of(points, others), [&](const Candidate& candidate) {
        return !collides(others, candidate.capacity);
      });
      if (place == candidates_.size() || place == chosen[k]) continue;
      chosen[k] = place;
      moved = true;
    }
    if (!moved) break;
  }
  std::ranges::sort(chosen, {}, [this](std::size_t one) { return candidates_[one].capacity; });
  return chosen;
}

double HierarchySearch::cost_of(std::span<const WeightedPoint> points, const Chosen& chosen) const {
  return basis_of(points, chosen).rss() + limits_.cost *
                                              std::log(static_cast<double>(points.size())) *
                                              static_cast<double>(chosen.size());
}

// From these on: one more as long as that pays, also if it takes two to pay; then those away that
// do not.
HierarchySearch::Chosen HierarchySearch::searched(std::span<const WeightedPoint> points,
                                                  Chosen chosen) const {
  chosen = improved(points, std::move(chosen));
  Chosen best_one = chosen;
  double least = cost_of(points, chosen);
  for (int in_vain = 0; in_vain < 2 && chosen.size() < limits_.most_levels;) {
    const std::size_t next = best(basis_of(points, chosen), [&](const Candidate& candidate) {
      return !collides(chosen, candidate.capacity);
    });
    if (next == candidates_.size()) break;
    chosen.push_back(next);
    chosen = improved(points, std::move(chosen));
    const double cost = cost_of(points, chosen);
    in_vain = cost < least ? 0 : in_vain + 1;
    if (cost < least) {
      least = cost;
      best_one = chosen;
    }
  }
  for (bool away = true; away && !best_one.empty();) {
    away = false;
    Chosen shortest;
    for (std::size_t k = 0; k < best_one.size(); ++k) {
      Chosen others = best_one;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
      others = improved(points, std::move(others));
      const double cost = cost_of(points, others);
      if (!(cost < least)) continue;
      least = cost;
      shortest = std::move(others);
      away = true;
    }
    if (away) best_one = std::move(shortest);
  }
  return best_one;
}

HierarchyFit HierarchySearch::solved(std::span<const WeightedPoint> points, Chosen chosen) const {
  std::ranges::sort(chosen, {}, [this](std::size_t one) { return candidates_[one].capacity; });
  // In units of the largest size, so that all coefficients are of one magnitude.
  const double unit = sizes_.back();
  std::vector<bool> at_least_0(chosen.size() + 2, true);
  at_least_0[0] = false;
  BoundedLines lines(at_least_0);
  std::vector<double> row(at_least_0.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    row[0] = 1;
    row[1] = sizes_[i] / unit;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      row[k + 2] = candidates_[chosen[k]].column[i] / unit;
    }
    lines.add(row, points[i].y, points[i].variance);
  }
  const BoundedFit fit = lines.fit();
  HierarchyFit made{.overhead = fit.parameters[0].value.value_or(0),
                    .first = fit.parameters[1].value.value_or(0) / unit,
                    .rss = fit.rss};
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const Candidate& candidate = candidates_[chosen[k]];
    made.levels.push_back({.shape = candidate.shape,
                           .capacity = candidate.capacity,
                           .rise = fit.parameters[k + 2].value.value_or(0) / unit,
                           .before = candidate.before,
                           .after = candidate.after});
  }
  return made;
}

HierarchyFit HierarchySearch::fit(std::span<const WeightedPoint> points) const {
  check("HierarchySearch::fit", points);
  const SegmentedFit pieces =
      fit_segmented(points, {.intercept_at_least_0 = false, .least_points = limits_.least_points});
  Chosen from_breaks;
  for (std::size_t p = 0; p + 1 < pieces.pieces.size(); ++p) {
    const std::size_t below = pieces.pieces[p].last + 1;
    const std::size_t start = best(basis_of(points, from_breaks), [&](const Candidate& candidate) {
      return candidate.below == below && !collides(from_breaks, candidate.capacity);
    });
    if (start != candidates_.size() && from_breaks.size() < limits_.most_levels) {
      from_breaks.push_back(start);
    }
  }
  const Chosen by_pieces = searched(points, std::move(from_breaks));
  const Chosen by_steps = searched(points, {});
  const bool steps = cost_of(points, by_steps) < cost_of(points, by_pieces);
  HierarchyFit made = solved(points, steps ? by_steps : by_pieces);
  std::erase_if(made.levels, [](const Level& level) { return !(level.rise > 0); });
  made.pieces = pieces.pieces;
  return made;
}

HierarchySearch::Chosen HierarchySearch::chosen_in(const HierarchyFit& fit) const {
  Chosen chosen;
  for (const Level& level : fit.levels) {
    const auto same = std::ranges::find_if(candidates_, [&](const Candidate& candidate) {
      return candidate.shape == level.shape && candidate.capacity == level.capacity;
    });
    if (same == candidates_.end()) {
      stats::check::fail("HierarchySearch", "the fit is another search's");
    }
    chosen.push_back(static_cast<std::size_t>(same - candidates_.begin()));
  }
  return chosen;
}

// A level stays on its side of the middle to its neighbours.
std::vector<HierarchySearch::Range> HierarchySearch::ranges_in(const HierarchyFit& fit,
                                                               double within) {
  std::vector<Range> ranges;
  const std::size_t count = fit.levels.size();
  for (std::size_t k = 0; k < count; ++k) {
    const double own = fit.levels[k].capacity;
    const double low = k > 0 ? std::sqrt(own * fit.levels[k - 1].capacity) : 0;
    const double high = k + 1 < count ? std::sqrt(own * fit.levels[k + 1].capacity)
                                      : std::numeric_limits<double>::infinity();
    ranges.emplace_back(std::max(low, own / within), std::min(high, own * within));
  }
  return ranges;
}

std::vector<std::vector<HierarchyFit>> HierarchySearch::alternatives(
    std::span<const WeightedPoint> points, const HierarchyFit& from, double within,
    const HierarchyDoubt& doubt) const {
  check("HierarchySearch::alternatives", points);
  const std::vector<Range> ranges = ranges_in(from, within);
  const Chosen chosen = chosen_in(from);
  std::vector<std::vector<HierarchyFit>> all;
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    Chosen others = chosen;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
    const Basis basis = basis_of(points, others);
    const double own = basis.gain(candidates_[chosen[k]].column);
    std::vector<HierarchyFit>& fits = all.emplace_back();
    for (const KneeShape shape : kKneeShapes) {
      const auto may = [&](const Candidate& candidate) {
        return candidate.shape == shape && ranges[k].first <= candidate.capacity &&
               candidate.capacity <= ranges[k].second;
      };
      const std::size_t place = best(basis, may);
      if (place == candidates_.size()) continue;
      const double most = basis.gain(candidates_[place].column);
      if (most < own - doubt.of_shape) continue;
      // By ascending capacity: the first and the last one that are as good.
      Chosen ends{place, place};
      for (std::size_t i = 0; i < candidates_.size(); ++i) {
        if (!may(candidates_[i])) continue;
        if (basis.gain(candidates_[i].column) < most - doubt.of_place) continue;
        ends.front() = std::min(ends.front(), i);
        ends.back() = std::max(ends.back(), i);
      }
      for (const std::size_t end : ends) {
        Chosen with = chosen;
        with[k] = end;
        fits.push_back(solved(points, std::move(with)));
      }
    }
  }
  return all;
}

HierarchyFit HierarchySearch::fit_near(std::span<const WeightedPoint> points,
                                       const HierarchyFit& from, double within) const {
  check("HierarchySearch::fit_near", points);
  if (!(within > 1)) stats::check::fail("HierarchySearch::fit_near", "`within` is above 1");
  const std::vector<Range> range = ranges_in(from, within);
  Chosen chosen = chosen_in(from);
  constexpr int kFewSweeps = 3;
  for (int sweep = 0; sweep < kFewSweeps; ++sweep) {
    bool moved = false;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      Chosen others = chosen;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
      const std::size_t place = best(basis_of(points, others), [&](const Candidate& candidate) {
        return range[k].first <= candidate.capacity && candidate.capacity <= range[k].second;
      });
      if (place == candidates_.size() || place == chosen[k]) continue;
      chosen[k] = place;
      moved = true;
    }
    if (!moved) break;
  }
  return solved(points, std::move(chosen));
}

}  // namespace invar::stats
