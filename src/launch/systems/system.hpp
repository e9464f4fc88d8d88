// Launch systems: what starts the ranks of a launch, and the batch jobs that it works in. One row
// each in design/campaign/launch_systems.def; a row with ways of its own has a file here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "design/campaign/hosts.hpp"
#include "launch/start/launcher.hpp"

namespace invar::launch {

struct LaunchSystem {
  // A profile's launch template takes the place of its words.
  bool takes_template = false;
  // It chooses the hosts: ranks may start elsewhere, and two of them wherever there is room.
  bool elsewhere = false;
  // Words up to the program. Throws UserError where it cannot start this library or on these hosts.
  std::vector<std::string> (*words)(const Profile&, const StartOptions&) = nullptr;
  // Whether it can start ranks from here; null: always.
  bool (*works_here)() = nullptr;
  // Hosts of the batch job that this process is part of, with their slots; none outside of a job,
  // or where the job has only the host that this runs on. Throws UserError where it cannot be asked
  // for them. Null: it has no jobs.
  std::vector<design::Host> (*job_hosts)() = nullptr;
};

struct NamedSystem {
  std::string_view name;
  const LaunchSystem* system;
};
std::vector<NamedSystem> launch_systems();

// Throws UserError if no row has the name.
const LaunchSystem& launch_system(std::string_view name);

// Hosts of the batch job, whichever system it belongs to; none: there is no job.
std::vector<design::Host> job_hosts();

}  // namespace invar::launch
