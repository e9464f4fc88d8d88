#include "analysis/metadata/metadata.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "stats/describe/quantile.hpp"
#include "store/files.hpp"
#include "store/json_text.hpp"

namespace invar::analysis {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostTexts = 3;
constexpr double kSameFrequency = 0.02;

// On one line, whatever stands in it.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : base::trim(text)) {
    if (c == '\n') {
      line += "; ";
    } else if (c == '\t') {
      line += ' ';
    } else {
      line += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
    }
  }
  return line.empty() ? "(empty)" : line;
}

std::string number_of(const Json& value) {
  if (!value.is_number_float()) return value.dump();
  std::array<char, 32> text{};
  // Five digits tell everything that is measured.
  std::snprintf(text.data(), text.size(), "%.5g", value.get<double>());
  return text.data();
}

std::string text_of(const Json& value) {
  if (value.is_string()) return one_line(value.get<std::string>());
  if (value.is_null()) return "(unknown)";
  if (value.is_number()) return number_of(value);
  return one_line(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void add_value(const Json& value, Values& values) {
  values.texts.insert(text_of(value));
  if (value.is_number()) {
    values.numbers.push_back(value.get<double>());
  } else {
    values.numeric = false;
  }
}

// "L1 Data 32K (cores 0)".
std::string cache_text(const Json& cache) {
  if (!cache.is_object() || !cache.contains("level")) return text_of(cache);
  const auto part = [&](const char* key) {
    return cache.contains(key) ? text_of(cache[key]) : std::string("?");
  };
  return "L" + part("level") + " " + part("type") + " " + part("size") + " (cores " +
         part("shared_cpus") + ")";
}

// Objects become names with dots; lists of plain values stay together.
void flatten(const Json& json, const std::string& name, Facts& facts) {
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) {
      flatten(value, name.empty() ? key : name + "." + key, facts);
    }
    return;
  }
  if (json.is_array()) {
    std::vector<std::string> parts;
    for (const Json& one : json) parts.push_back(one.is_object() ? cache_text(one) : text_of(one));
    facts[name].texts.insert(parts.empty() ? "(none)" : base::join(parts, ", "));
    facts[name].numeric = false;
    return;
  }
  if (name == "load.average" && json.is_string()) {
    // "3.40 3.06 2.67 3/117 17247": the last minute counts.
    const std::string text = json.get<std::string>();
    if (const auto load = base::parse_double(text.substr(0, text.find(' ')))) {
      add_value(*load, facts["load.last_minute"]);
    }
    return;
  }
  add_value(json, facts[name]);
}

void add_library(const Json& library, ArmFacts& arm) {
  if (!library.is_object()) return;
  for (const auto& [key, value] : library.items()) {
    if (key != "variables" && key != "wtime_s") add_value(value, arm.facts[key]);
  }
  const auto variables = library.find("variables");
  if (variables == library.end() || !variables->is_array()) return;
  for (const Json& variable : *variables) {
    if (!variable.is_object() || !variable.contains("name")) continue;
    add_value(variable.value("value", Json()), arm.variables[text_of(variable["name"])]);
  }
}

// What the library needed before anything was timed; over all cells.
void add_settling(const Json& cells, ArmFacts& arm) {
  if (!cells.is_array()) return;
  for (const Json& cell : cells) {
    if (!cell.is_object()) continue;
    add_value(cell.value("calls", Json()), arm.facts["settling calls"]);
    add_value(cell.value("page_faults", Json()), arm.facts["settling page faults"]);
    const bool at_rest = cell.value("at_rest", Json()) == true;
    add_value(at_rest ? "rest" : "the limit", arm.facts["settling ended by"]);
  }
}

// The libraries that carry messages between hosts, of all that are mapped.
std::string transports(const Json& mapped) {
  std::vector<std::string> names;
  for (const Json& one : mapped) {
    const std::string path = text_of(one);
    const std::string name = path.substr(path.rfind('/') + 1);
    for (const char* part : {"libuc", "libfabric", "libpsm", "ibverbs", "mlx", "rdmacm", "knem",
                             "xpmem", "libmpi_abi"}) {
      if (name.find(part) == std::string::npos) continue;
      names.push_back(name);
      break;
    }
  }
  return names.empty() ? "(none)" : base::join(names, ", ");
}

Facts add_host(const Json& host, Metadata& metadata, ArmFacts& arm) {
  Facts facts;
  if (!host.is_object()) return facts;
  for (const auto& [name, fact] : host.items()) {
    if (name == "environment" && fact.is_object()) {
      for (const auto& [key, value] : fact.items()) {
        add_value(value, arm.facts["environment." + key]);
      }
    } else if (name == "mapped" && fact.is_array()) {
      flatten(fact, "mapped", arm.facts);
      arm.facts["transport libraries"].texts.insert(transports(fact));
      arm.facts["transport libraries"].numeric = false;
    } else {
      flatten(fact, name, facts);
    }
  }
  for (const auto& [name, values] : facts) {
    Values& all = metadata.facts[name];
    all.texts.insert(values.texts.begin(), values.texts.end());
    all.numbers.insert(all.numbers.end(), values.numbers.begin(), values.numbers.end());
    all.numeric = all.numeric && values.numeric;
  }
  return facts;
}

std::string host_name(const Facts& host, std::size_t index) {
  const auto found = host.find("host_name");
  return found == host.end() ? "host " + std::to_string(index + 1) : found->second.text();
}

bool alike(const Values& a, const Values& b) {
  if (a.texts == b.texts) return true;
  if (!a.numeric || !b.numeric || a.numbers.empty() || b.numbers.empty()) return false;
  const double largest = std::max(std::abs(a.numbers[0]), std::abs(b.numbers[0]));
  return std::abs(a.numbers[0] - b.numbers[0]) <= kSameFrequency * largest;
}

// Processors and kernels that are not the same on all hosts of a launch.
void compare_hosts(const std::vector<Facts>& hosts, Metadata& metadata) {
  for (std::size_t i = 1; i < hosts.size(); ++i) {
    for (const auto& [name, values] : hosts[i]) {
      const Weight weight = weight_of(name);
      if (weight != Weight::kProcessor && weight != Weight::kKernel) continue;
      const auto first = hosts[0].find(name);
      if (first == hosts[0].end() || alike(first->second, values)) continue;
      metadata.host_differences.insert(name + ": " + host_name(hosts[0], 0) + " " +
                                       first->second.text() + ", " + host_name(hosts[i], i) + " " +
                                       values.text());
    }
  }
}

std::string map_text(const Json& map) {
  std::string text;
  for (const Json& rank : map) {
    if (!rank.is_object()) continue;
    text += (text.empty() ? "" : " ") + text_of(rank.value("rank", Json())) + ":" +
            text_of(rank.value("cpu", Json()));
  }
  return text.empty() ? "(unknown)" : text;
}

ArmFacts& arm_of(Metadata& metadata, const store::ArmRecord& record) {
  auto settings = record.settings;
  std::sort(settings.begin(), settings.end());
  const auto found = std::ranges::find_if(metadata.arms, [&](const ArmFacts& arm) {
    return arm.library == record.library && arm.settings == settings &&
           arm.program == record.program;
  });
  if (found != metadata.arms.end()) return *found;
  metadata.arms.push_back(
      {.library = record.library, .settings = std::move(settings), .program = record.program});
  return metadata.arms.back();
}

void add_arm(const store::ArmRecord& record, bool one_host, Metadata& metadata) {
  ArmFacts& arm = arm_of(metadata, record);
  arm.labels.push_back(record.label);
  if (!record.library_version.empty()) add_value(record.library_version, arm.facts["version"]);
  if (!record.program.empty()) {
    add_value(record.program, arm.facts["program"]);
    add_value(record.program_file, arm.facts["program file"]);
    add_value(record.program_parse, arm.facts["program's time"]);
  }
  for (std::size_t i = 0; i < record.settings.size() && i < record.settings_checked.size(); ++i) {
    add_value(record.settings_checked[i], arm.facts["checked " + record.settings[i].first]);
  }
  // They were asked of two ranks here: what ranks of several hosts choose may be something else.
  const std::string asked = one_host ? "" : " by 2 ranks of 1 host";
  for (const auto& [name, chosen] : record.components) {
    add_value(chosen, arm.facts["chosen " + name + asked]);
  }
  for (const auto& [path, checksum] : record.checksums) {
    arm.files[path.substr(path.rfind('/') + 1)].insert(checksum);
  }
  const Json profile = store::parse_json_or_none<Json>(record.profile_json);
  for (const char* key :
       {"compiler", "compiler_flags", "configured", "mpicxx", "mpirun", "launch_template"}) {
    // An empty configure line is one that the library does not tell.
    const bool told = profile.is_object() && profile.contains(key) &&
                      (key != std::string_view("configured") || profile[key] != Json(""));
    if (told) {
      add_value(profile[key], arm.facts[key]);
    }
  }
}

bool contains_any(std::string_view text, std::span<const std::string_view> parts) {
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

}  // namespace

namespace {

std::optional<Canary> canary_of_kind(const store::Data& data, base::CanaryKind kind,
                                     const std::vector<std::int64_t> record::VisitLine::*told_ps) {
  std::vector<double> slowest;
  for (const store::Group& group : data.groups) {
    for (const store::Launch& launch : group.launches) {
      for (const store::Visit& visit : launch.visits) {
        const std::vector<std::int64_t>& hosts = visit.line.*told_ps;
        if (hosts.empty()) continue;
        slowest.push_back(static_cast<double>(*std::ranges::max_element(hosts)) / 1000);
      }
    }
  }
  if (slowest.empty()) return std::nullopt;
  std::sort(slowest.begin(), slowest.end());
  return Canary{.kind = kind,
                .median_ns = stats::quantile_sorted(slowest, 0.5),
                .low_ns = stats::quantile_sorted(slowest, 0.05),
                .high_ns = stats::quantile_sorted(slowest, 0.95)};
}

}  // namespace

std::optional<Canary> canary_of(const store::Data& data) {
  if (auto line = canary_of_kind(data, base::CanaryKind::kLine, &record::VisitLine::canary_ps)) {
    return line;
  }
  return canary_of_kind(data, base::CanaryKind::kChain, &record::VisitLine::chain_ps);
}

std::string Values::text() const {
  if (texts.empty()) return "(not recorded)";
  if (texts.size() == 1) return *texts.begin();
  if (numeric && !numbers.empty()) {
    const auto [low, high] = std::ranges::minmax_element(numbers);
    const std::string from = number_of(Json(*low));
    const std::string to = number_of(Json(*high));
    return from == to ? from : from + " to " + to;
  }
  return base::first_items(std::vector(texts.begin(), texts.end()), kMostTexts, "; ");
}

std::string ArmFacts::name() const {
  std::string text = library;
  if (!program.empty())
    text += (text.empty() ? "running '" : " running '") + one_line(program) + "'";
  for (std::size_t i = 0; i < settings.size(); ++i) {
    text += (i == 0 ? " with " : ", ") + settings[i].first + "=" + one_line(settings[i].second);
  }
  return text;
}

std::string Canary::text() const {
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), "%.0f ns [%.0f, %.0f]", median_ns, low_ns, high_ns);
  return text.data();
}

bool add_environment(std::string_view env_json, Metadata& metadata, ArmFacts& arm) {
  const Json json = store::parse_json_or_none<Json>(env_json);
  if (!json.is_object()) return false;
  for (const auto& [key, value] : json.items()) {
    if (key == "library") {
      add_library(value, arm);
    } else if (key == "settling") {
      add_settling(value, arm);
    } else if (key == "program" && value.is_object()) {
      const Json heading = value.value("heading", Json());
      if (heading.is_string() && !heading.get_ref<const std::string&>().empty()) {
        add_value(heading, arm.facts["program says it is"]);
      }
    } else if (key == "hosts" && value.is_array()) {
      std::vector<Facts> hosts;
      for (const Json& host : value) {
        hosts.push_back(add_host(host, metadata, arm));
        metadata.hosts.insert(host_name(hosts.back(), hosts.size() - 1));
      }
      compare_hosts(hosts, metadata);
    } else if (key == "map" && value.is_array()) {
      metadata.facts["rank-to-core map"].texts.insert(map_text(value));
      metadata.facts["rank-to-core map"].numeric = false;
    } else if (key != "group" && key != "launch" && key != "seed" && key != "label" &&
               key != "network_during" && key != "printed_steps" && key != "converted") {
      flatten(value, key, metadata.facts);
    }
  }
  ++metadata.launches;
  return true;
}

Metadata read_metadata(const store::Data& data, Reading reading) {
  Metadata metadata{.name = data.dir.string(), .scope = data.scope, .sessions = data.sessions};
  for (const store::ArmRecord& record : data.arms) {
    add_arm(record, data.hosts.size() <= 1, metadata);
  }
  metadata.tells_variables = data.variables.has_value();
  for (const auto& [name, value] :
       data.variables.value_or(std::vector<std::pair<std::string, std::string>>{})) {
    add_value(value, metadata.facts["set outside " + name]);
  }
  for (const std::string& version : data.made_by) add_value(version, metadata.facts[kMeasuredBy]);
  std::set<std::string> seen;
  for (const store::Group& group : data.groups) {
    for (const store::Launch& launch : group.launches) {
      if (launch.arm >= data.arms.size()) continue;
      if (reading == Reading::kOnePerSession && !seen.insert(launch.session).second) continue;
      const std::string path = (launch.dir / "env.json").string();
      const auto text = store::read_text(path);
      if (!text || !add_environment(*text, metadata, arm_of(metadata, data.arms[launch.arm]))) {
        metadata.unreadable.push_back(path);
      }
    }
  }
  metadata.canary = canary_of(data);
  return metadata;
}

const char* group_of(Weight weight) {
  switch (weight) {
    case Weight::kProcessor:
      return "processor";
    case Weight::kKernel:
      return "kernel and clock";
    case Weight::kPlaces:
      return "ranks and cores";
    case Weight::kState:
      return "state";
    case Weight::kNature:
      return "changes by nature";
    default:
      return "more";
  }
}

Weight weight_of(const std::string& fact) {
  // The first match counts.
  static constexpr std::array<std::pair<std::string_view, Weight>, 38> kWeights{{
      {kMeasuredBy, Weight::kLibrary},
      {"set outside ", Weight::kLibrary},
      {"load.last_minute", Weight::kState},
      {"load.swap_total", Weight::kRest},
      {"load.memory_total", Weight::kRest},
      {"load.shm_bytes", Weight::kRest},
      {"load.", Weight::kNature},
      {"uptime_s", Weight::kNature},
      {"network.", Weight::kNature},
      {"limits.throttled", Weight::kNature},
      {"limits.cgroup_path", Weight::kNature},
      {"uts_namespace", Weight::kNature},
      {"time_namespace", Weight::kNature},
      {"boot_id", Weight::kRest},
      {"processor.flags", Weight::kRest},
      {"processor.", Weight::kProcessor},
      {"hypervisor", Weight::kProcessor},
      {"kernel.mitigations", Weight::kProcessor},
      {"kernel.clock_sources", Weight::kRest},
      {"kernel.", Weight::kKernel},
      {"tsc_", Weight::kKernel},
      {"clock.source", Weight::kKernel},
      {"clock.tsc_refused", Weight::kKernel},
      {"clock.ranks_agree", Weight::kKernel},
      {"clock.hosts_agree", Weight::kKernel},
      {"clock.agree_within_ns", Weight::kNature},
      {"rank-to-core map", Weight::kPlaces},
      {"limits.cpu", Weight::kPlaces},
      {"limits.affinity", Weight::kNature},
      {"ranks", Weight::kPlaces},
      {"hosts_count", Weight::kPlaces},
      {"sync", Weight::kPlaces},
      {"pinning", Weight::kPlaces},
      {"placement_in_host", Weight::kPlaces},
      {"clock_sync", Weight::kPlaces},
      {"progress", Weight::kPlaces},
      {"connect", Weight::kPlaces},
      {"communicator", Weight::kPlaces},
  }};
  for (const auto& [part, weight] : kWeights) {
    if (fact.starts_with(part)) return weight;
  }
  return Weight::kRest;
}

Weight weight_of_variable(std::string_view name, std::string_view value) {
  // What launchers tell their processes: jobs, addresses, folders, ranks.
  static constexpr std::array<std::string_view, 24> kNoise{
      "ARGV",        "COMMAND",   "FILE_LOCATION", "COMM_WORLD_", "_RANK",      "APP_CTX",
      "FIRST_RANKS", "UNIVERSE",  "_ess",          "ess_",        "_orte_",     "initial_wdir",
      "session_dir", "tmpdir",    "TMPDIR",        "_uri",        "jobid",      "vpid",
      "HYDI_",       "GFORTRAN_", "LOCALRANKID",   "LOCALNRANKS", "INVAR_HOME", "nonce"};
  if (contains_any(name, kNoise)) return Weight::kNature;
  for (const std::string_view prefix : {"PMIX_", "PMI_", "PRTE_", "SLURM_", "PBS_", "LSB_"}) {
    if (name.starts_with(prefix) && name.find("_MCA_") == std::string_view::npos) {
      return Weight::kNature;
    }
  }
  static constexpr std::array<std::string_view, 4> kPlacesOfRuns{"invar-launch-", "/pid.", "/tmp/",
                                                                 "tcp://"};
  if (contains_any(value, kPlacesOfRuns)) return Weight::kNature;
  for (const std::string_view prefix :
       {"LD_LIBRARY_PATH", "PATH", "HOME", "USER", "PRTE_MCA_", "PMIX_MCA_"}) {
    if (name.starts_with(prefix)) return Weight::kRest;
  }
  return Weight::kLibrary;
}

std::optional<std::string> hosts_warning(const store::Data& data) {
  const Metadata metadata = read_metadata(data, Reading::kOnePerSession);
  if (metadata.host_differences.empty()) return std::nullopt;
  const std::vector<std::string> differences(metadata.host_differences.begin(),
                                             metadata.host_differences.end());
  return "the hosts are not alike: " + base::first_items(differences, 1, "; ", "fact") +
         " (invar env " + base::shell_quoted(data.dir.string()) + ")";
}

}  // namespace invar::analysis
