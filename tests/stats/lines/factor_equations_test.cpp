// The normal equations of groups' factors: their solution by conjugate gradients is that of the
// matrix.
#include "stats/lines/factor_equations.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>

#include "base/random.hpp"
#include "stats/lines/conjugate_gradients.hpp"
#include "stats/lines/positive_system.hpp"

namespace invar::stats {
namespace {

struct Equations {
  FactorEquations left;
  std::vector<double> right;
};

// Each size has some groups, of unlike weights.
Equations random_equations(std::size_t groups, std::size_t sizes, std::size_t groups_of_size,
                           std::uint64_t seed) {
  base::Random random(seed);
  Equations made{.left = FactorEquations(groups), .right = std::vector<double>(groups)};
  for (std::size_t s = 0; s < sizes; ++s) {
    for (std::size_t i = 0; i < groups_of_size; ++i) {
      // Neighbours share groups, so that all hang together.
      made.left.add((s + i * (1 + s % 3)) % groups, 0.01 - std::log1p(-random.uniform()));
    }
    made.left.end_size();
  }
  for (std::size_t g = 0; g < groups; ++g) {
    made.left.add_share(g, 5 + 10 * random.uniform());
    made.right[g] = random.uniform() - 0.5;
  }
  return made;
}

std::vector<double> solved_densely(const Equations& equations) {
  const std::size_t n = equations.right.size();
  std::vector<std::vector<double>> a(n, std::vector<double>(n));
  for (std::size_t g = 0; g < n; ++g) {
    std::vector<double> unit(n);
    unit[g] = 1;
    equations.left.multiply(unit, a[g]);
  }
  return solve_positive(std::move(a), equations.right);
}

TEST(FactorEquations, AreThoseOfTheMatrix) {
  // Two groups at one size of weights 1 and 3, shares 2 and 1: 3/4 (f - g)^2 and (2 f + g)^2 / 3.
  FactorEquations two(2);
  two.add(0, 1);
  two.add(1, 3);
  two.end_size();
  two.add_share(0, 2);
  two.add_share(1, 1);
  std::vector<double> row(2);
  two.multiply(std::vector<double>{1, 0}, row);
  EXPECT_NEAR(row[0], 0.75 + 4.0 / 3, 1e-15);
  EXPECT_NEAR(row[1], -0.75 + 2.0 / 3, 1e-15);
}

TEST(FactorEquations, AreSolvedAsTheMatrixIs) {
  for (const auto& [groups, sizes, of_size] :
       {std::tuple(std::size_t{2}, std::size_t{3}, std::size_t{2}),
        {25, 90, 5},
        {60, 200, 12},
        {200, 200, 40},
        {80, 80, 2}}) {
    const Equations equations = random_equations(groups, sizes, of_size, groups);
    const std::vector<double> expected = solved_densely(equations);
    const std::vector<double> found = equations.left.solve(equations.right);
    double largest = 0;
    for (const double one : expected) largest = std::max(largest, std::abs(one));
    for (std::size_t g = 0; g < groups; ++g) {
      EXPECT_NEAR(found[g], expected[g], 1e-12 * largest) << groups << " groups, " << g;
    }
  }
}

TEST(FactorEquations, OfAGroupApartAreItsOwn) {
  FactorEquations three(3);
  three.add(0, 1);
  three.add(2, 1);
  three.end_size();
  three.add_share(0, 1);
  three.set_apart(1);
  three.add_share(2, 1);
  const std::vector<double> found = three.solve(std::vector<double>{-0.1, 0, 0.1});
  EXPECT_NEAR(found[0], -0.1, 1e-15);
  EXPECT_EQ(found[1], 0);
  EXPECT_NEAR(found[2], 0.1, 1e-15);
}

TEST(ConjugateGradients, OfEquationsThatRoundingTiesNoMoreIsTheMatrixs) {
  // A Hilbert matrix: its numbers are known by a factor of 1e13 less well than what they are made
  // of.
  constexpr std::size_t n = 10;
  std::vector<std::vector<double>> a(n, std::vector<double>(n));
  std::vector<double> diagonal(n);
  std::vector<double> b(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      a[i][j] = 1.0 / static_cast<double>(i + j + 1);
      b[i] += a[i][j];
    }
    diagonal[i] = a[i][i];
  }
  const SymmetricProduct multiply = [&](std::span<const double> x, std::span<double> product) {
    for (std::size_t i = 0; i < n; ++i) {
      product[i] = 0;
      for (std::size_t j = 0; j < n; ++j) product[i] += a[i][j] * x[j];
    }
  };
  std::vector<double> product(n);
  multiply(conjugate_gradients(multiply, diagonal, b), product);
  for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(product[i], b[i], 1e-12);
}

}  // namespace
}  // namespace invar::stats
