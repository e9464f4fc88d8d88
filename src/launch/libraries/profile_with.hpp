// A library's profile once more, with operations of the user's in its engine.
#pragma once

#include <filesystem>
#include <string>

#include "launch/libraries/profile.hpp"

namespace invar::launch {

// The folder, as profiles name it. Throws UserError with every fault of it: what stands in it is no
// list of operations, or it is not there.
std::filesystem::path checked_operations(const std::filesystem::path& folder);

// The profile that starts `library` with the operations of this folder (as checked_operations() has
// given it): one that is there, whoever made it, or a new one, LIBRARY-FOLDER, that stays until it
// is removed by name. Builds its engine if it must be, not that of the library itself. Throws
// UserError.
Profile profile_with(const std::string& library, const std::filesystem::path& operations);

}  // namespace invar::launch
