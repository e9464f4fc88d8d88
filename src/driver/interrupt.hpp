// A campaign that the user interrupts ends its launches and can be resumed.
#pragma once

namespace invar::driver {

// While it lives, SIGINT, SIGTERM and SIGHUP only set a flag.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();
};

bool interrupted();

}  // namespace invar::driver
