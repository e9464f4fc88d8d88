// Which rank ended a launch, by what all of them were doing, and what is said of it.
#include "launch/stress/stress_states.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include "launch/scratch.hpp"
#include "record/stress/stress_state.hpp"

namespace invar::launch {
namespace {

using record::StressActivity;
using record::StressDoing;
using record::StressFault;
using record::StressKind;
using testing::HasSubstr;

StressFault crash() { return {.fault = "crash", .what = "exit status 134: Assertion failed"}; }

StressActivity at_message(StressDoing doing, std::uint64_t message, int from, int to) {
  const int own = doing == StressDoing::kSending ? from : to;
  return {.doing = doing,
          .message = message,
          .size_bytes = 8 * message,
          .from = from,
          .to = to,
          .operation = "send -> irecv",
          .pattern = "zeros",
          .part = 4,
          .pid = 1000 + own};
}

StressActivity at_collective(StressDoing doing, std::uint64_t number, std::int64_t pid) {
  return {.doing = doing,
          .kind = StressKind::kCollectives,
          .message = number,
          .size_bytes = 4096,
          .operation = "bcast, root 1",
          .part = 4,
          .pid = pid};
}

StressActivity agreeing() { return {.doing = StressDoing::kAgreeing, .part = 5, .pid = 1009}; }

StressActivity dead(StressActivity activity, int signal, std::int64_t time_ns) {
  activity.death = record::StressDeath{.signal = signal, .time_ns = time_ns};
  return activity;
}

StressFault told_crash(const StressStates& states, std::string_view said = "") {
  StressFault fault = crash();
  tell_activities(fault, states, said);
  return fault;
}

// Both wait for each other: only one of them has said that it dies.
TEST(StressCrash, IsOfTheRankThatSaysThatASignalEndsIt) {
  const StressFault fault =
      told_crash({at_message(StressDoing::kReceiving, 12, 1, 0),
                  dead(at_message(StressDoing::kReceiving, 17, 0, 1), SIGABRT, 10)});
  EXPECT_EQ(fault.what, "rank 1 was ended by signal 6 (Aborted)");
  EXPECT_EQ(fault.kind, "p2p");
  EXPECT_EQ(fault.operation, "send -> irecv");
  EXPECT_EQ(fault.pattern, "zeros");
  EXPECT_EQ(fault.size_bytes, 136U);
  EXPECT_EQ(fault.message, 17U);
  EXPECT_EQ(fault.from, 0U);
  EXPECT_EQ(fault.to, 1U);
  EXPECT_EQ(fault.rank, 1U);
  EXPECT_EQ(fault.more,
            "rank 0: receiving message 12 from rank 1 (send -> irecv, 96 B); exit "
            "status 134: Assertion failed");
}

// What others do when they see that one is gone comes later.
TEST(StressCrash, IsOfTheFirstThatIsGone) {
  StressFault fault = told_crash({dead(at_message(StressDoing::kSending, 12, 0, 1), SIGABRT, 30),
                                  dead(at_message(StressDoing::kSending, 17, 1, 0), SIGSEGV, 10)});
  EXPECT_EQ(fault.rank, 1U);
  EXPECT_THAT(fault.what, HasSubstr("signal 11"));
  fault = told_crash({dead(at_message(StressDoing::kSending, 12, 0, 1), 0, 30),
                      dead(at_message(StressDoing::kSending, 17, 1, 0), 0, 10)});
  EXPECT_EQ(fault.what, "rank 1 called exit()");
  // A rank that is killed leaves no word, and the other one exits because of that.
  const StressStates killed{dead(at_message(StressDoing::kSending, 12, 0, 1), 0, 30),
                            at_message(StressDoing::kSending, 17, 1, 0)};
  EXPECT_EQ(told_crash(killed).rank, 0U);
  EXPECT_EQ(told_crash(killed, "=   PID 1001 RUNNING AT node").rank, 1U);
  EXPECT_EQ(told_crash(killed, "=   PID 1000 RUNNING AT node").what, "rank 0 called exit()");
  // Or its library aborts; a signal of its own would be more than that.
  const auto beside_killed = [](int signal) {
    return StressStates{dead(at_message(StressDoing::kSending, 12, 0, 1), signal, 30),
                        at_message(StressDoing::kSending, 17, 1, 0)};
  };
  EXPECT_EQ(told_crash(beside_killed(SIGABRT), "=   PID 1001 RUNNING AT node").rank, 1U);
  EXPECT_EQ(told_crash(beside_killed(SIGABRT)).rank, 0U);
  EXPECT_EQ(told_crash(beside_killed(SIGSEGV), "=   PID 1001 RUNNING AT node").rank, 0U);
}

TEST(StressCrash, IsOfTheRankThatTheLauncherNames) {
  const StressStates states{at_message(StressDoing::kReceiving, 12, 1, 0),
                            at_message(StressDoing::kReceiving, 12, 0, 1)};
  for (const char* said : {"=   PID 1001 RUNNING AT node\n=   EXIT CODE: 139", "pid=1001",
                           "mpirun noticed that process rank 1 with PID 0 on node n exited"}) {
    const StressFault fault = told_crash(states, said);
    EXPECT_EQ(fault.rank, 1U) << said;
    EXPECT_EQ(fault.what, "rank 1 died") << said;
    EXPECT_EQ(fault.message, 12U) << said;
    EXPECT_EQ(fault.to, 1U) << said;
  }
  for (const char* said : {"PID 10010", "PID 100", "1001", "PID 1000, PID 1001",
                           "process rank 17 with PID 0", "pid"}) {
    EXPECT_FALSE(told_crash(states, said).rank) << said;
  }
}

TEST(StressCrash, IsMostLikelyOfTheRankThatTheOthersWaitFor) {
  StressFault fault = told_crash({at_message(StressDoing::kReceiving, 13, 1, 0),
                                  at_message(StressDoing::kReceiving, 12, 0, 1), agreeing()});
  EXPECT_EQ(fault.what, "most likely rank 1 died");
  EXPECT_EQ(fault.rank, 1U);
  EXPECT_EQ(fault.message, 12U);
  EXPECT_EQ(fault.more,
            "rank 0: receiving message 13 from rank 1 (send -> irecv, 104 B); rank 2: waiting for "
            "the others between two parts; exit status 134: Assertion failed");
  // Posting takes no time.
  fault = told_crash(
      {at_message(StressDoing::kReceiving, 13, 1, 0), at_message(StressDoing::kPosting, 20, 0, 1)});
  EXPECT_EQ(fault.rank, 1U);
  EXPECT_EQ(fault.message, 20U);
  fault = told_crash({at_collective(StressDoing::kComparing, 3, 1),
                      at_collective(StressDoing::kCollective, 3, 2)});
  EXPECT_EQ(fault.rank, 1U);
}

// Its sender and its receiver: either one may be gone.
TEST(StressCrash, OfOneMessageNamesItWithoutARank) {
  const StressFault fault = told_crash(
      {at_message(StressDoing::kSending, 12, 0, 1), at_message(StressDoing::kReceiving, 12, 0, 1)});
  EXPECT_EQ(fault.what, "a rank died");
  EXPECT_FALSE(fault.rank);
  EXPECT_EQ(fault.message, 12U);
  EXPECT_EQ(fault.from, 0U);
  EXPECT_EQ(fault.to, 1U);
  EXPECT_THAT(fault.more, HasSubstr("rank 0: sending message 12 to rank 1"));
  EXPECT_THAT(fault.more, HasSubstr("rank 1: receiving message 12 from rank 0"));
  // Two messages have one number, and only what they share is told.
  const StressFault both = told_crash({at_message(StressDoing::kReceiving, 12, 1, 0),
                                       at_message(StressDoing::kReceiving, 12, 0, 1)});
  EXPECT_EQ(both.message, 12U);
  EXPECT_EQ(both.size_bytes, 96U);
  EXPECT_FALSE(both.from);
  EXPECT_FALSE(both.to);
}

TEST(StressCrash, OfACollectiveThatAllAreInNamesItWithoutARank) {
  StressFault fault = told_crash({at_collective(StressDoing::kCollective, 3, 1),
                                  at_collective(StressDoing::kCollective, 3, 2)});
  EXPECT_EQ(fault.what, "a rank died");
  EXPECT_EQ(fault.kind, "collectives");
  EXPECT_EQ(fault.operation, "bcast, root 1");
  EXPECT_EQ(fault.size_bytes, 4096U);
  EXPECT_EQ(fault.message, 3U);
  EXPECT_FALSE(fault.rank);
  EXPECT_FALSE(fault.from);
  EXPECT_THAT(fault.more, HasSubstr("rank 0, rank 1: in collective 3 (bcast, root 1, 4096 B)"));
  // One that ends all of them.
  fault = told_crash({dead(at_collective(StressDoing::kCollective, 3, 1), SIGSEGV, 12),
                      dead(at_collective(StressDoing::kCollective, 3, 2), SIGSEGV, 11)});
  EXPECT_EQ(fault.what, "2 ranks were ended by signal 11 (Segmentation fault)");
  EXPECT_FALSE(fault.rank);
  EXPECT_EQ(fault.message, 3U);
}

TEST(StressCrash, BetweenTwoPartsIsOfNoMessage) {
  StressFault fault = told_crash({agreeing(), dead(agreeing(), SIGABRT, 1)});
  EXPECT_EQ(fault.what,
            "rank 1 was ended by signal 6 (Aborted) while ranks agreed what comes next");
  EXPECT_EQ(fault.kind, "");
  EXPECT_FALSE(fault.message);
  fault = told_crash({at_collective(StressDoing::kComparing, 3, 1),
                      dead(at_collective(StressDoing::kComparing, 3, 2), SIGABRT, 1)});
  EXPECT_EQ(fault.what, "rank 1 was ended by signal 6 (Aborted) outside of the call");
  EXPECT_EQ(fault.message, 3U);
}

// Who is not known may be the one.
TEST(StressCrash, IsOfNobodyWhereNotAllAreKnown) {
  StressFault fault = told_crash({at_message(StressDoing::kReceiving, 12, 1, 0), std::nullopt});
  EXPECT_EQ(fault.what, crash().what);
  EXPECT_FALSE(fault.message);
  EXPECT_EQ(fault.kind, "");
  EXPECT_EQ(fault.more, "rank 0: receiving message 12 from rank 1 (send -> irecv, 96 B)");
  fault = told_crash({at_message(StressDoing::kReceiving, 12, 1, 0), std::nullopt},
                     "process rank 1 with PID 0");
  EXPECT_EQ(fault.what, "rank 1 died");
  EXPECT_EQ(fault.rank, 1U);
  EXPECT_FALSE(fault.message);
  EXPECT_EQ(told_crash({std::nullopt, std::nullopt}), crash());
  EXPECT_EQ(told_crash({StressActivity(), StressActivity()}), crash()) << "MPI_Finalize, for one";
}

TEST(StressCrash, AloneIsExplained) {
  const StressStates states{at_message(StressDoing::kReceiving, 12, 1, 0),
                            at_message(StressDoing::kReceiving, 12, 0, 1)};
  StressFault hang{.fault = "hang", .what = "nothing came from the launch any more"};
  tell_activities(hang, states, "");
  EXPECT_EQ(hang.what, "nothing came from the launch any more");
  EXPECT_FALSE(hang.message);
  EXPECT_THAT(hang.more, HasSubstr("rank 1: receiving message 12 from rank 0"));
  StressFault other{.fault = "own-messages", .what = "the ranks ended early"};
  const StressFault before = other;
  tell_activities(other, states, "");
  EXPECT_EQ(other, before);
}

TEST(StressStates, AreReadUnlessTheyAreOldOrNone) {
  const test::Scratch scratch;
  const auto file = [&](std::uint32_t rank) {
    return scratch.path(record::stress_state_file(rank)).string();
  };
  record::StressState first(file(0));
  record::StressState second(file(1));
  record::StressState old(file(2));
  scratch.write(record::stress_state_file(3), std::string(sizeof(record::StressWords), '\0'));
  first.agrees(9);
  second.agrees(8);
  old.agrees(7);
  const StressStates states = read_stress_states(scratch.path(), 5);
  ASSERT_EQ(states.size(), 5U);
  ASSERT_TRUE(states[0]);
  EXPECT_EQ(states[0]->part, 9U);
  EXPECT_TRUE(states[1]);
  EXPECT_FALSE(states[2]) << "nobody begins part 9 before all have ended part 7";
  EXPECT_FALSE(states[3]) << "nothing was sent yet by another host";
  EXPECT_FALSE(states[4]);
  remove_stress_states(scratch.path(), 5);
  for (std::uint32_t rank = 0; rank < 5; ++rank) EXPECT_FALSE(test::fs::exists(file(rank)));
}

}  // namespace
}  // namespace invar::launch
