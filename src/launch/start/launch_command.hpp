// The command line that starts a launch, by the launcher's kind.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "launch/start/launcher.hpp"

namespace invar::launch {

// The profile's, then the arm's.
std::vector<std::pair<std::string, std::string>> given_environment(const Profile& profile,
                                                                   const StartOptions& options);

// `hostfile`: path that {hostfile} of a launch template stands for. Throws UserError.
std::vector<std::string> command_of(const Profile& profile, const StartOptions& options,
                                    const std::string& hostfile);

// One host a line, as the profile's launcher reads it: "node1 slots=2" for Open MPI, "node1:2" for
// MPICH and Intel MPI, "node1" for others. The numbers are those of the ranks to start.
std::string hostfile_text(const Profile& profile, const StartOptions& options);

}  // namespace invar::launch
