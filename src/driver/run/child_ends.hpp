// Waiting for processes that were started, without waking up on the cores that they use.
#pragma once

#include <signal.h>

namespace invar::driver {

// Ends of launchers as something to wait for.
class ChildEnds {
 public:
  ChildEnds();
  ChildEnds(const ChildEnds&) = delete;
  ChildEnds& operator=(const ChildEnds&) = delete;
  ~ChildEnds();
  [[nodiscard]] int descriptor() const { return descriptor_; }
  // Returns when a child ends, a signal interrupts, or the time is over.
  void wait(int most_ms) const;

 private:
  int descriptor_ = -1;
  sigset_t before_ = {};
};

}  // namespace invar::driver
