// Ranks of the arm on turn that wait: those that a visit is without, those that have left a step
// before others, those that spin. With real processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <time.h>

#include <functional>
#include <vector>

#include "group/forked.hpp"
#include "group/turns.hpp"

namespace invar::group::test {
namespace {

using testing::Each;

constexpr std::int64_t kHourNs = 3'600'000'000'000;
constexpr TurnLimits kHour{.visit_ns = kHourNs, .start_ns = kHourNs};

// What the ranks of an arm share.
struct Board {
  std::atomic<std::uint32_t> visits{0};  // made by members so far, all of them together
  std::atomic<std::uint32_t> too_early{0};
  std::atomic<std::uint32_t> calls{0};  // of the library, by ranks that wait
  std::atomic<std::uint32_t> done{0};
  std::atomic<std::uint32_t> probes_before{0};
  std::atomic<std::uint32_t> probes_after{0};
};

std::vector<Step> visits_alone(std::uint32_t count) {
  std::vector<Step> steps;
  for (std::uint32_t row = 0; row < count; ++row) {
    steps.push_back({.kind = StepKind::kVisit, .arm = 0, .row = row});
  }
  return steps;
}

void pause_ms(long ms) {
  const timespec time{ms / 1000, ms % 1000 * 1'000'000};
  nanosleep(&time, nullptr);
}

// Runs `body(rank, page, turns)` between start() and finish() in the ranks of the only arm.
// `progress`: what they call while they wait; none: they have no library.
using RankBody = std::function<void(std::uint32_t, const Page&, Turns&)>;
std::vector<Ending> run_alone(std::uint32_t ranks, const std::vector<Step>& steps,
                              const std::function<void()>& progress, const RankBody& body,
                              TurnLimits limits = kHour) {
  const Page::Shape shape{.arms = 1, .local_ranks = ranks};
  const std::string name = page_name("standing");
  ForkedGroup processes(shape, [&](std::uint32_t arm, std::uint32_t rank) {
    const Page page = Page::attach(name, shape, {.arm = arm, .local_rank = rank});
    Turns turns(page, steps, limits, progress);
    turns.start();
    body(rank, page, turns);
    turns.finish();
  });
  return processes.wait();
}

TEST(StandingBy, EndsWhenAllMembersOfTheHostHaveMadeTheVisit) {
  constexpr std::uint32_t kVisits = 200;
  const Shared<Board> board;
  // Ranks 1 and 2 make the visits; the watcher (rank 0) and rank 3 stand by.
  const auto endings = run_alone(4, visits_alone(kVisits), {},
                                 [&](std::uint32_t rank, const Page& /*page*/, Turns& turns) {
                                   while (const Step* step = turns.next()) {
                                     if (rank == 1 || rank == 2) {
                                       if (step->row % 50 == 0) pause_ms(rank);
                                       ++board->visits;
                                       turns.visit_over(2);
                                     } else {
                                       turns.stand_by();
                                       if (board->visits < 2 * (step->row + 1)) ++board->too_early;
                                     }
                                     turns.done();
                                   }
                                 });
  EXPECT_THAT(endings, Each(Ending::kDone));
  EXPECT_EQ(board->visits, 2 * kVisits);
  EXPECT_EQ(board->too_early, 0U);
}

// A message of a rank that stands by may need its library before it arrives: here the member's
// visit ends when the library of the other was called.
TEST(StandingBy, CallsTheLibraryOfRanksThatWaitLongerThanAMillisecond) {
  const Shared<Board> board;
  const auto endings = run_alone(
      2, visits_alone(1), [&] { ++board->calls; },
      [&](std::uint32_t rank, const Page& /*page*/, Turns& turns) {
        turns.next();
        if (rank == 1) {
          turns.stand_by();
        } else {
          board->probes_before = turns.probes();
          if (!eventually([&] { return board->calls > 0; })) _exit(2);
          if (!eventually([&] { return turns.probes() > board->probes_before; })) _exit(3);
          turns.visit_over(1);
        }
        turns.done();
      });
  EXPECT_THAT(endings, Each(Ending::kDone));
}

// As in campaigns from before there was a choice.
TEST(StandingBy, WhereOnlyThoseMayWhoStandByOthersThatWaitCallNothing) {
  const Shared<Board> board;
  const Page::Shape shape{.arms = 1, .local_ranks = 2};
  const std::string name = page_name("standing");
  const std::vector<Step> steps = visits_alone(1);
  ForkedGroup processes(shape, [&](std::uint32_t arm, std::uint32_t rank) {
    const Page page = Page::attach(name, shape, {.arm = arm, .local_rank = rank});
    Turns turns(
        page, steps, kHour, [&] { ++board->calls; }, nullptr, Callers::kBystanders);
    turns.start();
    turns.next();
    if (rank == 1) {
      turns.stand_by();
      board->probes_before = board->calls.load();
      // The other has left the step and waits, for longer than a millisecond.
      pause_ms(50);
      board->probes_after = board->calls.load();
    } else {
      turns.expect_to_wait();
      turns.still_waiting("a start");
      pause_ms(2);
      turns.still_waiting("a start");
      if (turns.own_probes() != 0) _exit(2);
      if (!eventually([&] { return board->calls > 0; })) _exit(3);
      turns.visit_over(1);
    }
    turns.done();
    turns.finish();
  });
  EXPECT_THAT(processes.wait(), Each(Ending::kDone));
  EXPECT_GT(board->probes_before, 0U);
  EXPECT_EQ(board->probes_after, board->probes_before);
}

TEST(StandingBy, WithoutALibraryToCallNobodyWakesBeforeTheVisitIsOver) {
  const Shared<Board> board;
  const auto endings =
      run_alone(2, visits_alone(1), {}, [&](std::uint32_t rank, const Page& page, Turns& turns) {
        turns.next();
        if (rank == 1) {
          turns.stand_by();
        } else {
          pause_ms(50);
          turns.visit_over(1);
        }
        board->probes_after = page.mine().probes.load();
        turns.done();
      });
  EXPECT_THAT(endings, Each(Ending::kDone));
  EXPECT_EQ(board->probes_after, 0U);
}

// It has left the step and sleeps, but what it sent may not have come.
TEST(StandingBy, WhoHasLeftAStepCallsItsLibraryUntilAllOfItsHostHave) {
  const Shared<Board> board;
  const auto endings = run_alone(
      2, visits_alone(1), [&] { ++board->calls; },
      [&](std::uint32_t rank, const Page& /*page*/, Turns& turns) {
        turns.next();
        // Rank 1 waits for a message of rank 0.
        if (rank == 1 && !eventually([&] { return board->calls > 0; })) _exit(2);
        turns.done();
      });
  EXPECT_THAT(endings, Each(Ending::kDone));
}

TEST(StandingBy, DeathOfAMemberEndsTheWaitOfThoseThatStandBy) {
  const Shared<Board> board;
  const Page::Shape shape{.arms = 1, .local_ranks = 3};
  const std::string name = page_name("standing");
  const std::vector<Step> steps = visits_alone(1);
  ForkedGroup processes(shape, [&](std::uint32_t arm, std::uint32_t rank) {
    const Page page = Page::attach(name, shape, {.arm = arm, .local_rank = rank});
    Turns turns(page, steps, kHour, {});
    turns.start();
    turns.next();
    ++board->done;
    if (rank != 2) turns.stand_by();
    pause_ms(3'600'000);
  });
  ASSERT_TRUE(eventually([&] { return board->done == 3; }));
  processes.kill(2);
  // The watcher sees it, and wakes the one without a timer.
  EXPECT_THAT(processes.wait(),
              testing::ElementsAre(Ending::kThrew, Ending::kThrew, Ending::kKilled));
}

TEST(StandingBy, VisitThatNeverEndsIsSeenByTheWatcher) {
  const auto endings = run_alone(2, visits_alone(1), {},
                                 [&](std::uint32_t rank, const Page& page, Turns& turns) {
                                   turns.next();
                                   if (rank == 1) {
                                     eventually([&] { return page.header().aborted != 0; });
                                     _exit(0);
                                   }
                                   turns.stand_by();
                                 },
                                 {.visit_ns = 1, .start_ns = kHourNs});
  EXPECT_THAT(endings, testing::ElementsAre(Ending::kThrew, Ending::kDone));
}

// Rank 0, which watches, and rank 2 do something meanwhile.
TEST(DoingSomethingMeanwhile, LearnsThatTheVisitIsOverWithoutSleeping) {
  constexpr std::uint32_t kVisits = 50;
  const Shared<Board> board;
  const auto endings = run_alone(3, visits_alone(kVisits), {},
                                 [&](std::uint32_t rank, const Page& /*page*/, Turns& turns) {
                                   while (const Step* step = turns.next()) {
                                     if (rank == 1) {
                                       pause_ms(1);
                                       ++board->visits;
                                       turns.visit_over(1);
                                     } else {
                                       while (!turns.visit_is_over()) sched_yield();
                                       if (board->visits < step->row + 1) ++board->too_early;
                                       // It is over for who asks again, and for who would sleep.
                                       if (!turns.visit_is_over()) _exit(2);
                                       turns.stand_by();
                                     }
                                     turns.done();
                                   }
                                 });
  EXPECT_THAT(endings, Each(Ending::kDone));
  EXPECT_EQ(board->visits, kVisits);
  EXPECT_EQ(board->too_early, 0U);
}

// As one that sleeps: what it sent before the visit may need that.
TEST(DoingSomethingMeanwhile, CallsTheLibraryAfterAMillisecond) {
  const Shared<Board> board;
  const auto endings = run_alone(
      2, visits_alone(1), [&] { ++board->calls; },
      [&](std::uint32_t rank, const Page& /*page*/, Turns& turns) {
        turns.next();
        if (rank == 1) {
          if (turns.visit_is_over()) _exit(2);
          if (board->calls != 0) _exit(3);  // the visit has just begun
          while (!turns.visit_is_over()) sched_yield();
        } else {
          if (!eventually([&] { return board->calls > 0; })) _exit(4);
          turns.visit_over(1);
        }
        turns.done();
      });
  EXPECT_THAT(endings, Each(Ending::kDone));
}

TEST(DoingSomethingMeanwhile, EndsWithTheDeathOfAMember) {
  const Shared<Board> board;
  const Page::Shape shape{.arms = 1, .local_ranks = 3};
  const std::string name = page_name("meanwhile");
  const std::vector<Step> steps = visits_alone(1);
  ForkedGroup processes(shape, [&](std::uint32_t arm, std::uint32_t rank) {
    const Page page = Page::attach(name, shape, {.arm = arm, .local_rank = rank});
    Turns turns(page, steps, kHour, {});
    turns.start();
    turns.next();
    ++board->done;
    while (rank != 2 && !turns.visit_is_over()) pause_ms(1);
    pause_ms(3'600'000);
  });
  ASSERT_TRUE(eventually([&] { return board->done == 3; }));
  processes.kill(2);
  // Rank 0 watches; it tells rank 1, which asks nobody but the page.
  EXPECT_THAT(processes.wait(),
              testing::ElementsAre(Ending::kThrew, Ending::kThrew, Ending::kKilled));
}

TEST(DoingSomethingMeanwhile, SeesAVisitThatNeverEnds) {
  const auto endings = run_alone(2, visits_alone(1), {},
                                 [&](std::uint32_t rank, const Page& page, Turns& turns) {
                                   turns.next();
                                   if (rank == 1) {
                                     eventually([&] { return page.header().aborted != 0; });
                                     _exit(0);
                                   }
                                   while (!turns.visit_is_over()) pause_ms(1);
                                 },
                                 {.visit_ns = 1, .start_ns = kHourNs});
  EXPECT_THAT(endings, testing::ElementsAre(Ending::kThrew, Ending::kDone));
}

// Clocks are synchronised in the first step of an arm for as long as an algorithm was told to; the
// verification of a cell that follows there is looked at like a visit.
TEST(Preparing, AWatcherHasTheStartsPatienceUntilACellIsVerified) {
  const Shared<Board> board;
  const std::vector<Step> steps{{.kind = StepKind::kPrepare}};
  const auto endings = run_alone(2, steps, {},
                                 [&](std::uint32_t rank, const Page& page, Turns& turns) {
                                   turns.next();
                                   if (rank == 0) turns.done();  // it watches
                                   if (rank == 0) return;
                                   pause_ms(3000);
                                   if (page.header().aborted == 0) ++board->done;
                                   page.note({Activity::kPreparing, 1});
                                   eventually([&] { return page.header().aborted != 0; });
                                   _exit(0);
                                 },
                                 {.visit_ns = 1, .start_ns = kHourNs});
  EXPECT_THAT(endings, testing::ElementsAre(Ending::kThrew, Ending::kDone));
  EXPECT_EQ(board->done, 1U) << "it gave up in the time of a start";
}

TEST(Spinning, CallsTheLibraryAfterAMillisecondAndNotBefore) {
  const std::string name = page_name("spinning");
  const Page page = Page::attach(name, {.arms = 1, .local_ranks = 1}, {});
  const std::vector<Step> steps = visits_alone(1);
  int calls = 0;
  Turns turns(page, steps, kHour, [&] { ++calls; });
  turns.expect_to_wait();
  turns.still_waiting("a start");
  EXPECT_EQ(calls, 0) << "the wait has just begun";
  pause_ms(2);
  turns.still_waiting("a start");
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(turns.probes(), 1U);
  EXPECT_EQ(turns.own_probes(), 1U);
  // A wait that begins anew has not lasted.
  turns.expect_to_wait();
  turns.still_waiting("a start");
  EXPECT_EQ(calls, 1);
}

TEST(Spinning, WithoutALibraryToCallNothingIsCounted) {
  const std::string name = page_name("spinning");
  const Page page = Page::attach(name, {.arms = 1, .local_ranks = 1}, {});
  const std::vector<Step> steps = visits_alone(1);
  Turns turns(page, steps, kHour, {});
  turns.expect_to_wait();
  turns.still_waiting("a start");
  pause_ms(2);
  turns.still_waiting("a start");
  EXPECT_EQ(turns.probes(), 0U);
}

TEST(Spinning, LooksAfterThePartnersInALongWait) {
  const std::string name = page_name("spinning");
  const Page page = Page::attach(name, {.arms = 1, .local_ranks = 2}, {});
  const std::vector<Step> steps = visits_alone(1);
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  page.slot(0, 1).pid = child;
  Turns turns(page, steps, kHour, {});
  turns.expect_to_wait();
  EXPECT_THROW(
      {
        for (int i = 0; i < 10'000; ++i) {
          turns.still_waiting("a start");
          pause_ms(1);
        }
      },
      GroupLost);
  shm_unlink(("/invar-" + name).c_str());
}

}  // namespace
}  // namespace invar::group::test
