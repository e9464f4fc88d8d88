// Arms, checked: does the library exist, and do its settings really reach it?
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "design/campaign/campaign.hpp"
#include "design/campaign/hosts.hpp"
#include "launch/libraries/profile.hpp"

namespace invar::launch {

// The program of an arm that is one.
struct CheckedProgram {
  std::string file = {};  // what is run, with its path
  // Files that the command names as they stand, a script behind its interpreter for example.
  std::vector<std::string> other_files = {};
};

// Beside the library's own launcher and wrapper, else on PATH: benchmarks come with libraries, and
// another library's would run as so many single processes, or not at all.
std::optional<std::string> find_beside(const std::string& name, const Profile& profile);

struct CheckedArm {
  std::string label = {};
  Profile profile = {};  // without a name: a program that no library starts
  std::optional<CheckedProgram> program = {};
  // What is set for its launches, `env:` taken off.
  std::vector<std::pair<std::string, std::string>> environment = {};
  // How each setting was checked, in the order of the arm's settings: "read back as 3", "accepted
  // as 4", "unverified", "passed on", "of Invar's shim".
  std::vector<std::string> settings_checked = {};
  // What the library chose in a probe of two ranks on this host: ("pml", "ob1"). Empty: it does not
  // tell.
  std::vector<std::pair<std::string, std::string>> components = {};
  // The hosts of the machine that a simulator's settings describe.
  std::vector<std::string> machine_hosts = {};

  [[nodiscard]] bool simulates() const;
};

// Checks names against what each profile recorded, then starts one probe per arm with settings and
// reads them back (docs/guide.md, Settings of an arm). Throws UserError with the faults of
// all arms. Builds engines that must be built. `launcher`: of the probes, as in StartOptions.
std::vector<CheckedArm> check_arms(std::span<const design::Arm> arms,
                                   const std::string& launcher = std::string(design::kOwnLauncher));

// Checksums as they are now: of the library's files, of those that the settings name
// (named_files.hpp), and of the program's.
std::map<std::string, std::string> checksums_of(const CheckedArm& arm);

// The part of it that needs no launch; the texts of settings that a probe must verify stay empty.
// Faults are collected. `place` names the arm in messages.
CheckedArm check_names(const design::Arm& arm, const Profile& profile, base::Faults& faults);

// Compares what was asked with what the process read: text as is, numbers and booleans by value,
// enumerations by number or name. `family` mpich: text where a number is read is an enumeration
// whose names the library does not tell. Returns the text for settings_checked, or nothing if they
// differ.
std::optional<std::string> verify_value(const std::string& asked, const ControlVariable& read,
                                        const std::string& family);

}  // namespace invar::launch
