// Turns of a launch group, with real processes: who works when, and what happens if somebody dies.
#include "group/turns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <time.h>

#include <array>
#include <span>

#include "group/forked.hpp"

namespace invar::group::test {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr std::int64_t kLongNs = 3'600'000'000'000;
constexpr TurnLimits kLong{.visit_ns = kLongNs, .start_ns = kLongNs};

// Visits of the arms in this order.
std::vector<Step> visits(const std::vector<std::uint32_t>& arms) {
  std::vector<Step> steps;
  for (const std::uint32_t arm : arms) {
    steps.push_back(
        {.kind = StepKind::kVisit, .arm = arm, .row = static_cast<std::uint32_t>(steps.size())});
  }
  return steps;
}

void sleep_ms(long ms) {
  const timespec time{ms / 1000, ms % 1000 * 1'000'000};
  nanosleep(&time, nullptr);
}

std::uint64_t cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

std::uint64_t wall_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

// What the processes of a group write down.
struct Log {
  std::array<std::atomic<std::uint32_t>, 4> inside{};   // ranks of the arm in a step
  std::array<std::atomic<std::uint32_t>, 1000> rows{};  // in the order of entering
  std::atomic<std::uint32_t> entered{0};
  std::atomic<std::uint32_t> overlaps{0};
  std::atomic<std::uint32_t> called_start{0};
  std::atomic<std::uint32_t> too_early{0};
  std::atomic<std::uint32_t> flag{0};
  std::atomic<std::uint64_t> cpu_ns{0};
  std::atomic<std::uint64_t> wall_ns{0};
};

// Walks all steps and notes who is inside a step together with another arm.
void walk(const Page& page, Turns& turns, Log& log) {
  ++log.called_start;
  turns.start();
  const std::uint32_t arm = page.place().arm;
  while (const Step* step = turns.next()) {
    if (log.called_start != page.processes()) ++log.too_early;
    ++log.inside.at(arm);
    log.rows.at(log.entered++) = step->row;
    for (std::uint32_t other = 0; other < page.shape().arms; ++other) {
      if (other != arm && log.inside.at(other) != 0) ++log.overlaps;
    }
    sched_yield();
    --log.inside.at(arm);
    turns.done();
  }
  turns.finish();
}

struct Group {
  Page::Shape shape;
  std::vector<Step> steps;
  std::string name = page_name("turns");

  // Attaches in the calling process.
  [[nodiscard]] Page attach(std::uint32_t arm, std::uint32_t rank) const {
    return Page::attach(name, shape, {.arm = arm, .local_rank = rank});
  }
};

class TurnsOf : public testing::TestWithParam<Page::Shape> {};

TEST_P(TurnsOf, ArmsNeverOverlapAndFollowThePlan) {
  const Page::Shape shape = GetParam();
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < 60; ++i) order.push_back((i * i + i / 7) % shape.arms);
  const Group group{shape, visits(order)};
  const Shared<Log> log;
  ForkedGroup processes(shape, [&](std::uint32_t arm, std::uint32_t rank) {
    const Page page = group.attach(arm, rank);
    Turns turns(page, group.steps, kLong, [] {});
    walk(page, turns, *log);
  });
  EXPECT_THAT(processes.wait(), Each(Ending::kDone));
  EXPECT_EQ(log->overlaps, 0U);
  EXPECT_EQ(log->too_early, 0U);
  ASSERT_EQ(log->entered, order.size() * shape.local_ranks);
  for (std::uint32_t i = 0; i < log->entered; ++i) {
    ASSERT_EQ(log->rows.at(i), i / shape.local_ranks) << "entry " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, TurnsOf,
                         testing::Values(Page::Shape{.arms = 1, .local_ranks = 1},
                                         Page::Shape{.arms = 2, .local_ranks = 1},
                                         Page::Shape{.arms = 2, .local_ranks = 2},
                                         Page::Shape{.arms = 3, .local_ranks = 3}),
                         [](const auto& shape) {
                           return std::to_string(shape.param.arms) + "arms" +
                                  std::to_string(shape.param.local_ranks) + "ranks";
                         });

TEST(Turns, FirstTurnWaitsForTheLastProcessToComeUp) {
  const Group group{{.arms = 2, .local_ranks = 1}, visits({0, 1})};
  const Shared<Log> log;
  ForkedGroup processes(group.shape, [&](std::uint32_t arm, std::uint32_t rank) {
    const Page page = group.attach(arm, rank);
    Turns turns(page, group.steps, kLong, [] {});
    if (arm == 1) {
      // The first one has long been ready when this one comes.
      eventually([&] { return page.header().ready == 1; });
      sleep_ms(20);
    }
    walk(page, turns, *log);
  });
  EXPECT_THAT(processes.wait(), Each(Ending::kDone));
  EXPECT_EQ(log->too_early, 0U);
}

TEST(Turns, SleepersUseNoProcessor) {
  const Group group{{.arms = 2, .local_ranks = 1}, visits({0, 1})};
  const Shared<Log> log;
  ForkedGroup processes(group.shape, [&](std::uint32_t arm, std::uint32_t rank) {
    const Page page = group.attach(arm, rank);
    Turns turns(page, group.steps, kLong, [] {});
    turns.start();
    const std::uint64_t cpu_before_ns = cpu_ns();
    const std::uint64_t wall_before_ns = wall_ns();
    turns.next();
    if (arm == 0) {
      sleep_ms(500);
    } else {
      log->cpu_ns = cpu_ns() - cpu_before_ns;
      log->wall_ns = wall_ns() - wall_before_ns;
      const std::uint64_t slept_cpu_ns = turns.take_slept_cpu_ns();
      if (slept_cpu_ns == 0 || slept_cpu_ns > log->cpu_ns) _exit(2);
      if (turns.take_slept_cpu_ns() != 0) _exit(3);  // taken is taken
    }
    turns.done();
    turns.finish();
  });
  EXPECT_THAT(processes.wait(), Each(Ending::kDone));
  EXPECT_LT(log->cpu_ns, log->wall_ns / 10);
}

TEST(Turns, NobodyFinishesBeforeTheLastOneIsDone) {
  const Group group{{.arms = 2, .local_ranks = 2}, visits({0, 1})};
  const Shared<Log> log;
  ForkedGroup processes(group.shape, [&](std::uint32_t arm, std::uint32_t rank) {
    const Page page = group.attach(arm, rank);
    Turns turns(page, group.steps, kLong, [] {});
    turns.start();
    while (turns.next() != nullptr) turns.done();
    if (arm == 1 && rank == 1) {
      eventually([&] { return page.header().finished == 3; });
      sleep_ms(20);
      log->flag = 1;
    }
    turns.finish();
    if (log->flag == 0) ++log->too_early;
  });
  EXPECT_THAT(processes.wait(), Each(Ending::kDone));
  EXPECT_EQ(log->too_early, 0U);
}

TEST(Turns, DeathOfAPartnerEndsTheWaitOfAllOthers) {
  const Group group{{.arms = 2, .local_ranks = 2}, visits({0, 1, 0})};
  const Shared<Log> log;
  ForkedGroup processes(group.shape, [&](std::uint32_t arm, std::uint32_t rank) {
    const Page page = group.attach(arm, rank);
    Turns turns(page, group.steps, kLong, [] {});
    turns.start();
    turns.next();
    if (arm == 0 && rank == 1) {
      log->flag = 1;
      sleep_ms(3'600'000);
    }
    turns.done();
    turns.next();
  });
  ASSERT_TRUE(eventually([&] { return log->flag == 1; }));
  processes.kill(1);
  EXPECT_THAT(processes.wait(),
              ElementsAre(Ending::kThrew, Ending::kKilled, Ending::kThrew, Ending::kThrew));
}

TEST(Turns, PartnerThatDiesBeforeTheFirstTurnEndsTheWait) {
  const Group group{{.arms = 2, .local_ranks = 1}, visits({0, 1})};
  ForkedGroup processes(group.shape, [&](std::uint32_t arm, std::uint32_t rank) {
    const Page page = group.attach(arm, rank);
    if (arm == 1) {
      eventually([&] { return page.header().ready == 1; });
      return;  // ends without ever being ready
    }
    Turns turns(page, group.steps, kLong, [] {});
    turns.start();
    turns.next();
  });
  EXPECT_THAT(processes.wait(), ElementsAre(Ending::kThrew, Ending::kDone));
}

TEST(Turns, GroupLostSaysWhoIsGone) {
  const std::string name = page_name("gone");
  const Page page = Page::attach(name, {.arms = 2, .local_ranks = 2}, {});
  const std::vector<Step> steps = visits({0, 1});
  const Turns turns(page, steps, kLong, [] {});
  EXPECT_NO_THROW(turns.check_partners("its turn"));  // slots of those who are still to come
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  page.slot(1, 0).pid = child;
  try {
    turns.check_partners("its turn");
    ADD_FAILURE() << "nobody was missed";
  } catch (const GroupLost& lost) {
    EXPECT_THAT(lost.what(),
                testing::HasSubstr("arm 1, rank 0 (pid " + std::to_string(child) +
                                   ") is gone while it started, while waiting for its turn"));
  }
  shm_unlink(("/invar-" + name).c_str());
}

TEST(Turns, WhoGivesUpWakesEveryone) {
  const Group group{{.arms = 3, .local_ranks = 1}, visits({0, 1, 2})};
  const Shared<Log> log;
  ForkedGroup processes(group.shape, [&](std::uint32_t arm, std::uint32_t rank) {
    const Page page = group.attach(arm, rank);
    Turns turns(page, group.steps, kLong, [] {});
    turns.start();
    try {
      turns.next();
    } catch (const GroupLost&) {
      ++log->flag;
      throw;
    }
    page.abort();
    // It lives on: it is not its death that the others notice.
    if (!eventually([&] { return log->flag == 2; })) _exit(2);
  });
  EXPECT_THAT(processes.wait(), ElementsAre(Ending::kDone, Ending::kThrew, Ending::kThrew));
}

TEST(Turns, DeathOfTheLauncherEndsTheWait) {
  const Group group{{.arms = 1, .local_ranks = 2}, visits({0})};
  const Shared<Log> log;
  const pid_t launcher = fork();
  if (launcher == 0) {
    const pid_t rank = fork();
    if (rank == 0) {
      const Page page = group.attach(0, 0);
      Turns turns(page, group.steps, kLong, [] {});
      log->called_start = 1;
      try {
        turns.start();
        turns.next();  // rank 1 never comes
      } catch (const GroupLost& lost) {
        log->flag =
            std::string(lost.what()).find("the launcher is gone") != std::string::npos ? 1 : 2;
      }
      _exit(0);
    }
    eventually([&] { return log->called_start == 1; });
    _exit(0);
  }
  waitpid(launcher, nullptr, 0);
  ASSERT_TRUE(eventually([&] { return log->flag != 0; })) << "it sleeps for ever";
  EXPECT_EQ(log->flag, 1U);
  shm_unlink(("/invar-" + group.name).c_str());
}

// What a sleeper does, it does on a core on which another arm measures.
TEST(Turns, SleepersOfOtherArmsNeverCallTheirLibrary) {
  const Group group{{.arms = 2, .local_ranks = 2}, visits({0, 1})};
  const Shared<Log> log;
  ForkedGroup processes(group.shape, [&](std::uint32_t arm, std::uint32_t rank) {
    const Page page = group.attach(arm, rank);
    Turns turns(page, group.steps, kLong, [] {});
    turns.start();
    turns.next();
    if (arm == 0) sleep_ms(300);  // time for hundreds of calls
    if (arm == 1 && turns.own_probes() != 0) ++log->flag;
    turns.done();
    turns.finish();
  });
  EXPECT_THAT(processes.wait(), Each(Ending::kDone));
  EXPECT_EQ(log->flag, 0U);
}

}  // namespace
}  // namespace invar::group::test
