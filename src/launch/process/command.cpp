#include "launch/process/command.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>

#include "launch/process/paths.hpp"

extern char** environ;

namespace invar::launch {
namespace {

using SteadyClock = std::chrono::steady_clock;

// Everything is prepared before fork: afterwards only calls that are safe in a process with
// threads.
[[noreturn]] void become(const char* program, char* const* arguments, char* const* environment,
                         int out, int err, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  const int empty = open("/dev/null", O_RDONLY);
  dup2(empty, 0);
  dup2(out, 1);
  dup2(err, 2);
  execve(program, arguments, environment);
  _exit(127);
}

// Reads both pipes to their ends. False when the time is over.
bool drain(std::array<pollfd, 2>& pipes, std::array<std::string*, 2> texts,
           SteadyClock::time_point end) {
  std::size_t open_pipes = 2;
  std::vector<char> block(1 << 16);
  while (open_pipes > 0) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - SteadyClock::now());
    if (left.count() <= 0) return false;
    const int ready = poll(pipes.data(), pipes.size(), static_cast<int>(left.count()) + 1);
    if (ready < 0 && errno != EINTR) return true;
    for (std::size_t i = 0; ready > 0 && i < pipes.size(); ++i) {
      if (pipes[i].fd < 0 || pipes[i].revents == 0) continue;
      const ssize_t count = read(pipes[i].fd, block.data(), block.size());
      if (count > 0) {
        texts[i]->append(block.data(), static_cast<std::size_t>(count));
      } else if (count == 0 || errno != EINTR) {
        close(pipes[i].fd);
        pipes[i].fd = -1;
        --open_pipes;
      }
    }
  }
  return true;
}

}  // namespace

std::string with_old_value(const std::string& key, const std::string& value,
                           const std::string& old) {
  const std::string ending = ":$" + key;
  if (!value.ends_with(ending)) return value;
  return value.substr(0, value.size() - ending.size()) + (old.empty() ? "" : ":" + old);
}

std::vector<std::string> merged_environment(const Environment& changes) {
  std::map<std::string, std::string> merged;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const char* equals = std::strchr(*entry, '=');
    if (equals == nullptr) continue;
    merged.emplace(std::string(*entry, static_cast<std::size_t>(equals - *entry)), equals + 1);
  }
  for (const auto& [name, value] : changes) {
    merged[name] = with_old_value(name, value, merged[name]);
  }
  std::vector<std::string> entries;
  entries.reserve(merged.size());
  for (const auto& [name, value] : merged) entries.push_back(name + "=" + value);
  return entries;
}

std::vector<char*> argument_pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  all.reserve(words.size() + 1);
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

CommandResult run_command(const std::vector<std::string>& words, const Environment& changes,
                          double limit_s) {
  CommandResult result;
  const std::optional<std::string> program =
      words.empty() ? std::nullopt : find_program(words.front());
  if (!program) {
    result.status = 127;
    result.err = (words.empty() ? std::string("no command") : words.front()) + ": not found\n";
    return result;
  }
  std::vector<std::string> arguments = words;
  std::vector<std::string> environment = merged_environment(changes);
  const std::vector<char*> argv = argument_pointers(arguments);
  const std::vector<char*> envp = argument_pointers(environment);
  std::array<int, 2> out{};
  std::array<int, 2> err{};
  if (pipe2(out.data(), O_CLOEXEC) != 0) {
    result.status = 127;
    result.err = std::string("no pipe: ") + std::strerror(errno);
    return result;
  }
  if (pipe2(err.data(), O_CLOEXEC) != 0) {
    result.status = 127;
    result.err = std::string("no pipe: ") + std::strerror(errno);
    close(out[0]);
    close(out[1]);
    return result;
  }
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) become(program->c_str(), argv.data(), envp.data(), out[1], err[1], parent);
  close(out[1]);
  close(err[1]);
  if (child < 0) {
    result.status = 127;
    result.err = std::string("cannot start a process: ") + std::strerror(errno);
    close(out[0]);
    close(err[0]);
    return result;
  }
  const auto limit =
      std::chrono::duration_cast<SteadyClock::duration>(std::chrono::duration<double>(limit_s));
  std::array<pollfd, 2> pipes{pollfd{out[0], POLLIN, 0}, pollfd{err[0], POLLIN, 0}};
  if (!drain(pipes, {&result.out, &result.err}, SteadyClock::now() + limit)) {
    result.timed_out = true;
    ::kill(-child, SIGKILL);
    ::kill(child, SIGKILL);
    for (const pollfd& pipe : pipes) {
      if (pipe.fd >= 0) close(pipe.fd);
    }
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return result;
}

std::string command_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    const bool plain = !word.empty() && word.find_first_not_of(
                                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWX"
                                            "YZ0123456789_-+=./:,@%") == std::string::npos;
    if (plain) {
      text += word;
      continue;
    }
    text += '\'';
    for (const char letter : word) {
      if (letter == '\'') {
        text += "'\\''";
      } else {
        text += letter;
      }
    }
    text += '\'';
  }
  return text;
}

}  // namespace invar::launch
