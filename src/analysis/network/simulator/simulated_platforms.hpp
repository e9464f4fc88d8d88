// Which platforms follow from a network's models: one for each of them, with the names of its files
// and what cannot be written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/answer/tidy_table.hpp"
#include "analysis/network/network.hpp"
#include "base/error.hpp"
#include "platform/platform_files.hpp"
#include "platform/platform_model.hpp"

namespace invar::analysis {

// The platform of one model of the answer.
struct SimulatedPlatform {
  std::size_t model = 0;  // index into Network::models
  std::string stem = {};  // "platform"; of several "platform-openmpi", "platform-openmpi-2"
  platform::PlatformModel of = {};
  std::optional<platform::PlatformModel> other = {};  // the arm's other class of pairs
  std::uint32_t ranks = 2;                            // that it has nodes for
};

struct SimulatedPlatforms {
  std::vector<SimulatedPlatform> platforms = {};
  // Why other models have none: what was not measured, what no simulator could read.
  std::vector<base::Fault> faults = {};
  // What users of a platform must know: interruptions_warning() of each.
  std::vector<std::string> warnings = {};
};

struct PlatformsAsked {
  // Cores of a machine whose pairs are inside a host.
  std::uint32_t cores = 2;
  bool noise = true;
};

// The stem of each model's files, in the order of the models.
std::vector<std::string> stems_of(const Network& found);

// In the order of the models. An arm of which pairs inside a host and pairs between hosts were
// measured has a platform of each, and the C++ platform of either has both.
SimulatedPlatforms simulated_platforms(const Network& found, const PlatformsAsked& asked);

// "platforms": which files the directory has of which model, and how smpirun takes them. Without
// rows where there is no directory, or no file in it.
TidyTable platforms_table(const Network& found);

// All texts, and sentences of what is in them; several platforms' sentences have its stem in front.
// Throws UserError as platform::platform_files().
platform::PlatformFiles files_of(const Network& found, const SimulatedPlatforms& made);

}  // namespace invar::analysis
