// Makes a profile usable on this machine: looks at its library, builds the engine, tries it on two
// ranks; and tells whether that still holds.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "launch/build/build_order.hpp"
#include "launch/libraries/profile_file.hpp"

namespace invar::launch {

// Adds its life to what making_ready_s() of profile.hpp tells.
class CountsAsMaking {
 public:
  CountsAsMaking() = default;
  CountsAsMaking(const CountsAsMaking&) = delete;
  CountsAsMaking& operator=(const CountsAsMaking&) = delete;
  ~CountsAsMaking();

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// Inspects, builds into `dir` and probes: fills in everything that is not given by the user. What
// is built already and still holds is not built again. Throws UserError.
void make_profile(StoredProfile& stored, const std::filesystem::path& dir,
                  const std::filesystem::path& sources);

// How its engine is built, by what was last known of its toolchain.
BuildOrder build_order(const StoredProfile& stored, const std::filesystem::path& dir,
                       const std::filesystem::path& sources);

// Flags of its engine's compilations, behind those of all engines: of the library's kind, and the
// profile's own.
std::string own_flags(const StoredProfile& stored);

// What the stored state must equal for a failure to be still the same one.
std::string current_key(const StoredProfile& stored, const std::filesystem::path& sources);

// The engine is there as it was built, from these sources, and so are its libraries.
bool is_ready(const StoredProfile& stored, const std::filesystem::path& sources);

// Libraries whose content is not what it was, as lines for the user, each after a line feed; empty:
// none.
std::string changed_libraries(const StoredProfile& stored);

// The library for the MPI-5 ABI that the profile's engine maps; empty if it maps another.
std::string abi_library(const Profile& profile);

}  // namespace invar::launch
