#include "launch/systems/slurm.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "launch/kinds/kind.hpp"
#include "launch/process/command.hpp"
#include "launch/process/paths.hpp"
#include "launch/start/launch_command.hpp"

namespace invar::launch {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// "node7" of "node7.cluster.example".
std::string_view short_name(std::string_view name) { return name.substr(0, name.find('.')); }

std::string own_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

// Tasks where the job asked for a number of them. Its CPUs are no slots: there may be two a core.
std::vector<std::uint32_t> job_slots() {
  const bool tasks =
      !variable("SLURM_NTASKS").empty() || !variable("SLURM_NTASKS_PER_NODE").empty();
  return tasks ? repeated_numbers(variable("SLURM_TASKS_PER_NODE")) : std::vector<std::uint32_t>();
}

// --overlap: the steps of a group share the job's cores and memory.
std::vector<std::string> srun_words(const Profile& profile, const StartOptions& options) {
  if (!profile.launch_template.empty()) {
    throw base::UserError("profile " + profile.name,
                          "launcher = \"srun\", but the profile has a launch template of its own",
                          "write srun into the template, or leave out launcher");
  }
  const std::string hosts = std::to_string(options.hosts.empty() ? 1 : options.hosts.size());
  std::vector<std::string> words{
      "srun", "--nodes=" + hosts, "--ntasks=" + std::to_string(options.ranks),
      "--ntasks-per-node=" + std::to_string(ranks_per_host(options)), "--distribution=block"};
  if (!options.hosts.empty()) words.push_back("--nodelist=" + base::join(names_of(options), ","));
  append(words, {options.bind ? "--cpu-bind=cores" : "--cpu-bind=none", "--overlap", "--export=ALL",
                 "--kill-on-bad-exit=1"});
  if (options.oversubscribe) words.emplace_back("--overcommit");
  const std::string_view option = kind_of(profile.family).srun_option;
  if (!option.empty()) words.emplace_back(option);
  return words;
}

bool in_slurm_job() {
  return !variable("SLURM_JOB_NODELIST").empty() && find_program("srun").has_value();
}

std::vector<design::Host> slurm_hosts() {
  const std::string list = variable("SLURM_JOB_NODELIST");
  if (list.empty()) return {};
  const CommandResult result = run_command({"scontrol", "show", "hostnames", list}, {}, 30);
  std::vector<design::Host> hosts;
  for (const std::string_view line : base::split(result.out, '\n')) {
    if (!base::trim(line).empty()) hosts.push_back({.name = std::string(base::trim(line))});
  }
  if (result.status != 0 || hosts.empty()) {
    throw base::UserError("SLURM_JOB_NODELIST=" + list,
                          "'scontrol show hostnames' does not tell the hosts of this job: " +
                              std::string(base::trim(result.err)),
                          "name them in [engine] hosts");
  }
  const std::vector<std::uint32_t> slots = job_slots();
  for (std::size_t i = 0; i < hosts.size() && slots.size() == hosts.size(); ++i) {
    hosts[i].slots = slots[i];
  }
  if (hosts.size() == 1 && short_name(hosts[0].name) == short_name(own_name())) return {};
  return hosts;
}

}  // namespace

const LaunchSystem kSlurm{
    .elsewhere = true, .words = srun_words, .works_here = in_slurm_job, .job_hosts = slurm_hosts};

std::vector<std::uint32_t> repeated_numbers(std::string_view text) {
  std::vector<std::uint32_t> numbers;
  if (text.empty()) return numbers;
  for (const std::string_view item : base::split(text, ',')) {
    const std::size_t times_at = item.find("(x");
    const auto number = base::parse_u64(item.substr(0, times_at));
    std::uint64_t times = 1;
    if (times_at != std::string_view::npos) {
      const auto written = base::parse_u64(
          item.substr(times_at + 2, item.size() - times_at - (item.ends_with(')') ? 3 : 2)));
      if (!written || !item.ends_with(')')) return {};
      times = *written;
    }
    if (!number || times > 1'000'000) return {};
    numbers.insert(numbers.end(), times, static_cast<std::uint32_t>(*number));
  }
  return numbers;
}

}  // namespace invar::launch
