#include "stats/decide/multiplicity.hpp"

#include <algorithm>
#include <numeric>

#include "stats/check.hpp"

namespace invar::stats {
namespace {

using Adjustment = std::vector<double> (*)(std::span<const double>);

std::vector<std::size_t> ascending(const char* function, std::span<const double> p) {
  for (const double value : p) {
    check::closed_unit(function, "a p-value", value);
  }
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  return order;
}

std::vector<std::optional<double>> where_present(std::span<const std::optional<double>> p,
                                                 Adjustment adjust) {
  std::vector<double> present;
  for (const std::optional<double>& value : p) {
    if (value) {
      present.push_back(*value);
    }
  }
  const std::vector<double> adjusted = adjust(present);
  std::vector<std::optional<double>> result(p.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i]) {
      result[i] = adjusted[next++];
    }
  }
  return result;
}

void check_rejections(const char* function, double alpha, std::size_t rejected, std::size_t tests) {
  check::open_unit(function, "alpha", alpha);
  if (rejected < 1 || rejected > tests) {
    check::fail(function, "the number of rejections must lie between 1 and the number of tests");
  }
}

}  // namespace

std::vector<double> holm(std::span<const double> p) {
  std::vector<double> adjusted(p.size());
  double largest = 0.0;
  double factor = static_cast<double>(p.size());
  for (const std::size_t i : ascending("holm", p)) {
    largest = std::max(largest, std::min(1.0, factor * p[i]));
    adjusted[i] = largest;
    factor -= 1.0;
  }
  return adjusted;
}

std::vector<double> benjamini_hochberg(std::span<const double> p) {
  std::vector<double> adjusted(p.size());
  const std::vector<std::size_t> order = ascending("benjamini_hochberg", p);
  const double count = static_cast<double>(p.size());
  double smallest = 1.0;
  for (std::size_t rank = order.size(); rank > 0; --rank) {
    const std::size_t i = order[rank - 1];
    smallest = std::min(smallest, count / static_cast<double>(rank) * p[i]);
    adjusted[i] = smallest;
  }
  return adjusted;
}

std::vector<std::optional<double>> holm(std::span<const std::optional<double>> p) {
  return where_present(p, [](std::span<const double> present) { return holm(present); });
}

std::vector<std::optional<double>> benjamini_hochberg(std::span<const std::optional<double>> p) {
  return where_present(p,
                       [](std::span<const double> present) { return benjamini_hochberg(present); });
}

double selected_confidence(double alpha, std::size_t rejected, std::size_t tests) {
  check_rejections("selected_confidence", alpha, rejected, tests);
  return 1.0 - alpha * static_cast<double>(rejected) / static_cast<double>(tests);
}

double selected_confidence_holm(double alpha, std::size_t rejected, std::size_t tests) {
  check_rejections("selected_confidence_holm", alpha, rejected, tests);
  return 1.0 - alpha / static_cast<double>(tests - rejected + 1);
}

int asterisks(double p) {
  check::closed_unit("asterisks", "p", p);
  return (p <= 0.05 ? 1 : 0) + (p <= 0.01 ? 1 : 0) + (p <= 0.001 ? 1 : 0);
}

}  // namespace invar::stats
