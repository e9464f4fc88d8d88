#include "driver/prepare/old_settings.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/crc32c.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "host/files.hpp"
#include "host/identity.hpp"
#include "launch/process/paths.hpp"
#include "store/files.hpp"
#include "store/lock.hpp"

namespace invar::driver {
namespace {

namespace fs = std::filesystem;

// Lines "host=IDENTITY", "directory=/home/me/DIR" (in the list) and
// "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor=schedutil".
constexpr std::string_view kHost = "host";
constexpr std::string_view kDirectory = "directory";
// Once there were frequencies alone, and their files began below this folder.
constexpr std::string_view kOldName = "frequencies.";
constexpr std::string_view kOldFolder = "sys/devices/system/cpu/";

// A directory may be seen by several hosts.
fs::path file_of(const fs::path& campaign_dir) {
  return campaign_dir / ("settings." + host::host_name());
}
fs::path old_file_of(const fs::path& campaign_dir) {
  return campaign_dir / (std::string(kOldName) + host::host_name());
}

// The list: a file for each directory. Empty: this user has no place for it.
fs::path list_of_host() {
  try {
    return launch::invar_home() / "settings" / host::host_name();
  } catch (const base::UserError&) {
    return {};
  }
}
fs::path entry_of(const fs::path& campaign_dir) {
  const fs::path list = list_of_host();
  const std::string path = base::absolute_name(campaign_dir).string();
  return list.empty() ? fs::path() : list / base::crc_text(base::crc32c(path));
}

struct Kept {
  std::string host = {};
  fs::path directory = {};
  host::SettingTexts before = {};

  [[nodiscard]] bool is_of_this_start() const { return host == host::host_identity(); }
};

std::optional<Kept> read_kept(const fs::path& file) {
  const std::optional<std::string> text = store::read_text(file);
  if (!text) return std::nullopt;
  const bool old = file.filename().string().starts_with(kOldName);
  Kept found;
  for (const std::string_view line : base::split(*text, '\n')) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = line.substr(0, equals);
    const std::string value(line.substr(equals + 1));
    const std::string setting = (old ? std::string(kOldFolder) : "") + std::string(name);
    if (name == kHost) {
      found.host = value;
    } else if (name == kDirectory) {
      found.directory = value;
    } else if (host::is_setting_file(setting)) {
      found.before.push_back({setting, value});
    }
  }
  return found;
}

std::optional<Kept> kept_in(const fs::path& campaign_dir) {
  if (auto found = read_kept(file_of(campaign_dir))) return found;
  return read_kept(old_file_of(campaign_dir));
}

std::string text_of(const host::SettingTexts& before) {
  std::string text = std::string(kHost) + "=" + host::host_identity() + "\n";
  for (const host::SettingText& old : before) text += old.file + "=" + old.text + "\n";
  return text;
}

void forget(const fs::path& campaign_dir) {
  std::error_code ignored;
  for (const fs::path& file :
       {file_of(campaign_dir), old_file_of(campaign_dir), entry_of(campaign_dir)}) {
    if (!file.empty()) fs::remove(file, ignored);
  }
}

std::vector<std::string> put_back(const Kept& kept, const host::HostRoots& roots) {
  // A start of the host has made them what they are by default.
  if (!kept.is_of_this_start()) return {};
  return host::put_back(kept.before, roots);
}

bool is_driven(const fs::path& directory) {
  std::error_code error;
  return fs::is_directory(directory, error) && store::Lock::holder(directory).has_value();
}

// Entries of the list, by their files.
std::vector<std::pair<fs::path, Kept>> listed() {
  std::vector<std::pair<fs::path, Kept>> found;
  const fs::path list = list_of_host();
  if (list.empty()) return {};
  for (const std::string& name : host::list_directory(list.string())) {
    if (auto kept = read_kept(list / name)) found.emplace_back(list / name, std::move(*kept));
  }
  return found;
}

void refuse_others(const fs::path& campaign_dir, const host::SettingTexts& before) {
  const fs::path own = entry_of(campaign_dir);
  for (const auto& [entry, kept] : listed()) {
    if (entry == own || !kept.is_of_this_start() || !is_driven(kept.directory)) continue;
    const auto same = std::ranges::find_if(kept.before, [&](const host::SettingText& of_other) {
      return std::ranges::find(before, of_other.file, &host::SettingText::file) != before.end();
    });
    if (same == kept.before.end()) continue;
    throw base::UserError(campaign_dir.string(),
                          "the campaign in " + kept.directory.string() + " has set " + same->file +
                              ", and puts it back at its end",
                          "wait for its end, or leave the setting out");
  }
}

// Where there is no place for the list the directory's own file is all there is.
void write_entry(const fs::path& campaign_dir, const std::string& text) {
  const fs::path entry = entry_of(campaign_dir);
  if (entry.empty()) return;
  std::error_code error;
  fs::create_directories(entry.parent_path(), error);
  if (error) return;
  try {
    store::write_file(entry, std::string(kDirectory) + "=" +
                                 base::absolute_name(campaign_dir).string() + "\n" + text);
  } catch (const base::CommandError&) {
  }
}

}  // namespace

void keep_old_settings(const fs::path& campaign_dir, const host::SettingTexts& before) {
  refuse_others(campaign_dir, before);
  host::SettingTexts all = before;
  if (const auto earlier = kept_in(campaign_dir); earlier && earlier->is_of_this_start()) {
    for (const host::SettingText& old : earlier->before) {
      const auto same = std::ranges::find(all, old.file, &host::SettingText::file);
      if (same == all.end()) {
        all.push_back(old);
      } else {
        same->text = old.text;
      }
    }
  }
  const std::string text = text_of(all);
  store::write_file(file_of(campaign_dir), text);
  write_entry(campaign_dir, text);
}

std::vector<std::string> put_back_settings(const fs::path& campaign_dir,
                                           const host::HostRoots& roots) {
  const std::optional<Kept> found = kept_in(campaign_dir);
  if (!found) return {};
  std::vector<std::string> problems = put_back(*found, roots);
  if (problems.empty()) forget(campaign_dir);
  return problems;
}

std::vector<std::string> put_back_left_settings(const host::HostRoots& roots) {
  std::vector<std::string> problems;
  for (const auto& [entry, kept] : listed()) {
    std::error_code ignored;
    if (is_driven(kept.directory)) continue;
    std::vector<std::string> of_one;
    // A directory without the file has put everything back, through another list.
    if (fs::is_directory(kept.directory, ignored)) {
      of_one = put_back_settings(kept.directory, roots);
    } else {
      of_one = put_back(kept, roots);
    }
    if (of_one.empty()) fs::remove(entry, ignored);
    problems.insert(problems.end(), of_one.begin(), of_one.end());
  }
  return problems;
}

}  // namespace invar::driver
