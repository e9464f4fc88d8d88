// Libraries that are launched by hydra: MPICH and Intel MPI. Rows of kind.cpp point here.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "launch/libraries/profile.hpp"
#include "launch/process/command.hpp"
#include "launch/start/launcher.hpp"

namespace invar::launch {

std::vector<std::string> mpich_words(const Profile& profile, const StartOptions& options);
std::vector<std::string> intel_words(const Profile& profile, const StartOptions& options);
// What follows "MPICH configure:" ("MVAPICH2 configure:") in the library's own version.
std::string mpich_configured(const Profile& profile, std::string_view library_version);
Environment intel_environment(const StartOptions& options, const std::filesystem::path& scratch);
Environment intel_wheel_environment(const std::filesystem::path& venv);

}  // namespace invar::launch
