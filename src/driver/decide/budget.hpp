// Whether a campaign's budget is enough: before it begins only where it surely is not, then by what
// groups really took. A budget is a limit: what would not end in time is not begun.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "driver/prepare/prepare.hpp"
#include "store/campaign_dir.hpp"

namespace invar::driver {

// What the campaign took until now.
struct Spent {
  std::uint32_t groups_done = 0;  // failed ones included
  double elapsed_s = 0;           // wall time of all its drivers
  double group_s = 0;             // of a typical complete group
  double most_s = 0;              // that another group may well take
  std::uint32_t waiting = 0;      // groups that failed and are to be tried once more
  // Why nothing further can end in time, whatever groups took before; empty: they tell.
  std::string cut = {};
};

// What groups take that are still to come, by those that are complete.
struct GroupTime {
  double typical_s = 0;
  double most_s = 0;
};

// `seconds`: of complete groups, in their order. Only the latest ones tell, because machines get
// busy and groups of a sequential campaign get shorter. None: `expected_s`.
GroupTime group_time(std::span<const double> seconds, double expected_s);

// When the last group must have ended, after the budget's start: 21/20 of a budget of half a minute
// or more. What is left of a tenth more than the budget is for ending processes and for the answer,
// and of shorter budgets 1.5 s at least. None: there is no budget.
std::optional<double> latest_end_s(const Prepared& prepared);
double latest_end_s(double budget_s);

// "the 3 groups asked for would take about 5 min, and the budget of 60 s ends before: ...".
// `group_s`: what each of the groups to come takes. Empty: the budget holds, or there is none.
std::string over_budget_text(const Prepared& prepared, const store::State& state,
                             const Spent& spent, double group_s);

// "the budget of 60 s is over after 58 s: another group takes about 4 s": no further group is
// begun. Empty: one more ends in time, or none is planned.
std::string budget_over_text(const Prepared& prepared, const store::State& state,
                             const Spent& spent);

// What to tell of a campaign that its budget ended (`why`) before it had as many groups as it asks
// for at least, with a budget that would be enough. `complete`: groups. Empty: it had.
std::string cut_short_text(const Prepared& prepared, const store::State& state, const Spent& spent,
                           std::uint32_t complete, const std::string& why);

// Throws UserError if the budget is surely too short for the least number of groups (of a
// sequential campaign: for its first look), saying what would be enough. The estimate of a plan
// refuses nothing, because groups may take a tenth of it: start-ups alone do, which were measured
// when engines were built. Nothing is known beforehand of foreign programs.
void check_budget_for_least(const Prepared& prepared);

// Likewise, of sequential campaigns only: in others `launches` may be what the user wrote, and what
// fits is measured.
void check_budget_for_a_look(const Prepared& prepared);

// The least number of groups takes longer than this: their start-ups, on a machine four times as
// fast as when they were measured.
double surely_needed_s(const Prepared& prepared);

}  // namespace invar::driver
