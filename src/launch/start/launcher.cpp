#include "launch/start/launcher.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "base/error.hpp"
#include "base/text.hpp"
#include "launch/kinds/kind.hpp"
#include "launch/process/command.hpp"
#include "launch/process/files.hpp"
#include "launch/process/keeper.hpp"
#include "launch/process/paths.hpp"
#include "launch/start/launch_command.hpp"
#include "launch/start/launch_template.hpp"

namespace invar::launch {
namespace {

namespace fs = std::filesystem;

int open_output(const fs::path& path) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) {
    throw base::UserError(path.string(),
                          std::string("cannot write this file: ") + std::strerror(errno));
  }
  return file;
}

// Some kinds of library end with 0 although they failed, and tell it in words alone.
int status_by_words(int status, const LibraryKind& kind, const fs::path& err) {
  if (status != 0 || kind.failure_says.empty()) return status;
  const std::string said = base::read_file(err.string()).value_or("");
  const bool failed = std::ranges::any_of(kind.failure_says, [&](std::string_view words) {
    return said.find(words) != std::string::npos;
  });
  return failed ? static_cast<int>(base::Exit::kMeasurementFailed) : 0;
}

int decode(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> launch_environment(const Profile& profile,
                                                                    const StartOptions& options,
                                                                    const fs::path& scratch) {
  std::vector<std::pair<std::string, std::string>> all;
  if (const auto environment = kind_of(profile.family).environment) {
    all = environment(options, scratch);
  }
  const auto given = given_environment(profile, options);
  all.insert(all.end(), given.begin(), given.end());
  return all;
}

std::vector<std::string> launch_command(const Profile& profile, const StartOptions& options) {
  StartOptions shown = options;
  shown.scratch = options.dir;
  return command_of(profile, shown, (options.dir / "hostfile").string());
}

void check_start(const Profile& profile, const StartOptions& options, bool named) {
  static_cast<void>(launch_command(profile, options));
  const std::string& text = profile.launch_template;
  const bool says_where = text.find("{hosts}") != std::string::npos || wants_hostfile(text) ||
                          text.find("srun") != std::string::npos;
  if (text.empty() || options.hosts.empty() || says_where) return;
  throw base::UserError(
      "profile " + profile.name,
      std::string(named ? "hosts are named" : "this batch job has several hosts") +
          ", but its launch template has no place for them",
      std::string("add the library with {hosts} or {hostfile} in its --launch template") +
          (named ? "" : ", or take a job of one host"));
}

Process start(const Profile& profile, const StartOptions& order) {
  ScratchDir scratch;
  StartOptions options = order;
  options.scratch = scratch.path();
  const LibraryKind& kind = kind_of(profile.family);
  if (kind.write_files != nullptr) kind.write_files(profile, options);
  const std::string hostfile = (scratch.path() / "hosts").string();
  if (wants_hostfile(profile.launch_template)) {
    write_atomically(hostfile, hostfile_text(profile, options));
  }
  std::vector<std::string> words = command_of(profile, options, hostfile);
  const std::optional<std::string> program = find_program(words.front());
  if (!program) {
    if (profile.name.empty()) {
      throw base::UserError("program", "there is no '" + words.front() + "' that can be run");
    }
    throw base::UserError("profile " + profile.name,
                          "there is no launcher '" + words.front() + "' that can be run",
                          "is the library still installed? 'invar mpi list' looks again");
  }
  std::vector<std::string> environment =
      merged_environment(launch_environment(profile, options, scratch.path()));
  const std::vector<char*> argv = argument_pointers(words);
  const std::vector<char*> envp = argument_pointers(environment);

  const int out = open_output(options.dir / (options.output + "stdout"));
  int err = -1;
  try {
    err = open_output(options.dir / (options.output + "stderr"));
  } catch (...) {
    close(out);
    throw;
  }
  std::array<int, 2> line{};
  pid_t pid = -1;
  int reason = 0;
  if (pipe2(line.data(), O_CLOEXEC) != 0) {
    reason = errno;
  } else {
    pid = fork();
    reason = errno;
    if (pid == 0) keep({program->c_str(), argv.data(), envp.data(), line[0], out, err});
    close(line[0]);
    if (pid < 0) close(line[1]);
  }
  close(out);
  close(err);
  if (pid < 0) {
    throw base::UserError("profile " + profile.name,
                          std::string("cannot start a process: ") + std::strerror(reason));
  }
  return {pid, line[1], std::move(scratch), kind, options.dir / (options.output + "stderr")};
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      line_(std::exchange(other.line_, -1)),
      status_(other.status_),
      kind_(other.kind_),
      err_(std::move(other.err_)),
      scratch_(std::move(other.scratch_)) {}

Process& Process::operator=(Process&& other) noexcept {
  if (this != &other) {
    kill();
    pid_ = std::exchange(other.pid_, -1);
    line_ = std::exchange(other.line_, -1);
    status_ = other.status_;
    kind_ = other.kind_;
    err_ = std::move(other.err_);
    scratch_ = std::move(other.scratch_);
  }
  return *this;
}

Process::~Process() { kill(); }

void Process::ended(int status) {
  status_ = status;
  if (line_ >= 0) close(line_);
  line_ = -1;
  scratch_.remove();
}

std::optional<int> Process::poll() {
  if (status_ || pid_ < 0) return status_;
  int status = 0;
  const pid_t done = waitpid(pid_, &status, WNOHANG);
  if (done == pid_) {
    ended(status_by_words(decode(status), *kind_, err_));
  } else if (done < 0 && errno == ECHILD) {
    ended(127);  // somebody else waited for it
  }
  return status_;
}

std::optional<int> Process::wait(std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!poll() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return status_;
}

void Process::begin_to_end() {
  if (line_ >= 0) close(line_);
  line_ = -1;
}

void Process::kill() {
  if (pid_ < 0 || poll()) return;
  begin_to_end();
  // The keeper needs 2 s for what does not heed TERM, and some more for many processes.
  if (wait(std::chrono::seconds(20))) return;
  ::kill(pid_, SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  ended(decode(status));
}

}  // namespace invar::launch
