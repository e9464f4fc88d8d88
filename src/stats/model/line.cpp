#include "stats/model/line.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>

#include "stats/describe/moments.hpp"

namespace invar::stats {

LineFit fit_line(std::span<const double> x, std::span<const double> y) {
  if (x.size() != y.size()) throw std::invalid_argument("a line needs pairs of x and y");
  if (x.size() < 2) throw std::invalid_argument("a line needs two points");
  const double mean_x = mean(x);
  const double mean_y = mean(y);
  double xx = 0;
  double xy = 0;
  double yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
  }
  if (!(xx > 0)) throw std::invalid_argument("a line needs points at different x");
  LineFit fit;
  fit.slope = xy / xx;
  fit.intercept = mean_y - fit.slope * mean_x;
  fit.df = static_cast<double>(x.size()) - 2;
  double squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double residual = (y[i] - mean_y) - fit.slope * (x[i] - mean_x);
    squares += residual * residual;
    fit.largest_residual = std::max(fit.largest_residual, std::abs(residual));
  }
  if (fit.df > 0) fit.slope_standard_error = std::sqrt(squares / fit.df / xx);
  if (yy > 0) fit.r_squared = 1 - squares / yy;
  return fit;
}

}  // namespace invar::stats
