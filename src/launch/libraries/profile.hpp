// MPI library profiles: which wrapper builds the engine, which launcher starts it, what the library
// says of itself. Kept as JSON in the user's data directory ($INVAR_HOME, else
// $XDG_DATA_HOME/invar, else ~/.local/share/invar), beside the engine that was built for it.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/operation/operation_info.hpp"

namespace invar::launch {

struct ControlVariable {
  std::string name = {};
  std::string type = {};                // "int", "char", ...
  std::string value = {};               // default, as text
  std::vector<std::string> items = {};  // of an enumeration: "0=ignore"
  // When MPI_T lets it be written: "constant", "readonly", "local", "all", ... Empty: not known.
  std::string scope = {};

  // While the library runs.
  [[nodiscard]] bool writable() const {
    return !scope.empty() && scope != "constant" && scope != "readonly" && scope != "unknown";
  }
};

struct Profile {
  std::string name = {};                                              // "openmpi"
  std::string mpicxx = {};                                            // path of the wrapper
  std::string mpirun = {};                                            // path of the launcher
  std::vector<std::pair<std::string, std::string>> environment = {};  // --env
  std::string launch_template = {};  // --launch; empty: by the launcher's kind
  std::string cxxflags = {};         // --cxxflags: of this profile's engine alone
  std::string engine_of = {};        // profile whose engine, built for the MPI-5 ABI, this one runs
  std::string wheel = {};            // "impi-devel 2021.18.1", if `mpi install` made it
  std::string venv = {};             // folder that goes with the profile
  std::string family = {};  // openmpi | mpich | intel | other: what --oversubscribe is called, ...
  // First line of MPI_Get_library_version: "Open MPI v4.1.4, package: ..."
  std::string version = {};
  std::string configured = {};     // what it was configured with; empty: it does not tell
  std::string short_version = {};  // "4.1.4"
  std::string standard = {};       // "3.1"
  std::string compiler = {};       // first line of `$mpicxx --version`
  std::string compiler_flags = {};
  std::filesystem::path engine = {};                  // the built engine
  std::map<std::string, std::string> checksums = {};  // MPI libraries it maps -> checksum
  std::filesystem::path operations_dir = {};          // --ops: of the user's own; empty: none
  // Its files as they were when the engine was built -> checksum.
  std::map<std::string, std::string> operation_sources = {};
  bool made_by_race = false;  // `race --ops` has made it, nobody asked for it by name
  std::vector<record::OperationInfo> operations = {};
  std::vector<ControlVariable> variables = {};
  double startup_s = 0;   // wall time of an empty two-rank launch
  bool detected = false;  // found on the machine, not added by hand
};

// All profiles: those added by hand and those detected now. Engines that are missing or older than
// the engine's sources are built; progress goes to stderr. In alphabetical order. Libraries that do
// not work are left out, with the reason on stderr. Throws UserError if none is left.
std::vector<Profile> all_profiles();
// What a campaign without arms compares: all but those that a race made for itself, and simulators.
std::vector<Profile> usual_profiles();
// One profile, built if it must be. Throws UserError: no such profile (did you mean), or why it
// does not work.
Profile find_profile(const std::string& name);

// The library of that profile simulates (LibraryKind::simulates); builds nothing, and false where
// there is no such profile.
bool is_simulator(const std::string& name);

// Those of all profiles whose library simulates; builds and tries nothing.
std::vector<std::string> simulator_names();

// Says on stderr how long it will take to build the engines of these, if those of several are to be
// built.
void tell_builds_of(const std::vector<std::string>& names);

// Wall time that this process has spent on making profiles ready: building engines, trying them,
// waiting for another process that does.
double making_ready_s();

// Those that can be used as they are: nothing is built or tried.
std::vector<Profile> ready_profiles();
// What their engines can time, each once.
std::vector<record::OperationInfo> known_operations();

// For `mpi list`: all profiles, also those that do not work.
struct ProfileState {
  Profile profile = {};
  std::string problem = {};  // empty: ready
};
std::vector<ProfileState> list_profiles();

// Everything about a profile as one JSON object.
std::string profile_json(const Profile& profile);

// Checksums as they are now of the MPI libraries that the profile's engine maps. Files whose stamp
// has not changed are not read again, so it may be called before every launch.
std::map<std::string, std::string> library_checksums(const Profile& profile);

// Checksums of the user's own operations that the profile's engine holds now. Another process may
// have built it anew since `profile` was read.
std::map<std::string, std::string> built_operations(const Profile& profile);

}  // namespace invar::launch
