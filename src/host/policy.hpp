// The scheduler's policy of the calling thread: taken on for a while, and put back.
#pragma once

#include <sys/resource.h>

#include <optional>
#include <string>

#include "host/conditions.hpp"
#include "record/memory/levels.hpp"

namespace invar::host {

// A thread that spins under fifo or rr leaves its core to nobody: one that waits for another on the
// same core would wait for ever. After so much time on a processor without a call that sleeps the
// kernel ends the process by SIGXCPU (RLIMIT_RTTIME).
constexpr double kMostRealTimeSeconds = 10;

// Why this process may not take it on, or would not come back from it; tried in a child process,
// from which nothing remains. None for "other".
std::optional<Refusal> policy_refusal(const record::Policy& policy);

// Has the policy while it lives. "other" changes nothing.
class PolicyGuard {
 public:
  // Throws UserError with the kernel's words where it is refused; nothing is changed then.
  explicit PolicyGuard(const record::Policy& policy);
  PolicyGuard(const PolicyGuard&) = delete;
  PolicyGuard& operator=(const PolicyGuard&) = delete;
  ~PolicyGuard();

  // The kernel's words where something could not be put back; empty: all is as it was.
  std::string restore();

 private:
  record::Policy policy_;
  bool taken_ = false;
  int old_policy_ = 0;
  int old_priority_ = 0;
  int old_nice_ = 0;
  rlimit old_limit_ = {};
};

}  // namespace invar::host
