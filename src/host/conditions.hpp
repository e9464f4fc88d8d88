// Conditions of a process that a launch may ask for: randomised addresses, transparent huge pages,
// the size of the environment. They must hold before the program's memory is laid out, so a process
// that is not as it should be starts its own program again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "record/launch_spec.hpp"

namespace invar::host {

struct Conditions {
  std::string aslr = "default";  // default | on | off
  std::string thp = "default";   // default | always | never
  // Bytes of padding in the environment; none: left as it is.
  std::optional<std::uint64_t> padding_bytes = {};
  // Started again whatever is asked for, because others that this process is compared with are: a
  // second start and the variable that marks it must not be part of the difference.
  bool as_others = false;

  [[nodiscard]] bool any() const {
    return aslr != "default" || thp != "default" || padding_bytes.has_value() || as_others;
  }
};

// What a launch asks of its ranks.
Conditions conditions_of(const record::LaunchSpec& spec);

// The variable that holds the padding.
constexpr const char* kPadding = "INVAR_PADDING";

// Makes this process as asked; where that takes a new start of the program it does not return, and
// the new process calls it again. `argv` as main() has it, ended by a null pointer. Throws
// UserError with the kernel's words where it refuses, or where the process is not as asked in the
// end.
void take_on(const Conditions& asked, char* const* argv);

// What a process finds itself to be.
struct ConditionsFound {
  bool randomized = true;
  bool huge_pages_off = false;
  std::uint64_t environment_bytes = 0;  // of all variables, with their ends
};
ConditionsFound conditions_found();

// Why this host would refuse; tried in a child process, from which nothing remains. `proc` and
// `sys`: "/proc" and "/sys".
struct Refusal {
  std::string what;
  std::string remedy;
};
std::optional<Refusal> refusal(const Conditions& asked, const std::string& proc = "/proc",
                               const std::string& sys = "/sys");

}  // namespace invar::host
