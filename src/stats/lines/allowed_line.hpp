#pragma once

#include <algorithm>

// A weighted straight line that may have to rise, and to start above 0.
namespace invar::stats {

/// What points weigh (1 / variance), their means and squares around these, and the slope of the
/// least squares line.
struct LineMoments {
  double weight = 0.0;  ///< > 0
  double mean_x = 0.0;
  double mean_y = 0.0;
  double sxx = 0.0;  ///< weighted squares of x around its mean; > 0
  double slope = 0.0;
};

/// A line, and how much larger its weighted squares are than those of the least squares line.
struct AllowedLine {
  double intercept = 0.0;
  double slope = 0.0;
  double added = 0.0;
  bool slope_on_bound = false;
  bool intercept_on_bound = false;
};

/// The best line with a slope, an intercept, or both of at least 0. Squares are a bowl over slope
/// and intercept: where its lowest place is not allowed, the lowest one that is lies on an edge,
/// with slope 0 or through the origin, or in the corner if the edge's own lowest one is not allowed
/// either.
class LineBounds {
 public:
  LineBounds(bool slope_at_least_0, bool intercept_at_least_0)
      : slope_(slope_at_least_0), intercept_(intercept_at_least_0) {}

  [[nodiscard]] bool any() const { return slope_ || intercept_; }

  [[nodiscard]] AllowedLine best(const LineMoments& of) const {
    const double intercept = of.mean_y - of.slope * of.mean_x;
    if ((!slope_ || of.slope >= 0) && (!intercept_ || intercept >= 0)) {
      return {.intercept = intercept, .slope = of.slope};
    }
    if (!slope_) return through_origin(of);
    if (!intercept_) return flat(of);
    const AllowedLine low = flat(of);
    const AllowedLine steep = through_origin(of);
    return low.added <= steep.added ? low : steep;
  }

 private:
  [[nodiscard]] AllowedLine flat(const LineMoments& of) const {
    const double beyond = intercept_ ? std::min(of.mean_y, 0.0) : 0.0;
    return {.intercept = of.mean_y - beyond,
            .added = of.slope * of.slope * of.sxx + of.weight * beyond * beyond,
            .slope_on_bound = true,
            .intercept_on_bound = beyond < 0};
  }

  [[nodiscard]] AllowedLine through_origin(const LineMoments& of) const {
    const double intercept = of.mean_y - of.slope * of.mean_x;
    const double squares = of.sxx + of.weight * of.mean_x * of.mean_x;
    const double products = of.slope * of.sxx + of.weight * of.mean_x * of.mean_y;
    const double beyond = slope_ ? std::min(products, 0.0) : 0.0;
    return {.slope = (products - beyond) / squares,
            .added = (intercept * intercept * of.weight * of.sxx + beyond * beyond) / squares,
            .slope_on_bound = beyond < 0,
            .intercept_on_bound = true};
  }

  bool slope_;
  bool intercept_;
};

}  // namespace invar::stats
