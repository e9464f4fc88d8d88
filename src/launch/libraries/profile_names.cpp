#include "launch/libraries/profile_names.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "launch/libraries/install.hpp"
#include "launch/libraries/no_library.hpp"
#include "launch/libraries/profile_file.hpp"
#include "launch/libraries/toolchain.hpp"
#include "launch/process/files.hpp"
#include "launch/process/paths.hpp"

namespace invar::launch {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// Takes away what is left of an `mpi add` that a crash of the machine cut off, so that Cleaner
// could not.
void remove_unfinished_profiles() {
  std::vector<fs::path> unfinished;
  std::error_code error;
  for (fs::directory_iterator entry(profiles_dir(), error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename().string().starts_with(kUnfinished)) {
      unfinished.push_back(entry->path());
    }
  }
  if (unfinished.empty()) return;
  // Held as long as a profile is made.
  const FileLock lock(profiles_dir() / ".lock");
  if (!lock) return;
  for (const fs::path& folder : unfinished) fs::remove_all(folder, error);
}

fs::path removed_file() { return invar_home() / "removed.json"; }

// "openmpi", then "openmpi-5.0.11", then "openmpi-2".
std::string free_name(const Toolchain& toolchain, const std::set<std::string>& taken) {
  std::string family = toolchain.family == "other" ? "mpi" : toolchain.family;
  if (!taken.contains(family)) return family;
  std::string with_version = family + "-" + toolchain.version;
  if (!toolchain.version.empty() && !taken.contains(with_version)) return with_version;
  for (int number = 2;; ++number) {
    std::string name = family + "-" + std::to_string(number);
    if (!taken.contains(name)) return name;
  }
}

}  // namespace

std::set<std::string> read_removed() {
  std::set<std::string> removed;
  const auto text = base::read_file(removed_file().string());
  const Json json = Json::parse(text.value_or("[]"), nullptr, false);
  for (const Json& one : json.is_array() ? json : Json::array()) {
    if (one.is_string()) removed.insert(one.get<std::string>());
  }
  return removed;
}

void write_removed(const std::set<std::string>& removed) {
  // Names of folders are any bytes.
  const std::string text = Json(removed).dump(1, ' ', false, Json::error_handler_t::replace);
  write_atomically(removed_file(), text + "\n");
}

std::vector<std::string> known_names() {
  remove_unfinished_installs();
  remove_unfinished_profiles();
  std::vector<Toolchain> detected = detect_toolchains();
  std::vector<std::string> names = stored_names();
  // A library may be found by another wrapper when PATH changes: both count.
  std::set<std::string> known = read_removed();
  std::set<std::string> taken(names.begin(), names.end());
  std::vector<std::string> present;
  std::vector<std::string> damaged;
  for (const std::string& name : names) {
    const auto stored = read_profile(profiles_dir() / name);
    if (!stored) {
      const UnreadProfile unread = read_unread_profile(profiles_dir() / name);
      if (unread.profile && !unread.profile->detected) {
        // What the user has made is the user's to mend, see find_profile().
        present.push_back(name);
        if (unread.profile->venv.empty()) continue;
        known.insert(unread.profile->mpicxx);
        known.insert(unread.library);
        continue;
      }
      // A library that is detected gets the name that it had before an upgrade.
      taken.erase(name);
      if (!unread.profile) damaged.push_back(name);
      continue;
    }
    // A detected library that was uninstalled is gone, too; one that was added by hand is missed.
    if (stored->profile.detected && !find_program(stored->profile.mpicxx)) {
      // What is built in is made of another compiler then.
      if (is_alone(name)) taken.erase(name);
      continue;
    }
    present.push_back(name);
    // An installed one may be on PATH, too, in an activated virtual environment.
    if (stored->profile.detected || !stored->profile.venv.empty()) {
      known.insert(stored->profile.mpicxx);
      known.insert(stored->toolchain.library);
    }
  }
  for (const Toolchain& toolchain : detected) {
    if (known.contains(toolchain.mpicxx) || known.contains(toolchain.library)) continue;
    const std::string name = free_name(toolchain, taken);
    StoredProfile stored;
    stored.profile.name = name;
    stored.profile.mpicxx = toolchain.mpicxx;
    stored.profile.mpirun = toolchain.mpirun;
    stored.profile.family = toolchain.family;
    stored.profile.detected = true;
    stored.toolchain = toolchain;
    if (std::find(damaged.begin(), damaged.end(), name) != damaged.end()) {
      std::fprintf(stderr, "%s: its profile.json is damaged; the name is now that of %s\n",
                   name.c_str(), toolchain.mpicxx.c_str());
    }
    write_profile(profiles_dir() / name, stored);
    taken.insert(name);
    present.push_back(name);
  }
  // Built in, unless somebody has given that name to a library.
  if (!taken.contains(std::string(kNoLibrary))) {
    if (const auto none = no_library_profile(known)) {
      write_profile(profiles_dir() / kNoLibrary, *none);
      present.emplace_back(kNoLibrary);
      taken.emplace(kNoLibrary);
    }
  }
  for (const std::string& name : damaged) {
    if (!taken.contains(name)) present.push_back(name);
  }
  // It comes behind all libraries.
  std::ranges::sort(present, {}, [](const std::string& name) {
    return std::pair(name == kNoLibrary, std::string_view(name));
  });
  return present;
}

}  // namespace invar::launch
