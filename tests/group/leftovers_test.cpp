// What killed launches have left behind goes; what somebody may still use stays.
#include "group/leftovers.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

namespace invar::group {
namespace {

namespace fs = std::filesystem;

class Leftovers : public testing::Test {
 protected:
  Leftovers() {
    std::string name = (fs::temp_directory_path() / "invar-test-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    fs::create_directory(folder_ / "pages");
    fs::create_directory(folder_ / "folders");
  }
  ~Leftovers() override { fs::remove_all(folder_); }

  [[nodiscard]] fs::path page(const std::string& name) const {
    const fs::path path = folder_ / "pages" / name;
    std::ofstream(path) << "page";
    return aged(path);
  }
  [[nodiscard]] fs::path session(const std::string& name) const {
    const fs::path path = folder_ / "folders" / name;
    fs::create_directory(path);
    return aged(path);
  }
  static fs::path aged(const fs::path& path, std::chrono::seconds age = std::chrono::minutes(2)) {
    fs::last_write_time(path, fs::file_time_type::clock::now() - age);
    return path;
  }
  void remove() const { remove_leftovers(folder_ / "pages", folder_ / "folders"); }

 private:
  fs::path folder_ = {};
};

TEST_F(Leftovers, OldPagesAndEmptySessionFoldersGo) {
  const fs::path left_page = page("invar-0123-1-1-1");
  const fs::path left_session = session("invar-launch-x");
  remove();
  EXPECT_FALSE(fs::exists(left_page));
  EXPECT_FALSE(fs::exists(left_session));
}

// Its launch may be about to lock it.
TEST_F(Leftovers, NewOnesStay) {
  const fs::path new_page = aged(page("invar-0123-1-1-1"), std::chrono::seconds(20));
  const fs::path new_session = aged(session("invar-launch-x"), std::chrono::seconds(20));
  remove();
  EXPECT_TRUE(fs::exists(new_page));
  EXPECT_TRUE(fs::exists(new_session));
}

TEST_F(Leftovers, PageThatAProcessUsesStays) {
  const fs::path used = page("invar-0123-1-1-1");
  const int descriptor = open(used.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(flock(descriptor, LOCK_SH), 0);
  remove();
  EXPECT_TRUE(fs::exists(used));
  close(descriptor);
  remove();
  EXPECT_FALSE(fs::exists(used));
}

TEST_F(Leftovers, FolderOfARunningLaunchStays) {
  const fs::path running = session("invar-launch-x");
  std::ofstream(running / "socket") << "";
  aged(running);
  remove();
  EXPECT_TRUE(fs::exists(running / "socket"));
}

TEST_F(Leftovers, WhatIsNotOursStays) {
  const fs::path other_page = page("ucx_shm_posix_1");
  const fs::path other_folder = session("ompi.node1.0");
  const fs::path other_session = session("invar-data");
  remove();
  EXPECT_TRUE(fs::exists(other_page));
  EXPECT_TRUE(fs::exists(other_folder));
  EXPECT_TRUE(fs::exists(other_session));
}

TEST_F(Leftovers, PageOfAnotherUserStays) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  const fs::path other = page("invar-0123-1-1-1");
  ASSERT_EQ(chown(other.c_str(), 12345, 12345), 0);
  aged(other);
  remove();
  EXPECT_TRUE(fs::exists(other));
}

// A link in a folder that everybody may write is never followed.
TEST_F(Leftovers, LinkIsNotFollowed) {
  const fs::path target = page("something");
  const fs::path link = target.parent_path() / "invar-link";
  fs::create_symlink(target, link);
  const timespec old[2] = {{1, 0}, {1, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, link.c_str(), old, AT_SYMLINK_NOFOLLOW), 0);
  remove();
  EXPECT_TRUE(fs::exists(target));
}

TEST_F(Leftovers, MissingFoldersAreNoError) {
  remove_leftovers("/nowhere/pages", "/nowhere/folders");
}

}  // namespace
}  // namespace invar::group
