#include "driver/decide/budget.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "driver/decide/groups.hpp"
#include "driver/decide/looks.hpp"
#include "driver/decide/plans.hpp"
#include "stats/decide/sequential.hpp"

namespace invar::driver {
namespace {

// The end of a run, answer included, is to be at most a tenth after its budget. Data, and so what
// is done with them at the end, grow with the budget; ending processes does not.
constexpr double kLatestRun = 1.1;
constexpr double kAnswerShare = 0.05;
constexpr double kLeastAnswerS = 1.5;
constexpr double kLeastShare = 0.7;
constexpr std::size_t kRecentGroups = 5;
// Until several groups have shown how much they differ.
constexpr double kSpreadOfOne = 1.25;
constexpr double kLeastSpread = 1.05;
// On top of what is expected to be needed, where somebody is told how much to give.
constexpr double kEnough = 1.5;

// `what` needs the least number of groups.
void refuse_short_budget(const Prepared& prepared, const std::string& what) {
  const std::optional<double> budget_s = prepared.campaign.budget_s;
  if (!budget_s || prepared.campaign.has_program()) return;
  if (surely_needed_s(prepared) <= *budget_s) return;
  // What is said to be needed is more than the budget that is refused.
  const double least_s = std::max(*budget_s, least_seconds(prepared));
  throw base::UserError(prepared.place,
                        what + ", about " + base::span_text(std::ceil(least_s)) +
                            " (a rough estimate), and the budget is " + base::span_text(*budget_s),
                        "take a budget of " + base::span_text(std::ceil(kEnough * least_s)) +
                            ", or fewer cells, rounds or repetitions");
}

}  // namespace

GroupTime group_time(std::span<const double> seconds, double expected_s) {
  if (seconds.empty()) return {.typical_s = expected_s, .most_s = kSpreadOfOne * expected_s};
  const auto last = seconds.last(std::min(kRecentGroups, seconds.size()));
  std::vector<double> sorted(last.begin(), last.end());
  std::ranges::sort(sorted);
  const double typical_s = sorted[sorted.size() / 2];
  if (sorted.size() == 1) return {.typical_s = typical_s, .most_s = kSpreadOfOne * typical_s};
  return {.typical_s = typical_s, .most_s = std::max(sorted.back(), kLeastSpread * typical_s)};
}

std::optional<double> latest_end_s(const Prepared& prepared) {
  if (!prepared.campaign.budget_s) return std::nullopt;
  return latest_end_s(*prepared.campaign.budget_s);
}

double latest_end_s(double budget_s) {
  return std::max(kLeastShare * budget_s,
                  kLatestRun * budget_s - std::max(kLeastAnswerS, kAnswerShare * budget_s));
}

std::string over_budget_text(const Prepared& prepared, const store::State& state,
                             const Spent& spent, double group_s) {
  const std::optional<double> budget_s = prepared.campaign.budget_s;
  const std::uint32_t least = asked_launches(prepared, state).min;
  if (!budget_s || spent.groups_done >= least) return {};
  const double all_s = spent.elapsed_s + group_s * (least - spent.groups_done);
  if (all_s <= *latest_end_s(prepared)) return {};
  std::string text = "the " + base::count_text(least, "group") + " asked for";
  if (const std::uint32_t spare = spare_groups(state); spare > 0) {
    const bool chose = std::ranges::any_of(
        state.decided, [](const store::DecidedLine& line) { return !line.not_judging.empty(); });
    text += " (" + (spare == 1 ? std::string("one") : std::to_string(spare)) +
            " more than in the campaign, ";
    text += !chose       ? "for the batches)"
            : spare == 1 ? "in the place of one that does not judge)"
                         : "in the place of groups that do not judge)";
  }
  return text + " would take about " + base::span_text(std::ceil(all_s)) + ", and the budget is " +
         base::span_text(*budget_s) + ": what ends in time is measured";
}

std::string budget_over_text(const Prepared& prepared, const store::State& state,
                             const Spent& spent) {
  const std::optional<double> budget_s = prepared.campaign.budget_s;
  if (!budget_s || spent.groups_done >= last_planned(state)) return {};
  const double ahead_s = spent.most_s + spent.waiting * spent.group_s;
  if (spent.cut.empty() && spent.elapsed_s + ahead_s <= *latest_end_s(prepared)) return {};
  const std::string over = "the budget of " + base::span_text(*budget_s) + " is over after " +
                           base::span_text(spent.elapsed_s);
  if (!spent.cut.empty()) return over + ": " + spent.cut;
  return over +
         (spent.group_s > 0 ? ": another group takes about " + base::span_text(spent.group_s) : "");
}

std::string cut_short_text(const Prepared& prepared, const store::State& state, const Spent& spent,
                           std::uint32_t complete, const std::string& why) {
  const std::uint32_t least = asked_launches(prepared, state).min;
  if (complete >= least) return {};
  std::string text = why + ", and ";
  text += complete == 0 ? "no launch group is complete"
                        : "only " + std::to_string(complete) + " of the " +
                              base::count_text(least, "launch group") + " asked for " +
                              (complete == 1 ? "is" : "are") + " complete";
  // One that was dropped has shown that groups may take as long.
  const double group_s = spent.cut.empty() ? spent.group_s : std::max(spent.group_s, spent.most_s);
  if (!(group_s > 0)) return text;
  const double enough_s =
      kEnough * std::max(group_s * least, prepared.campaign.budget_s.value_or(0));
  return text + "; a budget of about " + base::span_text(std::ceil(enough_s)) + " would be enough";
}

double surely_needed_s(const Prepared& prepared) {
  constexpr double kSurely = 0.25;
  const std::vector<double> startups_s = startup_s(prepared);
  const double longest_s = startups_s.empty() ? 0 : std::ranges::max(startups_s);
  return kSurely * longest_s * prepared.campaign.launches.min;
}

void check_budget_for_a_look(const Prepared& prepared) {
  if (!is_sequential(prepared)) return;
  refuse_short_budget(prepared,
                      "the first look of a sequential campaign needs " +
                          base::count_text(stats::kLooks.front().launches, "launch group"));
}

void check_budget_for_least(const Prepared& prepared) {
  if (is_sequential(prepared)) return check_budget_for_a_look(prepared);
  refuse_short_budget(
      prepared,
      "an answer needs " + base::count_text(prepared.campaign.launches.min, "launch group"));
}

}  // namespace invar::driver
