// Sequential campaigns (stopping = "looks"): the only place where the driver looks at results. What
// it decides depends on the data and on what groups took, so that a driver that goes on with a
// campaign decides as its first one would have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "driver/decide/decisions.hpp"
#include "driver/prepare/prepare.hpp"
#include "record/plan.hpp"
#include "store/campaign_dir.hpp"
#include "store/reader.hpp"

namespace invar::driver {

bool is_sequential(const Prepared& prepared);

// Complete groups that the next look waits for; none: all looks were taken.
std::optional<std::uint32_t> next_look_at(const Prepared& prepared, const store::State& state);

// What follows when no planned group is left to be measured, or no more should be.
struct LookStep {
  std::optional<store::LookLine> look = {};  // to be noted, before the plan
  std::optional<record::Plan> more = {};     // the next launches
  double group_s = 0;                        // what one of their groups should take
  std::string end = {};                      // why the campaign ends here; empty: it goes on
  std::string warning = {};                  // of an end that leaves something open
  std::string say = {};                      // what the look found, for who is watching
};

// `stop`: why no further group may begin, whatever is undecided ("the budget of 60 s is over");
// empty: the budget alone decides. A look is taken when enough groups are complete, or at what is
// there when no more will come. The plan of the next launches leaves out what is decided, failed or
// dropped, and has the rounds and repetitions that the first look found best.
LookStep look(const Prepared& prepared, const store::State& state, const store::Data& measured,
              const Spent& spent, const std::string& stop);

// `decided`: what is measured no more, (Cell::id, index of the arm). Adds the visits that other
// suites have of cells of which none is left for that arm.
std::vector<std::pair<std::uint32_t, std::uint32_t>> with_other_suites(
    const design::ResolvedCells& resolved,
    std::vector<std::pair<std::uint32_t, std::uint32_t>> decided);

// Throws UserError if the budget does not reach to the first look by the estimate of what a group
// costs, and a quarter more, saying what would be enough. Only of sequential campaigns.
void check_budget_for_a_look(const Prepared& prepared);

// The same for half of what the least number of groups costs, of campaigns whose user did not ask
// for that number: who did gets it, whatever the budget. Nothing is known beforehand of foreign
// programs.
void check_budget_for_least(const Prepared& prepared);

}  // namespace invar::driver
