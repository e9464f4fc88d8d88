// A policy is taken on by this thread alone, and put back; whether it may be is tried in a child.
#include "host/policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>

#include "base/error.hpp"

namespace invar::host {
namespace {

constexpr int kBatch = 3;

using record::Policy;
using record::PolicyKind;

int policy_now() { return sched_getscheduler(0); }
int nice_now() { return getpriority(PRIO_PROCESS, 0); }
rlim_t real_time_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_RTTIME, &limit);
  return limit.rlim_cur;
}

// Under qemu-user, or in a container that refuses even this.
bool can_be_batch() { return !policy_refusal({.kind = PolicyKind::kBatch}).has_value(); }

TEST(PolicyGuard, BatchIsTakenOnAndPutBack) {
  if (!can_be_batch()) GTEST_SKIP() << "no policy can be chosen here";
  const int before = policy_now();
  {
    const PolicyGuard guard({.kind = PolicyKind::kBatch});
    EXPECT_EQ(policy_now(), kBatch);
  }
  EXPECT_EQ(policy_now(), before);
}

TEST(PolicyGuard, OtherChangesNothing) {
  const int before = policy_now();
  const PolicyGuard guard({});
  EXPECT_EQ(policy_now(), before);
  EXPECT_FALSE(policy_refusal({}).has_value());
}

// Whoever may do it comes back with the policy and the limit that were there; whoever may not is
// told so with a remedy, and has changed nothing.
TEST(PolicyGuard, FifoHasAWatchdogOrIsRefusedWithARemedy) {
  const int before = policy_now();
  const rlim_t limit_before = real_time_limit();
  const auto refusal = policy_refusal({.kind = PolicyKind::kFifo});
  EXPECT_EQ(policy_now(), before) << "tried in a child";
  if (refusal) {
    EXPECT_THAT(refusal->what, testing::HasSubstr("policy = \"fifo\" cannot be had here"));
    EXPECT_THAT(refusal->remedy, testing::HasSubstr("rtprio"));
    EXPECT_THROW(PolicyGuard({.kind = PolicyKind::kFifo}), base::UserError);
  } else {
    const PolicyGuard guard({.kind = PolicyKind::kFifo});
    EXPECT_EQ(policy_now(), SCHED_FIFO);
    EXPECT_LE(real_time_limit(), static_cast<rlim_t>(kMostRealTimeSeconds * 1e6));
  }
  EXPECT_EQ(policy_now(), before);
  EXPECT_EQ(real_time_limit(), limit_before);
}

// How a child ended that took FIFO on so many times, for 80 ms of computing each, while the kernel
// ends whoever computes for 300 ms under it.
int status_of_child(int times) {
  const pid_t child = fork();
  if (child < 0) return -1;
  if (child == 0) {
    const rlimit limit{.rlim_cur = 300'000, .rlim_max = 300'000};
    setrlimit(RLIMIT_RTTIME, &limit);
    try {
      for (int i = 0; i < times; ++i) {
        const PolicyGuard guard({.kind = PolicyKind::kFifo});
        const std::clock_t begin = std::clock();
        while (std::clock() - begin < CLOCKS_PER_SEC * 8 / 100) {
        }
      }
    } catch (const std::exception&) {
      _exit(1);  // and not on with the tests that follow
    }
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

TEST(PolicyGuard, TheWatchdogCountsEachTimeByItself) {
  if (policy_refusal({.kind = PolicyKind::kFifo})) GTEST_SKIP() << "FIFO takes the right to it";
  EXPECT_EQ(status_of_child(8), 0) << "640 ms in all, and never 300 at a stretch";
}

TEST(PolicyGuard, NiceIsPutBackOrRefused) {
  const int before = nice_now();
  const Policy nicer{.kind = PolicyKind::kNice, .nice = 19};
  if (const auto refusal = policy_refusal(nicer)) {
    EXPECT_THAT(refusal->what, testing::HasSubstr("policy = \"nice:19\" cannot be had here"));
  } else {
    const PolicyGuard guard(nicer);
    EXPECT_EQ(nice_now(), 19);
  }
  EXPECT_EQ(nice_now(), before);
}

}  // namespace
}  // namespace invar::host
