// Files that the settings of an arm name: rules, selection trees, preloaded libraries. They are as
// much a part of what is measured as the library itself.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "launch/process/command.hpp"

namespace invar::launch {

// Absolute paths of files that are read and there, each once, in the order of the settings. Where a
// value is a list with colons, as LD_PRELOAD has it, each of its items.
std::vector<std::string> named_files(const Environment& environment);

// Gives the files that people write relative to `folder` their whole path: those of a simulator's
// machine. What a library reads itself must be whole as it is written (missing_files).
void find_files(Environment& settings, const std::filesystem::path& folder);

// A variable whose value is a file that is read, and no such file. Where a file should be written
// nobody knows whether it will be.
struct MissingFile {
  std::string variable = {};
  std::string file = {};
};
std::vector<MissingFile> missing_files(const Environment& environment);

}  // namespace invar::launch
