#include "launch/libraries/shim.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/crc32c.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "launch/build/build.hpp"
#include "launch/build/target.hpp"
#include "launch/build/units.hpp"
#include "launch/libraries/engine_use.hpp"
#include "launch/libraries/profile_file.hpp"
#include "launch/libraries/profile_make.hpp"
#include "launch/libraries/toolchain.hpp"
#include "launch/process/files.hpp"
#include "launch/process/paths.hpp"

namespace invar::launch {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPreload = "LD_PRELOAD";
constexpr const char* kTable = "INVAR_TUNED_TABLE";
constexpr const char* kReport = "INVAR_TUNED_REPORT";

// Whatever of these changes: which of their headers it is made of, only a compiler knows.
const std::vector<std::string>& folders_of_shim() {
  static const std::vector<std::string> folders{"base", "host", "record", "tuning", "ops", "shim"};
  return folders;
}

std::string shim_key(const StoredProfile& stored, const fs::path& sources) {
  const BuildTarget& target = shim_target();
  std::string all =
      target_state(target) + toolchain_state(stored.toolchain) + "\n" + own_flags(stored) + "\n";
  const BuildTarget whole{.title = target.title, .file = target.file, .sources = folders_of_shim};
  for (const std::string& file : target_files(whole, sources)) {
    all += file + "=" + file_checksum((sources / file).string()) + ";";
  }
  return base::crc_text(base::crc32c(all)) + "-" + std::to_string(all.size());
}

// What the key says and where the shim lies.
std::string shim_record(const std::string& key, const fs::path& shim) {
  return key + " " + stamp(shim.string()) + "\n";
}

// Without the shim.
std::string preloaded(const Profile& profile) {
  const char* const ours = std::getenv(kPreload);
  const std::string old = ours != nullptr ? ours : "";
  const auto own = std::ranges::find_if(profile.environment,
                                        [](const auto& one) { return one.first == kPreload; });
  return own == profile.environment.end() ? old : with_old_value(kPreload, own->second, old);
}

void check_preloadable(const fs::path& shim, base::Faults& faults) {
  if (!shim.is_absolute()) {
    faults.add("shim", shim.string() + " is not an absolute path: ranks may run in another folder",
               "give the whole path");
  }
  // The loader takes both for ends of a name, and knows no way to quote them.
  if (shim.string().find_first_of(": \t") != std::string::npos) {
    faults.add("shim",
               "'" + shim.string() + "' has a blank or a colon in it, which LD_PRELOAD cannot",
               "put it into a folder without");
  }
}

}  // namespace

fs::path build_shim(const Profile& profile) {
  const fs::path profile_dir = profiles_dir() / profile.name;
  const fs::path dir = profile_dir / "tuned";
  fs::path shim = dir / shim_target().file;
  const fs::path key_file = dir / "key";
  const fs::path sources = engine_sources();
  const CountsAsMaking making;
  const FileLock lock(profiles_dir() / ".lock",
                      "another invar builds an engine at the moment, waiting for it");
  const std::optional<StoredProfile> stored = read_profile(profile_dir);
  if (!stored) throw base::UserError("profile " + profile.name, "it was removed meanwhile");
  const std::string key = shim_key(*stored, sources);
  if (base::read_file(key_file.string()) == shim_record(key, shim)) return shim;
  if (engine_in_use(stored->profile.engine)) {
    throw base::UserError("profile " + profile.name,
                          "something measures with its engine, and the shim is not built yet: "
                          "compilers would run beside it",
                          "try again when that has ended");
  }
  BuildOrder order = build_order(*stored, dir, sources);
  order.target = &shim_target();
  // Operations of the user's own stand for nothing in a program.
  order.operations.clear();
  build_engine(order);
  write_atomically(key_file, shim_record(key, shim));
  return shim;
}

Environment shim_environment(const Profile& profile, const fs::path& shim, const fs::path& table) {
  base::Faults faults;
  check_preloadable(shim, faults);
  if (!table.is_absolute()) {
    faults.add("table",
               table.string() + " is not an absolute path: rank 0 may run in another folder",
               "give the whole path");
  }
  faults.throw_if_any();
  const std::string others = preloaded(profile);
  return {{kPreload, shim.string() + (others.empty() ? "" : ":" + others)},
          {kTable, table.string()}};
}

bool is_of_shim(std::string_view name, std::string_view value) {
  if (name == kTable || name == kReport) return true;
  if (name != kPreload) return false;
  // What else is preloaded stands behind it, as shim_environment() writes it.
  const fs::path first(base::split(value, ':').front());
  return first.filename() == shim_target().file;
}

}  // namespace invar::launch
