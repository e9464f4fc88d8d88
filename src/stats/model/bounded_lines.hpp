#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

// Several straight lines with parameters in common, as the parameters of a network are: some of
// them cannot be below 0 (docs/methods.md, "Piecewise lines").
namespace invar::stats {

struct BoundedEstimate {
  /// Empty where the rows do not determine it: another value, with others changed to fit, is just
  /// as good.
  std::optional<double> value = std::nullopt;
  /// The best value without the bound is below 0; this is 0.
  bool on_bound = false;
  /// From the rows' variances, what is on its bound held there; empty without a value and on the
  /// bound.
  std::optional<double> standard_error = std::nullopt;
};

struct BoundedFit {
  std::vector<BoundedEstimate> parameters = {};
  /// Parameters times parameters; 0 for those without a standard error.
  std::vector<double> covariance = {};
  double rss = 0.0;  ///< weighted squares of residuals
  double df = 0.0;   ///< rows less those parameters that were free; at least 0
};

/// Weighted least squares of y = sum of coefficients times parameters, by rows as they come: in
/// rows squared with parameters, and memory for the parameters alone (Givens rotations; Golub and
/// Van Loan, Matrix Computations, 4th ed., section 5.1.8).
class BoundedLines {
 public:
  /// One for each parameter: may it not be below 0?
  explicit BoundedLines(std::vector<bool> at_least_0);

  /// As many coefficients as parameters. Throws std::invalid_argument where they are not, on NaN
  /// and infinity, and where the variance (of y) is not positive.
  void add(std::span<const double> coefficients, double y, double variance);

  /// The active-set method of Lawson and Hanson (Solving Least Squares Problems, 1974, chapter 23),
  /// with parameters that have no bound among those that are always free. Without rows nothing is
  /// determined.
  [[nodiscard]] BoundedFit fit() const;

 private:
  std::vector<bool> at_least_0_;
  std::size_t rows_ = 0;
  /// Upper triangle, row by row, of the coefficients and, last, y.
  std::vector<double> triangle_;
};

}  // namespace invar::stats
