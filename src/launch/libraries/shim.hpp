// The library between a program and its MPI (src/shim): built with a profile's wrapper, preloaded
// into launches.
#pragma once

#include <filesystem>
#include <string_view>

#include "launch/libraries/profile.hpp"
#include "launch/process/command.hpp"

namespace invar::launch {

// libinvar-tuned.so for programs of the profile's library, in the profile's folder. Built if it is
// not there as it would be built now; progress goes to stderr. Throws UserError: what does not
// compile, or that something measures with the profile's engine at the moment (build before).
std::filesystem::path build_shim(const Profile& profile);

// What a launch's environment must have so that the program runs under the shim with that table:
// for StartOptions::environment, or as `env:` settings of an arm. Every kind of library hands it on
// to the ranks as it does with other variables (launch/kinds), also on other hosts; the launcher is
// preloaded, too, and does not mind. What the profile or our own environment preloads stays behind
// the shim. Absolute paths. Throws UserError where a path cannot stand in LD_PRELOAD.
Environment shim_environment(const Profile& profile, const std::filesystem::path& shim,
                             const std::filesystem::path& table);

// The setting is none of a library's, but loads the shim or tells it something: nobody need ask
// what the library made of it. `name` without `env:`.
bool is_of_shim(std::string_view name, std::string_view value);

}  // namespace invar::launch
