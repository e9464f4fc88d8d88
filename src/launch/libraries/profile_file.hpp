// A profile on disk: profiles/NAME/profile.json in invar_home(), beside the engine.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "launch/libraries/profile.hpp"
#include "launch/libraries/toolchain.hpp"

namespace invar::launch {

// A profile and what tells whether it still holds.
struct StoredProfile {
  Profile profile = {};
  Toolchain toolchain = {};
  std::string engine_key = {};  // of the sources that the engine was built from
  std::string engine_stamp = {};
  std::map<std::string, std::string> stamps = {};  // library -> stamp when its checksum was taken
  // Why it cannot be used, found at the state `failure_key`; empty: it can.
  std::string failure = {};
  std::string failure_key = {};
};

std::filesystem::path profiles_dir();

// What the folder of a profile that is being made begins with; its name follows.
constexpr const char* kUnfinished = ".new-";

// Nothing if there is none or it cannot be read.
std::optional<StoredProfile> read_profile(const std::filesystem::path& dir);

// What can be told of a file that read_profile() does not read.
struct UnreadProfile {
  // Who made it, and of what: name, detected, and what it was added with. Empty: no version of
  // Invar has written this.
  std::optional<Profile> profile = {};
  std::string library = {};  // as in Toolchain; may be empty
  std::string why = {};      // "it was written by another version of Invar (schema 1, here 2)"
};
UnreadProfile read_unread_profile(const std::filesystem::path& dir);

void write_profile(const std::filesystem::path& dir, const StoredProfile& stored);

// Names of the folders in profiles_dir() that hold a profile, sorted.
std::vector<std::string> stored_names();

}  // namespace invar::launch
