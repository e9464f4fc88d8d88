// Two campaigns on one host take different cores, or the second one is refused.
#include "driver/prepare/core_claims.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <functional>

#include "base/error.hpp"

namespace invar::driver {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Cores = std::vector<std::uint32_t>;
namespace fs = std::filesystem;

class CoresOfAHost : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "invar-claims-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    dir_ = name;
  }
  void TearDown() override { fs::remove_all(dir_); }

  std::shared_ptr<const CoreClaims> take(const Cores& cores, const Cores& others = {}) const {
    return CoreClaims::take(cores, others, dir_, "campaign");
  }
  std::string refusal(const Cores& cores, const Cores& others = {}) const {
    try {
      (void)take(cores, others);
    } catch (const base::UserError& error) {
      return error.what();
    }
    return "";
  }

  // Another process, which has the cores until it is told to end: what this one asks meanwhile.
  void while_another_has(const Cores& cores, const std::function<void(pid_t)>& ask) const {
    int ready[2];
    int end[2];
    ASSERT_EQ(pipe(ready), 0);
    ASSERT_EQ(pipe(end), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      close(end[1]);
      char byte = 'n';
      std::shared_ptr<const CoreClaims> claims;
      try {
        claims = take(cores);
        byte = 'y';
      } catch (const std::exception&) {
      }
      if (write(ready[1], &byte, 1) != 1 || read(end[0], &byte, 1) > 0) _exit(1);
      _exit(0);  // as if it were killed: nothing is undone by itself
    }
    close(end[0]);
    char byte = 0;
    ASSERT_EQ(read(ready[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'y');
    ask(child);
    close(end[1]);
    waitpid(child, nullptr, 0);
    close(ready[0]);
    close(ready[1]);
  }

  fs::path dir_ = {};
};

TEST_F(CoresOfAHost, AreClaimedAllOrNone) {
  while_another_has({1}, [&](pid_t child) {
    EXPECT_THAT(refusal({0, 1, 2}),
                AllOf(HasSubstr("core 1 of this host is measured on by another campaign"),
                      HasSubstr("(pid " + std::to_string(child) + ")"),
                      HasSubstr("wait until it has ended")));
    // What was free is free again.
    while_another_has({0, 2}, [&](pid_t) {
      EXPECT_THAT(refusal({2, 0}), HasSubstr("cores 0, 2 of this host are measured on"));
    });
  });
  EXPECT_EQ(refusal({0, 1, 2}), "") << "the kernel lets go of what a process had";
}

TEST_F(CoresOfAHost, ThatNobodyHasAreNamed) {
  while_another_has({0, 1}, [&](pid_t) {
    EXPECT_THAT(refusal({0, 1}, {0, 1, 2, 3, 4}), HasSubstr("taskset -c 2,3 invar"));
    EXPECT_THAT(refusal({1, 2}, {0, 1, 2, 3, 4}), HasSubstr("taskset -c 2,3 invar"));
    EXPECT_THAT(refusal({0, 1}, {0, 1, 2}), Not(HasSubstr("taskset")));
    EXPECT_THAT(take({2, 3})->cores(), ElementsAre(2, 3)) << "different ones";
  });
}

// Else each of two that want the same cores could take some of them and refuse the other one.
TEST_F(CoresOfAHost, AreGivenToOneOfManyThatAskAtOnce) {
  constexpr int kTries = 20;
  constexpr int kAtOnce = 6;
  for (int i = 0; i < kTries; ++i) {
    int begin[2];
    int end[2];
    int told[2];
    ASSERT_EQ(pipe(begin), 0);
    ASSERT_EQ(pipe(end), 0);
    ASSERT_EQ(pipe(told), 0);
    for (int process = 0; process < kAtOnce; ++process) {
      const pid_t child = fork();
      ASSERT_GE(child, 0);
      if (child != 0) continue;
      close(begin[1]);
      close(end[1]);
      char byte = 0;
      if (read(begin[0], &byte, 1) > 0) _exit(1);
      std::shared_ptr<const CoreClaims> claims;
      try {
        // Each one begins with another core.
        claims = take({static_cast<std::uint32_t>(process % 2), 1, 2, 3}, {0, 1, 2, 3, 4, 5});
        byte = 'y';
      } catch (const base::UserError&) {
        byte = 'n';
      }
      if (write(told[1], &byte, 1) != 1) _exit(1);
      // Nobody lets go before all have asked.
      _exit(read(end[0], &byte, 1) > 0 ? 1 : 0);
    }
    close(begin[1]);
    int given = 0;
    for (int process = 0; process < kAtOnce; ++process) {
      char byte = 0;
      ASSERT_EQ(read(told[0], &byte, 1), 1);
      given += byte == 'y' ? 1 : 0;
    }
    close(end[1]);
    for (int process = 0; process < kAtOnce; ++process) EXPECT_GT(wait(nullptr), 0);
    for (const int pipe_end : {begin[0], end[0], told[0], told[1]}) close(pipe_end);
    ASSERT_EQ(given, 1) << "try " << i;
  }
}

// As tmpwatch and systemd-tmpfiles do where files are old.
TEST_F(CoresOfAHost, WhoseFilesAreRemovedAreClaimedAnew) {
  const auto claims = take({0, 1});
  fs::remove(dir_ / "invar-core-0.lock");
  claims->keep("campaign");
  EXPECT_TRUE(fs::exists(dir_ / "invar-core-0.lock"));
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    _exit(execl("/usr/bin/flock", "flock", "-n", (dir_ / "invar-core-0.lock").c_str(), "true",
                nullptr));
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (access("/usr/bin/flock", X_OK) != 0) GTEST_SKIP() << "no flock here";
  EXPECT_NE(status, 0) << "the new file is locked";
}

TEST_F(CoresOfAHost, ThatAnotherOneHasMeanwhileStopTheCampaign) {
  const auto claims = take({7});
  fs::remove(dir_ / "invar-core-7.lock");
  // A process that shares nothing of this one's.
  if (access("/usr/bin/flock", X_OK) != 0) GTEST_SKIP() << "no flock here";
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    dup2(ready[1], STDOUT_FILENO);
    _exit(execl("/usr/bin/flock", "flock", "-o", (dir_ / "invar-core-7.lock").c_str(), "-c",
                "echo; exec sleep 30 2>/dev/null", nullptr));
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  std::string words;
  try {
    claims->keep("campaign");
  } catch (const base::UserError& error) {
    words = error.what();
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(ready[0]);
  close(ready[1]);
  EXPECT_THAT(words, AllOf(HasSubstr("core 7 of this host is measured on by another campaign"),
                           HasSubstr("has been removed"), HasSubstr("--resume")));
}

TEST_F(CoresOfAHost, ThatAreKeptHaveFilesThatLookUsed) {
  const auto claims = take({0});
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(24 * 30);
  fs::last_write_time(dir_ / "invar-core-0.lock", old);
  claims->keep("campaign");
  EXPECT_GT(fs::last_write_time(dir_ / "invar-core-0.lock"), old + std::chrono::hours(24));
}

TEST_F(CoresOfAHost, AreSharedByCampaignsOfOneProcess) {
  const auto first = take({0, 1});
  const auto second = take({1, 2});
  EXPECT_THAT(second->cores(), ElementsAre(1, 2));
}

TEST_F(CoresOfAHost, AreFreeWhenTheLastCampaignHasEnded) {
  auto first = take({0});
  auto second = take({0});
  first.reset();
  const auto other_takes = [&] {
    const pid_t child = fork();
    if (child == 0) {
      // A process that has nothing of this one's: what it shares is not what it has claimed.
      _exit(execl("/usr/bin/flock", "flock", "-n", (dir_ / "invar-core-0.lock").c_str(), "true",
                  nullptr));
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  };
  if (access("/usr/bin/flock", X_OK) != 0) GTEST_SKIP() << "no flock here";
  EXPECT_FALSE(other_takes());
  second.reset();
  EXPECT_TRUE(other_takes());
}

// What others may put where all may write.
TEST_F(CoresOfAHost, AreNotClaimedByLinksAndPipes) {
  std::ofstream(dir_ / "target") << "precious";
  fs::create_symlink(dir_ / "target", dir_ / "invar-core-0.lock");
  EXPECT_THAT(refusal({0}), HasSubstr("invar-core-0.lock"));
  ASSERT_EQ(mkfifo((dir_ / "invar-core-1.lock").c_str(), 0644), 0);
  EXPECT_THAT(refusal({1}), HasSubstr("invar-core-1.lock is not a file"))
      << "and nothing waits for it";
  fs::create_directory(dir_ / "invar-core-2.lock");
  EXPECT_THAT(refusal({2}), HasSubstr("invar-core-2.lock is not a file"));
  EXPECT_EQ(fs::file_size(dir_ / "target"), 8U) << "what a link leads to is left alone";
}

TEST_F(CoresOfAHost, AreClaimedByFilesThatSayNothing) {
  std::ofstream(dir_ / "invar-core-0.lock") << "pid 1 on another host\n";
  const auto claims = take({0});
  EXPECT_EQ(fs::file_size(dir_ / "invar-core-0.lock"), 22U) << "a file of others is not written";
  EXPECT_EQ(claims->cores(), Cores{0});
}

TEST_F(CoresOfAHost, CanBeClaimedByEverybodyWhateverTheUmask) {
  const mode_t before = umask(0077);
  const auto claims = take({0});
  umask(before);
  struct stat file {};
  ASSERT_EQ(stat((dir_ / "invar-core-0.lock").c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777U, 0644U);
}

TEST(SharedLockDir, IsOneWhereNobodyRemovesWhatIsOthers) {
  const auto dir = shared_lock_dir();
  if (!dir) GTEST_SKIP() << "this host has none";
  struct stat found {};
  ASSERT_EQ(lstat(dir->c_str(), &found), 0);
  EXPECT_TRUE(S_ISDIR(found.st_mode));
  EXPECT_TRUE((found.st_mode & S_ISVTX) != 0);
  EXPECT_EQ(found.st_uid, 0U);
}

}  // namespace
}  // namespace invar::driver
