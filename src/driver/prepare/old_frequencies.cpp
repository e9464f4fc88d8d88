#include "driver/prepare/old_frequencies.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/text.hpp"
#include "host/identity.hpp"
#include "store/files.hpp"

namespace invar::driver {
namespace {

namespace fs = std::filesystem;

// Lines "host=IDENTITY" and "cpu0/cpufreq/scaling_governor=schedutil".
constexpr std::string_view kHost = "host";

// A directory may be seen by several hosts.
fs::path file_of(const fs::path& campaign_dir) {
  return campaign_dir / ("frequencies." + host::host_name());
}

struct Kept {
  std::string host = {};
  host::OldSettings before = {};
};

std::optional<Kept> kept(const fs::path& campaign_dir) {
  const std::optional<std::string> text = store::read_text(file_of(campaign_dir));
  if (!text) return std::nullopt;
  Kept found;
  for (const std::string_view line : base::split(*text, '\n')) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = line.substr(0, equals);
    const std::string value(line.substr(equals + 1));
    if (name == kHost) {
      found.host = value;
    } else if (host::is_setting_of_frequency(name)) {
      found.before.push_back({std::string(name), value});
    }
  }
  return found;
}

void write(const fs::path& campaign_dir, const host::OldSettings& before) {
  std::string text = std::string(kHost) + "=" + host::host_identity() + "\n";
  for (const host::OldSetting& old : before) text += old.file + "=" + old.text + "\n";
  store::write_file(file_of(campaign_dir), text);
}

}  // namespace

void keep_old_frequencies(const fs::path& campaign_dir, const host::OldSettings& before) {
  host::OldSettings all = before;
  if (const auto earlier = kept(campaign_dir); earlier && earlier->host == host::host_identity()) {
    for (const host::OldSetting& old : earlier->before) {
      const auto same = std::find_if(all.begin(), all.end(),
                                     [&](const auto& one) { return one.file == old.file; });
      if (same == all.end()) {
        all.push_back(old);
      } else {
        same->text = old.text;
      }
    }
  }
  write(campaign_dir, all);
}

std::vector<std::string> put_back_frequencies(const fs::path& campaign_dir,
                                              const std::string& sys) {
  const std::optional<Kept> found = kept(campaign_dir);
  if (!found) return {};
  std::vector<std::string> problems;
  // A start of the host has made them what they are by default.
  if (found->host == host::host_identity()) problems = host::put_back(found->before, sys);
  std::error_code ignored;
  if (problems.empty()) fs::remove(file_of(campaign_dir), ignored);
  return problems;
}

}  // namespace invar::driver
