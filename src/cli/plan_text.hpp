// What a campaign will do: for `invar plan`, and for commands that are only to say so.
#pragma once

#include "driver/prepare/prepare.hpp"
#include "record/plan.hpp"

namespace invar::cli {

// To stdout. `plan`: its rows so far; `as_planned`: there will be no others.
void print_plan(const driver::Prepared& prepared, const record::Plan& plan, bool as_planned);

}  // namespace invar::cli
