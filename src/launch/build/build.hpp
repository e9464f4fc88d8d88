// Builds the engine, or another target, with a library's own compiler wrapper: as many compilations
// at a time as there are CPUs, nothing compiled that has not changed, and what knows no MPI not
// once more for every library.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "launch/build/build_order.hpp"
#include "record/launch_spec.hpp"

namespace invar::launch {

// The file that an engine is, in the folder of its profile.
using record::kEngineName;

// Compilations at a time: the CPUs that this process may use.
std::size_t compile_jobs();

// Flags of every compilation; `cxxflags` are the profile's own, separated by white space.
std::vector<std::string> engine_flags(const std::string& cxxflags);
// Finds mpi.h where BuildOrder::headers has it.
std::string headers_flag(const BuildOrder& order);

// Changes with the content of any source of the engine and of the user's operations (a folder, or
// empty), with the flags and the compiler's state.
std::string engine_key(const std::filesystem::path& sources,
                       const std::filesystem::path& operations, const std::string& compiler_state,
                       const std::string& cxxflags);

// Throws UserError that begins with the compiler's first complaint if something does not compile or
// link, or with the faults of the user's list of operations; what was built before stays then.
// Progress goes to stderr. Objects are taken from the profiles beside `dir`, if one was compiled
// from the same text with the same compiler, flags and, for sources that know MPI, the same
// library. Only one build at a time in one folder of profiles.
void build_engine(const BuildOrder& order);

}  // namespace invar::launch
