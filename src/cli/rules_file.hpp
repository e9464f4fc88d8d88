// Files of guidelines as commands name them.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "design/rules/guideline.hpp"

namespace invar::cli {

// A file, or the name of one that comes with Invar. Throws UserError, naming --rules.
std::string rules_file(const std::string& word);

// Throws UserError: cannot be read, or every fault of what it says.
std::vector<design::Guideline> read_rules(const std::string& path);
// The rules that can be read; the faults of all others are added. Throws UserError: cannot be read.
std::vector<design::Guideline> read_rules(const std::string& path, base::Faults& faults);

}  // namespace invar::cli
