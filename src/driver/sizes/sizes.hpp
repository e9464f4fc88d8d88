// Adaptive sizes: cells are born between launch groups where times over sizes bend or jump, until
// sizes are as near as they may come; then fresh groups judge all of them (docs/methods.md,
// "Adaptive sizes and steps").
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "driver/decide/decision.hpp"
#include "driver/prepare/prepare.hpp"
#include "store/campaign_dir.hpp"

namespace invar::driver {

// Some block of cells says so.
bool chooses_sizes(const Prepared& prepared);

// Nothing more is chosen: groups from now on judge. Also where no sizes were to be chosen.
bool sizes_are_chosen(const Prepared& prepared, const store::State& state);
// Choosing has begun, and goes on: plans are of what it needs, and have no number to reach.
bool sizes_are_being_chosen(const Prepared& prepared, const store::State& state);

// What to tell of a campaign that its budget ended (`why`) before any group judged the sizes that
// it chose, and what budget would be enough, probes included. Empty: some group judges, or none
// chose.
std::string cut_while_choosing_text(const StudySoFar& so_far, const std::string& why);

// Complete groups of the campaign that judge: none of those that chose.
std::vector<store::GroupOutcome> judging_groups(const store::State& state);

// What says that nothing is to be chosen, because the plan was given.
store::DecidedLine given_sizes();

// Operations that show which protocol a message takes: described at sealing.
std::vector<std::string> evidence_operations(const Prepared& prepared);
// Cells of these, as decided: no plan but their own has them.
std::vector<record::ArmCell> evidence_cells(const Prepared& prepared, const store::State& state);

// "adaptive sizes: begins with 41, ..."; empty: there are none.
std::string adaptive_text(const Prepared& prepared);

// "pingpong has 176 of at most 400, send has 176 of at most 400, 2 more"; `has`: the verb.
std::string counted_sizes_text(const Prepared& prepared, std::string_view has);

// When the groups of a round are measured (the first round is of the first groups of the campaign,
// however many are planned): the sizes that the next round adds, and groups of what that needs
// alone. At the end of choosing (nothing is left to be known, half of the budget is used, no group
// of a round was complete, a further round would leave no time for groups that judge) a few groups
// of one-way messages to a late receiver, where these are known and leave time for the groups that
// judge, and then these.
// Where the first groups alone took so long that no others could judge what they choose, nothing is
// chosen, and they judge. Throws UserError where the noise is above the tolerance.
Step decide_sizes(const StudySoFar& so_far);

// Rounds in all; more would no longer be choosing.
inline constexpr std::uint32_t kMostSizeRounds = 100;
// How late the receiver comes, inside of MPI, and groups that measure it.
inline constexpr std::string_view kLateReceiver = "last-late:200us:probing";
inline constexpr std::uint32_t kEvidenceGroups = 3;

}  // namespace invar::driver
