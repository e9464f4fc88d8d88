// The frequency of CPUs by Linux's cpufreq: a governor, or one fixed frequency. A row of the host's
// settings (settings.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/settings.hpp"

namespace invar::host {

// The CPUs of everything that this process may start, and their hardware threads' siblings (a core
// follows the highest of its threads' requests): all CPUs that ranks can come to, however they are
// bound.
std::vector<std::uint32_t> frequency_cpus(const std::string& sys = "/sys");

// Why `level` ("performance", or "2400000kHz") cannot be set on all these CPUs: no cpufreq, a
// governor that the kernel lacks, a frequency out of range, no permission.
std::optional<Refusal> frequency_refusal(const std::string& level, const HostRoots& roots);
SettingTexts frequency_now(const HostRoots& roots);
SettingTexts frequency_writes(const std::string& level, const HostRoots& roots);
bool is_frequency_file(std::string_view file);

}  // namespace invar::host
