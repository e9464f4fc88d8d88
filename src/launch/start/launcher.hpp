// Starts launches and ends them: one mpirun per launch, all of a group alive together.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "design/campaign/hosts.hpp"
#include "launch/libraries/profile.hpp"
#include "launch/process/files.hpp"

namespace invar::launch {

struct LibraryKind;  // launch/kinds/kind.hpp

struct StartOptions {
  std::uint32_t ranks = 2;
  // Where they run, ranks / hosts.size() on each; none: on this host.
  std::vector<design::Host> hosts = {};
  std::string launcher{design::kOwnLauncher};  // a row of design/campaign/launch_systems.def
  bool oversubscribe = false;
  // On top of the profile's: the arm's settings.
  std::vector<std::pair<std::string, std::string>> environment = {};
  std::vector<std::string> arguments = {};  // of the engine
  // A foreign program instead of the engine, with its arguments; the first word is a path. A
  // profile without a name starts it by itself, as one process.
  std::vector<std::string> program = {};
  // The launcher binds each rank of the program to a core: only the engine can do that itself.
  bool bind = false;
  std::filesystem::path dir = {};  // stdout, stderr and scratch go here
  // Files that the command names are here; start() makes it.
  std::filesystem::path scratch = {};
  std::string output = {};  // "7.": 7.stdout and 7.stderr instead
};

// A running mpirun. Between us and it stands a keeper (keeper.hpp) that ends everything the
// launcher started, however deep, when we ask for it or when we die.
class Process {
 public:
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();  // kills what still runs

  // Exit status if it has ended; 128 + signal if it was killed, 127 if it could not be started
  // (the stderr file says why). Not 0 where the library's kind knows better
  // (LibraryKind::failure_says).
  std::optional<int> poll();
  // poll() until it ends or the time is over.
  std::optional<int> wait(std::chrono::milliseconds limit);
  // Ends the launcher and everything that it started: TERM, after 2 s KILL. Returns when none of
  // them is left.
  void kill();
  // Asks for the same and does not wait, so that several can end at the same time.
  void begin_to_end();
  // The keeper's; all processes of the launch descend from it.
  [[nodiscard]] int pid() const { return pid_; }

 private:
  friend Process start(const Profile& profile, const StartOptions& options);
  Process(int pid, int line, ScratchDir scratch, const LibraryKind& kind, std::filesystem::path err)
      : pid_(pid), line_(line), kind_(&kind), err_(std::move(err)), scratch_(std::move(scratch)) {}
  void ended(int status);

  int pid_ = -1;
  int line_ = -1;  // end of the pipe whose closing tells the keeper to stop
  std::optional<int> status_ = {};
  const LibraryKind* kind_;
  std::filesystem::path err_;  // what the launcher says
  ScratchDir scratch_;         // session files of the run-time system
};

// Standard output and error go to `options.dir`/stdout and /stderr (behind `options.output`),
// standard input is empty. Throws
// UserError if the files or the process cannot be made.
Process start(const Profile& profile, const StartOptions& options);

// The command line of a launch, for messages and metadata. Throws UserError for a bad template, or
// where the profile's launcher cannot be told the hosts.
std::vector<std::string> launch_command(const Profile& profile, const StartOptions& options);

// Throws UserError as launch_command() does, and where a launch template has no place for the
// hosts. `named`: the user has named them, else they are those of a batch job.
void check_start(const Profile& profile, const StartOptions& options, bool named);

// What is set on top of our own environment: the library kind's, then the profile's, then the
// arm's.
std::vector<std::pair<std::string, std::string>> launch_environment(
    const Profile& profile, const StartOptions& options, const std::filesystem::path& scratch);

// Operating system's numbers of one CPU per core (hwloc), in the order in which ranks take them;
// honours the process's own affinity and cgroup.
std::vector<std::uint32_t> core_cpus();

}  // namespace invar::launch
