#include "launch/build/build_progress.hpp"

#include <gtest/gtest.h>

namespace invar::launch {
namespace {

TEST(BuildProgress, TerminalShowsHowFarItIsOnOneLine) {
  BuildProgress progress("mpich", 13, true);
  EXPECT_EQ(progress.compiled(12, 0.5), "\r\x1b[Kmpich: compiled 12 of 13 files");
  EXPECT_EQ(progress.compiled(1, 0.6), "\r\x1b[Kmpich: compiled 13 of 13 files");
  EXPECT_EQ(progress.end(), "\r\x1b[K");
}

TEST(BuildProgress, LogGetsALineAtMostEveryTenSeconds) {
  BuildProgress progress("mpich", 5, false);
  EXPECT_EQ(progress.compiled(1, 9.9), "");
  EXPECT_EQ(progress.compiled(1, 10.5), "mpich: compiled 2 of 5 files\n");
  EXPECT_EQ(progress.compiled(1, 20), "");
  EXPECT_EQ(progress.compiled(1, 20.6), "mpich: compiled 4 of 5 files\n");
  EXPECT_EQ(progress.compiled(1, 60), "") << "what comes next says that it is done";
  EXPECT_EQ(progress.end(), "");
}

TEST(BuildProgress, NothingIsTakenOffATerminalThatShowsNothing) {
  EXPECT_EQ(BuildProgress("mpich", 0, true).end(), "");
}

}  // namespace
}  // namespace invar::launch
