#include "host/policy.hpp"

#include <sched.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "base/error.hpp"

namespace invar::host {
namespace {

// Linux's numbers, which not every C library's headers have.
constexpr int kBatchPolicy = 3;
constexpr int kIdlePolicy = 5;

int number_of(record::PolicyKind kind) {
  switch (kind) {
    case record::PolicyKind::kBatch:
      return kBatchPolicy;
    case record::PolicyKind::kIdle:
      return kIdlePolicy;
    case record::PolicyKind::kFifo:
      return SCHED_FIFO;
    case record::PolicyKind::kRr:
      return SCHED_RR;
    case record::PolicyKind::kOther:
    case record::PolicyKind::kNice:
      break;
  }
  return SCHED_OTHER;
}

// Both set the calling thread, and leave errno where the kernel refuses.
bool set_policy(int number, int priority) {
  sched_param parameters{};
  parameters.sched_priority = priority;
  return sched_setscheduler(0, number, &parameters) == 0;
}
bool set_nice(int nice) { return setpriority(PRIO_PROCESS, 0, nice) == 0; }

bool is_real_time(const record::Policy& policy) {
  return policy.kind == record::PolicyKind::kFifo || policy.kind == record::PolicyKind::kRr;
}

std::string policy_words(const record::Policy& policy) {
  switch (policy.kind) {
    case record::PolicyKind::kOther:
      return "policy = \"other\"";
    case record::PolicyKind::kBatch:
      return "policy = \"batch\"";
    case record::PolicyKind::kIdle:
      return "policy = \"idle\"";
    case record::PolicyKind::kFifo:
      return "policy = \"fifo\"";
    case record::PolicyKind::kRr:
      return "policy = \"rr\"";
    case record::PolicyKind::kNice:
      break;
  }
  return "policy = \"nice:" + std::to_string(policy.nice) + "\"";
}

std::string remedy_of(const record::Policy& policy) {
  const std::string container = "; in a container: --cap-add=SYS_NICE";
  if (is_real_time(policy)) {
    return "run as root, or let root write 'USER - rtprio 1' into /etc/security/limits.conf" +
           container;
  }
  return "run as root, or let root write 'USER - nice -20' into /etc/security/limits.conf" +
         container;
}

// How the trial in a child ends.
constexpr int kTaken = 0;
constexpr int kNotBack = 255;

}  // namespace

PolicyGuard::PolicyGuard(const record::Policy& policy) : policy_(policy) {
  if (policy.kind == record::PolicyKind::kOther) return;
  old_policy_ = sched_getscheduler(0);
  sched_param parameters{};
  static_cast<void>(sched_getparam(0, &parameters));
  old_priority_ = parameters.sched_priority;
  errno = 0;
  old_nice_ = getpriority(PRIO_PROCESS, 0);
  static_cast<void>(getrlimit(RLIMIT_RTTIME, &old_limit_));
  const auto refuse = [&] {
    throw base::UserError("launch", policy_words(policy) + " is refused: " + std::strerror(errno),
                          remedy_of(policy));
  };
  if (policy.kind == record::PolicyKind::kNice) {
    if (!set_nice(policy.nice)) refuse();
    taken_ = true;
    return;
  }
  // The watchdog is there before anything can spin.
  if (is_real_time(policy)) {
    rlimit limit = old_limit_;
    const auto most_us = static_cast<rlim_t>(kMostRealTimeSeconds * 1e6);
    limit.rlim_cur = std::min(limit.rlim_max, most_us);
    if (setrlimit(RLIMIT_RTTIME, &limit) != 0) refuse();
  }
  const int number = number_of(policy.kind);
  if (!set_policy(number, is_real_time(policy) ? sched_get_priority_min(number) : 0)) {
    const int reason = errno;
    if (is_real_time(policy)) static_cast<void>(setrlimit(RLIMIT_RTTIME, &old_limit_));
    errno = reason;
    refuse();
  }
  taken_ = true;
  // The watchdog counts what was spun since the task last slept under such a policy: sleep before
  // this time's share, or the shares of all times add up.
  if (is_real_time(policy)) {
    // Long enough that the task is asleep before its alarm goes off: else it was never asleep.
    timespec left{.tv_sec = 0, .tv_nsec = 200'000};
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
  }
}

PolicyGuard::~PolicyGuard() { restore(); }

std::string PolicyGuard::restore() {
  if (!taken_) return {};
  taken_ = false;
  const bool nice = policy_.kind == record::PolicyKind::kNice;
  const bool back = nice ? set_nice(old_nice_) : set_policy(old_policy_, old_priority_);
  const int reason = errno;
  if (is_real_time(policy_)) static_cast<void>(setrlimit(RLIMIT_RTTIME, &old_limit_));
  if (back) return {};
  return policy_words(policy_) + " could not be put back: " + std::strerror(reason);
}

std::optional<Refusal> policy_refusal(const record::Policy& policy) {
  if (policy.kind == record::PolicyKind::kOther) return std::nullopt;
  const pid_t child = fork();
  if (child == 0) {
    int end = kTaken;
    try {
      PolicyGuard guard(policy);
      if (!guard.restore().empty()) end = kNotBack;
    } catch (const base::UserError&) {
      end = errno == 0 ? EPERM : errno;
    }
    _exit(end);
  }
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const int end = child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : EAGAIN;
  if (end == kTaken) return std::nullopt;
  const std::string why = end == kNotBack
                              ? "a thread of this user would not come back from it"
                              : "the kernel refuses it: " + std::string(std::strerror(end));
  return Refusal{policy_words(policy) + " cannot be had here: " + why, remedy_of(policy)};
}

}  // namespace invar::host
