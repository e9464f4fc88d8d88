#include "driver/blame.hpp"

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

TEST(FindCause, KilledRankIsItsOwnArmsFaultAlsoWhenThatLauncherStillRuns) {
  const std::vector<LaunchEnd> launches{
      {.label = "openmpi", .err = ""},
      {.label = "mpich", .status = 3, .err = kMissesArm0 + kSomebodyGaveUp}};
  EXPECT_EQ(find_cause(launches).arm, "openmpi");
  EXPECT_THAT(find_cause(launches).reason, HasSubstr("'openmpi' lost a rank: rank 1 on node3"));
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

}  // namespace
}  // namespace invar::driver
