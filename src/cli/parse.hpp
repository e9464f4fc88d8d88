// From argv to the subcommand that was named.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/canary_band.hpp"
#include "base/error.hpp"

namespace invar::cli {

// Parses, runs, returns the exit status. Throws base::CommandError; wrong words of the command line
// are UserErrors with a did-you-mean.
int run_command_line(int argc, const char* const* argv);

// The exit status of what ended with an error of this status, before anything was measured: that of
// the error, or, where the words ask for --bisect, one at which a bisection stops. It would take
// any other for a word about the revision.
int failed_status(base::Exit status, int argc, const char* const* argv);

// Values of options that several subcommands take, with the option named in the message.
// "100ns:300ns". Throws UserError, naming --regime.
base::CanaryBand parse_regime(const std::string& text);

// "0.05" or "5%", in (0, 1). Throws UserError, naming --alpha.
double parse_alpha(const std::string& text);
// "2%", at least 0. Throws UserError, naming --min-effect.
double parse_min_effect(const std::string& text);

// "a,b,c" as words; empty parts are faults.
std::vector<std::string> parse_words(const std::string& option, const std::string& text);
double parse_budget_s(const std::string& option, const std::string& text);
std::uint32_t parse_positive(const std::string& option, const std::string& text);

}  // namespace invar::cli
