#include "host/settings.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <fstream>
#include <stdexcept>

#include "base/error.hpp"
#include "host/files.hpp"
#include "host/frequency.hpp"
#include "host/huge_pages.hpp"

namespace invar::host {
namespace {

constexpr std::string_view kSysFiles = "sys/";
constexpr std::string_view kProcFiles = "proc/";
constexpr std::string_view kBalancing = "proc/sys/kernel/numa_balancing";
constexpr std::string_view kSetOn = "on";

std::optional<Refusal> balancing_refusal(const std::string& /*level*/, const HostRoots& roots) {
  const std::string path = path_of(kBalancing, roots);
  if (!read_line(path)) {
    return Refusal{"numa-balancing cannot be set here: there is no " + path,
                   "this kernel balances nothing: leave numa-balancing out"};
  }
  if (access(path.c_str(), W_OK) == 0) return std::nullopt;
  return Refusal{path + " cannot be written: " + std::strerror(errno),
                 "run as root, or let root make it writable for you"};
}

SettingTexts balancing_now(const HostRoots& roots) {
  auto text = read_line(path_of(kBalancing, roots));
  if (!text) return {};
  return {{std::string(kBalancing), std::move(*text)}};
}

SettingTexts balancing_writes(const std::string& level, const HostRoots& /*roots*/) {
  return {{std::string(kBalancing), level == kSetOn ? "1" : "0"}};
}

bool is_balancing_file(std::string_view file) { return file == kBalancing; }

constexpr std::array<HostSettingRow, 3> kHostSettings{{
    {.setting = HostSetting::kFrequency,
     .key = "governor",
     .culprits = "tuned, thermald, the batch system",
     .refusal = frequency_refusal,
     .now = frequency_now,
     .writes = frequency_writes,
     .is_own = is_frequency_file},
    {.setting = HostSetting::kHugePages,
     .key = "huge-pages",
     .culprits = "hugeadm, tuned; or memory in pieces has no room for more: start the host anew",
     .refusal = huge_pages_refusal,
     .now = huge_pages_now,
     .writes = huge_pages_writes,
     .is_own = is_huge_pages_file},
    {.setting = HostSetting::kNumaBalancing,
     .key = "numa-balancing",
     .culprits = "numad, tuned",
     .refusal = balancing_refusal,
     .now = balancing_now,
     .writes = balancing_writes,
     .is_own = is_balancing_file},
}};

}  // namespace

std::span<const HostSettingRow> host_settings() { return kHostSettings; }

const HostSettingRow& row_of(HostSetting setting) {
  return kHostSettings.at(static_cast<std::size_t>(setting));
}

std::optional<Refusal> setting_refusal(HostSetting setting, const std::string& level,
                                       const HostRoots& roots) {
  if (level == kUsualSetting) return std::nullopt;
  return row_of(setting).refusal(level, roots);
}

bool is_setting_file(std::string_view file) {
  return std::any_of(kHostSettings.begin(), kHostSettings.end(),
                     [&](const HostSettingRow& row) { return row.is_own(file); });
}

std::string path_of(std::string_view file, const HostRoots& roots) {
  const bool proc = file.starts_with(kProcFiles);
  if (!proc && !file.starts_with(kSysFiles)) throw std::invalid_argument("no file of a setting");
  const std::string& root = proc ? roots.proc : roots.sys;
  return root + "/" + std::string(file.substr((proc ? kProcFiles : kSysFiles).size()));
}

std::vector<std::string> put_back(const SettingTexts& before, const HostRoots& roots) {
  // Backwards twice: a bound that was refused because of the other one fits the second time.
  for (int pass = 0; pass < 2; ++pass) {
    for (auto old = before.rbegin(); old != before.rend(); ++old) {
      const std::string path = path_of(old->file, roots);
      // What is as it was needs no permission.
      if (read_line(path) != old->text) std::ofstream(path) << old->text << '\n';
    }
  }
  std::vector<std::string> problems;
  for (const SettingText& old : before) {
    const std::string path = path_of(old.file, roots);
    const std::string now = read_line(path).value_or("");
    if (now == old.text) continue;
    problems.push_back(path + " says '" + now + "' and could not be put back to '" + old.text +
                       "'");
  }
  return problems;
}

HostSettings::HostSettings(HostRoots roots, std::function<void(const SettingTexts&)> keep)
    : roots_(std::move(roots)), keep_(std::move(keep)) {}

HostSettings::~HostSettings() {
  try {
    restore();
  } catch (const std::exception&) {
    // What keep() has kept is there for the next one.
  }
}

// Everything that any level of the setting may write, before one does.
void HostSettings::note_before(const HostSettingRow& row) {
  const bool noted = std::any_of(before_.begin(), before_.end(),
                                 [&](const SettingText& old) { return row.is_own(old.file); });
  if (noted) return;
  SettingTexts before = before_;
  for (SettingText& now : row.now(roots_)) before.push_back(std::move(now));
  if (keep_) keep_(before);
  before_ = std::move(before);
}

void HostSettings::write(const SettingText& wanted, const HostSettingRow& row) {
  const std::string path = path_of(wanted.file, roots_);
  std::ofstream file(path);
  file << wanted.text << '\n';
  file.close();
  const std::string now = read_line(path).value_or("");
  if (file && now == wanted.text) {
    set_.push_back(wanted);
    return;
  }
  throw base::UserError(path,
                        file ? "was set to '" + wanted.text + "' and says '" + now + "'"
                             : "cannot be set to '" + wanted.text + "'",
                        "leave " + std::string(row.key) + " out, or look at what else sets it (" +
                            std::string(row.culprits) + ")");
}

void HostSettings::set(HostSetting setting, const std::string& level) {
  const HostSettingRow& row = row_of(setting);
  SettingTexts own;
  for (const SettingText& old : before_) {
    if (row.is_own(old.file)) own.push_back(old);
  }
  put_back(own, roots_);
  std::erase_if(set_, [&](const SettingText& done) { return row.is_own(done.file); });
  if (level == kUsualSetting) return;
  note_before(row);
  for (const SettingText& wanted : row.writes(level, roots_)) write(wanted, row);
}

std::string HostSettings::changed() const {
  for (const SettingText& done : set_) {
    const std::string path = path_of(done.file, roots_);
    const std::string now = read_line(path).value_or("");
    if (now != done.text) {
      return path + " was set to '" + done.text + "' and says '" + now + "' by now";
    }
  }
  return {};
}

std::vector<std::string> HostSettings::restore() {
  set_.clear();
  std::vector<std::string> problems = put_back(before_, roots_);
  // Whatever is set from here on is no business of ours.
  if (problems.empty()) before_.clear();
  return problems;
}

}  // namespace invar::host
