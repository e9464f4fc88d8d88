#include "launch/libraries/profile.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "launch/build/build_time.hpp"
#include "launch/kinds/kind.hpp"
#include "launch/libraries/engine_use.hpp"
#include "launch/libraries/install.hpp"
#include "launch/libraries/no_library.hpp"
#include "launch/libraries/profile_add.hpp"
#include "launch/libraries/profile_file.hpp"
#include "launch/libraries/profile_make.hpp"
#include "launch/libraries/profile_names.hpp"
#include "launch/process/files.hpp"
#include "launch/process/paths.hpp"

namespace invar::launch {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInstall =
    "apt-get install -y openmpi-bin libopenmpi-dev mpich libmpich-dev, or name one that is "
    "elsewhere: invar mpi add NAME --mpicxx WRAPPER --mpirun LAUNCHER";

constexpr const char* kInUse =
    "something measures with its engine, which would have to be made anew, because its sources, "
    "its compiler or its library have changed: try again when that has ended, or with another "
    "INVAR_HOME";

// What makes a profile of this name, "mpich-5", as it may have been before it was removed; empty:
// nothing is known to.
std::string install_command(const std::string& name) {
  for (const std::string& library : installable_libraries()) {
    const std::string begin = library + "-";
    if (name == library && wheel_profile_name(library, "") == library) {
      return "invar mpi install " + library;
    }
    if (!name.starts_with(begin)) continue;
    std::string version = name.substr(begin.size());
    const bool abi = version.ends_with("-abi");
    if (abi) version.resize(version.size() - 4);
    if (version.empty() || version.find_first_not_of("0123456789.") != std::string::npos) continue;
    // "5" is the newest one; a whole version is asked for.
    const bool whole = version.find('.') != std::string::npos;
    return "invar mpi install " + library + (whole ? " " + version : "") + (abi ? " --abi" : "");
  }
  return {};
}

// A profile that this version cannot read: what it was made of, and how to make it anew.
StoredProfile unreadable(const fs::path& dir) {
  const UnreadProfile unread = read_unread_profile(dir);
  StoredProfile stored;
  stored.profile = unread.profile.value_or(Profile{});
  stored.profile.name = dir.filename().string();
  const Profile& profile = stored.profile;
  std::string anew = profile.wheel.empty() ? "" : install_command(profile.name);
  if (anew.empty()) {
    anew = "invar mpi add " + profile.name;
    if (!profile.engine_of.empty()) anew += " --abi";
    if (!profile.mpicxx.empty()) anew += " --mpicxx " + base::shell_quoted(profile.mpicxx);
    if (!profile.mpirun.empty()) anew += " --mpirun " + base::shell_quoted(profile.mpirun);
    anew += unread.profile ? added_with(profile) : " ...";
  }
  stored.failure = unread.why + "; make it anew: invar mpi remove " + profile.name + " && " + anew;
  return stored;
}

// Nothing is to be made: it can be used, or it is known that it cannot.
bool is_settled(const StoredProfile& stored, const fs::path& sources, bool again) {
  if (!stored.failure.empty()) {
    return !again && stored.failure_key == current_key(stored, sources);
  }
  return is_ready(stored, sources);
}

// Before the first of several engines is built, how long they take together. Each says it of itself
// as well.
void tell_builds(const std::vector<std::string>& names, bool again) {
  const fs::path sources = engine_sources();
  std::vector<std::string> missing;
  std::vector<BuildOrder> orders;
  for (const std::string& name : names) {
    const auto stored = read_profile(profiles_dir() / name);
    // Those that share an engine build none.
    if (!stored || !stored->profile.engine_of.empty() || is_settled(*stored, sources, again) ||
        engine_in_use(stored->profile.engine)) {
      continue;
    }
    missing.push_back(name);
    orders.push_back(build_order(*stored, profiles_dir() / name, sources));
  }
  if (missing.size() < 2) return;
  const std::string last = missing.back();
  missing.pop_back();
  std::fprintf(stderr, "the engines of %s and %s are built, once: about %s in all\n",
               base::join(missing, ", ").c_str(), last.c_str(),
               base::span_text(std::ceil(seconds_to_build(orders))).c_str());
}

// The profile, made ready if it is not. A failure is kept, so that it is not repeated at every
// call; `again` tries nevertheless. That its engine is in use is told, and not kept.
StoredProfile ensure(const std::string& name, bool again) {
  const fs::path dir = profiles_dir() / name;
  const fs::path sources = engine_sources();
  const auto ready = [&](const std::optional<StoredProfile>& stored) {
    return stored && is_settled(*stored, sources, again);
  };
  std::optional<StoredProfile> stored = read_profile(dir);
  std::error_code ignored;
  if (!stored && fs::exists(dir / "profile.json", ignored)) return unreadable(dir);
  if (stored && !stored->profile.engine_of.empty()) ensure(stored->profile.engine_of, again);
  if (!ready(stored)) {
    const CountsAsMaking making;
    const FileLock lock(profiles_dir() / ".lock",
                        "another invar builds an engine at the moment, waiting for it");
    stored = read_profile(dir);
    if (!stored) {
      throw base::UserError("profile " + name, "it was removed meanwhile");
    }
    if (!ready(stored)) {
      if (engine_in_use(stored->profile.engine)) {
        stored->failure = kInUse;
        return *stored;
      }
      if (const std::string changed = changed_libraries(*stored); !changed.empty()) {
        std::fprintf(stderr, "%s: the library has changed:%s\n", name.c_str(), changed.c_str());
        stored->engine_key.clear();
      }
      try {
        make_profile(*stored, dir, sources);
      } catch (const base::UserError& error) {
        stored->failure = error.what();
        stored->failure_key = current_key(*stored, sources);
        stored->engine_key.clear();
      }
      write_profile(dir, *stored);
    }
  }
  for (const auto& [path, stamp_then] : stored->stamps) {
    remember_checksum(path, stamp_then, stored->profile.checksums[path]);
  }
  return *stored;
}

[[noreturn]] void no_library() {
  throw base::UserError("invar", "no MPI library was found on this machine", kInstall);
}

}  // namespace

std::vector<Profile> ready_profiles() {
  const fs::path sources = engine_sources();
  std::vector<Profile> ready;
  for (const std::string& name : stored_names()) {
    const auto stored = read_profile(profiles_dir() / name);
    if (stored && stored->failure.empty() && is_ready(*stored, sources)) {
      ready.push_back(stored->profile);
    }
  }
  return ready;
}

std::vector<record::OperationInfo> known_operations() {
  std::vector<record::OperationInfo> known;
  for (Profile& profile : ready_profiles()) {
    for (record::OperationInfo& info : profile.operations) {
      const bool told =
          std::ranges::find(known, info.name, &record::OperationInfo::name) != known.end();
      if (!told) known.push_back(std::move(info));
    }
  }
  return known;
}

namespace {

std::vector<ProfileState> states_of(const std::vector<std::string>& names) {
  std::vector<ProfileState> states;
  tell_builds(names, false);
  for (const std::string& name : names) {
    StoredProfile stored = ensure(name, false);
    states.push_back({std::move(stored.profile), std::move(stored.failure)});
  }
  return states;
}

// Those that work; of others it is told why they do not.
std::vector<Profile> working(std::vector<ProfileState> states) {
  std::vector<Profile> profiles;
  base::Faults faults;
  for (ProfileState& state : states) {
    if (state.problem.empty()) {
      profiles.push_back(std::move(state.profile));
    } else {
      faults.add("profile " + state.profile.name, state.problem,
                 "invar mpi show " + state.profile.name + " tries again");
    }
  }
  if (profiles.empty()) {
    faults.throw_if_any();
    no_library();
  }
  try {
    faults.throw_if_any();
  } catch (const base::UserError& error) {
    std::fprintf(stderr, "left out: %s\n", error.what());
  }
  return profiles;
}

}  // namespace

bool is_simulator(const std::string& name) {
  const std::vector<std::string> names = known_names();
  if (std::ranges::find(names, name) == names.end()) return false;
  const auto stored = read_profile(profiles_dir() / name);
  return stored && kind_of(stored->toolchain.family).simulates;
}

std::vector<std::string> simulator_names() {
  std::vector<std::string> names = known_names();
  std::erase_if(names, [](const std::string& name) { return !is_simulator(name); });
  return names;
}

std::vector<ProfileState> list_profiles() { return states_of(known_names()); }

std::vector<Profile> all_profiles() { return working(list_profiles()); }

std::vector<Profile> usual_profiles() {
  std::vector<std::string> names = known_names();
  std::erase_if(names,
                [](const std::string& name) { return is_simulator(name) || is_alone(name); });
  std::vector<Profile> profiles = working(states_of(names));
  std::erase_if(profiles, [](const Profile& profile) { return profile.made_by_race; });
  return profiles;
}

Profile find_profile(const std::string& name) {
  const std::vector<std::string> names = known_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    if (std::ranges::all_of(names, is_alone)) no_library();
    const std::string install = install_command(name);
    throw base::UserError(
        "library '" + name + "'", "there is no profile of that name",
        (install.empty() ? base::did_you_mean(name, names) : "make it by: " + install) +
            " ('invar mpi list' shows all; 'invar mpi add' makes one)");
  }
  StoredProfile stored = ensure(name, true);
  if (!stored.failure.empty()) {
    throw base::UserError("library '" + name + "'", "it does not work here: " + stored.failure);
  }
  return stored.profile;
}

void tell_builds_of(const std::vector<std::string>& names) {
  std::vector<std::string> known = known_names();
  std::erase_if(known, [&](const std::string& name) {
    return std::ranges::find(names, name) == names.end();
  });
  tell_builds(known, true);
}

std::map<std::string, std::string> library_checksums(const Profile& profile) {
  std::map<std::string, std::string> now;
  for (const auto& [path, checksum] : profile.checksums) now.emplace(path, file_checksum(path));
  return now;
}

std::map<std::string, std::string> built_operations(const Profile& profile) {
  if (profile.operations_dir.empty()) return {};
  const auto stored = read_profile(profiles_dir() / profile.name);
  return stored ? stored->profile.operation_sources : profile.operation_sources;
}

}  // namespace invar::launch
