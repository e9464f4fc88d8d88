// Which launch group comes next, and the plan of those to come. Functions of what the campaign's
// directory says, so that a driver that goes on with a campaign plans as its first one would have.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "driver/prepare/prepare.hpp"
#include "record/arm_cell.hpp"
#include "record/plan.hpp"
#include "store/campaign_dir.hpp"

namespace invar::driver {

// The last group that is planned as yet; 0: none is.
std::uint32_t last_planned(const store::State& state);

// The first planned group that is not `finished`; none: all are.
std::optional<std::uint32_t> next_group(const store::State& state,
                                        const std::set<std::uint32_t>& finished);

// The plan that has the group. Throws UserError if none has.
const record::Plan& plan_of(const store::State& state, std::uint32_t group);

// What the complete groups took; 0: there is none.
double mean_group_s(const store::State& state);

// What the launch groups to come measure.
struct NextLaunches {
  std::uint32_t groups = 0;  // how many
  // What is measured no more, beside what is not chosen.
  std::vector<record::ArmCell> dropped = {};
  std::optional<std::uint32_t> rounds = {};  // none: the campaign's
  std::map<std::uint32_t, std::uint32_t> repetitions =
      {};  // by cell; else as predicted, else the campaign's
  // Cell::id of blocks to measure once more in the first of these groups; one for each block.
  std::vector<std::uint32_t> repeated = {};
};

// What decisions did not choose: no group judges it, and no plan after them has it.
std::vector<record::ArmCell> not_chosen(const Prepared& prepared, const store::State& state);

// The plan of the groups after `planned`, as the campaign's seed has them, in batches as decided:
// those of next[0] first, then those of next[1]. Every plan but the first one is made here.
record::Plan plan_after(const Prepared& prepared, const store::State& state, std::uint32_t planned,
                        std::span<const NextLaunches> next);
record::Plan plan_after(const Prepared& prepared, const store::State& state, std::uint32_t planned,
                        const NextLaunches& next);

// A program repeats as often as it likes: batches and repetitions are the engine's.
bool is_program(const Prepared& prepared, const record::PlanRow& row);

// Some cells are timed in batches, as decided after the pilot group.
bool is_batched(const store::State& state);

}  // namespace invar::driver
