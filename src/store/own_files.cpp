#include "store/own_files.hpp"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "base/error.hpp"
#include "base/text.hpp"
#include "store/clock_dir.hpp"
#include "store/manifest/manifest_text.hpp"

namespace invar::store {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> kFolders{"launches", "discarded"};
constexpr std::array<std::string_view, 6> kFiles{kManifest, kManifestCopy, "campaign.toml",
                                                 "lock",    kClockSpec,    kClockRows};

// Where a name of ours leads instead of to what it should be; empty: it is as it should be, not
// there, or none of ours.
std::string what_it_is(const fs::path& path) {
  const std::string name = path.filename().string();
  const bool folder = std::ranges::find(kFolders, name) != kFolders.end();
  if (!folder && std::ranges::find(kFiles, name) == kFiles.end() && !is_plan_name(name)) return {};
  std::error_code error;
  const fs::file_type type = fs::symlink_status(path, error).type();
  if (type == (folder ? fs::file_type::directory : fs::file_type::regular)) return {};
  if (type == fs::file_type::symlink) return "is a link";
  return folder ? "is no folder" : "is no file";
}

std::string user_name(uid_t user) {
  const passwd* entry = getpwuid(user);
  return entry != nullptr ? std::string(entry->pw_name) : "user " + std::to_string(user);
}

}  // namespace

bool is_plan_name(std::string_view name) {
  if (name == "plan.csv") return true;
  constexpr std::string_view kBegin = "plan-";
  constexpr std::string_view kEnd = ".csv";
  if (name.size() <= kBegin.size() + kEnd.size() || !name.starts_with(kBegin) ||
      !name.ends_with(kEnd)) {
    return false;
  }
  const std::string_view number =
      name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size());
  return number.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_plain_name(std::string_view name) {
  constexpr std::string_view kNever("/\0", 2);
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(kNever) == std::string_view::npos;
}

bool is_name_in(std::string_view folder, std::string_view name) {
  return name.size() > folder.size() && name.starts_with(folder) && name[folder.size()] == '/' &&
         is_plain_name(name.substr(folder.size() + 1));
}

void refuse_links(const fs::path& dir) {
  base::Faults faults;
  std::error_code error;
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(dir, error)) found.push_back(entry.path());
  std::ranges::sort(found);
  for (const fs::path& path : found) {
    const std::string what = what_it_is(path);
    if (what.empty()) continue;
    faults.add({.place = path.string(),
                .what = what + ", and what it leads to is not read",
                .remedy = "put the data themselves there; invar writes no links"});
  }
  faults.throw_if_any();
}

void refuse_other_owner(const fs::path& dir) {
  struct stat status {};
  if (::stat(dir.c_str(), &status) != 0 || status.st_uid == ::geteuid()) return;
  throw base::UserError(
      dir.string(),
      "belongs to " + user_name(status.st_uid) +
          ", and whoever goes on with a campaign runs the libraries and programs that it names",
      "look at its campaign.toml, then go on with a copy of your own: cp -r " +
          base::shell_quoted(dir.string()) + " COPY");
}

}  // namespace invar::store
