#include "launch/start/launch_command.hpp"

#include <cstdlib>

#include "base/error.hpp"
#include "base/text.hpp"
#include "launch/process/command.hpp"
#include "launch/start/launch_template.hpp"

namespace invar::launch {
namespace {

using Words = std::vector<std::string>;

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

std::uint32_t ranks_per_host(const StartOptions& options) {
  return options.hosts.empty() ? options.ranks
                               : options.ranks / static_cast<std::uint32_t>(options.hosts.size());
}

Words names_of(const StartOptions& options) {
  Words names;
  for (const design::Host& host : options.hosts) names.push_back(host.name);
  return names;
}

// "a:2,b:2"
std::string hosts_with(const StartOptions& options,
                       std::uint32_t (*count)(const StartOptions&, const design::Host&)) {
  Words hosts;
  for (const design::Host& host : options.hosts) {
    hosts.push_back(host.name + ":" + std::to_string(count(options, host)));
  }
  return base::join(hosts, ",");
}

std::uint32_t slots_or_ranks(const StartOptions& options, const design::Host& host) {
  return host.slots > 0 ? host.slots : ranks_per_host(options);
}
std::uint32_t only_ranks(const StartOptions& options, const design::Host& /*host*/) {
  return ranks_per_host(options);
}

bool is_open_mpi_4(const Profile& profile) {
  const std::string major = profile.short_version.substr(0, profile.short_version.find('.'));
  return base::parse_u64(major).value_or(4) < 5;
}

// Open MPI's daemons start ranks with their own environment, and only its own variables follow by
// themselves.
Words openmpi(const Profile& profile, const StartOptions& options) {
  Words words{"--bind-to", options.bind ? "core" : "none"};
  if (options.hosts.empty()) {
    if (options.oversubscribe && is_open_mpi_4(profile)) {
      words.emplace_back("--oversubscribe");
    } else if (options.oversubscribe) {
      append(words, {"--map-by", ":OVERSUBSCRIBE"});
    }
  } else {
    append(words, {"--host", hosts_with(options, slots_or_ranks), "--map-by",
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

Words hydra(const Profile& profile, const StartOptions& options) {
  Words words;
  if (profile.family == "mpich") append(words, {"-bind-to", options.bind ? "core" : "none"});
  if (!options.hosts.empty()) {
    append(words, {"-hosts", hosts_with(options, only_ranks)});
    for (const auto& [name, value] : given_environment(profile, options)) {
      append(words, {"-genv", name, value});
    }
  }
  append(words, {"-n", std::to_string(options.ranks)});
  return words;
}

// The engine binds its ranks itself, to the same cores for all arms; a launcher would bind the
// ranks of every launch of a group to the same first cores, or to none.
Words by_own_launcher(const Profile& profile, const StartOptions& options) {
  Words words{profile.mpirun};
  if (profile.family == "openmpi") {
    append(words, openmpi(profile, options));
  } else if (profile.family == "mpich" || profile.family == "intel") {
    append(words, hydra(profile, options));
  } else if (options.hosts.empty()) {
    append(words, {"-n", std::to_string(options.ranks)});
  } else {
    throw base::UserError("profile " + profile.name,
                          "it is not known how its launcher is told the hosts",
                          "add the library with a --launch template that has {hosts} or "
                          "{hostfile}, see 'invar mpi add --help'");
  }
  return words;
}

// --overlap: the steps of a group share the job's cores and memory.
Words by_srun(const Profile& profile, const StartOptions& options) {
  if (!profile.launch_template.empty()) {
    throw base::UserError("profile " + profile.name,
                          "launcher = \"srun\", but the profile has a launch template of its own",
                          "write srun into the template, or leave out launcher");
  }
  const std::string hosts = std::to_string(options.hosts.empty() ? 1 : options.hosts.size());
  Words words{"srun", "--nodes=" + hosts, "--ntasks=" + std::to_string(options.ranks),
              "--ntasks-per-node=" + std::to_string(ranks_per_host(options)),
              "--distribution=block"};
  if (!options.hosts.empty()) words.push_back("--nodelist=" + base::join(names_of(options), ","));
  append(words, {options.bind ? "--cpu-bind=cores" : "--cpu-bind=none", "--overlap", "--export=ALL",
                 "--kill-on-bad-exit=1"});
  if (options.oversubscribe) words.emplace_back("--overcommit");
  if (profile.family == "openmpi") words.emplace_back("--mpi=pmix");
  if (profile.family == "mpich" || profile.family == "intel") words.emplace_back("--mpi=pmi2");
  return words;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> given_environment(const Profile& profile,
                                                                   const StartOptions& options) {
  std::vector<std::pair<std::string, std::string>> given = profile.environment;
  for (auto& [name, value] : given) {
    const char* old = std::getenv(name.c_str());
    value = with_old_value(name, value, old != nullptr ? old : "");
  }
  given.insert(given.end(), options.environment.begin(), options.environment.end());
  return given;
}

std::vector<std::string> command_of(const Profile& profile, const StartOptions& options,
                                    const std::string& hostfile) {
  if (profile.name.empty()) return options.program;
  const bool foreign = !options.program.empty();
  const std::string program = foreign ? options.program.front() : profile.engine.string();
  const Words arguments =
      foreign ? Words(options.program.begin() + 1, options.program.end()) : options.arguments;
  if (options.launcher == "srun" || profile.launch_template.empty()) {
    Words words =
        options.launcher == "srun" ? by_srun(profile, options) : by_own_launcher(profile, options);
    words.push_back(program);
    append(words, arguments);
    return words;
  }
  return fill_template(profile.launch_template,
                       LaunchWords{.ranks = options.ranks,
                                   .hosts = names_of(options),
                                   .hostfile = hostfile,
                                   .ppn = ranks_per_host(options),
                                   .environment = given_environment(profile, options),
                                   .program = program,
                                   .arguments = arguments},
                       "profile " + profile.name);
}

std::string hostfile_text(const Profile& profile, const StartOptions& options) {
  Words names = names_of(options);
  if (names.empty()) names.emplace_back("localhost");
  const std::string ranks = std::to_string(ranks_per_host(options));
  std::string text;
  for (const std::string& name : names) {
    text += name;
    if (profile.family == "openmpi") text += " slots=" + ranks;
    if (profile.family == "mpich" || profile.family == "intel") text += ":" + ranks;
    text += '\n';
  }
  return text;
}

}  // namespace invar::launch
