#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "stats/model/segmented.hpp"
#include "stats/plateaus/knee_shape.hpp"

// The time of a pass over a buffer as levels of memory that are left behind one after the other
// (docs/methods.md, "Plateaus").
namespace invar::stats {

/// What a level adds to a pass once the buffer outgrows its capacity.
struct Level {
  KneeShape shape = KneeShape::kJump;
  double capacity = 0.0;  ///< > 0, in units of x
  double rise = 0.0;      ///< time for a unit of x of those accesses that miss; >= 0
  /// Capacities from here to there the fit does not tell apart: of a jump from the last x up to the
  /// capacity to the first one beyond it, of other shapes to the next places that it looks at.
  double before = 0.0;
  double after = 0.0;
};

/// y = overhead + first x + sum over levels of rise x missing_share(x / capacity).
struct HierarchyFit {
  double overhead = 0.0;               ///< a pass's own; of either sign
  double first = 0.0;                  ///< time for a unit of x while all accesses hit; >= 0
  std::vector<Level> levels = {};      ///< by capacity, ascending
  double rss = 0.0;                    ///< squared residuals, each over its point's variance
  std::vector<LinePiece> pieces = {};  ///< of fit_segmented, intercepts free: where it began

  /// x > 0.
  [[nodiscard]] double predicted(double x) const;
};

struct HierarchyLimits {
  std::size_t least_points = 4;  ///< on each side of a capacity, >= 2
  std::size_t most_levels = 8;
  double apart = 1.5;  ///< least ratio of two capacities, > 1
  double cost = 4.0;   ///< of a level, times log(number of points); >= 0
};

/// By how much squares may be larger than the best ones, and still rule nothing out.
struct HierarchyDoubt {
  double of_shape = 0.0;  ///< of the best place of another shape, against the fit's own
  double of_place = 0.0;  ///< of another place, against the best one of the same shape
};

/// The levels that make rss + (cost log n for every level) as small as the search finds it. It
/// begins twice, with a level at every break of the piecewise fit (intercepts free, because past a
/// capacity whose accesses are independent the line's one is negative), and with none; adds the
/// level that lowers the squares most, moves each in turn to its best place and shape while that
/// helps, and takes away what does not pay. Levels never lower a time (rise >= 0). The x are
/// ascending, above 0, the y above 0. Throws std::invalid_argument where they are not, and as
/// fit_segmented does.
class HierarchySearch {
 public:
  /// All points have these x. What a level looks like there is computed once.
  HierarchySearch(std::span<const double> sizes, const HierarchyLimits& limits);

  [[nodiscard]] HierarchyFit fit(std::span<const WeightedPoint> points) const;

  /// Other times of the same sizes, with as many levels as `from` has, each of any shape and with a
  /// capacity at most `within` (> 1) times larger or smaller than there.
  [[nodiscard]] HierarchyFit fit_near(std::span<const WeightedPoint> points,
                                      const HierarchyFit& from, double within) const;

  /// What the times hardly tell from the fit's own levels, one list for each of these: fits in
  /// which it has another place or shape, all other levels as they are. Capacities are at most
  /// `within` times larger or smaller than the level's own; of each shape that is not ruled out the
  /// smallest and the largest one that are not.
  [[nodiscard]] std::vector<std::vector<HierarchyFit>> alternatives(
      std::span<const WeightedPoint> points, const HierarchyFit& from, double within,
      const HierarchyDoubt& doubt) const;

 private:
  // A level that there might be.
  struct Candidate {
    KneeShape shape = KneeShape::kJump;
    double capacity = 0;
    std::size_t below = 0;  // points with x <= capacity
    double before = 0;      // Level's
    double after = 0;
    std::vector<double> column = {};  // x missing_share(x / capacity)
  };
  using Chosen = std::vector<std::size_t>;  // candidates, by capacity
  class Basis;

  using Range = std::pair<double, double>;

  void check(const char* function, std::span<const WeightedPoint> points) const;
  // Levels of a fit of this search, and where each may be so that none becomes another.
  [[nodiscard]] Chosen chosen_in(const HierarchyFit& fit) const;
  static std::vector<Range> ranges_in(const HierarchyFit& fit, double within);
  [[nodiscard]] bool collides(const Chosen& chosen, double capacity) const;
  [[nodiscard]] Basis basis_of(std::span<const WeightedPoint> points, const Chosen& chosen) const;
  // The best of candidates that `may` allows, or their number.
  template <typename May>
  [[nodiscard]] std::size_t best(const Basis& basis, May may) const;
  [[nodiscard]] Chosen improved(std::span<const WeightedPoint> points, Chosen chosen) const;
  [[nodiscard]] Chosen searched(std::span<const WeightedPoint> points, Chosen chosen) const;
  [[nodiscard]] double cost_of(std::span<const WeightedPoint> points, const Chosen& chosen) const;
  [[nodiscard]] HierarchyFit solved(std::span<const WeightedPoint> points, Chosen chosen) const;

  HierarchyLimits limits_;
  std::vector<double> sizes_;
  std::vector<Candidate> candidates_ = {};
};

}  // namespace invar::stats
