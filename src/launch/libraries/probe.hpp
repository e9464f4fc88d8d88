// A short launch of the engine that asks the library what it is.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "design/campaign/hosts.hpp"
#include "launch/libraries/profile.hpp"
#include "launch/process/command.hpp"

namespace invar::launch {

struct ProbeResult {
  std::uint32_t ranks = 2;  // that were started
  int status = 0;           // of the launcher
  bool hung = false;        // stopped after the limit
  std::string json = {};    // what rank 0 wrote; empty if nothing
  std::string err = {};     // standard error, then output, shortened
  // What the library chose, if it was asked and tells: ("pml", "ob1").
  std::vector<std::pair<std::string, std::string>> components = {};
  double seconds = 0;        // wall time
  std::string command = {};  // what was run, as one could type it
};

// Runs `invar-engine --probe` on two ranks; `launcher` as in StartOptions. Throws UserError only if
// nothing can be started at all.
ProbeResult run_probe(const Profile& profile, const Environment& environment,
                      const std::string& launcher = std::string(design::kOwnLauncher));
// Also asks for its components. Variables of the environment that make it say other things stay.
ProbeResult run_telling_probe(const Profile& profile, const Environment& environment,
                              const std::string& launcher);

// What went wrong, as a user reads it; empty if the probe went well: it ended with 0, wrote its
// answer, and both ranks saw each other (an engine under the launcher of another library runs as
// two programs of one rank).
std::string probe_problem(const ProbeResult& result);

// Version and mapped files of the library that really ran: an arm's LD_LIBRARY_PATH or LD_PRELOAD
// may bring in another one than the profile's.
void take_library(Profile& profile, const ProbeResult& result);

// Puts versions, control variables, operations and mapped libraries into the profile. The probe
// went well. Asks `ompi_info` for the variables that Open MPI registers later or elsewhere.
void take_probe(Profile& profile, const ProbeResult& result);

// Control variables of a probe's answer. Throws UserError if it is not readable.
std::vector<ControlVariable> probed_variables(const ProbeResult& result);

// Names of the hosts of a simulated machine, in their order; none: it is none. Throws likewise.
std::vector<std::string> probed_hosts(const ProbeResult& result);

// Variables in the output of `ompi_info --all --parsable`.
std::vector<ControlVariable> parse_ompi_info(const std::string& output);

}  // namespace invar::launch
