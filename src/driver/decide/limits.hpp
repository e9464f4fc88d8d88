// How long things may take before they count as hung: far beyond what a slow moment explains, and
// short enough that nobody waits for hours. From the plan alone before anything is measured, then
// from what visits took.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "driver/prepare/prepare.hpp"
#include "record/plan.hpp"

namespace invar::driver {

struct Limits {
  double visit_s = 0;    // of one visit, or of one cell's verification, without any sign of a rank
  double start_s = 0;    // of starting a group, of its clocks, of ending it after its last visit
  double program_s = 0;  // of one run of a foreign program
  double group_s = 0;    // of all of it: where the driver cannot see the ranks
};

// What a foreign program's first runs may take: nothing else is known of them.
struct RunsAhead {
  double longest_s = 0;               // of all runs of programs so far; 0: none has ended as yet
  std::optional<double> left_s = {};  // of the budget; none: there is no budget
  std::uint32_t groups = 1;           // at least so many are still to be measured
};

// `rows`: the group's. `longest_s`: by cell, the engine's longest visit so far; Runs of
// programs share what is left of the budget, 10 s each at least, until one has ended. The
// campaign's visit-limit overrules the ones of visits and runs.
Limits limits_of(const Prepared& prepared, const record::Plan& rows,
                 const std::map<std::uint32_t, double>& longest_s, const RunsAhead& runs = {});

}  // namespace invar::driver
