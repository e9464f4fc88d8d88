// What a driver decides under way: which group comes next, which cells are timed in batches, how
// many groups there will be. Functions of what the campaign's directory says and of what groups
// took, never of results, so that a driver that goes on with a campaign decides as its first one
// would have.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "driver/prepare/prepare.hpp"
#include "record/plan.hpp"
#include "store/campaign_dir.hpp"
#include "store/reader.hpp"

namespace invar::driver {

// The last group that is planned as yet; 0: none is.
std::uint32_t last_planned(const store::State& state);

// The first planned group that is not `finished`; none: all are.
std::optional<std::uint32_t> next_group(const store::State& state,
                                        const std::set<std::uint32_t>& finished);

// The plan that has the group. Throws UserError if none has.
const record::Plan& plan_of(const store::State& state, std::uint32_t group);

// What the launch groups to come measure.
struct NextLaunches {
  std::uint32_t groups = 0;  // how many
  // (Cell::id, index of the arm) that are measured no more.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> dropped = {};
  std::optional<std::uint32_t> rounds = {};                 // none: the campaign's
  std::map<std::uint32_t, std::uint32_t> repetitions = {};  // by cell; else the campaign's
  // Cell::id of blocks to measure once more in the first of these groups; one for each block.
  std::vector<std::uint32_t> repeated = {};
};

// The plan of the groups after `planned`, as the campaign's seed has them, in batches as decided.
// Every plan but the first one is made here.
record::Plan plan_after(const Prepared& prepared, const store::State& state, std::uint32_t planned,
                        const NextLaunches& next);

// Some cells are timed in batches, as decided after the pilot group.
bool is_batched(const store::State& state);

// How many groups the campaign asks for: one more where the pilot does not count for all cells.
design::Launches asked_launches(const Prepared& prepared, const store::State& state);

// Groups that failed before batches were decided: as they were planned they would not count.
// Only if is_batched().
std::vector<std::uint32_t> outdated_groups(const Prepared& prepared, const store::State& state);

// What takes the place of the groups after `done` where these do not follow the decision on batches
// yet; none: they do. Only if is_batched().
std::optional<record::Plan> batched_plan(const Prepared& prepared, const store::State& state,
                                         std::uint32_t done);

// What the campaign took until now.
struct Spent {
  std::uint32_t groups_done = 0;  // failed ones included
  double elapsed_s = 0;           // wall time of all its drivers
  double group_s = 0;             // of a typical complete group
};

struct GroupsDecision {
  std::uint32_t groups = 0;  // of the whole campaign
  std::string why = {};
  std::optional<record::Plan> more = {};  // of those that are not planned yet
};

// After the pilot group: how many groups the budget allows. Depends on its cost alone. None: that
// is decided. `pilot` reads what the pilot measured, where batches make later groups longer.
std::optional<GroupsDecision> decide_groups(const Prepared& prepared, const store::State& state,
                                            const Spent& spent,
                                            const std::function<store::Data()>& pilot);

// "the 3 groups asked for will take about 5 min, 4 min beyond the budget of 60 s": more groups may
// not be begun for the time, but the least number is kept. `group_s`: what each of the groups to
// come takes. Empty: the budget holds, or there is none.
std::string over_budget_text(const Prepared& prepared, const store::State& state,
                             const Spent& spent, double group_s);

// "in 7 of 12 groups: 'a' did not end ...": of a warning that was told when it came first.
std::string repeated_text(const std::string& warning, std::uint32_t groups,
                          std::uint32_t groups_complete);

// After every group: none, or to stop here because another one would exceed the budget by far.
std::optional<GroupsDecision> stop_over_budget(const Prepared& prepared, const store::State& state,
                                               const Spent& spent);

}  // namespace invar::driver
