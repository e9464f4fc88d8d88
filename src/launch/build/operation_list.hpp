// The lists of operations: lines INVAR_OPERATION("name", kConstant) in alphabetical order, ours in
// src/ops/catalogue.def, a user's in operations.def.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace invar::launch {

// Our list and the user's (FOLDER/operations.def) as one. Throws UserError with every fault, its
// file and line: a folder without the list or without *.cpp, a line that is not an operation, a
// name that exists already.
std::string merged_operations(const std::filesystem::path& ours,
                              const std::filesystem::path& folder);

// Writes that to `merged`; a file that is right already is left alone.
void write_merged_operations(const std::filesystem::path& ours, const std::filesystem::path& folder,
                             const std::filesystem::path& merged);

// Names in FOLDER/operations.def, as merged_operations() has accepted them.
std::vector<std::string> own_operations(const std::filesystem::path& folder);

}  // namespace invar::launch
