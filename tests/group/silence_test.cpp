// Nothing of a sleeping arm happens on the cores on which another one measures: context switches of
// its processes are counted, as the kernel does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "base/text.hpp"
#include "group/forked.hpp"
#include "group/turns.hpp"

namespace invar::group::test {
namespace {

using testing::Each;

constexpr std::uint32_t kSleepers = 8;
constexpr std::int64_t kNeverNs = 3'600'000'000'000;

// Voluntary and other context switches of a process so far.
std::uint64_t context_switches(pid_t pid) {
  std::uint64_t sum = 0;
  const std::string status =
      base::read_file("/proc/" + std::to_string(pid) + "/status").value_or("");
  for (const std::string_view line : base::split(status, '\n')) {
    const std::size_t at = line.find("ctxt_switches:");
    if (at == std::string_view::npos) continue;
    sum += base::parse_u64(base::trim(line.substr(at + 14))).value_or(0);
  }
  return sum;
}

struct Night {
  std::array<std::atomic<std::int32_t>, kSleepers> pids{};
  std::atomic<std::uint32_t> over{0};

  [[nodiscard]] std::vector<std::uint64_t> switches() const {
    std::vector<std::uint64_t> all;
    for (const auto& pid : pids) all.push_back(context_switches(pid));
    return all;
  }
};

void rest(std::chrono::milliseconds time) { std::this_thread::sleep_for(time); }

TEST(Silence, EightRanksAsleepForFiveSecondsDoNothingButWatchOnce) {
  const Page::Shape shape{.arms = 2, .local_ranks = kSleepers};
  const std::vector<Step> steps{{.kind = StepKind::kVisit, .arm = 0},
                                {.kind = StepKind::kVisit, .arm = 1}};
  const std::string name = page_name("silence");
  const Shared<Night> night;
  ForkedGroup processes(shape, [&](std::uint32_t arm, std::uint32_t rank) {
    const Page page = Page::attach(name, shape, {.arm = arm, .local_rank = rank});
    // With a library to call, which sleepers must not.
    Turns turns(page, steps, {.visit_ns = kNeverNs, .start_ns = kNeverNs}, [] {});
    if (arm == 1) night->pids.at(rank) = getpid();
    turns.start();
    turns.next();
    while (arm == 0 && night->over == 0) rest(std::chrono::milliseconds(5));
    turns.done();
    turns.finish();
  });
  ASSERT_TRUE(eventually([&] {
    for (const auto& pid : night->pids) {
      if (pid == 0 || process_state(pid) != ProcessState::kAsleep) return false;
    }
    return true;
  }));
  // Those that were on their way to sleep are there when nothing of all but the watcher changes.
  std::vector<std::uint64_t> before;
  ASSERT_TRUE(eventually([&] {
    before = night->switches();
    rest(std::chrono::milliseconds(100));
    const std::vector<std::uint64_t> now = night->switches();
    return std::equal(before.begin() + 1, before.end(), now.begin() + 1);
  }));
  before = night->switches();
  rest(std::chrono::seconds(5));
  const std::vector<std::uint64_t> after = night->switches();
  night->over = 1;
  EXPECT_THAT(processes.wait(), Each(Ending::kDone));
  for (std::uint32_t rank = 1; rank < kSleepers; ++rank) {
    EXPECT_GT(before.at(rank), 0U) << "nothing was counted";
    EXPECT_EQ(after.at(rank), before.at(rank)) << "rank " << rank << " woke up";
  }
  EXPECT_GT(after.at(0), before.at(0)) << "nobody watches";
}

}  // namespace
}  // namespace invar::group::test
