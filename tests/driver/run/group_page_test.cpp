#include "driver/run/group_page.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "group/forked.hpp"
#include "host/identity.hpp"

namespace invar::driver {
namespace {

namespace fs = std::filesystem;
using group::test::ForkedGroup;

constexpr int kNoChildren = -1;

// A loaded machine lets the driver come when both ranks are gone.
class FirstToEnd : public testing::TestWithParam<int> {};

TEST_P(FirstToEnd, IsKnownToADriverThatComesTooLateToSeeIt) {
  const int first = GetParam();
  const std::string id = group::test::page_name("first");
  GroupPage page(id);
  ASSERT_EQ(page.problem(), "");
  const group::Page::Shape shape{.arms = 1, .local_ranks = 2};
  ForkedGroup ranks(shape, [&](std::uint32_t arm, std::uint32_t rank) {
    const group::Page own = group::Page::attach(group::Page::name_of(id, host::host_identity()),
                                                shape, {.arm = arm, .local_rank = rank});
    while (true) pause();
  });
  ASSERT_TRUE(group::test::eventually([&] {
    const auto all = page.ranks();
    return all.size() == 2 &&
           std::ranges::all_of(all, [](const auto& seen) { return seen.pid > 0; });
  }));
  page.wait(kNoChildren);  // it watches both from here on
  ASSERT_FALSE(page.first_gone());
  for (const int rank : {first, 1 - first}) {
    ranks.kill(static_cast<std::size_t>(rank));
    ASSERT_TRUE(group::test::eventually([&] {
      return group::process_state(page.ranks().at(static_cast<std::size_t>(rank)).pid) ==
             group::ProcessState::kGone;
    }));
  }
  page.wait(kNoChildren);
  ASSERT_TRUE(page.first_gone());
  EXPECT_EQ(page.first_gone()->local_rank, static_cast<std::uint32_t>(first));
  EXPECT_GE(page.first_gone()->rank, 0) << "the driver is sure";
  ranks.wait();
}

INSTANTIATE_TEST_SUITE_P(Either, FirstToEnd, testing::Values(0, 1));

// A campaign directory that no other test, also of another run, has: names of pages follow from it.
class StalePages : public testing::Test {
 protected:
  StalePages() {
    std::string name = (fs::temp_directory_path() / "invar-stale-XXXXXX").string();
    dir_ = mkdtemp(name.data());
  }
  ~StalePages() override {
    for (const fs::path& page : made_) fs::remove(page);
    fs::remove(dir_);
  }

  // As a driver with this pid has left it. What stands behind the pid is another driver's.
  fs::path leftover(pid_t pid, const fs::path& campaign) {
    const std::string own = group_id_start(campaign);
    const std::string name = "/invar-" + own.substr(0, own.find('-') + 1) + std::to_string(pid) +
                             "-0123456789abcdef-1-1-00000000";
    close(shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    made_.emplace_back("/dev/shm" + name);
    EXPECT_TRUE(fs::exists(made_.back()));
    return made_.back();
  }
  fs::path leftover(pid_t pid) { return leftover(pid, dir_); }

  // The pid of a process that was here a moment ago.
  static pid_t gone_pid() {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, nullptr, 0);
    return child;
  }

  fs::path dir_ = {};

 private:
  std::vector<fs::path> made_ = {};
};

// The machine or the container was started again, and this driver has the number of the last one.
TEST_F(StalePages, OfADriverBeforeUsWithOurOwnPidGo) {
  const fs::path left = leftover(getpid());
  remove_stale_pages(dir_);
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(StalePages, OfADriverThatIsGoneGo) {
  const fs::path left = leftover(gone_pid());
  remove_stale_pages(dir_);
  EXPECT_FALSE(fs::exists(left));
}

// In another container a driver may have our pid, or one that nobody has here: /dev/shm is all that
// both see.
TEST_F(StalePages, ThatALivingDriverHasLockedStay) {
  for (const pid_t pid : {getpid(), gone_pid()}) {
    const fs::path used = leftover(pid);
    const int descriptor = open(used.c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_EQ(flock(descriptor, LOCK_SH), 0);
    remove_stale_pages(dir_);
    EXPECT_TRUE(fs::exists(used)) << pid;
    close(descriptor);
    remove_stale_pages(dir_);
    EXPECT_FALSE(fs::exists(used)) << pid;
  }
}

// From its first moment on, before any rank is there.
TEST_F(StalePages, PageThatADriverHasMadeIsNone) {
  const std::string id = group_id_start(dir_) + "1-1";
  const GroupPage page(id);
  ASSERT_EQ(page.problem(), "");
  remove_stale_pages(dir_);
  EXPECT_TRUE(fs::exists("/dev/shm/invar-" + group::Page::name_of(id, host::host_identity())));
}

// Another directory may have the same checksum, and pages were not locked in older versions.
TEST_F(StalePages, OfALivingProcessStay) {
  const fs::path used = leftover(getppid());
  remove_stale_pages(dir_);
  EXPECT_TRUE(fs::exists(used));
}

TEST_F(StalePages, OfAnotherCampaignStay) {
  const fs::path other = leftover(gone_pid(), dir_ / "other");
  remove_stale_pages(dir_);
  EXPECT_TRUE(fs::exists(other));
  remove_stale_pages(dir_ / "x/../other");
  EXPECT_FALSE(fs::exists(other));
}

// As `run --resume -o DIR/` names it.
TEST_F(StalePages, OfADirectoryWithASlashAtItsEndGo) {
  const fs::path page = leftover(gone_pid(), dir_);
  remove_stale_pages(dir_.string() + "/");
  EXPECT_FALSE(fs::exists(page));
}

TEST_F(StalePages, TellDirectoryAndPidInTheirNames) {
  const std::string id = group_id_start(dir_);
  EXPECT_NE(id.find("-" + std::to_string(getpid()) + "-"), std::string::npos) << id;
  EXPECT_EQ(id, group_id_start(dir_)) << "one driver's groups are numbered behind it";
  EXPECT_NE(id, group_id_start(dir_ / "other"));
}

}  // namespace
}  // namespace invar::driver
