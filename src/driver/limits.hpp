// How long things may take before they count as hung: far beyond what a slow moment explains, and
// short enough that nobody waits for hours. From the plan alone before anything is measured, then
// from what visits took.
#pragma once

#include <cstdint>
#include <map>

#include "driver/prepare.hpp"
#include "record/plan.hpp"

namespace invar::driver {

struct Limits {
  double visit_s = 0;    // of one visit, or of one cell's verification, without any sign of a rank
  double start_s = 0;    // of starting a group, and of ending it after its last visit
  double program_s = 0;  // of one run of a foreign program
  double group_s = 0;    // of all of it: where the driver cannot see the ranks
};

// `rows`: the group's. `longest_s`: by cell, the engine's longest visit so far; `longest_run_s`: of
// all programs, 0: none has ended as yet. The campaign's visit-limit overrules the one of the
// visits.
Limits limits_of(const Prepared& prepared, const record::Plan& rows,
                 const std::map<std::uint32_t, double>& longest_s, double longest_run_s = 0);

}  // namespace invar::driver
