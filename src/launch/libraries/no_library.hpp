// The profile for where there is no MPI library: our own mpi.h of one process, and the compiler
// that is there.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "launch/libraries/profile_file.hpp"
#include "record/memory/levels.hpp"

namespace invar::launch {

using record::kNoLibrary;

// Nothing where there is no compiler, or no `env`, in PATH. `wrappers`: paths of libraries'
// wrappers, which are no compiler for this, though CXX may name one.
std::optional<StoredProfile> no_library_profile(const std::set<std::string>& wrappers);

// The library of that profile is none (LibraryKind::alone); builds nothing, and false where there
// is no such profile.
bool is_alone(const std::string& name);

}  // namespace invar::launch
