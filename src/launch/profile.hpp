// MPI library profiles: which wrapper builds the engine, which launcher starts it, what the library
// says of itself. Kept as JSON in the user's data directory ($INVAR_HOME, else
// $XDG_DATA_HOME/invar, else ~/.local/share/invar), beside the engine that was built for it.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/operation_info.hpp"

namespace invar::launch {

struct ControlVariable {
  std::string name = {};
  std::string type = {};                // "int", "char", ...
  std::string value = {};               // default, as text
  std::vector<std::string> items = {};  // of an enumeration: "0=ignore"
};

struct Profile {
  std::string name = {};                                              // "openmpi"
  std::string mpicxx = {};                                            // path of the wrapper
  std::string mpirun = {};                                            // path of the launcher
  std::vector<std::pair<std::string, std::string>> environment = {};  // --env
  std::string launch_template = {};  // --launch; empty: by the launcher's kind
  std::string family = {};  // openmpi | mpich | intel | other: what --oversubscribe is called, ...
  std::string version =
      {};  // "Open MPI v4.1.4, package: ..." (MPI_Get_library_version, first line)
  std::string short_version = {};  // "4.1.4"
  std::string standard = {};       // "3.1"
  std::string compiler = {};       // first line of `$mpicxx --version`
  std::string compiler_flags = {};
  std::filesystem::path engine = {};                  // the built engine
  std::map<std::string, std::string> checksums = {};  // MPI libraries it maps -> checksum
  std::vector<record::OperationInfo> operations = {};
  std::vector<ControlVariable> variables = {};
  double startup_s = 0;   // wall time of an empty two-rank launch
  bool detected = false;  // found on the machine, not added by hand
};

// All profiles: those added by hand and those detected now. Engines that are missing or older than
// the engine's sources are built; progress goes to stderr. In alphabetical order.
std::vector<Profile> all_profiles();
// One profile, built if it must be. Throws UserError with a did-you-mean.
Profile find_profile(const std::string& name);

}  // namespace invar::launch
