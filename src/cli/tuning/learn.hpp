// What must be known of a library before a table is written in its form: learned by probes, of
// exactly the operations that the table has.
#pragma once

#include <span>

#include "design/recipes/tune_candidates.hpp"
#include "launch/start/arms.hpp"
#include "store/manifest/manifest.hpp"
#include "tuning/decision_table.hpp"
#include "tuning/learned.hpp"

namespace invar::cli {

// Which number of bytes is compared, whether the file is read at all, and what an entry would break
// for programs that use more of MPI than a race does. `tried`: what was found of the algorithms
// before the race. Says on stderr what was learned. Throws UserError where the library does not
// read its file.
tuning::Learned learn(const launch::CheckedArm& arm, const design::TunedLibrary& library,
                      const tuning::DecisionTable& table, std::span<const store::TriedLevel> tried);

}  // namespace invar::cli
