// From argv to the subcommand that was named.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace invar::cli {

// Parses, runs, returns the exit status. Throws base::CommandError; wrong words of the command line
// are UserErrors with a did-you-mean.
int run_command_line(int argc, const char* const* argv);

// Values of options that several subcommands take, with the option named in the message.
// "a,b,c" as words; empty parts are faults.
std::vector<std::string> parse_words(const std::string& option, const std::string& text);
double parse_budget_s(const std::string& option, const std::string& text);
std::uint32_t parse_positive(const std::string& option, const std::string& text);

}  // namespace invar::cli
