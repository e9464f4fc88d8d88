// Open MPI's own ways: its launcher's words, its variables. Rows of kind.cpp point here.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launch/libraries/profile.hpp"
#include "launch/process/command.hpp"
#include "launch/start/launcher.hpp"

namespace invar::launch {

// As root it starts nothing unless it is told twice.
Environment leave_to_run_as_root(const StartOptions& options, const std::filesystem::path& scratch);

Environment open_mpi_environment(const StartOptions& options, const std::filesystem::path& scratch);
Environment open_mpi_wheel_environment(const std::filesystem::path& venv);
std::vector<std::string> open_mpi_words(const Profile& profile, const StartOptions& options);

// Its launcher, run-time system and frameworks that opened nothing in our process have variables
// too: ompi_info, which stands beside the launcher or the wrapper, tells them.
std::vector<ControlVariable> ask_ompi_info(const Profile& profile);

// The command line of its configure, as ompi_info tells it.
std::string open_mpi_configured(const Profile& profile, std::string_view library_version);
std::string parse_ompi_configure(std::string_view output);

// Its component pml_monitoring stands between everything else and the one that sends.
Environment open_mpi_counting(const std::filesystem::path& file);

// It reads the algorithms of its component 'tuned' only where dynamic rules are asked for
// (ompi/mca/coll/tuned, ompi_coll_tuned_use_dynamic_rules): reading back the variable alone would
// confirm a setting that changes nothing.
std::vector<std::pair<std::string, std::string>> open_mpi_doubts(const Environment& of_arm,
                                                                 const Environment& of_profile);

}  // namespace invar::launch
