// From an arm to the order of a race: which library it is, what its settings decide, and what it
// can be told about.
#pragma once

#include <string>
#include <vector>

#include "design/recipes/tune_candidates.hpp"
#include "launch/start/arms.hpp"

namespace invar::cli {

// The arm's library as tuning knows it. Throws UserError: a library without tunables that are
// known, settings that no file can take the place of.
design::TunedLibrary tuned_library(const launch::CheckedArm& arm,
                                   const std::vector<std::string>& operations);

// "all", or names; of those that the library can be told about, that its engine knows.
std::vector<std::string> operations_to_tune(const launch::CheckedArm& arm,
                                            const std::vector<std::string>& words);

}  // namespace invar::cli
