#include "stats/model/trend.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "stats/test/student.hpp"

namespace invar::stats {
namespace {

using Column = std::vector<double>;

double dot(const Column& a, const Column& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Columns that are orthogonal and of length 1.
class Basis {
 public:
  // What is left of the column beside those that are there; twice, because once leaves roundings.
  [[nodiscard]] Column rest_of(Column column) const {
    for (int pass = 0; pass < 2; ++pass) {
      for (const Column& one : columns_) {
        const double share = dot(one, column);
        for (std::size_t i = 0; i < column.size(); ++i) column[i] -= share * one[i];
      }
    }
    return column;
  }

  // Returns the length of what it adds; 0, and adds nothing, if the column follows from the others.
  double add(const Column& column) {
    constexpr double kNothing = 1e-9;
    Column rest = rest_of(column);
    const double length = std::sqrt(dot(rest, rest));
    if (!(length > kNothing * std::sqrt(dot(column, column)))) return 0;
    for (double& value : rest) value /= length;
    columns_.push_back(std::move(rest));
    return length;
  }

  [[nodiscard]] const Column& last() const { return columns_.back(); }
  [[nodiscard]] std::size_t size() const { return columns_.size(); }

 private:
  std::vector<Column> columns_ = {};
};

void check_samples(std::span<const double> t, std::span<const double> values) {
  if (values.size() != t.size()) throw std::invalid_argument("a trend needs values at all times");
  if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); })) {
    throw std::invalid_argument("a trend needs finite values");
  }
}

// To [-1, 1].
Column scaled(std::span<const double> t) {
  if (!std::is_sorted(t.begin(), t.end())) throw std::invalid_argument("a trend's times rise");
  if (!(t.back() > t.front())) throw std::invalid_argument("a trend needs different times");
  Column all;
  for (const double one : t) all.push_back(2 * (one - t.front()) / (t.back() - t.front()) - 1);
  return all;
}

// What y is regressed on, the time last.
struct Regression {
  Column time = {};  // in [-1, 1]
  std::vector<Column> columns = {};
  Column y = {};
};

// Errors with the covariance of noise 1 and a walk become independent ones: the innovations of a
// Kalman filter whose state is the walk, over their standard deviations.
class Whitening {
 public:
  // `per_time`: variance of the walk in a unit of the scaled time.
  Whitening(const Column& time, double per_time) {
    double variance = 0;
    for (std::size_t i = 0; i < time.size(); ++i) {
      if (i > 0) variance += per_time * (time[i] - time[i - 1]);
      gains_.push_back(variance / (variance + 1));
      deviations_.push_back(std::sqrt(variance + 1));
      log_determinant_ += std::log(variance + 1);
      variance *= 1 - gains_.back();
    }
  }

  [[nodiscard]] Column of(const Column& values) const {
    Column innovations;
    double level = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double innovation = values[i] - level;
      innovations.push_back(innovation / deviations_[i]);
      level += gains_[i] * innovation;
    }
    return innovations;
  }

  [[nodiscard]] double log_determinant() const { return log_determinant_; }

 private:
  Column gains_ = {};
  Column deviations_ = {};
  double log_determinant_ = 0;
};

struct Fitted {
  double slope = 0;  // per unit of the scaled time
  double error = 0;
  double log_likelihood = 0;  // restricted
};

// Empty where the time follows from the other columns; a control that does so is left out.
std::optional<Fitted> fitted(const Regression& regression, double per_time, double df) {
  const Whitening white(regression.time, per_time);
  Basis basis;
  double log_lengths = 0;
  double length = 0;
  for (const Column& column : regression.columns) {
    length = basis.add(white.of(column));
    if (length > 0) log_lengths += std::log(length);
  }
  if (length == 0) return std::nullopt;
  const Column y = white.of(regression.y);
  const Column rest = basis.rest_of(y);
  const double squares = dot(rest, rest);
  Fitted fit;
  fit.slope = dot(basis.last(), y) / length;
  if (df > 0) fit.error = std::sqrt(squares / df) / length;
  fit.log_likelihood =
      -white.log_determinant() / 2 - log_lengths - df / 2 * std::log(std::max(squares, 1e-300));
  return fit;
}

// Ratios from 1 on, doubled until the walk's step from point to point is far above the noise.
std::vector<TrendComponent> components_of(const Regression& regression, double df) {
  constexpr double kFar = 8;
  const auto points = static_cast<double>(regression.time.size());
  std::vector<TrendComponent> components;
  std::vector<double> logs;
  // NOLINTNEXTLINE(clang-analyzer-security.FloatLoopCounter): powers of two are exact.
  for (double ratio = 1; ratio < 2 * kFar * points; ratio *= 2) {
    // Over the whole of the scaled time, which is 2.
    const double per_time = ratio * ratio / points / 2;
    const std::optional<Fitted> fit = fitted(regression, per_time, df);
    if (!fit) continue;
    components.push_back({.walk = ratio * ratio, .slope = fit->slope, .error = fit->error});
    logs.push_back(fit->log_likelihood + std::log(ratio) / 2);
  }
  if (components.empty()) return components;
  const double most = *std::max_element(logs.begin(), logs.end());
  double sum = 0;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    components[i].weight = std::exp(logs[i] - most);
    sum += components[i].weight;
  }
  for (TrendComponent& component : components) component.weight /= sum;
  return components;
}

double quantile_of(const std::vector<TrendComponent>& components, double df, double probability) {
  constexpr double kNoWeight = 1e-7;
  const auto below = [&](double x) {
    double sum = 0;
    for (const TrendComponent& one : components) {
      if (one.weight < kNoWeight) continue;
      sum += one.weight * (one.error > 0 ? t_cdf((x - one.slope) / one.error, df)
                                         : (x >= one.slope ? 1.0 : 0.0));
    }
    return sum;
  };
  // Each component's own quantiles hold that of all together between them.
  const double quantile = t_quantile(probability, df);
  double low = components.front().slope + quantile * components.front().error;
  double high = low;
  for (const TrendComponent& one : components) {
    low = std::min(low, one.slope + quantile * one.error);
    high = std::max(high, one.slope + quantile * one.error);
  }
  constexpr int kHalvings = 40;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = low + (high - low) / 2;
    (below(middle) < probability ? low : high) = middle;
  }
  return low + (high - low) / 2;
}

}  // namespace

std::optional<Interval> TrendFit::interval(double confidence) const {
  if (!(df > 0) || components.empty()) return std::nullopt;
  const double tail = (1 - confidence) / 2;
  return Interval{std::min(slope, quantile_of(components, df, tail)),
                  std::max(slope, quantile_of(components, df, 1 - tail)), confidence};
}

TrendFit fit_trend(std::span<const double> t, std::span<const double> y,
                   std::span<const std::span<const double>> controls) {
  if (t.size() < 2) throw std::invalid_argument("a trend needs two points");
  check_samples(t, t);
  check_samples(t, y);
  Regression regression{.time = scaled(t)};
  regression.columns.emplace_back(t.size(), 1.0);
  for (const std::span<const double> control : controls) {
    check_samples(t, control);
    // Large offsets cost no precision once they are out.
    Column& column = regression.columns.emplace_back(control.begin(), control.end());
    for (double& value : column) value -= control.front();
  }
  regression.columns.push_back(regression.time);
  regression.y.assign(y.begin(), y.end());
  for (double& value : regression.y) value -= y.front();

  TrendFit fit;
  fit.df =
      std::max(0.0, static_cast<double>(t.size()) - static_cast<double>(regression.columns.size()));
  const std::optional<Fitted> ordinary = fitted(regression, 0, fit.df);
  if (!ordinary) throw std::invalid_argument("the controls leave nothing of the times");
  const double per_t = 2 / (t.back() - t.front());
  fit.slope = ordinary->slope * per_t;
  fit.ordinary_error = ordinary->error * per_t;
  if (!(fit.df > 0)) return fit;
  fit.components = components_of(regression, fit.df);
  for (TrendComponent& one : fit.components) {
    one.slope *= per_t;
    one.error *= per_t;
  }
  return fit;
}

}  // namespace invar::stats
