// How much memory new programs may take, from a made-up /proc and /sys.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "host/facts.hpp"

namespace invar::host {
namespace {

class MadeUpHost : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "invar-host-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root_.string() + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  [[nodiscard]] Number available() const { return available_memory_bytes(root_.string()); }

 private:
  std::filesystem::path root_ = {};
};

TEST_F(MadeUpHost, TellsWhatIsAvailableNotWhatIsFree) {
  write("/proc/meminfo", "MemTotal: 4000 kB\nMemFree: 100 kB\nMemAvailable: 2000 kB\n");
  EXPECT_EQ(available(), 2000U * 1024);
}

TEST_F(MadeUpHost, ControlGroupLimitsIt) {
  write("/proc/meminfo", "MemAvailable: 2000 kB\n");
  write("/proc/self/cgroup", "0::/job\n");
  write("/sys/fs/cgroup/cgroup.controllers", "memory\n");
  write("/sys/fs/cgroup/job/memory.max", "1024000\n");
  EXPECT_EQ(available(), 1'024'000U);
}

TEST_F(MadeUpHost, WhatIsNotToldIsNotInvented) { EXPECT_EQ(available(), std::nullopt); }

}  // namespace
}  // namespace invar::host
