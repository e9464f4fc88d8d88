// The command line that starts a launch, by the launcher's kind.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "launch/start/launcher.hpp"

namespace invar::launch {

// What the words of all launchers are made of.
void append(std::vector<std::string>& words, const std::vector<std::string>& more);
std::uint32_t ranks_per_host(const StartOptions& options);
std::vector<std::string> names_of(const StartOptions& options);
// "a:2,b:2", with `count` of each host.
std::string hosts_with_ranks(const StartOptions& options,
                             std::uint32_t (*count)(const StartOptions&, const design::Host&));

// The profile's, then the arm's: what is in the environment of a launch, and what stands among the
// words of its launcher (LibraryKind::variables_are_words).
std::vector<std::pair<std::string, std::string>> given_environment(const Profile& profile,
                                                                   const StartOptions& options);
std::vector<std::pair<std::string, std::string>> given_options(const Profile& profile,
                                                               const StartOptions& options);

// `hostfile`: path that {hostfile} of a launch template stands for. Throws UserError.
std::vector<std::string> command_of(const Profile& profile, const StartOptions& options,
                                    const std::string& hostfile);

// One host a line, as the profile's launcher reads it (LibraryKind::before_slots): "node1 slots=2",
// "node1:2", "node1". The numbers are those of the ranks to start.
std::string hostfile_text(const Profile& profile, const StartOptions& options);

}  // namespace invar::launch
