#include "store/own_files.hpp"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "store/clock_dir.hpp"
#include "store/manifest/manifest_text.hpp"
#include "store/reproduction.hpp"

namespace invar::store {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> kFolders{"launches", "discarded"};
constexpr std::array<std::string_view, 7> kFiles{kManifest,  kManifestCopy, "campaign.toml", "lock",
                                                 kClockSpec, kClockRows,    kReproduction};

// Where a name of ours leads instead of to what it should be; empty: it is as it should be, not
// there, or none of ours.
std::string what_it_is(const fs::path& path) {
  const std::string name = path.filename().string();
  const bool folder = std::ranges::find(kFolders, name) != kFolders.end();
  if (!folder && std::ranges::find(kFiles, name) == kFiles.end() && !is_plan_name(name)) return {};
  std::error_code error;
  const fs::file_type type = fs::symlink_status(path, error).type();
  // What is gone by now, or cannot be asked about, is told by whoever reads it.
  if (type == fs::file_type::none || type == fs::file_type::not_found) return {};
  if (type == (folder ? fs::file_type::directory : fs::file_type::regular)) return {};
  if (type == fs::file_type::symlink) return "is a link";
  return folder ? "is not a folder" : "is not a file";
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
  const auto never = [](char c) {
    return c == '/' || static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
  };
  return !name.empty() && name != "." && name != ".." && std::ranges::none_of(name, never);
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
  constexpr int kMostTold = 5;
  int found_so_far = 0;
  for (const fs::path& path : found) {
    const std::string what = what_it_is(path);
    if (what.empty()) continue;
    if (++found_so_far > kMostTold) continue;
    faults.add({.place = path.string(),
                .what = what + ", and what it leads to is not read",
                .remedy = "put the data themselves there; invar writes no links"});
  }
  if (found_so_far > kMostTold) {
    faults.add({.place = dir.string(),
                .what = "and " + std::to_string(found_so_far - kMostTold) + " more such files"});
  }
  faults.throw_if_any();
}

void refuse_linked_folder(const fs::path& folder) {
  std::error_code error;
  const fs::file_type type = fs::symlink_status(folder, error).type();
  if (type == fs::file_type::directory || type == fs::file_type::not_found) return;
  if (type == fs::file_type::none) {
    throw base::UserError(folder.string(), "cannot be read: " + error.message(),
                          error == std::errc::permission_denied ? "ask its owner for permission"
                                                                : "try again when that is mended");
  }
  throw base::UserError(folder.string(),
                        type == fs::file_type::symlink
                            ? "is a link, and what it leads to is not touched"
                            : "is not a folder",
                        "put the data themselves there, or move it away");
}

namespace {

// Our number is that of a file that we make there: servers may call us by another one.
uid_t our_number(const fs::path& dir) {
  const fs::path probe = dir / (".tmp-" + std::to_string(::getpid()) + "-owner");
  struct stat status {};
  const base::Descriptor file(base::create_anew(probe));
  const bool known = file.number() >= 0 && ::fstat(file.number(), &status) == 0;
  ::unlink(probe.c_str());
  return known ? status.st_uid : ::geteuid();
}

}  // namespace

void refuse_other_owner(const fs::path& dir) {
  struct stat status {};
  if (::stat(dir.c_str(), &status) != 0 || status.st_uid == ::geteuid()) return;
  if (status.st_uid == our_number(dir)) return;
  throw base::UserError(
      dir.string(),
      "belongs to " + user_name(status.st_uid) +
          ", and whoever goes on with a campaign runs the libraries and programs that it names",
      "look at its campaign.toml, then go on with a copy of your own: cp -r " +
          base::shell_quoted(dir.string()) + " COPY");
}

}  // namespace invar::store
