#include "stats/lines/conjugate_gradients.hpp"

#include <cstddef>
#include <utility>

#include "stats/lines/positive_system.hpp"

namespace invar::stats {
namespace {

constexpr double kLeftOver = 1e-14;
constexpr std::size_t kStepsAnUnknown = 10;

// Column by column.
std::vector<double> solved_as_matrix(const SymmetricProduct& multiply, std::span<const double> b) {
  const std::size_t n = b.size();
  std::vector<std::vector<double>> a(n, std::vector<double>(n));
  std::vector<double> unit(n);
  for (std::size_t i = 0; i < n; ++i) {
    unit[i] = 1;
    multiply(unit, a[i]);  // a row is a column
    unit[i] = 0;
  }
  return solve_positive(std::move(a), {b.begin(), b.end()});
}

}  // namespace

std::vector<double> conjugate_gradients(const SymmetricProduct& multiply,
                                        std::span<const double> diagonal,
                                        std::span<const double> b) {
  const std::size_t n = b.size();
  std::vector<double> x(n);
  std::vector<double> left(b.begin(), b.end());
  std::vector<double> direction(n);
  std::vector<double> product(n);
  // Square of what is left, as the diagonal scales it.
  const auto square = [&] {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += left[i] * left[i] / diagonal[i];
    return sum;
  };
  double last = square();
  const double settled = kLeftOver * kLeftOver * last;
  for (std::size_t i = 0; i < n; ++i) direction[i] = left[i] / diagonal[i];
  for (std::size_t step = 0; last > settled; ++step) {
    if (step == kStepsAnUnknown * n) return solved_as_matrix(multiply, b);
    multiply(direction, product);
    double curve = 0;
    for (std::size_t i = 0; i < n; ++i) curve += direction[i] * product[i];
    const double length = last / curve;
    for (std::size_t i = 0; i < n; ++i) {
      x[i] += length * direction[i];
      left[i] -= length * product[i];
    }
    const double now = square();
    for (std::size_t i = 0; i < n; ++i) {
      direction[i] = left[i] / diagonal[i] + now / last * direction[i];
    }
    last = now;
  }
  return x;
}

}  // namespace invar::stats
