#include "launch/profile.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "launch/build.hpp"
#include "launch/files.hpp"
#include "launch/install.hpp"
#include "launch/launch_template.hpp"
#include "launch/paths.hpp"
#include "launch/probe.hpp"
#include "launch/profile_file.hpp"
#include "launch/toolchain.hpp"

namespace invar::launch {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kInstall =
    "apt-get install -y openmpi-bin libopenmpi-dev mpich libmpich-dev, or name one that is "
    "elsewhere: invar mpi add NAME --mpicxx WRAPPER --mpirun LAUNCHER";

// Wrappers and libraries of detected profiles that the user has removed.
fs::path removed_file() { return invar_home() / "removed.json"; }

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
  write_atomically(removed_file(), Json(removed).dump(1) + "\n");
}

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

// What the stored state must equal for a failure to be still the same one.
std::string current_key(const StoredProfile& stored, const fs::path& sources) {
  return engine_key(sources, stored.profile.operations_dir, toolchain_state(stored.toolchain),
                    stored.profile.cxxflags);
}

// The library for the MPI-5 ABI that the profile's engine maps; empty if it maps another.
std::string abi_library(const Profile& profile) {
  for (const auto& [path, checksum] : profile.checksums) {
    if (fs::path(path).filename().string().starts_with("libmpi_abi.so")) return path;
  }
  return {};
}

std::map<std::string, std::string> stamps_of(const Profile& profile) {
  std::map<std::string, std::string> stamps;
  for (const auto& [path, checksum] : profile.checksums) stamps.emplace(path, stamp(path));
  return stamps;
}

bool same_stamps(const StoredProfile& stored) {
  return std::all_of(stored.stamps.begin(), stored.stamps.end(),
                     [](const auto& one) { return stamp(one.first) == one.second; });
}

// Libraries whose content is not what it was, as lines for the user.
std::string changed_libraries(const StoredProfile& stored) {
  std::string changed;
  for (const auto& [path, checksum] : stored.profile.checksums) {
    const std::string now = file_checksum(path);
    if (now != checksum) changed += "\n  " + path + ": " + checksum + " -> " + now;
  }
  return changed;
}

bool is_ready(const StoredProfile& stored, const fs::path& sources) {
  if (stored.engine_key != current_key(stored, sources)) return false;
  const std::string engine = stamp(stored.profile.engine.string());
  return !engine.empty() && engine == stored.engine_stamp && same_stamps(stored);
}

// An engine of another profile runs under a library of its own.
void check_shared_engine(const Profile& profile, const Profile& owner) {
  const std::string library = abi_library(profile);
  if (!library.empty() && library != abi_library(owner)) return;
  throw base::UserError("profile " + profile.name,
                        library.empty() ? "the engine of " + owner.name + " maps no libmpi_abi here"
                                        : "it runs " + library + ", the library of " + owner.name,
                        "--env LD_LIBRARY_PATH=FOLDER, that of the other libmpi_abi.so.1");
}

// Inspects, builds and probes into `dir`. Throws UserError.
void make_profile(StoredProfile& stored, const fs::path& dir, const fs::path& sources) {
  Profile& profile = stored.profile;
  std::optional<StoredProfile> owner;
  if (!profile.engine_of.empty()) {
    owner = read_profile(profiles_dir() / profile.engine_of);
    if (!owner || !owner->failure.empty()) {
      throw base::UserError("profile " + profile.name,
                            "it runs the engine of " + profile.engine_of + ", which does not work");
    }
    profile.mpicxx = owner->profile.mpicxx;
    profile.cxxflags = owner->profile.cxxflags;
  }
  stored.toolchain = inspect(profile.mpicxx, profile.mpirun, profile.environment);
  profile.family = stored.toolchain.family;
  profile.short_version = stored.toolchain.version;
  profile.compiler = stored.toolchain.compiler;
  profile.compiler_flags = base::join(engine_flags(profile.cxxflags), " ");
  const std::string key = current_key(stored, sources);
  const bool built = stored.engine_key == key && !stored.engine_stamp.empty() &&
                     stamp((dir / "invar-engine").string()) == stored.engine_stamp;
  if (!owner && !built) {
    build_engine({.name = profile.name,
                  .mpicxx = profile.mpicxx,
                  .environment = profile.environment,
                  .sources = sources,
                  .operations = profile.operations_dir,
                  .dir = dir,
                  .compiler_state = stored.toolchain.state,
                  .object_state = object_state(stored.toolchain),
                  .cxxflags = profile.cxxflags});
  }
  profile.engine = owner ? owner->profile.engine : dir / "invar-engine";
  std::fprintf(stderr, "%s: checking it with a two-rank run\n", profile.name.c_str());
  const ProbeResult probe = run_probe(profile, {});
  if (const std::string problem = probe_problem(probe); !problem.empty()) {
    throw base::UserError(
        "profile " + profile.name, problem,
        "does '" + profile.mpirun + "' start programs of '" + profile.mpicxx + "' here?");
  }
  take_probe(profile, probe);
  if (owner) check_shared_engine(profile, owner->profile);
  stored.engine_key = key;
  stored.engine_stamp = stamp(profile.engine.string());
  stored.stamps = stamps_of(profile);
  stored.failure.clear();
  stored.failure_key.clear();
}

// The profile, made ready if it is not. A failure is kept, so that it is not repeated at every
// call; `again` tries nevertheless.
StoredProfile ensure(const std::string& name, bool again) {
  const fs::path dir = profiles_dir() / name;
  const fs::path sources = engine_sources();
  const auto ready = [&](const std::optional<StoredProfile>& stored) {
    if (!stored) return false;
    if (!stored->failure.empty()) {
      return !again && stored->failure_key == current_key(*stored, sources);
    }
    return is_ready(*stored, sources);
  };
  std::optional<StoredProfile> stored = read_profile(dir);
  if (stored && !stored->profile.engine_of.empty()) ensure(stored->profile.engine_of, again);
  if (!ready(stored)) {
    const FileLock lock(profiles_dir() / ".lock",
                        "another invar builds an engine at the moment, waiting for it");
    stored = read_profile(dir);
    if (!stored) {
      throw base::UserError("profile " + name, "it was removed meanwhile");
    }
    if (!ready(stored)) {
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

// Writes down profiles for libraries that are new on this machine; names of all profiles.
std::vector<std::string> known_names() {
  remove_unfinished_installs();
  std::vector<Toolchain> detected = detect_toolchains();
  std::vector<std::string> names = stored_names();
  // A library may be found by another wrapper when PATH changes: both count.
  std::set<std::string> known = read_removed();
  std::set<std::string> taken(names.begin(), names.end());
  std::vector<std::string> present;
  for (const std::string& name : names) {
    const auto stored = read_profile(profiles_dir() / name);
    if (!stored) continue;  // of another version of Invar: detected or added anew
    // A detected library that was uninstalled is gone, too; one that was added by hand is missed.
    if (stored->profile.detected && !find_program(stored->profile.mpicxx)) continue;
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
    write_profile(profiles_dir() / name, stored);
    taken.insert(name);
    present.push_back(name);
  }
  std::sort(present.begin(), present.end());
  return present;
}

[[noreturn]] void no_library() {
  throw base::UserError("invar", "no MPI library was found on this machine", kInstall);
}

void check_name(const std::string& name, base::Faults& faults) {
  const bool good =
      !name.empty() && name.size() <= 64 && name[0] != '-' && name[0] != '.' &&
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") ==
          std::string::npos;
  if (!good) {
    faults.add("NAME", "'" + name + "' is no name of a profile",
               "letters, digits, '-', '_' and '.', at most 64, not beginning with '-' or '.'");
  }
}

std::string resolve(const std::string& option, const std::string& program, base::Faults& faults) {
  if (const auto path = find_program(program)) return *path;
  const bool has_slash = program.find('/') != std::string::npos;
  std::error_code error;
  if (has_slash && fs::exists(program, error)) {
    faults.add(option, "'" + program + "' is no program that can be run",
               "a file with permission to execute is needed");
  } else {
    faults.add(option, "there is no '" + program + "'" + (has_slash ? "" : " on PATH"),
               "give the whole path of the library's own program");
  }
  return program;
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

std::vector<ProfileState> list_profiles() {
  std::vector<ProfileState> states;
  for (const std::string& name : known_names()) {
    StoredProfile stored = ensure(name, false);
    states.push_back({std::move(stored.profile), std::move(stored.failure)});
  }
  return states;
}

std::vector<Profile> all_profiles() {
  std::vector<Profile> profiles;
  base::Faults faults;
  for (ProfileState& state : list_profiles()) {
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

Profile find_profile(const std::string& name) {
  const std::vector<std::string> names = known_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    if (names.empty()) no_library();
    throw base::UserError("library '" + name + "'", "there is no profile of that name",
                          base::did_you_mean(name, names) +
                              " ('invar mpi list' shows all; 'invar mpi add' makes one)");
  }
  StoredProfile stored = ensure(name, true);
  if (!stored.failure.empty()) {
    throw base::UserError("library '" + name + "'", "it does not work here: " + stored.failure);
  }
  return stored.profile;
}

namespace {

// Flags go through wrappers, which are shell scripts, and into a macro.
void check_flags(const std::string& cxxflags, base::Faults& faults) {
  const bool good = cxxflags.find_first_not_of(
                        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                        "-+=_./:, ") == std::string::npos;
  if (!good) {
    faults.add("--cxxflags", "'" + cxxflags + "' cannot be passed on",
               "flags separated by blanks, of letters, digits and -+=_./:,");
  }
}

// The one profile whose engine was built for the MPI-5 ABI.
std::string abi_owner(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto stored = read_profile(profiles_dir() / name);
    if (stored && stored->profile.engine_of.empty() && !abi_library(stored->profile).empty()) {
      return name;
    }
  }
  throw base::UserError("--abi", "no profile has an engine that was built for the MPI-5 ABI",
                        "first: invar mpi install mpich --abi, or: invar mpi add NAME --abi "
                        "--mpicxx mpicxx_abi --mpirun LAUNCHER");
}

// Profiles that stop working without `profile`.
std::vector<std::string> dependents(const Profile& profile) {
  std::vector<std::string> names;
  for (const std::string& name : stored_names()) {
    const auto stored = read_profile(profiles_dir() / name);
    if (!stored || name == profile.name) continue;
    const std::string inside = profile.venv + "/";
    if (stored->profile.engine_of == profile.name ||
        (!profile.venv.empty() && (stored->profile.mpirun.starts_with(inside) ||
                                   stored->profile.mpicxx.starts_with(inside)))) {
      names.push_back(name);
    }
  }
  return names;
}

}  // namespace

Profile add_profile(const AddOrder& order) {
  base::Faults faults;
  check_name(order.name, faults);
  check_flags(order.cxxflags, faults);
  StoredProfile stored;
  Profile& profile = stored.profile;
  profile.name = order.name;
  profile.environment = order.environment;
  profile.launch_template = order.launch_template;
  profile.cxxflags = order.cxxflags;
  profile.wheel = order.wheel;
  profile.venv = order.venv;
  // Without a wrapper, --abi shares the engine of the profile that has one.
  const bool shares = order.abi && order.mpicxx.empty();
  if (!shares) profile.mpicxx = resolve("--mpicxx", order.mpicxx, faults);
  if (shares && !order.cxxflags.empty()) {
    faults.add("--cxxflags", "no engine is built: --abi without --mpicxx shares one",
               "give the flags to the profile that it is built for");
  }
  if (!order.operations_dir.empty()) {
    std::error_code unknown;
    profile.operations_dir = fs::canonical(order.operations_dir, unknown);
    if (unknown) {
      faults.add("--ops", "there is no folder '" + order.operations_dir.string() + "'",
                 "it holds *.cpp and operations.def");
    }
  }
  if (!order.launch_template.empty()) {
    try {
      check_template(order.launch_template, "--launch");
    } catch (const base::UserError& error) {
      for (const base::Fault& fault : error.faults()) faults.add(fault);
    }
  }
  if (!order.mpirun.empty() || order.launch_template.empty()) {
    profile.mpirun = resolve("--mpirun", order.mpirun, faults);
  }
  faults.throw_if_any();

  const fs::path sources = engine_sources();
  const std::vector<std::string> names = known_names();
  const fs::path dir = profiles_dir() / order.name;
  if (std::find(names.begin(), names.end(), order.name) != names.end()) {
    throw base::UserError("NAME", "there is a profile '" + order.name + "' already",
                          "choose another name, or: invar mpi remove " + order.name);
  }
  if (shares) profile.engine_of = find_profile(abi_owner(names)).name;
  const FileLock lock(profiles_dir() / ".lock",
                      "another invar builds an engine at the moment, waiting for it");
  std::error_code error;
  // What is left of a detected library that is gone.
  fs::remove_all(dir, error);
  const fs::path unfinished = profiles_dir() / (".new-" + order.name);
  fs::remove_all(unfinished, error);
  try {
    make_directories(unfinished);
    make_profile(stored, unfinished, sources);
    if (order.abi && abi_library(profile).empty()) {
      throw base::UserError("--abi",
                            profile.mpicxx +
                                " does not build for the MPI-5 ABI: the engine maps "
                                "no libmpi_abi.so",
                            "MPICH 5 has mpicxx_abi for that");
    }
    fs::rename(unfinished, dir);
    if (!shares) profile.engine = dir / "invar-engine";
    write_profile(dir, stored);
  } catch (const fs::filesystem_error& problem) {
    fs::remove_all(unfinished, error);
    throw base::UserError(dir.string(), problem.what());
  } catch (...) {
    fs::remove_all(unfinished, error);
    throw;
  }
  std::set<std::string> removed = read_removed();
  if (removed.erase(profile.mpicxx) > 0) write_removed(removed);
  return profile;
}

void remove_profile(const std::string& name) {
  const std::vector<std::string> names = known_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    throw base::UserError("NAME", "there is no profile '" + name + "'",
                          base::did_you_mean(name, names));
  }
  const FileLock lock(profiles_dir() / ".lock",
                      "another invar builds an engine at the moment, waiting for it");
  const auto stored = read_profile(profiles_dir() / name);
  if (stored) {
    if (const auto users = dependents(stored->profile); !users.empty()) {
      throw base::UserError("NAME", base::join(users, ", ") + " cannot work without '" + name + "'",
                            "first: invar mpi remove " + users.front());
    }
  }
  if (stored && stored->profile.detected) {
    std::set<std::string> removed = read_removed();
    removed.insert(stored->profile.mpicxx);
    removed.insert(stored->toolchain.library);
    write_removed(removed);
  }
  std::error_code error;
  fs::remove_all(profiles_dir() / name, error);
  if (error) {
    throw base::UserError((profiles_dir() / name).string(), "cannot remove: " + error.message());
  }
  if (stored) remove_venv(stored->profile);
}

std::map<std::string, std::string> library_checksums(const Profile& profile) {
  std::map<std::string, std::string> now;
  for (const auto& [path, checksum] : profile.checksums) now.emplace(path, file_checksum(path));
  return now;
}

}  // namespace invar::launch
