#include "clock/ticks.hpp"

#include "base/text.hpp"

namespace invar::clock {

std::string kernel_clock_source(const std::string& sys) {
  return std::string(base::trim(
      base::read_file(sys + "/devices/system/clocksource/clocksource0/current_clocksource")
          .value_or("")));
}

namespace {

// Empty, or the flag that the first processor in /proc/cpuinfo lacks.
std::string missing_flag(const std::string& root) {
  const std::string cpuinfo = base::read_file(root + "/proc/cpuinfo").value_or("");
  const std::size_t begin = cpuinfo.find("\nflags");
  const std::string flags =
      begin == std::string::npos
          ? std::string()
          : cpuinfo.substr(begin, cpuinfo.find('\n', begin + 1) - begin) + ' ';
  for (const char* flag : {"constant_tsc", "nonstop_tsc"}) {
    if (flags.find(" " + std::string(flag) + " ") == std::string::npos) return flag;
  }
  return {};
}

}  // namespace

TscTrust tsc_trust(const std::string& root, Counter counter) {
  if (counter == Counter::kNone) {
    return {false, "this processor has no time stamp counter that Invar knows"};
  }
  if (counter == Counter::kX86) {
    const std::string flag = missing_flag(root);
    if (!flag.empty()) return {false, "the processor does not say " + flag};
  }
  const std::string source = kernel_clock_source(root + "/sys");
  const std::string expected = counter == Counter::kX86 ? "tsc" : "arch_sys_counter";
  if (source != expected) {
    return {false, "the kernel's clock source is '" + source + "', not " + expected};
  }
  return {true, {}};
}

}  // namespace invar::clock
