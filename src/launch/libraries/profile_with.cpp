#include "launch/libraries/profile_with.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <set>
#include <vector>

#include "base/error.hpp"
#include "launch/build/operation_list.hpp"
#include "launch/libraries/profile_add.hpp"
#include "launch/libraries/profile_file.hpp"
#include "launch/libraries/profile_make.hpp"
#include "launch/libraries/profile_names.hpp"
#include "launch/process/paths.hpp"

namespace invar::launch {
namespace {

namespace fs = std::filesystem;

// Started the same way, and built alike but for the operations.
bool is_same_library(const Profile& one, const Profile& other) {
  return one.mpicxx == other.mpicxx && one.mpirun == other.mpirun &&
         one.environment == other.environment && one.launch_template == other.launch_template &&
         one.cxxflags == other.cxxflags;
}

// "openmpi-own-operations", and with a number where that is another profile.
std::string new_name(const std::string& library, const fs::path& operations) {
  constexpr std::size_t kLongest = 60;
  std::string name = library + "-";
  for (const char letter : operations.filename().string()) {
    const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                       (letter >= '0' && letter <= '9') || letter == '_' || letter == '.';
    name += plain ? letter : '-';
  }
  name = name.substr(0, kLongest);
  const std::vector<std::string> names = known_names();
  const std::set<std::string> taken(names.begin(), names.end());
  if (!taken.contains(name)) return name;
  for (int number = 2;; ++number) {
    std::string numbered = name + "-" + std::to_string(number);
    if (!taken.contains(numbered)) return numbered;
  }
}

// What the library is made of; it need not have been built.
Profile plain_profile(const std::string& library) {
  const std::vector<std::string> names = known_names();
  if (std::ranges::find(names, library) != names.end()) {
    const auto stored = read_profile(profiles_dir() / library);
    // One that shares an engine learns its wrapper when it is made.
    if (stored && !stored->profile.mpicxx.empty()) return stored->profile;
  }
  return find_profile(library);
}

// The name of the profile that is this library with these operations, if there is one.
std::optional<std::string> stored_with(const Profile& plain, const fs::path& operations) {
  for (const std::string& name : stored_names()) {
    const auto stored = read_profile(profiles_dir() / name);
    if (stored && stored->profile.operations_dir == operations &&
        is_same_library(stored->profile, plain)) {
      return name;
    }
  }
  return std::nullopt;
}

}  // namespace

fs::path checked_operations(const fs::path& folder) {
  merged_operations(engine_sources() / "ops" / "catalogue.def", folder);
  return fs::canonical(folder);
}

Profile profile_with(const std::string& library, const fs::path& operations) {
  const Profile plain = plain_profile(library);
  if (!plain.operations_dir.empty()) {
    if (plain.operations_dir == operations) return find_profile(library);
    throw base::UserError(
        "--ops",
        "'" + library + "' has the operations of " + plain.operations_dir.string() + " already",
        "name the library that it was made of, or leave --ops out");
  }
  if (const auto name = stored_with(plain, operations)) return find_profile(*name);
  const CountsAsMaking making;
  Profile made;
  while (made.name.empty()) {
    const std::string name = new_name(library, operations);
    try {
      made = add_profile({.name = name,
                          .mpicxx = plain.mpicxx,
                          .mpirun = plain.mpirun,
                          .environment = plain.environment,
                          .launch_template = plain.launch_template,
                          .cxxflags = plain.cxxflags,
                          .operations_dir = operations,
                          .made_by_race = true});
    } catch (const base::UserError&) {
      // While this one waited, another process may have made it, or something else of that name.
      if (const auto theirs = stored_with(plain, operations)) return find_profile(*theirs);
      if (new_name(library, operations) == name) throw;
    }
  }
  std::fprintf(stderr,
               "%s with the operations of %s is the profile '%s' from now on ('invar mpi remove "
               "%s' forgets it)\n",
               library.c_str(), operations.c_str(), made.name.c_str(), made.name.c_str());
  return made;
}

}  // namespace invar::launch
