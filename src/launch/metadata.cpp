#include "launch/metadata.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>
#include <utility>

#include "base/text.hpp"

namespace invar::launch {
namespace {

using Json = nlohmann::json;

std::string text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null()) return "(absent)";
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Objects become names with dots; lists of plain values stay together.
void flatten(const Json& json, const std::string& name, Metadata& metadata) {
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) {
      flatten(value, name.empty() || name.ends_with(": ") ? name + key : name + "." + key,
              metadata);
    }
    return;
  }
  if (json.is_array()) {
    std::string all;
    for (const Json& one : json) {
      if (!all.empty()) all += ", ";
      all += text_of(one);
    }
    metadata.facts[name].insert(json.empty() ? "(none)" : all);
    return;
  }
  metadata.facts[name].insert(text_of(json));
}

void add_library(const Json& library, const std::string& arm, Metadata& metadata) {
  const std::string place = "arm " + arm + ": ";
  for (const auto& [key, value] : library.items()) {
    if (key == "variables" || key == "wtime_s") continue;
    metadata.facts[place + key].insert(text_of(value));
  }
  for (const Json& variable : library.value("variables", Json::array())) {
    metadata.facts[place + "variable " + variable.value("name", "")].insert(
        text_of(variable.value("value", Json())));
  }
}

std::string joined(const std::set<std::string>& values) {
  const std::vector<std::string> list(values.begin(), values.end());
  return base::join(list, "; ");
}

std::optional<double> middle(const std::set<std::string>& values) {
  std::vector<double> numbers;
  for (const std::string& value : values) {
    const std::optional<double> number = base::parse_double(value);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  if (numbers.empty()) return std::nullopt;
  std::sort(numbers.begin(), numbers.end());
  return numbers[numbers.size() / 2];
}

// Measured facts are never equal to the last digit.
bool is_measured(const std::string& fact) {
  return fact.find("mhz_") != std::string::npos || fact.find("canary") != std::string::npos ||
         fact.find("clock.step") != std::string::npos ||
         fact.find("clock.cost") != std::string::npos ||
         fact.find("clock.resolution") != std::string::npos ||
         fact.find("clock.uncertainty") != std::string::npos;
}

bool differ(const std::string& fact, const std::set<std::string>& a,
            const std::set<std::string>& b) {
  if (a == b) return false;
  const std::optional<double> left = middle(a);
  const std::optional<double> right = middle(b);
  if (is_measured(fact) && left && right) {
    // A regime is another one from a third on; a frequency from 2 % on.
    const double tolerance = fact.find("mhz_") != std::string::npos ? 0.02 : 0.3;
    return std::abs(*left - *right) > tolerance * std::max(std::abs(*left), std::abs(*right));
  }
  return true;
}

}  // namespace

bool add_environment(std::string_view env_json, const std::string& arm, Metadata& metadata) {
  const Json json = Json::parse(env_json, nullptr, false);
  if (!json.is_object()) return false;
  try {
    for (const auto& [key, value] : json.items()) {
      if (key == "library") {
        add_library(value, arm, metadata);
      } else if (key == "hosts" && value.is_array()) {
        for (std::size_t i = 0; i < value.size(); ++i) {
          std::string place = value.size() > 1 ? fmt::format("host {}: ", i + 1) : std::string();
          for (const auto& [name, fact] : value[i].items()) {
            // Each arm maps its own libraries and has its own settings.
            const bool of_arm = name == "mapped" || name == "environment";
            flatten(fact, (of_arm ? "arm " + arm + ": " : "") + place + name, metadata);
          }
        }
      } else if (key == "map" && value.is_array()) {
        std::string map;
        for (const Json& rank : value) {
          map += fmt::format("{}{}:{}", map.empty() ? "" : " ", text_of(rank.value("rank", Json())),
                             text_of(rank.value("cpu", Json())));
        }
        metadata.facts["rank-to-core map"].insert(map);
      } else if (key != "group" && key != "launch" && key != "seed" && key != "label" &&
                 key != "network_during") {
        flatten(value, key, metadata);
      }
    }
  } catch (const Json::exception&) {
    return false;
  }
  ++metadata.launches;
  return true;
}

Metadata read_metadata(const store::Data& data) {
  Metadata metadata;
  for (const store::ArmRecord& arm : data.arms) {
    const std::string place = "arm " + arm.label + ": ";
    metadata.facts[place + "library"].insert(arm.library);
    metadata.facts[place + "library version"].insert(arm.library_version);
    for (std::size_t i = 0; i < arm.settings.size(); ++i) {
      const auto& [key, value] = arm.settings[i];
      const std::string how =
          i < arm.settings_checked.size() ? " (" + arm.settings_checked[i] + ")" : "";
      metadata.facts[place + "setting " + key].insert(value + how);
    }
    for (const auto& [path, checksum] : arm.checksums) {
      metadata.facts[place + "checksum " + path].insert(checksum);
    }
    const Json profile = Json::parse(arm.profile_json, nullptr, false);
    for (const char* key : {"compiler", "compiler_flags", "mpicxx", "mpirun", "launch_template"}) {
      if (profile.is_object() && profile.contains(key)) {
        metadata.facts[place + key].insert(text_of(profile[key]));
      }
    }
  }
  std::vector<std::int64_t> canaries;
  for (const store::Group& group : data.groups) {
    for (const store::Launch& launch : group.launches) {
      const std::string path = (launch.dir / "env.json").string();
      const auto text = base::read_file(path);
      const std::string arm =
          launch.arm < data.arms.size() ? data.arms[launch.arm].label : std::string("?");
      if (!text || !add_environment(*text, arm, metadata)) metadata.unreadable.push_back(path);
      for (const store::Visit& visit : launch.visits) {
        for (const std::int64_t canary : visit.line.canary_ps) canaries.push_back(canary);
      }
    }
  }
  if (!canaries.empty()) {
    std::sort(canaries.begin(), canaries.end());
    metadata.facts["canary (median round trip, ns)"].insert(
        fmt::format("{:.0f}", static_cast<double>(canaries[canaries.size() / 2]) / 1000));
  }
  return metadata;
}

int importance(const std::string& fact) {
  // The first match counts.
  static constexpr std::array<std::pair<std::string_view, int>, 35> kRanks{{
      {"load.", -1},
      {"uptime_s", -1},
      {"network.", -1},
      {"limits.throttled", -1},
      {"cgroup_path", -1},
      {"time_namespace", 4},
      {"uts_namespace", 4},
      {"TMPDIR", -1},
      {"tmpdir_base", -1},
      {"clock.monotonic", 4},
      {": checksum ", 0},
      {": library version", 0},
      {": version", 0},
      {": library", 0},
      {": setting ", 0},
      {"processor.model", 0},
      {"processor.governors", 0},
      {"processor.turbo", 0},
      {"mhz_", 1},
      {"canary", 1},
      {"rank-to-core map", 1},
      {"kernel.release", 1},
      {"processor.microcode", 1},
      {"hypervisor", 1},
      {"processor.smt", 1},
      {"clock.source", 1},
      {"kernel.thp", 2},
      {"kernel.", 2},
      {"limits.", 2},
      {": mapped", 2},
      {": environment", 2},
      {": variable ", 2},
      {": compiler", 2},
      {"processor.", 3},
      {"clock.", 3},
  }};
  for (const auto& [part, rank] : kRanks) {
    if (fact.find(part) != std::string::npos) return rank;
  }
  return 4;
}

std::vector<MetadataDifference> compare_metadata(const Metadata& first, const Metadata& second) {
  std::set<std::string> names;
  for (const auto& [name, values] : first.facts) names.insert(name);
  for (const auto& [name, values] : second.facts) names.insert(name);
  std::vector<MetadataDifference> differences;
  const std::set<std::string> none;
  for (const std::string& name : names) {
    const int rank = importance(name);
    const auto a = first.facts.find(name);
    const auto b = second.facts.find(name);
    const std::set<std::string>& left = a == first.facts.end() ? none : a->second;
    const std::set<std::string>& right = b == second.facts.end() ? none : b->second;
    if (rank < 0 || !differ(name, left, right)) continue;
    differences.push_back({name, joined(left), joined(right), rank});
  }
  std::stable_sort(differences.begin(), differences.end(),
                   [](const MetadataDifference& a, const MetadataDifference& b) {
                     return std::tuple(a.importance, a.fact) < std::tuple(b.importance, b.fact);
                   });
  return differences;
}

std::string values_text(const std::set<std::string>& values) {
  if (values.empty()) return "(absent)";
  constexpr std::size_t kLongest = 160;
  const auto shortened = [](const std::string& text) {
    return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
  };
  if (values.size() == 1) return shortened(*values.begin());
  double low = 0;
  double high = 0;
  bool numbers = true;
  bool begun = false;
  for (const std::string& value : values) {
    const std::optional<double> number = base::parse_double(value);
    numbers = numbers && number;
    if (!number) break;
    low = begun ? std::min(low, *number) : *number;
    high = begun ? std::max(high, *number) : *number;
    begun = true;
  }
  if (numbers) return fmt::format("{:g} to {:g} ({} values)", low, high, values.size());
  if (values.size() <= 3) return shortened(joined(values));
  return shortened(fmt::format("{} ... ({} values)", *values.begin(), values.size()));
}

}  // namespace invar::launch
