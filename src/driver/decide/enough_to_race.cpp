#include "driver/decide/enough_to_race.hpp"

#include <algorithm>
#include <string_view>

#include "design/recipes/tune_budget.hpp"
#include "driver/decide/decisions.hpp"
#include "driver/decide/looks.hpp"
#include "stats/decide/verdict.hpp"

namespace invar::driver {
namespace {

bool has_found_a_violation(const store::State& state) {
  return std::ranges::any_of(state.looks, [](const store::LookLine& look) {
    return std::ranges::any_of(look.decided, [](const auto& decided) {
      return decided.verdict == stats::to_string(stats::Verdict::kViolated);
    });
  });
}

}  // namespace

Step decide_enough_to_race(const StudySoFar& so_far) {
  const std::optional<double>& budget_s = so_far.prepared.campaign.budget_s;
  if (!budget_s || !has_found_a_violation(so_far.state)) return {};
  const double share_s = *budget_s * design::kShareOfGuidelines / design::kMostOfGuidelines;
  if (so_far.spent.elapsed_s + so_far.spent.group_s <= share_s) return {};
  return end_looks(so_far, "there is something to race");
}

std::vector<Decision> decisions_until_something_races() {
  const std::span<const Decision> all = all_decisions();
  std::vector<Decision> decisions(all.begin(), all.end());
  const auto looks = std::ranges::find(decisions, std::string_view("looks"), &Decision::name);
  decisions.insert(
      looks,
      Decision{.name = "enough-to-race", .asked = is_sequential, .decide = decide_enough_to_race});
  return decisions;
}

}  // namespace invar::driver
