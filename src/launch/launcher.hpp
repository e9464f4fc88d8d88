// Starts launches and ends them: one mpirun per launch, all of a group alive together.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launch/profile.hpp"

namespace invar::launch {

struct StartOptions {
  std::uint32_t ranks = 2;
  bool oversubscribe = false;
  // On top of the profile's: the arm's settings.
  std::vector<std::pair<std::string, std::string>> environment = {};
  std::vector<std::string> arguments = {};  // of the engine
  std::filesystem::path dir = {};           // stdout, stderr and scratch go here
};

// A running mpirun, in a process group of its own, ended with us (PR_SET_PDEATHSIG).
class Process {
 public:
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();  // kills what still runs

  // Exit status if it has ended; 128 + signal if it was killed.
  std::optional<int> poll();
  // Ends the launcher and everything that it started: TERM, then KILL.
  void kill();
  [[nodiscard]] int pid() const { return pid_; }

 private:
  friend Process start(const Profile& profile, const StartOptions& options);
  explicit Process(int pid) : pid_(pid) {}
  int pid_ = -1;
  std::optional<int> status_ = {};
};

Process start(const Profile& profile, const StartOptions& options);

// The command line of a launch, for messages and metadata.
std::vector<std::string> launch_command(const Profile& profile, const StartOptions& options);

// Operating system's numbers of one CPU per core (hwloc), in the order in which ranks take them;
// honours the process's own affinity and cgroup.
std::vector<std::uint32_t> core_cpus();

}  // namespace invar::launch
