// A campaign that the user interrupts ends its launches and can be resumed.
#pragma once

#include <array>

namespace invar::driver {

// While it lives, SIGINT, SIGTERM and SIGHUP only set a flag, unless they were ignored before
// (nohup). Inside of another one, it keeps what that one has seen.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();

 private:
  std::array<void (*)(int), 3> before_;
};

bool interrupted();

}  // namespace invar::driver
