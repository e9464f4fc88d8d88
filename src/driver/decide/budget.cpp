#include "driver/decide/budget.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "driver/decide/groups.hpp"
#include "driver/decide/looks.hpp"
#include "driver/decide/plans.hpp"
#include "stats/decide/sequential.hpp"

namespace invar::driver {
namespace {

// A budget is a promise about time: once it is over by this much, no further group starts.
constexpr double kBudgetSlack = 1.1;

// `what` needs the least number of groups; `share` of the time that these should take must be
// there.
void refuse_short_budget(const Prepared& prepared, const std::string& what, double share) {
  const std::optional<double> budget_s = prepared.campaign.budget_s;
  if (!budget_s) return;
  const double expected_s = least_seconds(prepared);
  if (share * expected_s <= *budget_s) return;
  // What is said to be needed is more than the budget that is refused.
  const double least_s = std::max(1.0, share) * expected_s;
  throw base::UserError(prepared.place,
                        what + ", about " + base::span_text(std::ceil(least_s)) +
                            " (a rough estimate), and the budget is " + base::span_text(*budget_s),
                        "take a budget of " + base::span_text(std::ceil(1.5 * least_s)) +
                            ", or fewer cells, rounds or repetitions");
}

}  // namespace

std::string over_budget_text(const Prepared& prepared, const store::State& state,
                             const Spent& spent, double group_s) {
  const std::optional<double> budget_s = prepared.campaign.budget_s;
  const std::uint32_t least = asked_launches(prepared, state).min;
  if (!budget_s || spent.groups_done >= least) return {};
  const double all_s = spent.elapsed_s + group_s * (least - spent.groups_done);
  if (all_s <= *budget_s * kBudgetSlack) return {};
  std::string text = "the " + base::count_text(least, "group") + " asked for";
  if (const std::uint32_t spare = spare_groups(state); spare > 0) {
    text += spare == 1 && is_batched(state)
                ? " (one more than in the campaign, for the batches)"
                : " (" + std::to_string(spare) +
                      " more than in the campaign, in the place of groups that do not judge)";
  }
  return text + " will take about " + base::span_text(all_s) + ", " +
         base::span_text(all_s - *budget_s) + " beyond the budget of " + base::span_text(*budget_s);
}

std::string budget_over_text(const Prepared& prepared, const store::State& state,
                             const Spent& spent) {
  const std::optional<double> budget_s = prepared.campaign.budget_s;
  if (!budget_s || spent.groups_done < asked_launches(prepared, state).min ||
      spent.groups_done >= last_planned(state) ||
      spent.elapsed_s + spent.group_s <= *budget_s * kBudgetSlack) {
    return {};
  }
  return "the budget was over after " + base::span_text(spent.elapsed_s);
}

void check_budget_for_a_look(const Prepared& prepared) {
  // Groups here take a quarter longer than their estimate where nothing else runs.
  constexpr double kShare = 1.25;
  if (!is_sequential(prepared)) return;
  refuse_short_budget(prepared,
                      "the first look of a sequential campaign needs " +
                          base::count_text(stats::kLooks.front().launches, "launch group"),
                      kShare);
}

void check_budget_for_least(const Prepared& prepared) {
  if (is_sequential(prepared)) return check_budget_for_a_look(prepared);
  // Start-ups count most in such budgets, and were measured while engines were built: an estimate
  // that is less than twice as long as the budget refuses nothing, it is told (beyond_budget_text).
  constexpr double kShare = 0.5;
  if (prepared.campaign.has_program()) return;
  refuse_short_budget(
      prepared,
      "an answer needs " + base::count_text(prepared.campaign.launches.min, "launch group"),
      kShare);
}

}  // namespace invar::driver
