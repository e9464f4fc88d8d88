#include "launch/libraries/profile_add.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "base/error.hpp"
#include "base/text.hpp"
#include "launch/build/build.hpp"
#include "launch/libraries/cleaner.hpp"
#include "launch/libraries/engine_use.hpp"
#include "launch/libraries/install.hpp"
#include "launch/libraries/no_library.hpp"
#include "launch/libraries/profile_file.hpp"
#include "launch/libraries/profile_make.hpp"
#include "launch/libraries/profile_names.hpp"
#include "launch/process/files.hpp"
#include "launch/process/paths.hpp"
#include "launch/start/launch_template.hpp"

namespace invar::launch {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void name_taken(const std::string& name) {
  throw base::UserError("NAME", "there is a profile '" + name + "' already",
                        is_alone(name) ? "choose another name: this one is built in"
                                       : "choose another name, or: invar mpi remove " + name);
}

void check_name(const std::string& name, base::Faults& faults) {
  const bool good =
      !name.empty() && name.size() <= 64 && name[0] != '-' && name[0] != '.' &&
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") ==
          std::string::npos;
  if (!good) {
    faults.add("NAME", "'" + name + "' cannot be the name of a profile",
               "letters, digits, '-', '_' and '.', at most 64, not beginning with '-' or '.'");
  }
}

std::string resolve(const std::string& option, const std::string& program, base::Faults& faults) {
  if (program.empty()) {
    faults.add(option, "it is missing",
               option == "--mpirun"
                   ? "name the library's launcher, or write a whole command line with --launch"
                   : "name the library's C++ compiler wrapper, as mpicxx");
    return program;
  }
  if (const auto path = find_program(program)) return *path;
  const bool has_slash = program.find('/') != std::string::npos;
  std::error_code error;
  if (has_slash && fs::exists(program, error)) {
    faults.add(option, "'" + program + "' is not a program that can be run",
               "a file with permission to execute is needed");
  } else {
    faults.add(option, "there is no '" + program + "'" + (has_slash ? "" : " on PATH"),
               "give the whole path of the library's own program");
  }
  return program;
}

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
  profile.made_by_race = order.made_by_race;
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
      const std::string launcher = template_program(order.launch_template);
      if (!launcher.empty()) resolve("--launch", launcher, faults);
    } catch (const base::UserError& error) {
      for (const base::Fault& fault : error.faults()) faults.add(fault);
    }
  }
  if (!order.mpirun.empty() && !order.launch_template.empty()) {
    faults.add("--launch", "--mpirun is given as well, and only one of them can start the launches",
               "leave out --mpirun: the template names its launcher itself");
  } else if (order.launch_template.empty()) {
    profile.mpirun = resolve("--mpirun", order.mpirun, faults);
  }
  faults.throw_if_any();

  const fs::path sources = engine_sources();
  const std::vector<std::string> names = known_names();
  const fs::path dir = profiles_dir() / order.name;
  if (std::find(names.begin(), names.end(), order.name) != names.end()) {
    name_taken(order.name);
  }
  if (shares) profile.engine_of = find_profile(abi_owner(names)).name;
  const FileLock lock(profiles_dir() / ".lock",
                      "another invar builds an engine at the moment, waiting for it");
  // Another process may have made it while this one waited.
  const auto there = read_profile(dir);
  if (there && !there->profile.detected) name_taken(order.name);
  std::error_code error;
  // What is left of a detected library that is gone.
  fs::remove_all(dir, error);
  const fs::path unfinished = profiles_dir() / (std::string(kUnfinished) + order.name);
  fs::remove_all(unfinished, error);
  // Also if we are killed.
  const Cleaner cleaner({unfinished}, dir / "profile.json");
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
    if (!shares) profile.engine = dir / kEngineName;
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

std::string added_with(const Profile& profile) {
  std::string text;
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) text += std::string(" ") + option + " " + base::shell_quoted(value);
  };
  add("--launch", profile.launch_template);
  for (const auto& [name, value] : profile.environment) add("--env", name + "=" + value);
  add("--cxxflags", profile.cxxflags);
  add("--ops", profile.operations_dir.string());
  return text;
}

void remove_profile(const std::string& name) {
  const std::vector<std::string> names = known_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    throw base::UserError("NAME", "there is no profile '" + name + "'",
                          base::did_you_mean(name, names));
  }
  // It would be there again at the next command.
  if (is_alone(name)) {
    throw base::UserError("NAME", "'" + name + "' is built in: there is no library to forget",
                          "leave it: campaigns that do not name it do not run it");
  }
  const FileLock lock(profiles_dir() / ".lock",
                      "another invar builds an engine at the moment, waiting for it");
  const auto stored = read_profile(profiles_dir() / name);
  if (stored) {
    if (const auto users = dependents(stored->profile); !users.empty()) {
      throw base::UserError("NAME", base::join(users, ", ") + " cannot work without '" + name + "'",
                            "first: invar mpi remove " + users.front());
    }
    if (engine_in_use(stored->profile.engine)) {
      throw base::UserError("NAME", "something measures with the engine of '" + name + "'",
                            "remove it when that has ended");
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

}  // namespace invar::launch
