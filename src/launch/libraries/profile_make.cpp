#include "launch/libraries/profile_make.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "launch/build/build.hpp"
#include "launch/build/operation_list.hpp"
#include "launch/build/units.hpp"
#include "launch/build/wrapper_check.hpp"
#include "launch/kinds/kind.hpp"
#include "launch/libraries/probe.hpp"
#include "launch/libraries/toolchain.hpp"
#include "launch/process/files.hpp"

namespace invar::launch {
namespace {

namespace fs = std::filesystem;

double made_ready_s = 0;

std::map<std::string, std::string> stamps_of(const Profile& profile) {
  std::map<std::string, std::string> stamps;
  for (const auto& [path, checksum] : profile.checksums) stamps.emplace(path, stamp(path));
  return stamps;
}

bool same_stamps(const StoredProfile& stored) {
  return std::all_of(stored.stamps.begin(), stored.stamps.end(),
                     [](const auto& one) { return stamp(one.first) == one.second; });
}

std::map<std::string, std::string> sources_of_user(const fs::path& operations) {
  std::map<std::string, std::string> sources;
  for (const fs::path& file : files_of_user(operations)) {
    sources.emplace(file.string(), file_checksum(file.string()));
  }
  return sources;
}

// What was built is what the user's list says.
void check_own_operations(const Profile& profile) {
  if (profile.operations_dir.empty()) return;
  base::Faults faults;
  for (const std::string& name : own_operations(profile.operations_dir)) {
    const bool there = std::any_of(profile.operations.begin(), profile.operations.end(),
                                   [&](const auto& operation) { return operation.name == name; });
    if (there) continue;
    faults.add("profile " + profile.name,
               "its engine has no operation '" + name + "', which " +
                   (profile.operations_dir / "operations.def").string() + " lists",
               "remove the profile and add it again");
  }
  faults.throw_if_any();
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

}  // namespace

double making_ready_s() { return made_ready_s; }

CountsAsMaking::~CountsAsMaking() {
  made_ready_s += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

std::string own_flags(const StoredProfile& stored) {
  const LibraryKind& kind = kind_of(stored.toolchain.family);
  const std::string of_kind(kind.cxxflags);
  const std::string& own = stored.profile.cxxflags;
  return of_kind + (of_kind.empty() || own.empty() ? "" : " ") + own;
}

std::string current_key(const StoredProfile& stored, const fs::path& sources) {
  return engine_key(sources, stored.profile.operations_dir, toolchain_state(stored.toolchain),
                    own_flags(stored));
}

BuildOrder build_order(const StoredProfile& stored, const fs::path& dir, const fs::path& sources) {
  const Profile& profile = stored.profile;
  return {.name = profile.name,
          .mpicxx = profile.mpicxx,
          .environment = profile.environment,
          .sources = sources,
          .operations = profile.operations_dir,
          .dir = dir,
          .compiler_state = compile_state(stored.toolchain),
          .object_state = object_state(stored.toolchain),
          .cxxflags = own_flags(stored),
          .headers = std::string(kind_of(stored.toolchain.family).headers)};
}

std::string abi_library(const Profile& profile) {
  for (const auto& [path, checksum] : profile.checksums) {
    if (fs::path(path).filename().string().starts_with("libmpi_abi.so")) return path;
  }
  return {};
}

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
  // A version that did not keep them made it.
  if (!stored.profile.operations_dir.empty() && stored.profile.operation_sources.empty()) {
    return false;
  }
  const std::string engine = stamp(stored.profile.engine.string());
  return !engine.empty() && engine == stored.engine_stamp && same_stamps(stored);
}

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
  profile.compiler_flags = base::join(engine_flags(own_flags(stored)), " ");
  const std::string key = current_key(stored, sources);
  const bool built = stored.engine_key == key && !stored.engine_stamp.empty() &&
                     stamp((dir / kEngineName).string()) == stored.engine_stamp;
  // Before they are compiled: what is edited meanwhile is built anew at the next use.
  std::map<std::string, std::string> operations = sources_of_user(profile.operations_dir);
  if (!owner && !built) {
    const BuildOrder order = build_order(stored, dir, sources);
    check_wrapper(order);
    build_engine(order);
  }
  profile.operation_sources = std::move(operations);
  profile.engine = owner ? owner->profile.engine : dir / kEngineName;
  const bool alone = kind_of(profile.family).alone;
  std::fprintf(stderr, "%s: checking it with a %s\n", profile.name.c_str(),
               alone ? "run" : "two-rank run");
  const ProbeResult probe = run_probe(profile, {});
  if (const std::string problem = probe_problem(probe); !problem.empty()) {
    throw base::UserError("profile " + profile.name, problem,
                          "it was started by: " + probe.command +
                              "; does that start programs of '" + profile.mpicxx + "' here?");
  }
  take_probe(profile, probe);
  check_own_operations(profile);
  if (owner) check_shared_engine(profile, owner->profile);
  stored.engine_key = key;
  stored.engine_stamp = stamp(profile.engine.string());
  stored.stamps = stamps_of(profile);
  stored.failure.clear();
  stored.failure_key.clear();
}

}  // namespace invar::launch
