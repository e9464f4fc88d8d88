// How a library is told to run a level of the factor `algorithm`, or why it is not.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launch/libraries/profile.hpp"
#include "launch/process/command.hpp"
#include "record/algorithms/algorithm_switch.hpp"
#include "tuning/algorithm.hpp"
#include "tuning/candidate.hpp"
#include "tuning/library.hpp"
#include "tuning/variables.hpp"

namespace invar::launch {

// A level of an operation; not `default`, of which nobody is told anything.
struct AskedLevel {
  std::string operation = {};
  std::string level = {};

  auto operator<=>(const AskedLevel&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct ToldLevel {
  AskedLevel asked = {};
  tuning::Candidate candidate = {};
  // The library's row; null: it has no such algorithm.
  const tuning::LibraryAlgorithm* algorithm = nullptr;
  record::AlgorithmSwitch told = {};  // only where nothing is lacking
  // Why it cannot be told inside a launch, and what to do; empty: it can.
  std::string lacks = {};
  std::string remedy = {};
  // This library will never have it: a name or a knob that its version does not know.
  bool unknown = false;
};

// By variable and item, as they are read back: ("MPIR_CVAR_BCAST_INTRA_ALGORITHM", "binomial")
// -> 1.
using ItemNumbers = std::map<std::pair<std::string, std::string>, std::int64_t>;

// The library of a profile as src/tuning knows it; nothing with `lacks` where it does not.
struct KnownLibrary {
  tuning::Library library = tuning::Library::kOpenMpi;
  tuning::Version version = {};
  std::string lacks = {};
};
KnownLibrary known_library(const Profile& profile);

// Items whose numbers have to be known for these levels: variables that take names, and of which
// the profile's list has no items.
std::vector<std::pair<std::string, std::string>> items_to_ask(const Profile& profile,
                                                              std::span<const AskedLevel> levels);

// Starts short launches that set as many of them at once as there are variables; one that fails is
// repeated item by item. Items that the library refuses are left out.
ItemNumbers ask_item_numbers(const Profile& profile, const Environment& environment,
                             const std::string& launcher,
                             std::span<const std::pair<std::string, std::string>> items);

// `environment`: the arm's settings, on top of the profile's.
ToldLevel told_level(const Profile& profile, const Environment& environment,
                     const AskedLevel& asked, const ItemNumbers& numbers);

// The same for all, asking the library for what has to be known.
std::vector<ToldLevel> told_levels(const Profile& profile, const Environment& environment,
                                   const std::string& launcher, std::span<const AskedLevel> levels);

}  // namespace invar::launch
