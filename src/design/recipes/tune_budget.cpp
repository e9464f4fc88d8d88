#include "design/recipes/tune_budget.hpp"

#include <algorithm>

namespace invar::design {
namespace {

// A probe is a launch of a second or less, and an operation needs two or three.
constexpr double kAskingOfOperationS = 3;
constexpr double kMostOfAsking = 0.1;

}  // namespace

double left_for_race_s(double budget_s, double spent_s) {
  return std::max(budget_s - spent_s, (1 - kMostOfGuidelines) * budget_s);
}

double kept_for_asking_s(double budget_s, std::size_t operations) {
  return std::min(kMostOfAsking * budget_s, kAskingOfOperationS * static_cast<double>(operations));
}

double enough_for_all_looks_s(double spent_s, std::size_t groups, std::size_t groups_of_last_look) {
  const double group_s = spent_s / static_cast<double>(groups);
  return group_s * static_cast<double>(groups_of_last_look) / kMostOfGuidelines;
}

}  // namespace invar::design
