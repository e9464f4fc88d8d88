// Sequential campaigns (stopping = "looks"): the only place where the driver looks at results. What
// it decides depends on the data and on what groups took, so that a driver that goes on with a
// campaign decides as its first one would have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "driver/decide/decision.hpp"
#include "driver/prepare/prepare.hpp"
#include "record/arm_cell.hpp"
#include "store/campaign_dir.hpp"

namespace invar::driver {

bool is_sequential(const Prepared& prepared);

// Complete groups that the next look waits for; none: all looks were taken.
std::optional<std::uint32_t> next_look_at(const Prepared& prepared, const store::State& state);

// `decided`: what is measured no more. Adds the visits that other
// suites have of cells of which none is left for that arm.
std::vector<record::ArmCell> with_other_suites(const design::ResolvedCells& resolved,
                                               std::vector<record::ArmCell> decided);

// Whenever the planned groups are measured: what is decided, and what comes next. A look is taken
// when enough groups are complete, or at what is there when no more will come: arms or budget are
// at their end. The plan of the next launches leaves out what is decided, failed or dropped, and
// has the rounds and repetitions that the first look found best.
Step decide_looks(const StudySoFar& so_far);

// Ends them before their time, `why` being told as the reason, with a look at what has come in
// since the last one. Nothing where they have ended.
Step end_looks(const StudySoFar& so_far, const std::string& why);

}  // namespace invar::driver
