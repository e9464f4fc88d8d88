// Conditions of a launch, some of them in a made-up /sys.
#include "host/conditions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/prctl.h>

#include <cstdlib>

#include "host/made_up_root.hpp"

namespace invar::host {
namespace {

// Under qemu-user: it refuses what it does not know.
bool emulated() { return prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) < 0; }

using testing::HasSubstr;

// A program that the tests have started again ends before main() with kSeenAgain, if it has the
// mark.
constexpr const char* kStartedAgainByTest = "INVAR_HOST_TEST_AGAIN";
constexpr int kSeenAgain = 42;
const bool kNotAgain = [] {
  if (std::getenv(kStartedAgainByTest) == nullptr) return true;
  std::_Exit(std::getenv("INVAR_STARTED_AGAIN") == nullptr ? 1 : kSeenAgain);
}();

class MadeUpSys : public MadeUpRoot {
 protected:
  // The kernel ends its lines.
  void write(const std::string& path, const std::string& text) const {
    MadeUpRoot::write(path, text + "\n");
  }
};

TEST_F(MadeUpSys, WhatTheKernelDoesNotGiveIsRefused) {
  const auto what = [&](const Conditions& asked) {
    const auto refusal = host::refusal(asked, root_ + "/proc", root_);
    return refusal ? refusal->what : "";
  };
  EXPECT_EQ(what({}), "");
  EXPECT_THAT(what({.thp = "never"}), HasSubstr("this kernel has no transparent huge pages"));
  write("/kernel/mm/transparent_hugepage/enabled", "always madvise [never]");
  if (emulated()) GTEST_SKIP() << "an emulated kernel has no huge pages to choose";
  EXPECT_THAT(what({.thp = "always"}), HasSubstr("never gives transparent huge pages"));
  write("/proc/sys/kernel/randomize_va_space", "0");
  EXPECT_THAT(what({.aslr = "on"}), HasSubstr("this kernel randomises nothing"));
}

TEST(Conditions, AskingWhatIsPossibleChangesNothingHere) {
  const ConditionsFound before = conditions_found();
  (void)refusal({.aslr = before.randomized ? "off" : "on", .thp = "never"});
  const ConditionsFound after = conditions_found();
  EXPECT_EQ(before.randomized, after.randomized);
  EXPECT_EQ(before.huge_pages_off, after.huge_pages_off);
}

// The test's own program, started again in a child: with the mark, it comes to its second call.
TEST(Conditions, WhoIsComparedWithOthersStartsAgainAsTheyDo) {
  if (emulated()) GTEST_SKIP() << "a program of another processor is not started again";
  EXPECT_FALSE(Conditions{}.any());
  EXPECT_TRUE((Conditions{.as_others = true}.any()));
  const auto again = [](const Conditions& asked) {
    std::string program = "true";
    char* const words[] = {program.data(), nullptr};
    unsetenv("INVAR_STARTED_AGAIN");
    unsetenv("INVAR_PADDING");
    setenv(kStartedAgainByTest, "1", 1);
    take_on(asked, words);
  };
  EXPECT_EXIT(again({.as_others = true}), testing::ExitedWithCode(kSeenAgain), "");
  EXPECT_EXIT(again({.thp = "never"}), testing::ExitedWithCode(kSeenAgain), "");
}

TEST(Conditions, NothingAskedIsNothingDone) {
  char* const none[] = {nullptr};
  const std::uint64_t before_bytes = conditions_found().environment_bytes;
  take_on({}, none);  // else it would start this program again, without arguments
  EXPECT_EQ(conditions_found().environment_bytes, before_bytes) << "no variable was added";
}

}  // namespace
}  // namespace invar::host
