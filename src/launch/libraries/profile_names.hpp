// Which profiles there are: those on disk, and those of libraries that are new on this machine.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace invar::launch {

// Names of all profiles, sorted and `none` last, also of those that the user has made and this
// version cannot read. Writes down profiles for libraries that are new on this machine; of detected
// ones that are gone there is no name.
std::vector<std::string> known_names();

// Wrappers and libraries of detected profiles that the user has removed.
std::set<std::string> read_removed();
void write_removed(const std::set<std::string>& removed);

}  // namespace invar::launch
