#include "launch/start/arms.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>

#include "base/text.hpp"
#include "launch/kinds/kind.hpp"
#include "launch/libraries/probe.hpp"
#include "launch/libraries/profile_with.hpp"
#include "launch/libraries/shim.hpp"
#include "launch/process/files.hpp"
#include "launch/process/paths.hpp"
#include "launch/start/named_files.hpp"
#include "launch/systems/system.hpp"
#include "tuning/files/check_classic.hpp"
#include "tuning/library.hpp"

namespace invar::launch {
namespace {

constexpr std::string_view kPassedOn = "env:";

// How it was checked, of one that no library can tell anything of.
std::string passed_on_text(const std::string& name, const std::string& value) {
  return is_of_shim(name, value) ? "of Invar's shim" : "passed on";
}

// Settings of transports, launchers and Intel MPI: nobody tells what became of them.
constexpr std::array<std::string_view, 5> kUnverified{"UCX_", "FI_", "I_MPI_", "PMIX_", "PRTE_"};

std::string lower(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    result += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return result;
}

// "64", "-1", "64k" (1024 as Open MPI reads it), "1.5".
std::optional<double> as_number(std::string_view text) {
  double factor = 1;
  if (!text.empty()) {
    switch (std::tolower(static_cast<unsigned char>(text.back()))) {
      case 'k':
        factor = 1024;
        break;
      case 'm':
        factor = 1024.0 * 1024;
        break;
      case 'g':
        factor = 1024.0 * 1024 * 1024;
        break;
      default:
        break;
    }
    if (factor > 1) text.remove_suffix(1);
  }
  if (text.starts_with("0x")) {
    std::uint64_t value = 0;
    for (const char digit : text.substr(2)) {
      if (std::isxdigit(static_cast<unsigned char>(digit)) == 0) return std::nullopt;
      const int low = std::tolower(static_cast<unsigned char>(digit));
      value = value * 16 + static_cast<std::uint64_t>(low <= '9' ? low - '0' : low - 'a' + 10);
    }
    return factor * static_cast<double>(value);
  }
  const std::optional<double> value = base::parse_double(text);
  return value ? std::optional(*value * factor) : std::nullopt;
}

bool is_numeric(const ControlVariable& variable) { return variable.type != "char"; }

// The kind whose control variables are set by keys like this one; null: none is.
const LibraryKind* owner_of(std::string_view key) {
  for (const LibraryKind& kind : library_kinds()) {
    if (has_variable(kind, key)) return &kind;
  }
  return nullptr;
}

// The name under which the library knows it.
std::string variable_name(std::string_view key) {
  const LibraryKind* owner = owner_of(key);
  const bool shorter = owner != nullptr && owner->named_without;
  return std::string(shorter ? key.substr(owner->variables.size()) : key);
}

// Keys of `owner`'s kind that set a variable of this library. Relatives of MPICH have its names.
std::vector<std::string> known_keys(const Profile& profile, const LibraryKind& owner) {
  std::vector<std::string> keys;
  if (owner.named_without && profile.family != owner.name) return keys;
  for (const ControlVariable& variable : profile.variables) {
    std::string key = (owner.named_without ? std::string(owner.variables) : "") + variable.name;
    if (has_variable(owner, key)) keys.push_back(std::move(key));
  }
  return keys;
}

// All keys that set a variable of this library.
std::vector<std::string> known_keys(const Profile& profile) {
  std::vector<std::string> keys;
  for (const LibraryKind& kind : library_kinds()) {
    for (std::string& key : known_keys(profile, kind)) keys.push_back(std::move(key));
  }
  return keys;
}

void unknown_variable(const std::string& place, const std::string& key, const Profile& profile,
                      base::Faults& faults) {
  const LibraryKind& owner = *owner_of(key);
  const std::vector<std::string> known = known_keys(profile, owner);
  if (known.empty()) {
    faults.add(place,
               "'" + key + "' is a variable of " + std::string(owner.title) + ", and " +
                   profile.name + " (" + profile.version + ") has none of these",
               "give it to an arm of that library");
    return;
  }
  const std::optional<std::string> near = base::nearest(key, known);
  faults.add(
      place, profile.name + " has no control variable '" + key + "'",
      near ? "did you mean '" + *near + "'?" : "'invar mpi show " + profile.name + "' lists them");
}

bool is_file(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

CheckedProgram check_program(const design::Arm& arm, const Profile& profile, base::Faults& faults) {
  CheckedProgram program;
  const std::vector<std::string> words =
      base::shell_words(arm.program.command).value_or(std::vector<std::string>{});
  const std::string name = words.empty() ? "" : words.front();
  const auto found = find_beside(name, profile);
  if (!found || !is_file(*found)) {
    const bool path = name.find('/') != std::string::npos;
    faults.add("arm '" + arm.label + "'",
               path
                   ? "'" + name + "' is not a program that can be run"
                   : "there is no program '" + name + "' on PATH" +
                         (profile.name.empty() ? "" : " or beside the launcher of " + profile.name),
               path ? "is the path right, and is the file executable?" : "give its whole path");
    return program;
  }
  program.file = std::filesystem::absolute(*found).lexically_normal().string();
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (is_file(words[i])) {
      program.other_files.push_back(
          std::filesystem::absolute(words[i]).lexically_normal().string());
    }
  }
  return program;
}

// Settings of a program that no library starts: its environment, as it is.
void take_environment(const design::Arm& arm, CheckedArm& checked, base::Faults& faults) {
  for (const auto& [key, value] : arm.settings) {
    const bool passed_on = key.starts_with(kPassedOn);
    const std::string name = passed_on ? key.substr(kPassedOn.size()) : key;
    if (!passed_on && owner_of(name) != nullptr) {
      faults.add("arm '" + arm.label + "'",
                 "'" + key + "' cannot be checked: the arm has no library",
                 "write '" + std::string(kPassedOn) + key + "' to pass it on as it is");
    }
    checked.environment.emplace_back(name, value);
    checked.settings_checked.push_back(passed_on ? passed_on_text(name, value) : "unverified");
  }
}

struct Checking {
  const design::Arm* arm;
  CheckedArm checked;
};

// What a library without settings chose. Whether it can be launched at all is for others to say;
// and nothing is started where that would ask for an allocation.
std::vector<std::pair<std::string, std::string>> chosen_components(const Profile& profile,
                                                                   const std::string& launcher) {
  if (!profile.launch_template.empty() || launch_system(launcher).elsewhere) return {};
  try {
    ProbeResult probe = run_telling_probe(profile, {}, launcher);
    if (probe_problem(probe).empty()) return std::move(probe.components);
  } catch (const base::UserError&) {
  }
  return {};
}

// What the library would drop, or take otherwise, without a word.
void check_rules_file(const CheckedArm& arm, const std::string& place, base::Faults& faults) {
  constexpr std::string_view kRules = "OMPI_MCA_coll_tuned_dynamic_rules_filename";
  const std::optional<tuning::Version> version = tuning::parse_version(arm.profile.short_version);
  for (const auto& [name, value] : arm.environment) {
    if (name != kRules || !version) continue;
    const std::optional<std::string> text = base::read_file(value);
    if (!text) continue;
    for (const tuning::ClassicFault& fault : tuning::check_classic(*text, *version)) {
      faults.add({.place = place + ": " + value,
                  .line = fault.line,
                  .what = fault.what,
                  .remedy = fault.remedy});
    }
  }
}

void read_back(Checking& checking, const std::string& place, const std::string& launcher,
               base::Faults& faults) {
  CheckedArm& arm = checking.checked;
  const auto waiting = [](const std::string& text) { return text.empty(); };
  if (arm.environment.empty()) return;
  ProbeResult probe = run_telling_probe(arm.profile, arm.environment, launcher);
  if (!probe_problem(probe).empty() && !probe.hung) {
    // What it says of its components would hide what went wrong.
    probe = run_probe(arm.profile, arm.environment, launcher);
    probe.components.clear();
  }
  if (const std::string problem = probe_problem(probe); !problem.empty()) {
    std::string settings;
    for (const auto& [name, value] : arm.environment) settings += " " + name + "=" + value;
    faults.add(place, "with" + settings + " " + problem, "does the value exist in this library?");
    return;
  }
  take_library(arm.profile, probe);
  arm.components = probe.components;
  arm.machine_hosts = probed_hosts(probe);
  if (std::none_of(arm.settings_checked.begin(), arm.settings_checked.end(), waiting)) return;
  std::map<std::string, ControlVariable> read;
  for (ControlVariable& variable : probed_variables(probe)) {
    read.emplace(variable.name, std::move(variable));
  }
  for (std::size_t i = 0; i < arm.environment.size(); ++i) {
    if (!arm.settings_checked[i].empty()) continue;
    const auto& [key, asked] = arm.environment[i];
    const auto found = read.find(variable_name(key));
    if (found == read.end()) {
      // A launcher ends where it does not understand a word.
      const LibraryKind* const owner = owner_of(key);
      const bool word = owner != nullptr && owner->variables_are_words;
      arm.settings_checked[i] = word ? "accepted" : "unverified";
      continue;
    }
    if (const auto text = verify_value(asked, found->second, arm.profile.family)) {
      arm.settings_checked[i] = *text;
      continue;
    }
    std::string remedy = "the library did not take this value";
    if (!found->second.items.empty()) {
      remedy += "; it knows " + base::join(found->second.items, ", ");
    }
    faults.add(
        place,
        key + " was set to '" + asked + "', but the library reads '" + found->second.value + "'",
        remedy);
  }
}

}  // namespace

bool CheckedArm::simulates() const {
  return !profile.name.empty() && kind_of(profile.family).simulates;
}

std::optional<std::string> find_beside(const std::string& name, const Profile& profile) {
  for (const std::string& neighbour : {profile.mpirun, profile.mpicxx}) {
    // A bare name has no folder; those without a profile have no neighbours.
    if (name.find('/') != std::string::npos || neighbour.find('/') == std::string::npos) continue;
    const auto path = std::filesystem::path(neighbour).parent_path() / name;
    if (auto found = find_program(path.string())) return found;
  }
  return find_program(name);
}

std::optional<std::string> verify_value(const std::string& asked, const ControlVariable& read,
                                        const std::string& family) {
  const std::string as_read = "read back as " + read.value;
  if (asked == read.value) return as_read;
  if (!is_numeric(read)) return std::nullopt;
  // Enumerations first: "0=false", "1=true" are booleans of Open MPI as well.
  for (const std::string& item : read.items) {
    const std::size_t equals = item.find('=');
    const std::string number = item.substr(0, equals);
    if (lower(item.substr(equals + 1)) == lower(asked) && number == read.value) return as_read;
  }
  const std::optional<double> wanted = as_number(asked);
  const std::optional<double> value = as_number(read.value);
  if (wanted && value) return *wanted == *value ? std::optional(as_read) : std::nullopt;
  const std::optional<bool> truth = base::parse_truth(asked);
  if (truth && value && (*value == 0 || *value == 1)) {
    return *truth == (*value == 1) ? std::optional(as_read) : std::nullopt;
  }
  if (kind_of(family).accepts_by_surviving && read.items.empty() && !wanted && value) {
    return "accepted as " + read.value;
  }
  return std::nullopt;
}

std::map<std::string, std::string> checksums_of(const CheckedArm& arm) {
  std::map<std::string, std::string> checksums;
  if (!arm.profile.name.empty()) {
    checksums = library_checksums(arm.profile);
    checksums.merge(built_operations(arm.profile));
    // Whatever it was built from, by which compiler and with which flags: all of it is in there.
    const std::string engine = arm.profile.engine.string();
    if (!engine.empty()) checksums[engine] = file_checksum(engine);
  }
  for (const std::string& file : named_files(arm.environment)) {
    checksums[file] = file_checksum(file);
  }
  if (!arm.program) return checksums;
  checksums[arm.program->file] = file_checksum(arm.program->file);
  for (const std::string& file : arm.program->other_files) checksums[file] = file_checksum(file);
  return checksums;
}

CheckedArm check_names(const design::Arm& arm, const Profile& profile, base::Faults& faults) {
  CheckedArm checked;
  checked.label = arm.label;
  checked.profile = profile;
  const std::string place = "arm '" + (arm.label.empty() ? arm.library : arm.label) + "'";
  for (const auto& [key, value] : arm.settings) {
    const bool passed_on = key.starts_with(kPassedOn);
    std::string name = passed_on ? key.substr(kPassedOn.size()) : key;
    const bool of_library = owner_of(name) != nullptr;
    const bool shaped = !name.empty() && name.find('=') == std::string::npos &&
                        std::isdigit(static_cast<unsigned char>(name[0])) == 0;
    std::string how;
    if (!shaped) {
      faults.add(place, "'" + key + "' is not the name of a variable");
    } else if (of_library) {  // with "env:" in front or without: a slip is a slip
      const std::vector<std::string> keys = known_keys(profile, *owner_of(name));
      const bool known = std::ranges::find(keys, name) != keys.end();
      if (!known) unknown_variable(place, name, profile, faults);
    } else if (passed_on) {
      how = passed_on_text(name, value);
    } else if (std::any_of(kUnverified.begin(), kUnverified.end(),
                           [&](std::string_view start) { return name.starts_with(start); })) {
      how = "unverified";
    } else {
      const std::optional<std::string> meant = base::nearest(name, known_keys(profile));
      faults.add(place, "'" + name + "' is not a setting of an MPI library that can be checked",
                 (meant ? "did you mean '" + *meant + "'? Otherwise write " : "write ") +
                     "env:" + name + "=" + value + " to pass it on as it is");
    }
    checked.environment.emplace_back(std::move(name), value);
    checked.settings_checked.push_back(std::move(how));
  }
  for (const MissingFile& missing : missing_files(checked.environment)) {
    const bool relative = !missing.file.starts_with('/');
    faults.add(place,
               missing.variable + " names " + missing.file +
                   (relative ? ", which depends on where ranks are started"
                             : ", and there is no such file"),
               relative ? "write the whole path"
                        : "is the path right? The library would go on without it");
  }
  check_rules_file(checked, place, faults);
  if (const auto doubts = kind_of(profile.family).doubts) {
    for (const auto& [what, remedy] : doubts(checked.environment, profile.environment)) {
      faults.add(place, what, remedy);
    }
  }
  return checked;
}

std::vector<CheckedArm> check_arms(std::span<const design::Arm> arms, const std::string& launcher) {
  base::Faults faults;
  // By library and own operations.
  std::map<std::pair<std::string, std::string>, std::optional<Profile>> profiles;
  std::vector<std::string> as_they_are;
  for (const design::Arm& arm : arms) {
    if (!arm.library.empty() && arm.operations.empty()) as_they_are.push_back(arm.library);
  }
  tell_builds_of(as_they_are);
  std::vector<Checking> all;
  for (const design::Arm& arm : arms) {
    if (arm.is_program() && arm.library.empty()) {
      CheckedArm checked{.label = arm.label, .program = check_program(arm, {}, faults)};
      take_environment(arm, checked, faults);
      all.push_back({&arm, std::move(checked)});
      continue;
    }
    const auto [found, fresh] = profiles.try_emplace({arm.library, arm.operations});
    if (fresh) {
      try {
        found->second = arm.operations.empty() ? find_profile(arm.library)
                                               : profile_with(arm.library, arm.operations);
      } catch (const base::UserError& error) {
        for (const base::Fault& fault : error.faults()) faults.add(fault);
      }
    }
    if (!found->second) continue;
    all.push_back({&arm, check_names(arm, *found->second, faults)});
    if (arm.is_program()) all.back().checked.program = check_program(arm, *found->second, faults);
  }
  faults.throw_if_any();
  // What libraries without settings chose: the environment of the command acts on them, too.
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> components;
  for (Checking& checking : all) {
    const design::Arm& arm = *checking.arm;
    const Profile& profile = checking.checked.profile;
    if (profile.name.empty()) continue;
    if (checking.checked.environment.empty() && kind_of(profile.family).components != nullptr) {
      const auto [known, is_new] = components.try_emplace(profile.name);
      if (is_new) known->second = chosen_components(profile, launcher);
      checking.checked.components = known->second;
    }
    read_back(checking, "arm '" + (arm.label.empty() ? arm.library : arm.label) + "'", launcher,
              faults);
  }
  faults.throw_if_any();
  std::vector<CheckedArm> checked;
  checked.reserve(all.size());
  for (Checking& checking : all) checked.push_back(std::move(checking.checked));
  return checked;
}

}  // namespace invar::launch
