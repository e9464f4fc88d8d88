// Settings of a host that outlast the process which makes them: frequencies of CPUs, reserved huge
// pages, automatic NUMA balancing. Set for launches, and put back afterwards; one row a setting.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/conditions.hpp"

namespace invar::host {

// Where the kernel shows itself; tests have others.
struct HostRoots {
  std::string sys = "/sys";
  std::string proc = "/proc";
};

// What a file of the kernel says, or is to say:
// "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", below the root that it begins with.
struct SettingText {
  std::string file;
  std::string text;

  bool operator==(const SettingText&) const = default;
};
using SettingTexts = std::vector<SettingText>;

enum class HostSetting : std::uint8_t { kFrequency, kHugePages, kNumaBalancing };

// One row a setting.
struct HostSettingRow {
  HostSetting setting = HostSetting::kFrequency;
  std::string_view key;       // as people write it: "governor"
  std::string_view culprits;  // what else may set it
  // Why the level cannot be set here: no such file, a level that the kernel lacks, no permission.
  std::optional<Refusal> (*refusal)(const std::string& level, const HostRoots& roots) = nullptr;
  // The files that any level may write, with what they say now.
  SettingTexts (*now)(const HostRoots& roots) = nullptr;
  // What is written for the level, in this order.
  SettingTexts (*writes)(const std::string& level, const HostRoots& roots) = nullptr;
  // Its own files only: what comes from a disk may say anything.
  bool (*is_own)(std::string_view file) = nullptr;
};

std::span<const HostSettingRow> host_settings();
const HostSettingRow& row_of(HostSetting setting);

// The level that leaves a setting as it is.
constexpr std::string_view kUsualSetting = "default";

// None where the level is the usual one.
std::optional<Refusal> setting_refusal(HostSetting setting, const std::string& level,
                                       const HostRoots& roots = {});

// A file of any of the settings.
bool is_setting_file(std::string_view file);

// "/sys/kernel/mm/..."
std::string path_of(std::string_view file, const HostRoots& roots);

// Every file that says something else afterwards, with what it says and what it should.
std::vector<std::string> put_back(const SettingTexts& before, const HostRoots& roots = {});

// Sets levels of several settings, and puts back at its end what was there before.
class HostSettings {
 public:
  // `keep` is called with what is there before the first file is written, to be found again should
  // this process be killed, and once more with all of it for each further setting; what it throws
  // comes out of set().
  explicit HostSettings(HostRoots roots = {}, std::function<void(const SettingTexts&)> keep = {});
  HostSettings(const HostSettings&) = delete;
  HostSettings& operator=(const HostSettings&) = delete;
  ~HostSettings();

  // A level in the place of the setting's one before. Throws UserError with the file that could not
  // be written, or that says something else afterwards. "default" puts back what was there.
  void set(HostSetting setting, const std::string& level);
  // Empty if what was set still holds; else the file and what it says ("something else set it").
  [[nodiscard]] std::string changed() const;
  // As put_back() says it. What is left then is tried again at the end, where nobody hears of it.
  std::vector<std::string> restore();

 private:
  void note_before(const HostSettingRow& row);
  void write(const SettingText& wanted, const HostSettingRow& row);

  HostRoots roots_;
  std::function<void(const SettingTexts&)> keep_;
  SettingTexts before_ = {};
  SettingTexts set_ = {};
};

}  // namespace invar::host
