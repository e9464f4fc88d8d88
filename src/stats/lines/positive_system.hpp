#pragma once

#include <vector>

// Linear equations as least squares makes them.
namespace invar::stats {

/// Solves a x = b; a is symmetric and positive definite (not checked; NaN if it is not), row by
/// row, and only its lower triangle is read. Cholesky, for some ten unknowns.
std::vector<double> solve_positive(std::vector<std::vector<double>> a, std::vector<double> b);

}  // namespace invar::stats
