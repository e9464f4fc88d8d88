// Builds the engine with a library's own compiler wrapper: every source compiled separately, as
// many at a time as there are CPUs, nothing compiled that has not changed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "launch/command.hpp"

namespace invar::launch {

struct BuildOrder {
  std::string name = {};  // of the profile, for messages
  std::string mpicxx = {};
  Environment environment = {};
  std::filesystem::path sources = {};     // engine_sources()
  std::filesystem::path operations = {};  // folder of the user's own; empty: none
  std::filesystem::path dir = {};         // the profile's: gets invar-engine and objects/
  std::string compiler_state = {};        // what changes when compiler, wrapper or library change
};

// Flags of every compilation.
const std::vector<std::string>& engine_flags();

// Changes with the content of any source of the engine and of the user's operations (a folder, or
// empty), with the flags and the compiler's state.
std::string engine_key(const std::filesystem::path& sources,
                       const std::filesystem::path& operations, const std::string& compiler_state);

// Throws UserError with the compiler's output if something does not compile or link, or with the
// faults of the user's list of operations; the engine that was there before stays then. Progress
// goes to stderr.
void build_engine(const BuildOrder& order);

}  // namespace invar::launch
