#include "stats/model/trend.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "stats/test/student.hpp"

namespace invar::stats {
namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Columns that are orthogonal and of length 1.
class Basis {
 public:
  // What is left of the column beside those that are there; twice, because once leaves roundings.
  [[nodiscard]] std::vector<double> rest_of(std::span<const double> column) const {
    std::vector<double> rest(column.begin(), column.end());
    for (int pass = 0; pass < 2; ++pass) {
      for (const std::vector<double>& one : columns_) {
        const double share = dot(one, rest);
        for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= share * one[i];
      }
    }
    return rest;
  }

  // Returns the length of what it adds; 0, and adds nothing, if the column follows from the others.
  double add(std::span<const double> column) {
    constexpr double kNothing = 1e-9;
    std::vector<double> rest = rest_of(column);
    const double length = std::sqrt(dot(rest, rest));
    if (!(length > kNothing * std::sqrt(dot(column, column)))) return 0;
    for (double& value : rest) value /= length;
    columns_.push_back(std::move(rest));
    return length;
  }

  [[nodiscard]] const std::vector<double>& last() const { return columns_.back(); }
  [[nodiscard]] std::size_t size() const { return columns_.size(); }

 private:
  std::vector<std::vector<double>> columns_ = {};
};

void check(std::span<const double> t, std::span<const double> values) {
  if (values.size() != t.size()) throw std::invalid_argument("a trend needs values at all times");
  if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); })) {
    throw std::invalid_argument("a trend needs finite values");
  }
}

// To [-1, 1], so that its powers are as large as it is.
std::vector<double> scaled(std::span<const double> t) {
  const auto [least, most] = std::ranges::minmax(t);
  if (!(most > least)) throw std::invalid_argument("a trend needs different times");
  std::vector<double> all;
  for (const double one : t) all.push_back(2 * (one - least) / (most - least) - 1);
  return all;
}

}  // namespace

std::optional<Interval> TrendFit::interval(double confidence) const {
  if (!(ordinary_df > 0)) return std::nullopt;
  const Interval ordinary = t_interval(slope, ordinary_error, ordinary_df, confidence);
  if (!(slow_df > 0)) return ordinary;
  const Interval slow = t_interval(slope, slow_error, slow_df, confidence);
  return slow.high - slow.low > ordinary.high - ordinary.low ? slow : ordinary;
}

TrendFit fit_trend(std::span<const double> t, std::span<const double> y,
                   std::span<const std::span<const double>> controls, std::size_t shapes) {
  if (t.size() < 2) throw std::invalid_argument("a trend needs two points");
  check(t, t);
  check(t, y);
  const std::vector<double> time = scaled(t);
  Basis basis;
  basis.add(std::vector<double>(t.size(), 1));
  for (const std::span<const double> control : controls) {
    check(t, control);
    basis.add(control);
  }
  const double length = basis.add(time);
  if (length == 0) throw std::invalid_argument("the controls leave nothing of the times");
  TrendFit fit;
  const auto [least, most] = std::ranges::minmax(t);
  const double per_t = 2 / (most - least) / length;
  // Large offsets cost no precision once they are out.
  std::vector<double> centred(y.begin(), y.end());
  for (double& value : centred) value -= y.front();
  fit.slope = dot(basis.last(), centred) * per_t;
  std::vector<double> residuals = basis.rest_of(centred);
  fit.ordinary_df = static_cast<double>(t.size()) - static_cast<double>(basis.size());
  if (!(fit.ordinary_df > 0)) {
    fit.ordinary_df = 0;
    return fit;
  }
  fit.ordinary_error = std::sqrt(dot(residuals, residuals) / fit.ordinary_df) * per_t;
  std::vector<double> power = time;
  double squares = 0;
  while (fit.slow_df < static_cast<double>(shapes) && basis.size() < t.size()) {
    for (std::size_t i = 0; i < power.size(); ++i) power[i] *= time[i];
    if (basis.add(power) == 0) break;
    const double shape = dot(basis.last(), residuals);
    squares += shape * shape;
    fit.slow_df += 1;
  }
  if (fit.slow_df > 0) fit.slow_error = std::sqrt(squares / fit.slow_df) * per_t;
  return fit;
}

}  // namespace invar::stats
