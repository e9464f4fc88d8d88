// Profiles that the user adds and removes.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "launch/libraries/profile.hpp"

namespace invar::launch {

struct AddOrder {
  std::string name = {};
  std::string mpicxx = {};  // path, or a name on PATH
  std::string mpirun = {};
  std::vector<std::pair<std::string, std::string>> environment = {};
  std::string launch_template = {};  // needs no mpirun
  std::string cxxflags = {};
  // The engine must run on libmpi_abi. Without mpicxx: shares that of the profile that has one.
  bool abi = false;
  // What `mpi install` installed.
  std::string wheel = {};
  std::string venv = {};
  std::filesystem::path operations_dir = {};
  bool made_by_race = false;  // as in Profile
};
// Builds the engine and runs it on two ranks. Throws UserError with all faults; nothing is left
// behind then.
Profile add_profile(const AddOrder& order);

// " --launch '...' --env K=V --cxxflags ... --ops DIR": what a profile was added with, beside
// wrapper and launcher. Empty: nothing.
std::string added_with(const Profile& profile);

// Deletes its virtual environment, too, if `mpi install` made it. Refused as long as other profiles
// need it. A detected library stays on the list of removed ones, else it would be back at once;
// adding it by hand takes it off. Throws UserError if there is no such profile.
void remove_profile(const std::string& name);

}  // namespace invar::launch
