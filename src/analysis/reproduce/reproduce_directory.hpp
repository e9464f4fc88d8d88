// A directory that `invar reproduce` made: what was set out to be measured, and what came of it.
#pragma once

#include <filesystem>
#include <vector>

#include "analysis/reproduce/reproduce.hpp"
#include "store/reproduction.hpp"

namespace invar::analysis {

// Throws UserError if the directory holds no reproduce.json, or one that names other methods than
// there are.
store::Reproduction reproduction_of(const std::filesystem::path& dir);

// This campaign of it has come to its end; false also where it was not begun.
bool has_ended(const std::filesystem::path& campaign);

// Directories of all campaigns that were begun, by repeat and method.
std::vector<std::filesystem::path> campaigns_of(const std::filesystem::path& dir);

// Reads every repeat that is whole. Throws CommandError (kIncomplete) if fewer than two are.
Reproduced reproduced_from(const std::filesystem::path& dir);

}  // namespace invar::analysis
