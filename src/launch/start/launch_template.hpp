// A launcher's command line as a user writes it (`--launch`): words with placeholders.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace invar::launch {

// What the placeholders stand for.
struct LaunchWords {
  std::uint32_t ranks = 2;
  std::vector<std::string> hosts = {};  // empty: this host
  std::string hostfile = {};            // path of a file with one host a line
  std::uint32_t ppn = 2;
  std::vector<std::pair<std::string, std::string>> environment = {};
  std::string program = {};
  std::vector<std::string> arguments = {};
};

// Splits at spaces; '...' and "..." keep them, a backslash keeps the next character. Placeholders:
// {ranks} {hosts} {hostfile} {ppn} inside words, {program}; {env} and {args} are words of their own
// and become `env KEY=VALUE ...` (nothing if there is none) and the arguments. Throws UserError
// naming `place` with every fault: unknown placeholder, missing {ranks} or {program} or {args},
// {env} behind {program}, quotes that are not closed.
std::vector<std::string> fill_template(std::string_view text, const LaunchWords& words,
                                       const std::string& place);

// Only the check. Throws like fill_template.
void check_template(std::string_view text, const std::string& place);

// The word that is run, the launcher; empty if that is a placeholder. The template is a right one.
std::string template_program(std::string_view text);

// True if {hostfile} occurs.
bool wants_hostfile(std::string_view text);

}  // namespace invar::launch
