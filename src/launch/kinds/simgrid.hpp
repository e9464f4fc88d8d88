// SimGrid's SMPI: MPI on a simulated machine. Its launcher takes a platform file and options where
// others take variables. Rows of kind.cpp point here.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launch/libraries/profile.hpp"
#include "launch/process/command.hpp"
#include "launch/start/launcher.hpp"

namespace invar::launch {

// The setting that names the platform: a file, XML or a library (.so), with the machine in it.
constexpr std::string_view kPlatform = "platform";

// "platform", and SimGrid's options, which all have a slash: "smpi/bcast".
bool is_simgrid_option(std::string_view name);

// What follows smpirun: the platform, the file of hosts, options. Without a setting `platform` it
// is one of our own, with a host for each rank.
std::vector<std::string> simgrid_words(const Profile& profile, const StartOptions& options);

// Writes what the words name into StartOptions::scratch.
void write_simgrid_files(const Profile& profile, const StartOptions& options);

// smpirun copies the engine for each rank: into the folder that goes with the launch.
Environment simgrid_environment(const StartOptions& options, const std::filesystem::path& scratch);

// Options as `--help` of a simulation lists them, and the platform.
std::vector<ControlVariable> ask_simgrid(const Profile& profile);
std::vector<ControlVariable> parse_simgrid_help(std::string_view output);

// No platform, or options that a launch sets itself.
std::vector<std::pair<std::string, std::string>> simgrid_doubts(const Environment& of_arm,
                                                                const Environment& of_profile);

}  // namespace invar::launch
