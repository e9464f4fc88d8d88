#include "analysis/network/simulator/simulated_platforms.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "analysis/network/network_platform.hpp"
#include "analysis/network/network_rows.hpp"
#include "base/text.hpp"

namespace invar::analysis {
namespace {

constexpr const char* kStem = "platform";
// One launch's luck is not a machine.
constexpr std::size_t kLeastGroupsOfPlatform = 2;

// As a part of a file's name.
std::string name_part(const std::string& label) {
  std::string part = label;
  for (char& c : part) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '+' || c == '_';
    if (!plain) c = '-';
  }
  return part;
}

std::string selector_for(const Network& found, const std::string& arm) {
  const auto known = std::ranges::find(found.arms, arm, &ComparedArm::label);
  return known == found.arms.end() ? std::string() : selector_of(known->library_version);
}

std::vector<std::string> about_text(const Network& found, const SimulatedPlatform& made) {
  const NetworkModel& model = found.models[made.model];
  // Not where it lies: the same data give the same files.
  std::vector<std::string> lines{"a platform for SimGrid, by invar network"};
  if (!found.source.empty()) lines.push_back("from " + found.source);
  const auto known = std::ranges::find(found.arms, model.arm, &ComparedArm::label);
  if (known != found.arms.end() && !known->library_version.empty()) {
    lines.push_back(model.arm + ": " + known->library_version);
  }
  lines.push_back(std::string("pairs ") +
                  (model.inside_host ? "inside a host: a node is a rank" : "between hosts") +
                  (model.place.empty() ? std::string() : ", " + model.place));
  lines.push_back(base::count_text(made.ranks, "node") +
                  ": change radical for more, and the file of hosts");
  lines.insert(lines.end(), model.lacking.begin(), model.lacking.end());
  lines.insert(lines.end(), model.loose.begin(), model.loose.end());
  return lines;
}

}  // namespace

std::vector<std::string> stems_of(const Network& found) {
  if (found.models.size() == 1) return {kStem};
  std::vector<std::string> stems;
  std::set<std::string> taken;
  for (const NetworkModel& model : found.models) {
    const std::string wanted = std::string(kStem) + "-" + name_part(model.arm);
    std::string stem = wanted;
    for (int number = 2; !taken.insert(stem).second; ++number) {
      stem = wanted + "-" + std::to_string(number);
    }
    stems.push_back(std::move(stem));
  }
  return stems;
}

SimulatedPlatforms simulated_platforms(const Network& found, const PlatformsAsked& asked) {
  SimulatedPlatforms made;
  const std::vector<std::string> stems = stems_of(found);
  for (std::size_t i = 0; i < found.models.size(); ++i) {
    const NetworkModel& model = found.models[i];
    if (model.launches && model.groups < kLeastGroupsOfPlatform) {
      made.faults.push_back(
          {.place = model.arm,
           .what = base::count_text(model.groups, "complete launch group") +
                   ", and launches differ: of " + std::to_string(kLeastGroupsOfPlatform) +
                   " at least a platform is written",
           .remedy = "give it more time (--budget), or ask invar network for fewer sizes"});
      continue;
    }
    try {
      SimulatedPlatform one{.model = i, .stem = stems[i]};
      one.of = platform_model(model, found.data.at(i),
                              {.selector = selector_for(found, model.arm), .noise = asked.noise});
      const std::size_t hosts = found.hosts;
      one.ranks = model.inside_host ? std::max(asked.cores, 2U)
                                    : static_cast<std::uint32_t>(std::max<std::size_t>(hosts, 2));
      if (const std::string text = platform::interruptions_warning(one.of); !text.empty()) {
        made.warnings.push_back(found.models.size() > 1 ? one.stem + ": " + text : text);
      }
      made.platforms.push_back(std::move(one));
    } catch (const base::CommandError& error) {
      for (const base::Fault& fault : error.faults()) made.faults.push_back(fault);
    }
  }
  for (SimulatedPlatform& one : made.platforms) {
    const NetworkModel& model = found.models[one.model];
    for (const SimulatedPlatform& other : made.platforms) {
      const NetworkModel& theirs = found.models[other.model];
      if (theirs.arm == model.arm && theirs.inside_host != model.inside_host) one.other = other.of;
    }
  }
  return made;
}

TidyTable platforms_table(const Network& found) {
  TidyTable table{.id = "platforms", .title = "Platforms for SimGrid, in the campaign's directory"};
  add_text_columns(table, {"arm", "place", "platform", "hosts", "run"});
  if (found.dir.empty()) return table;
  const std::vector<std::string> stems = stems_of(found);
  for (std::size_t i = 0; i < found.models.size(); ++i) {
    std::error_code none;
    if (!std::filesystem::exists(found.dir / (stems[i] + ".xml"), none)) continue;
    const NetworkModel& model = found.models[i];
    // Every platform has nodes for two.
    table.rows.push_back({model.arm, text_unless_empty(model.place), stems[i] + ".xml",
                          stems[i] + ".hosts", platform::run_text(stems[i], 2)});
  }
  return table;
}

platform::PlatformFiles files_of(const Network& found, const SimulatedPlatforms& made) {
  platform::PlatformFiles all;
  for (const SimulatedPlatform& one : made.platforms) {
    platform::PlatformFiles files = platform::platform_files({.stem = one.stem,
                                                              .about = about_text(found, one),
                                                              .model = one.of,
                                                              .other = one.other,
                                                              .ranks = one.ranks});
    for (platform::NamedText& file : files.files) all.files.push_back(std::move(file));
    for (const std::string& remark : files.remarks) {
      all.remarks.push_back(made.platforms.size() > 1 ? one.stem + ": " + remark : remark);
    }
  }
  return all;
}

}  // namespace invar::analysis
