#include "launch/kinds/open_mpi.hpp"

#include <unistd.h>

#include <algorithm>

#include "base/text.hpp"
#include "launch/libraries/probe.hpp"
#include "launch/process/paths.hpp"
#include "launch/start/launch_command.hpp"

namespace invar::launch {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRules = "OMPI_MCA_coll_tuned_use_dynamic_rules";

std::uint32_t slots_or_ranks(const StartOptions& options, const design::Host& host) {
  return host.slots > 0 ? host.slots : ranks_per_host(options);
}

bool is_version_4(const Profile& profile) {
  const std::string major = profile.short_version.substr(0, profile.short_version.find('.'));
  return base::parse_u64(major).value_or(4) < 5;
}

bool asks_for_rules(const std::pair<std::string, std::string>& setting) {
  return setting.first == kRules && base::parse_truth(setting.second).value_or(false);
}

}  // namespace

Environment leave_to_run_as_root(const StartOptions& /*options*/, const fs::path& /*scratch*/) {
  if (geteuid() != 0) return {};
  return {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};
}

Environment open_mpi_environment(const StartOptions& options, const fs::path& scratch) {
  Environment environment = leave_to_run_as_root(options, scratch);
  // Launches that start at the same moment race for the session folder that they would share.
  environment.emplace_back("OMPI_MCA_orte_tmpdir_base", scratch.string());
  environment.emplace_back("PRTE_MCA_prte_tmpdir_base", scratch.string());
  return environment;
}

Environment open_mpi_wheel_environment(const fs::path& /*venv*/) {
  // Its btl/ofi component waits a second at every start, and shared memory does not need it.
  return {{"OMPI_MCA_btl", "^ofi"}};
}

// Open MPI's daemons start ranks with their own environment, and only its own variables follow by
// themselves.
std::vector<std::string> open_mpi_words(const Profile& profile, const StartOptions& options) {
  std::vector<std::string> words{"--bind-to", options.bind ? "core" : "none"};
  if (options.hosts.empty()) {
    if (options.oversubscribe && is_version_4(profile)) {
      words.emplace_back("--oversubscribe");
    } else if (options.oversubscribe) {
      append(words, {"--map-by", ":OVERSUBSCRIBE"});
    }
  } else {
    append(words, {"--host", hosts_with_ranks(options, slots_or_ranks), "--map-by",
                   "ppr:" + std::to_string(ranks_per_host(options)) + ":node" +
                       (options.oversubscribe ? ":OVERSUBSCRIBE" : "")});
    for (const auto& [name, value] : given_environment(profile, options)) {
      const bool own =
          name.starts_with("OMPI_") || name.starts_with("PRTE_") || name.starts_with("PMIX_");
      if (!own) append(words, {"-x", name});
    }
  }
  append(words, {"-np", std::to_string(options.ranks)});
  return words;
}

namespace {

// What ompi_info prints for these options; empty: there is none, or it fails.
std::string ompi_info(const Profile& profile, const std::vector<std::string>& options) {
  std::vector<std::string> places;
  for (const std::string* program : {&profile.mpicxx, &profile.mpirun}) {
    const fs::path folder = fs::path(*program).parent_path();
    const std::string name = fs::path(*program).filename().string();
    const std::size_t dot = name.find('.');
    if (dot != std::string::npos)
      places.push_back((folder / ("ompi_info" + name.substr(dot))).string());
    places.push_back((folder / "ompi_info").string());
  }
  for (const std::string& place : places) {
    if (!find_program(place)) continue;
    std::vector<std::string> words{place};
    append(words, options);
    CommandResult result = run_command(words, profile.environment, 30);
    if (result.status == 0) return std::move(result.out);
  }
  return {};
}

}  // namespace

std::vector<ControlVariable> ask_ompi_info(const Profile& profile) {
  return parse_ompi_info(ompi_info(profile, {"--all", "--parsable"}));
}

std::string parse_ompi_configure(std::string_view output) {
  constexpr std::string_view kLine = "config:cli:";
  for (std::string_view line : base::split(output, '\n')) {
    if (!line.starts_with(kLine)) continue;
    line = base::trim(line.substr(kLine.size()));
    // Some versions put the whole line in quotes.
    const bool quoted = line.size() > 1 && line.front() == '"' && line.back() == '"';
    return std::string(quoted ? base::trim(line.substr(1, line.size() - 2)) : line);
  }
  return {};
}

std::string open_mpi_configured(const Profile& profile, std::string_view /*library_version*/) {
  return parse_ompi_configure(ompi_info(profile, {"--config", "--parsable"}));
}

Environment open_mpi_counting(const fs::path& file) {
  return {{"OMPI_MCA_pml_monitoring_enable", "1"},  // its own messages, too
          {"OMPI_MCA_pml_monitoring_enable_output", "3"},
          {"OMPI_MCA_pml_monitoring_filename", file.string()}};
}

std::vector<std::pair<std::string, std::string>> open_mpi_doubts(const Environment& of_arm,
                                                                 const Environment& of_profile) {
  if (std::ranges::any_of(of_arm, asks_for_rules)) return {};
  // The arm's own word overrides its profile's.
  const bool arm_says =
      std::ranges::any_of(of_arm, [](const auto& setting) { return setting.first == kRules; });
  if (!arm_says && std::ranges::any_of(of_profile, asks_for_rules)) return {};
  std::vector<std::pair<std::string, std::string>> doubts;
  for (const auto& [key, value] : of_arm) {
    if (!key.starts_with("OMPI_MCA_coll_tuned_")) continue;
    if (key.find("_algorithm") == std::string::npos) continue;
    doubts.emplace_back(key + " has no effect in Open MPI without " + std::string(kRules) + "=1",
                        "add " + std::string(kRules) + "=1 to this arm");
  }
  return doubts;
}

}  // namespace invar::launch
