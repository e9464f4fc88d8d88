// Whether a campaign's budget is enough: before it begins by an estimate, then by what groups took.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "driver/prepare/prepare.hpp"
#include "store/campaign_dir.hpp"

namespace invar::driver {

// What the campaign took until now.
struct Spent {
  std::uint32_t groups_done = 0;  // failed ones included
  double elapsed_s = 0;           // wall time of all its drivers
  double group_s = 0;             // of a typical complete group
};

// "the 3 groups asked for will take about 5 min, 4 min beyond the budget of 60 s": more groups may
// not be begun for the time, but the least number is kept. `group_s`: what each of the groups to
// come takes. Empty: the budget holds, or there is none.
std::string over_budget_text(const Prepared& prepared, const store::State& state,
                             const Spent& spent, double group_s);

// "the budget was over after 66 s": the least number of groups is there, and another one would
// exceed the budget by far. Empty: it would not, or none is planned.
std::string budget_over_text(const Prepared& prepared, const store::State& state,
                             const Spent& spent);

// Throws UserError if the budget does not reach to the first look by the estimate of what a group
// costs, and a quarter more, saying what would be enough. Only of sequential campaigns.
void check_budget_for_a_look(const Prepared& prepared);

// The same for half of what the least number of groups costs, of campaigns whose user did not ask
// for that number: who did gets it, whatever the budget. Nothing is known beforehand of foreign
// programs.
void check_budget_for_least(const Prepared& prepared);

}  // namespace invar::driver
