#include "clock/ticks.hpp"

#include <string_view>

#include "base/text.hpp"

namespace invar::clock {

std::string kernel_clock_source(const std::string& sys) {
  return std::string(base::trim(
      base::read_file(sys + "/devices/system/clocksource/clocksource0/current_clocksource")
          .value_or("")));
}

TscTrust tsc_trust(const std::string& root) {
  if (!kHasTsc) return {false, "this processor has no time stamp counter that Invar knows"};
#if defined(__x86_64__)
  const std::string cpuinfo = base::read_file(root + "/proc/cpuinfo").value_or("");
  const std::size_t begin = cpuinfo.find("\nflags");
  const std::string flags =
      begin == std::string::npos
          ? std::string()
          : cpuinfo.substr(begin, cpuinfo.find('\n', begin + 1) - begin) + ' ';
  for (const char* flag : {"constant_tsc", "nonstop_tsc"}) {
    if (flags.find(" " + std::string(flag) + " ") == std::string::npos) {
      return {false, std::string("the processor does not say ") + flag};
    }
  }
#endif
  const std::string source = kernel_clock_source(root + "/sys");
#if defined(__x86_64__)
  constexpr std::string_view kExpected = "tsc";
#else
  constexpr std::string_view kExpected = "arch_sys_counter";
#endif
  if (source != kExpected) {
    return {false, "the kernel's clock source is '" + source + "', not " + std::string(kExpected)};
  }
  return {true, {}};
}

}  // namespace invar::clock
