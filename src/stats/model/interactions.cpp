#include "stats/model/interactions.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stats/check.hpp"
#include "stats/describe/moments.hpp"

namespace invar::stats {
namespace {

/// What is left of a column of ones and zeros below this share of its length depends on the others.
constexpr double kDependent = 1e-8;

double product(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void remove_parts(const BlockedValues& basis, std::vector<double>& column) {
  for (const std::vector<double>& one : basis) {
    const double part = product(one, column);
    for (std::size_t i = 0; i < column.size(); ++i) column[i] -= part * one[i];
  }
}

/// Orthonormal, of the additive model's columns: the constant, and all levels but the first.
BlockedValues additive_basis(std::span<const FactorLevels> combinations) {
  BlockedValues basis;
  const auto add = [&](std::vector<double> column) {
    const double before = std::sqrt(product(column, column));
    // Twice: once leaves rounding errors along the others (Giraud and others 2005).
    remove_parts(basis, column);
    remove_parts(basis, column);
    const double length = std::sqrt(product(column, column));
    if (length <= kDependent * before) return;
    for (double& value : column) value /= length;
    basis.push_back(std::move(column));
  };
  add(std::vector<double>(combinations.size(), 1.0));
  for (std::size_t factor = 0; factor < combinations.front().size(); ++factor) {
    std::uint32_t most = 0;
    for (const FactorLevels& levels : combinations) most = std::max(most, levels[factor]);
    for (std::uint32_t level = 1; level <= most; ++level) {
      std::vector<double> column;
      column.reserve(combinations.size());
      for (const FactorLevels& levels : combinations) {
        column.push_back(levels[factor] == level ? 1.0 : 0.0);
      }
      add(std::move(column));
    }
  }
  return basis;
}

void check_arguments(std::span<const FactorLevels> combinations, const BlockedValues& values) {
  constexpr const char* kFunction = "interaction_variance";
  if (combinations.size() < 2 || values.size() < 2) {
    check::fail(kFunction, "at least two combinations in two blocks are needed");
  }
  for (const FactorLevels& levels : combinations) {
    if (levels.size() != combinations.front().size()) {
      check::fail(kFunction, "every combination needs a level of every factor");
    }
  }
  for (const std::vector<double>& block : values) {
    check::sample(kFunction, block);
    if (block.size() != combinations.size()) {
      check::fail(kFunction, "every block needs a value for every combination");
    }
  }
}

}  // namespace

std::optional<Interactions> interaction_variance(std::span<const FactorLevels> combinations,
                                                 const BlockedValues& values) {
  check_arguments(combinations, values);
  const BlockedValues basis = additive_basis(combinations);
  const std::size_t count = combinations.size();
  if (basis.size() >= count) {
    return std::nullopt;
  }
  BlockedValues residuals = values;
  for (std::vector<double>& block : residuals) remove_parts(basis, block);
  const auto blocks = static_cast<double>(values.size());
  double sum = 0.0;
  std::vector<double> of_one(values.size());
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t block = 0; block < values.size(); ++block) {
      of_one[block] = residuals[block][i];
    }
    const double centre = mean(of_one);
    sum += centre * centre - variance(of_one).value_or(0.0) / blocks;
  }
  return Interactions{.variance = sum / static_cast<double>(count),
                      .df = static_cast<double>(count - basis.size())};
}

}  // namespace invar::stats
