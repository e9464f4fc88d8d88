#include "driver/run/blame.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace invar::driver {
namespace {

using ::testing::HasSubstr;

const std::string kMissesArm0 =
    "invar-engine: rank 1 on node3: group lost: arm 0, rank 1 (pid 4711) is gone while waiting for "
    "its turn\n";
const std::string kSomebodyGaveUp =
    "invar-engine: rank 0 on node3: group lost: another rank of the group gave up while waiting "
    "for "
    "its turn\n";

TEST(FindCause, LaunchWithReasonOfItsOwnIsToBlameWhoeverEndedFirst) {
  const std::vector<LaunchEnd> launches{
      {.label = "openmpi", .status = 3, .err = kSomebodyGaveUp},
      {.label = "mpich", .status = 2, .err = "invar-engine: rank 0 on node3: no memory left\n"}};
  EXPECT_EQ(find_cause(launches).arm, "mpich");
  EXPECT_THAT(find_cause(launches).reason, HasSubstr("exit status 2: rank 0 on node3: no memory"));
}

// More follows: where every rank is, and the launcher's own command.
TEST(FindCause, SimulatorsCriticalLineSaysWhyItEnded) {
  const std::vector<LaunchEnd> launches{
      {.label = "simgrid",
       .status = 3,
       .err = "[0.5] ./src/kernel/EngineImpl.cpp:718: [ker_engine/CRITICAL] Oops! Deadlock "
              "detected, some activities never complete.\n[0.5] [ker_engine/CRITICAL] 2 actors "
              "are still active.\nExecution failed with code 3.\n"}};
  EXPECT_EQ(find_cause(launches).reason,
            "'simgrid' ended with exit status 3: Oops! Deadlock detected, some activities never "
            "complete.");
}

TEST(FindCause, KilledRankIsItsOwnArmsFaultAlsoWhenThatLauncherStillRuns) {
  const std::vector<LaunchEnd> launches{
      {.label = "openmpi", .err = ""},
      {.label = "mpich", .status = 3, .err = kMissesArm0 + kSomebodyGaveUp}};
  EXPECT_EQ(find_cause(launches).arm, "openmpi");
  EXPECT_THAT(find_cause(launches).reason,
              HasSubstr("'openmpi' lost a rank (rank 1): rank 1 on node3"));
}

TEST(FindCause, LineThatNamesTheArmCountsWhereverItStands) {
  const std::vector<LaunchEnd> launches{
      {.label = "openmpi", .status = 137, .err = "mpirun noticed that rank 1 was killed\n"},
      {.label = "mpich", .status = 3, .err = kSomebodyGaveUp + kMissesArm0}};
  EXPECT_EQ(find_cause(launches).arm, "openmpi");
  EXPECT_THAT(find_cause(launches).reason, HasSubstr("'openmpi' was killed by signal 9"));
}

// Open MPI's launcher ends with 128 + 9 then, MPICH's with 9.
TEST(FindCause, KilledBySignal9PointsToTheMemory) {
  for (const int status : {137, 9}) {
    EXPECT_EQ(find_cause(std::vector<LaunchEnd>{{.label = "mpich", .status = status}}).reason,
              "'mpich' was killed by signal 9 (out of memory? see dmesg)");
  }
}

// A race leaves out what crashed, and not the arm that runs all candidates.
TEST(FindCause, CellIsThatOfTheRankOrOfAllOfThem) {
  const auto launch = [](std::optional<std::uint32_t> first, std::optional<std::uint32_t> second) {
    return LaunchEnd{.label = "algorithms",
                     .status = 139,
                     .ranks = {{.rank = 0, .cell = first}, {.rank = 1, .cell = second}}};
  };
  const std::vector<LaunchEnd> same{launch(7, 7)};
  EXPECT_EQ(find_cause(same).cell, 7U);
  const std::vector<LaunchEnd> apart{launch(7, 8)};
  EXPECT_FALSE(find_cause(apart).cell) << "nobody knows which of them it was";
  EXPECT_EQ(find_cause(apart, "node3", FirstGone{.launch = 0, .rank = 1}).cell, 8U);
  const std::vector<LaunchEnd> starting{launch({}, {})};
  EXPECT_FALSE(find_cause(starting).cell);
}

TEST(ScarceText, SharedMemoryIsNamedWhereItIsAlmostUsedUp) {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;
  EXPECT_EQ(scarce_text({.bytes = 64U << 10U, .free_bytes = 8U << 10U}),
            "; 8 KiB of 64 KiB are free in /dev/shm, where libraries keep what their ranks share");
  EXPECT_EQ(scarce_text({.bytes = 64 * kMiB, .free_bytes = 16 * kMiB}), "");
  EXPECT_EQ(scarce_text({}), "");
}

TEST(FindCause, LauncherThatFailsWithoutTheEngineComesBeforeThoseThatGaveUp) {
  const std::vector<LaunchEnd> launches{
      {.label = "openmpi", .status = 3, .err = kSomebodyGaveUp},
      {.label = "mpich", .status = 139, .err = "BAD TERMINATION\n=====\n"}};
  EXPECT_EQ(find_cause(launches).arm, "mpich");
  EXPECT_EQ(find_cause(launches).reason, "'mpich' ended with signal 11: BAD TERMINATION");
}

TEST(FindCause, ArmThatDoesNotExistIsNotBlamed) {
  const std::vector<LaunchEnd> launches{
      {.label = "openmpi",
       .status = 3,
       .err = "invar-engine: rank 0 on node3: group lost: arm 7, rank 0 (pid 1) is gone\n"}};
  EXPECT_EQ(find_cause(launches).arm, "openmpi");
}

const std::vector<RankEnd> kRanks{
    {.rank = 0, .pid = 4710, .where = "in bcast, 8 B, 2 ranks"},
    {.rank = 1, .pid = 4711, .where = "in allreduce, 1 KiB, 2 ranks"}};

TEST(FindCause, RankThatTheLauncherNamesByItsPidIsToldWithWhereItWas) {
  const std::vector<LaunchEnd> launches{
      {.label = "mpich",
       .status = 11,
       .err = "=   PID 4711 RUNNING AT node3\n=   EXIT CODE: 139\n"
              "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Segmentation fault (signal 11)\n"
              "This typically refers to a problem with your application.\n",
       .ranks = kRanks}};
  EXPECT_EQ(find_cause(launches, "node3").reason,
            "'mpich' ended with exit status 11 (rank 1 on node3, in allreduce, 1 KiB, 2 ranks): "
            "Segmentation fault (signal 11)");
  // Here it shows the rank that it has killed after the other one had died.
  std::vector<LaunchEnd> shows_the_other = launches;
  shows_the_other[0].err.replace(shows_the_other[0].err.find("139"), 3, "9");
  EXPECT_THAT(find_cause(shows_the_other, "node3", FirstGone{.launch = 0, .rank = 0}).reason,
              testing::HasSubstr("(rank 0 on node3"));
}

// Hydra knows nothing of a rank that left with exit status 0, and tells of the one that it has
// killed afterwards: neither that rank nor signal 9 was the reason.
TEST(FindCause, RankThatLeftQuietlyIsToldAndNotTheOneThatItsLauncherKilled) {
  const std::vector<LaunchEnd> launches{
      {.label = "mpich",
       .status = 9,
       .err = "=   PID 4710 RUNNING AT node3\n=   EXIT CODE: 9\n"
              "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)\n",
       .ranks = kRanks}};
  EXPECT_EQ(find_cause(launches, "node3", FirstGone{.launch = 0, .rank = 1}).reason,
            "'mpich' lost a rank (rank 1 on node3, in allreduce, 1 KiB, 2 ranks): its launcher "
            "tells only of another rank, killed by signal 9 (a launcher ends the others so, the "
            "system where memory runs out: see dmesg)");
  EXPECT_EQ(find_cause(launches, "node3", FirstGone{.launch = 0, .rank = 0}).reason,
            "'mpich' was killed by signal 9 (out of memory? see dmesg) (rank 0 on node3, in bcast, "
            "8 B, 2 ranks): Killed (signal 9)");
}

// Its words, its status and the place are of one rank.
TEST(FindCause, LauncherThatNamesARankWithAStatusOfItsOwnCountsBeforeTheFirstToBeGone) {
  const std::vector<LaunchEnd> launches{
      {.label = "openmpi",
       .status = 139,
       .err =
           "mpirun noticed that process rank 0 with PID 4710 on node node3 exited on signal 11\n",
       .ranks = kRanks}};
  EXPECT_THAT(find_cause(launches, "node3", FirstGone{.launch = 0, .rank = 1}).reason,
              HasSubstr("signal 11 (rank 0 on node3, in bcast, 8 B, 2 ranks): mpirun noticed"));
}

TEST(FindCause, OpenMpiNamesARankThatLeftByItsProcessName) {
  const std::vector<LaunchEnd> launches{
      {.label = "openmpi",
       .status = 7,
       .err = "  Process name: [[52312,1],1]\n  Exit code:    7\n",
       .ranks = kRanks}};
  EXPECT_THAT(find_cause(launches, "node3").reason, HasSubstr("(rank 1 on node3, in allreduce"));
}

TEST(FindCause, FirstRankToBeGoneCountsWhereTheOthersOnlyMissThoseThatTheLauncherEnded) {
  const std::vector<LaunchEnd> launches{
      {.label = "good",
       .status = 3,
       .err = "invar-engine: rank 1 on node3: group lost: arm 1, rank "
              "0 (pid 4710) is gone while waiting for its turn\n"},
      {.label = "bad", .status = 7, .ranks = kRanks}};
  const Cause cause = find_cause(launches, "node3", FirstGone{.launch = 1, .rank = 1});
  EXPECT_EQ(cause.arm, "bad");
  EXPECT_EQ(cause.reason,
            "'bad' ended with exit status 7 (rank 1 on node3, in allreduce, 1 KiB, 2 ranks)");
}

TEST(FindCause, WhereNobodyKnowsWhichRankItWasThePlaceThatAllShareIsTold) {
  std::vector<RankEnd> together = kRanks;
  together[0].where = together[1].where;
  EXPECT_EQ(find_cause(std::vector<LaunchEnd>{{.label = "a", .status = 5, .ranks = together}}, "n1")
                .reason,
            "'a' ended with exit status 5 (on n1, in allreduce, 1 KiB, 2 ranks)");
  EXPECT_EQ(
      find_cause(std::vector<LaunchEnd>{{.label = "a", .status = 5, .ranks = kRanks}}, "n1").reason,
      "'a' ended with exit status 5");
}

TEST(FindCause, FullDiskIsNoArmsFault) {
  const Cause cause = find_cause(std::vector<LaunchEnd>{
      {.label = "openmpi",
       .status = 3,
       .err =
           "invar-engine: rank 0 on node3: machine: cannot write d/timings.bin: No space left on "
           "device\n"}});
  EXPECT_EQ(cause.arm, "");
  EXPECT_TRUE(cause.machine && cause.unwritable);
  EXPECT_EQ(cause.reason, "rank 0 on node3: cannot write d/timings.bin: No space left on device");
}

}  // namespace
}  // namespace invar::driver
