#include "stats/model/bounded_lines.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "stats/check.hpp"

namespace invar::stats {
namespace {

using Vector = std::vector<double>;

// Columns of length 1 that depend on each other to this share are one.
constexpr double kSameColumn = 1e-10;
// A parameter has a part in what is not determined where that has more of it than this.
constexpr double kPart = 1e-7;

double scalar_product(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void add_times(Vector& to, double factor, const Vector& what) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * what[i];
}

// Columns in orthonormal directions, one after the other: c_k = sum over j <= k of t_jk q_j. Gram
// and Schmidt's way, twice, because once leaves roundings.
class Directions {
 public:
  // Returns false, and adds nothing, if the column depends on those that are there.
  bool add(const Vector& column) {
    Vector rest = column;
    Vector shares(directions_.size());
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t j = 0; j < directions_.size(); ++j) {
        const double share = scalar_product(directions_[j], rest);
        add_times(rest, -share, directions_[j]);
        shares[j] += share;
      }
    }
    const double length = std::sqrt(scalar_product(rest, rest));
    if (!(length > kSameColumn)) return false;
    for (double& value : rest) value /= length;
    shares.push_back(length);
    directions_.push_back(std::move(rest));
    triangle_.push_back(std::move(shares));
    return true;
  }

  // What the columns are to be multiplied by to come nearest to y.
  [[nodiscard]] Vector solve(const Vector& y) const {
    Vector left(directions_.size());
    for (std::size_t j = 0; j < left.size(); ++j) left[j] = scalar_product(directions_[j], y);
    return back(std::move(left));
  }

  // Column k of the inverse of the triangle.
  [[nodiscard]] Vector inverse_column(std::size_t k) const {
    Vector unit(directions_.size());
    unit[k] = 1;
    return back(std::move(unit));
  }

 private:
  [[nodiscard]] Vector back(Vector left) const {
    for (std::size_t k = left.size(); k-- > 0;) {
      left[k] /= triangle_[k][k];
      for (std::size_t j = 0; j < k; ++j) left[j] -= triangle_[k][j] * left[k];
    }
    return left;
  }

  std::vector<Vector> directions_ = {};
  std::vector<Vector> triangle_ = {};  // by column
};

// The problem after all rows are in: columns of length 1 (or 0, if nobody has it), what they were
// divided by, and y.
struct Reduced {
  std::vector<Vector> columns = {};
  Vector lengths = {};
  Vector y = {};
};

// Which parameters can be moved, with others, without moving what is fitted: those that have a part
// in a right singular vector of value 0. One-sided Jacobi (Hestenes 1958): columns are turned in
// pairs until all are at right angles, and those that are nothing then were dependent.
std::vector<bool> undetermined(const std::vector<Vector>& columns) {
  const std::size_t n = columns.size();
  std::vector<Vector> turned = columns;
  std::vector<Vector> vectors(n, Vector(n));
  for (std::size_t i = 0; i < n; ++i) vectors[i][i] = 1;
  constexpr int kMostSweeps = 60;
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    bool any = false;
    for (std::size_t i = 0; i + 1 < n; ++i) {
      for (std::size_t j = i + 1; j < n; ++j) {
        const double aa = scalar_product(turned[i], turned[i]);
        const double bb = scalar_product(turned[j], turned[j]);
        const double ab = scalar_product(turned[i], turned[j]);
        constexpr double kRight = 1e-15;
        if (std::abs(ab) <= kRight * std::sqrt(aa * bb) || aa + bb == 0) continue;
        any = true;
        const double zeta = (bb - aa) / (2 * ab);
        const double tangent = std::copysign(1 / (std::abs(zeta) + std::hypot(1, zeta)), zeta);
        const double cosine = 1 / std::hypot(1, tangent);
        for (std::vector<Vector>* all : {&turned, &vectors}) {
          for (std::size_t k = 0; k < (*all)[i].size(); ++k) {
            const double first = (*all)[i][k];
            const double second = (*all)[j][k];
            (*all)[i][k] = cosine * (first - tangent * second);
            (*all)[j][k] = cosine * (second + tangent * first);
          }
        }
      }
    }
    if (!any) break;
  }
  std::vector<bool> found(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (std::sqrt(scalar_product(turned[i], turned[i])) > kSameColumn) continue;
    for (std::size_t k = 0; k < n; ++k) found[k] = found[k] || std::abs(vectors[i][k]) > kPart;
  }
  return found;
}

// Lawson and Hanson's two sets: parameters that are free, and those at 0.
class ActiveSet {
 public:
  ActiveSet(const Reduced& problem, const std::vector<bool>& at_least_0)
      : problem_(problem), bounded_(at_least_0), values_(at_least_0.size()) {
    Directions directions;
    for (std::size_t i = 0; i < bounded_.size(); ++i) {
      if (!bounded_[i] && directions.add(problem_.columns[i])) free_.push_back(i);
    }
    set_free_values(solve());
    // Each time the squares fall, so that no set comes twice; roundings may not know that.
    for (std::size_t step = 0; step < 10 * bounded_.size(); ++step) {
      const std::optional<std::size_t> next = steepest();
      if (!next) break;
      free_.push_back(*next);
      settle();
    }
  }

  [[nodiscard]] const std::vector<std::size_t>& free() const { return free_; }
  [[nodiscard]] const Vector& values() const { return values_; }

  [[nodiscard]] Vector residual() const {
    Vector rest = problem_.y;
    for (const std::size_t i : free_) add_times(rest, -values_[i], problem_.columns[i]);
    return rest;
  }

 private:
  [[nodiscard]] Vector solve() const {
    Directions directions;
    for (const std::size_t i : free_) directions.add(problem_.columns[i]);
    return directions.solve(problem_.y);
  }

  void set_free_values(const Vector& values) {
    for (std::size_t k = 0; k < free_.size(); ++k) values_[free_[k]] = values[k];
  }

  // The parameter at 0 by which the squares fall most steeply, if they fall and it can move alone.
  [[nodiscard]] std::optional<std::size_t> steepest() const {
    const Vector rest = residual();
    const double size = std::sqrt(scalar_product(problem_.y, problem_.y));
    constexpr double kFlat = 1e-12;
    std::optional<std::size_t> best;
    double most = kFlat * size;
    for (std::size_t i = 0; i < bounded_.size(); ++i) {
      if (!bounded_[i] || std::ranges::find(free_, i) != free_.end()) continue;
      const double fall = scalar_product(problem_.columns[i], rest);
      if (fall > most && moves_up(i)) {
        most = fall;
        best = i;
      }
    }
    return best;
  }

  // Roundings may promise what the fit then does not keep.
  [[nodiscard]] bool moves_up(std::size_t parameter) const {
    Directions directions;
    for (const std::size_t i : free_) directions.add(problem_.columns[i]);
    return directions.add(problem_.columns[parameter]) && directions.solve(problem_.y).back() > 0;
  }

  // The share of the way to the best value after which a parameter is at 0, if it gets there.
  [[nodiscard]] std::optional<double> stop(std::size_t parameter, double best) const {
    if (!bounded_[parameter] || best > 0) return std::nullopt;
    const double from = values_[parameter];
    return from > 0 ? from / (from - best) : 0;
  }

  // The best values of the free ones; on the way there, those that come to 0 stay there.
  void settle() {
    while (true) {
      const Vector best = solve();
      std::optional<double> share;
      for (std::size_t k = 0; k < free_.size(); ++k) {
        const std::optional<double> own = stop(free_[k], best[k]);
        if (own) share = std::min(share.value_or(1), *own);
      }
      if (!share) {
        set_free_values(best);
        return;
      }
      std::vector<std::size_t> left;
      for (std::size_t k = 0; k < free_.size(); ++k) {
        double& value = values_[free_[k]];
        const std::optional<double> own = stop(free_[k], best[k]);
        const bool stops = own && *own <= *share;
        value = stops ? 0 : value + *share * (best[k] - value);
        if (!stops) left.push_back(free_[k]);
      }
      free_ = std::move(left);
    }
  }

  const Reduced& problem_;
  const std::vector<bool>& bounded_;
  Vector values_;
  std::vector<std::size_t> free_ = {};
};

}  // namespace

BoundedLines::BoundedLines(std::vector<bool> at_least_0)
    : at_least_0_(std::move(at_least_0)),
      triangle_((at_least_0_.size() + 1) * (at_least_0_.size() + 1)) {}

void BoundedLines::add(std::span<const double> coefficients, double y, double variance) {
  if (coefficients.size() != at_least_0_.size()) {
    check::fail("BoundedLines::add", "a row has as many coefficients as there are parameters");
  }
  check::finite("BoundedLines::add", coefficients);
  check::finite("BoundedLines::add", {&y, 1});
  check::positive("BoundedLines::add", "variance", variance);
  const std::size_t width = at_least_0_.size() + 1;
  const double root = std::sqrt(variance);
  Vector row(coefficients.begin(), coefficients.end());
  row.push_back(y);
  for (double& value : row) value /= root;
  for (std::size_t i = 0; i < width; ++i) {
    double* const line = &triangle_[i * width];
    const double length = std::hypot(line[i], row[i]);
    if (row[i] == 0) continue;
    const double cosine = line[i] / length;
    const double sine = row[i] / length;
    for (std::size_t j = i; j < width; ++j) {
      const double first = line[j];
      line[j] = cosine * first + sine * row[j];
      row[j] = cosine * row[j] - sine * first;
    }
  }
  ++rows_;
}

BoundedFit BoundedLines::fit() const {
  const std::size_t n = at_least_0_.size();
  Reduced problem;
  for (std::size_t j = 0; j <= n; ++j) {
    Vector column(n + 1);
    for (std::size_t i = 0; i <= j; ++i) column[i] = triangle_[i * (n + 1) + j];
    if (j == n) {
      problem.y = std::move(column);
      break;
    }
    const double length = std::sqrt(scalar_product(column, column));
    for (double& value : column) value = length > 0 ? value / length : 0;
    problem.lengths.push_back(length);
    problem.columns.push_back(std::move(column));
  }
  const std::vector<bool> open = undetermined(problem.columns);
  const ActiveSet set(problem, at_least_0_);
  const Vector rest = set.residual();
  BoundedFit fit{.parameters = std::vector<BoundedEstimate>(n),
                 .covariance = Vector(n * n),
                 .rss = scalar_product(rest, rest)};
  fit.df = std::max(0.0, static_cast<double>(rows_) - static_cast<double>(set.free().size()));
  for (std::size_t i = 0; i < n; ++i) {
    const bool free = std::ranges::find(set.free(), i) != set.free().end();
    if (open[i] || (!free && !at_least_0_[i])) continue;
    fit.parameters[i].value = set.values()[i] / problem.lengths[i];
    fit.parameters[i].on_bound = !free;
  }
  // (T' T)^-1 of the free columns, T their triangle.
  Directions directions;
  for (const std::size_t i : set.free()) directions.add(problem.columns[i]);
  for (std::size_t k = 0; k < set.free().size(); ++k) {
    const Vector column = directions.inverse_column(k);
    for (std::size_t a = 0; a < column.size(); ++a) {
      for (std::size_t b = 0; b < column.size(); ++b) {
        const std::size_t i = set.free()[a];
        const std::size_t j = set.free()[b];
        if (open[i] || open[j]) continue;
        fit.covariance[i * n + j] +=
            column[a] * column[b] / problem.lengths[i] / problem.lengths[j];
      }
    }
  }
  for (const std::size_t i : set.free()) {
    if (!open[i]) fit.parameters[i].standard_error = std::sqrt(fit.covariance[i * n + i]);
  }
  return fit;
}

}  // namespace invar::stats
