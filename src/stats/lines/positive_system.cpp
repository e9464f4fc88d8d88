#include "stats/lines/positive_system.hpp"

#include <cmath>
#include <cstddef>

namespace invar::stats {

std::vector<double> solve_positive(std::vector<std::vector<double>> a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < j; ++k) a[j][j] -= a[j][k] * a[j][k];
    a[j][j] = std::sqrt(a[j][j]);
    for (std::size_t i = j + 1; i < n; ++i) {
      for (std::size_t k = 0; k < j; ++k) a[i][j] -= a[i][k] * a[j][k];
      a[i][j] /= a[j][j];
    }
    for (std::size_t k = 0; k < j; ++k) b[j] -= a[j][k] * b[k];
    b[j] /= a[j][j];
  }
  for (std::size_t j = n; j-- > 0;) {
    for (std::size_t k = j + 1; k < n; ++k) b[j] -= a[k][j] * b[k];
    b[j] /= a[j][j];
  }
  return b;
}

}  // namespace invar::stats
