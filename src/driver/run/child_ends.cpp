#include "driver/run/child_ends.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace invar::driver {

ChildEnds::ChildEnds() {
  sigset_t ended;
  sigemptyset(&ended);
  sigaddset(&ended, SIGCHLD);
  sigprocmask(SIG_BLOCK, &ended, &before_);
  descriptor_ = signalfd(-1, &ended, SFD_CLOEXEC | SFD_NONBLOCK);
}

ChildEnds::~ChildEnds() {
  if (descriptor_ >= 0) close(descriptor_);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

void ChildEnds::wait(int most_ms) const {
  pollfd file{.fd = descriptor_, .events = POLLIN, .revents = 0};
  if (poll(&file, descriptor_ < 0 ? 0 : 1, most_ms) <= 0) return;
  signalfd_siginfo ended{};
  while (read(descriptor_, &ended, sizeof ended) > 0) {
  }
}

}  // namespace invar::driver
