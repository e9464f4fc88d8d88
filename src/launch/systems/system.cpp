#include "launch/systems/system.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "launch/kinds/kind.hpp"
#include "launch/start/launch_command.hpp"
#include "launch/systems/slurm.hpp"

namespace invar::launch {
namespace {

using Words = std::vector<std::string>;

// The engine binds its ranks itself, to the same cores for all arms; a launcher would bind the
// ranks of every launch of a group to the same first cores, or to none.
Words own_launcher_words(const Profile& profile, const StartOptions& options) {
  Words words{profile.mpirun};
  if (const auto own = kind_of(profile.family).words) {
    append(words, own(profile, options));
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

constexpr LaunchSystem kOwnLauncher{.takes_template = true, .words = own_launcher_words};

}  // namespace

std::vector<NamedSystem> launch_systems() {
  return {
#define INVAR_LAUNCH_SYSTEM(name, what, system) {name, &(system)},
#include "design/campaign/launch_systems.def"
#undef INVAR_LAUNCH_SYSTEM
  };
}

const LaunchSystem& launch_system(std::string_view name) {
  const std::vector<NamedSystem> systems = launch_systems();
  const auto found = std::ranges::find(systems, name, &NamedSystem::name);
  if (found != systems.end()) return *found->system;
  throw base::UserError("launcher", "there is no launch system '" + std::string(name) + "'");
}

std::vector<design::Host> job_hosts() {
  for (const NamedSystem& named : launch_systems()) {
    if (named.system->job_hosts == nullptr) continue;
    if (std::vector<design::Host> hosts = named.system->job_hosts(); !hosts.empty()) return hosts;
  }
  return {};
}

}  // namespace invar::launch
