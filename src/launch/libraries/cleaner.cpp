#include "launch/libraries/cleaner.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.hpp"

namespace invar::launch {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void wait_and_clean(int line, const std::vector<fs::path>& paths,
                                 const fs::path& proof) {
  // Out of reach of the terminal's Ctrl-C and of a closed pipe on stderr.
  setsid();
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) signal(number, SIG_IGN);
  char byte = 0;
  while (read(line, &byte, 1) < 0 && errno == EINTR) {
  }
  std::error_code error;
  if (fs::exists(proof, error)) _exit(0);
  // What was writing there is killed with its parent, but perhaps a moment later.
  constexpr int kAttempts = 20;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    bool left = false;
    for (const fs::path& path : paths) fs::remove_all(path, error);
    usleep(50'000);
    for (const fs::path& path : paths) left = left || fs::exists(path, error);
    if (!left) _exit(0);
  }
  _exit(1);
}

}  // namespace

Cleaner::Cleaner(const std::vector<fs::path>& paths, const fs::path& proof) {
  std::array<int, 2> line{};
  if (pipe2(line.data(), O_CLOEXEC) != 0) {
    throw base::UserError("invar", std::string("no pipe: ") + std::strerror(errno));
  }
  pid_ = fork();
  if (pid_ == 0) {
    close(line[1]);
    wait_and_clean(line[0], paths, proof);
  }
  close(line[0]);
  if (pid_ < 0) {
    close(line[1]);
    throw base::UserError("invar", std::string("cannot start a process: ") + std::strerror(errno));
  }
  line_ = line[1];
}

Cleaner::~Cleaner() {
  close(line_);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace invar::launch
