// How much memory new programs may take and how large the caches are, from a made-up /proc and
// /sys.
#include <gtest/gtest.h>

#include "host/facts.hpp"
#include "host/made_up_root.hpp"

namespace invar::host {
namespace {

class MadeUpHost : public MadeUpRoot {
 protected:
  [[nodiscard]] Number available() const { return available_memory_bytes(root_); }
  [[nodiscard]] Number last_level_cache() const { return last_level_cache_bytes(root_); }
  void write_cache(int index, const std::string& size) const {
    write("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size", size);
  }
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

TEST_F(MadeUpHost, WhatIsNotToldIsNotInvented) {
  EXPECT_EQ(available(), std::nullopt);
  EXPECT_EQ(last_level_cache(), std::nullopt);
}

TEST_F(MadeUpHost, CacheSizesAreInKibMibOrBytes) {
  write_cache(0, "480K\n");
  EXPECT_EQ(last_level_cache(), 480U << 10U);
  write_cache(0, "260M\n");
  EXPECT_EQ(last_level_cache(), 260U << 20U);
  write_cache(0, "65536\n");
  EXPECT_EQ(last_level_cache(), 65536U);
}

TEST_F(MadeUpHost, LastLevelCacheIsTheLargestWhateverItsPlace) {
  write_cache(0, "48K\n");
  write_cache(2, "32M\n");
  write_cache(3, "2048K\n");
  write_cache(10, "4096K\n");
  EXPECT_EQ(last_level_cache(), 32U << 20U);
}

TEST_F(MadeUpHost, CacheSizesThatAreNoneAreNotInvented) {
  for (const char* size : {"", "K", "M", "big", "-1K", "0K", "0", "1.5M", "12 K", "4G"}) {
    write_cache(0, size);
    EXPECT_EQ(last_level_cache(), std::nullopt) << '"' << size << '"';
  }
  write_cache(1, "64K");
  EXPECT_EQ(last_level_cache(), 64U << 10U) << "beside one that tells";
}

TEST_F(MadeUpHost, DataCachesAreThoseThatDataGoThroughFromTheInside) {
  const std::string folder = "/sys/devices/system/cpu/cpu0/cache/";
  const auto write_one = [&](int index, const std::string& level, const std::string& type,
                             const std::string& size, const std::string& ways) {
    const std::string here = folder + "index" + std::to_string(index) + "/";
    write(here + "level", level + "\n");
    write(here + "type", type + "\n");
    write(here + "size", size + "\n");
    write(here + "ways_of_associativity", ways + "\n");
    write(here + "coherency_line_size", "64\n");
  };
  write_one(0, "3", "Unified", "32768K", "0");
  write_one(1, "1", "Data", "48K", "12");
  write_one(2, "1", "Instruction", "32K", "8");
  const std::vector<Cache> caches = data_caches(root_);
  ASSERT_EQ(caches.size(), 2U);
  EXPECT_EQ(caches[0].size_bytes(), 48U << 10U);
  EXPECT_EQ(caches[0].ways, 12U);
  EXPECT_EQ(caches[0].line_bytes, 64U);
  EXPECT_EQ(caches[1].size_bytes(), 32U << 20U);
  EXPECT_EQ(caches[1].ways, std::nullopt) << "0 is what kernels say that do not know";
}

TEST_F(MadeUpHost, WidestLoadIsThatOfTheProcessorsFlags) {
  const auto widest = [&](const std::string& line) {
    write("/proc/cpuinfo", "processor\t: 0\n" + line + "\n");
    return widest_load_bytes(root_ + "/proc");
  };
  EXPECT_EQ(widest("flags\t\t: fpu sse2 avx avx2 avx512f avx512dq"), 64U);
  EXPECT_EQ(widest("flags\t\t: fpu sse2 avx avx2"), 32U);
  EXPECT_EQ(widest("flags\t\t: fpu sse2 avx"), 16U) << "whole numbers need AVX2";
  EXPECT_EQ(widest("Features\t: fp asimd evtstrm"), 16U);
  EXPECT_EQ(widest("isa\t: rv64imafdc"), 8U);
}

}  // namespace
}  // namespace invar::host
