// What can be raced in place of an operation: the library's own algorithms with their knobs,
// mock-ups, reference algorithms.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "record/operation/operation_info.hpp"
#include "tuning/candidate.hpp"
#include "tuning/library.hpp"

namespace invar::design {

using Settings = std::vector<std::pair<std::string, std::string>>;

// The library of an arm, and what its user set.
struct TunedLibrary {
  tuning::Library library = tuning::Library::kOpenMpi;
  tuning::Version version = {};
  Settings settings = {};                              // as in an environment: no `env:` in front
  std::vector<record::OperationInfo> operations = {};  // that its engine knows
};

// Names of the settings that choose the algorithm of one of the operations, beside a file or over
// it, or let it be chosen: what tuning takes the place of, in the order of the settings.
std::vector<std::string> overruling_settings(const TunedLibrary& library,
                                             const std::vector<std::string>& operations);

// The settings without these: what no file takes the place of.
Settings plain_settings(const TunedLibrary& library, const std::vector<std::string>& operations);

// With what lets algorithms be chosen inside of a launch.
Settings switching_settings(const TunedLibrary& library,
                            const std::vector<std::string>& operations);

// As an arm has them: `env:` in front of what is not a variable of a library.
Settings arm_settings(const Settings& environment);

// Sets the variable, whatever it was set to.
void put_setting(Settings& settings, const std::string& name, const std::string& value);

// The algorithm that the settings force for the operation, with its knobs; none: they force none.
// Throws UserError for a setting that names none.
std::optional<tuning::Candidate> forced_candidate(const TunedLibrary& library,
                                                  const std::string& operation);

// In this order: the library's algorithms with one knob turned at a time (and what the settings
// force), mock-ups, reference algorithms. At whatever size and number of ranks: see lack_of_race().
std::vector<tuning::Candidate> tune_candidates(const TunedLibrary& library,
                                               const std::string& operation);

// Why the candidate does not race for so many bytes and ranks: it would do there what another one
// does, it cannot run, or no file could say it. Empty: it does.
std::string lack_of_race(const TunedLibrary& library, const std::string& operation,
                         const tuning::Candidate& candidate,
                         std::optional<std::uint64_t> size_bytes, std::uint32_t ranks);

}  // namespace invar::design
