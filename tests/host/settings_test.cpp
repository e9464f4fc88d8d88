// Settings of a host in a made-up /sys and /proc: set, looked after, put back.
#include "host/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sched.h>

#include <filesystem>
#include <set>

#include "base/error.hpp"
#include "host/files.hpp"
#include "host/frequency.hpp"
#include "host/huge_pages.hpp"
#include "host/made_up_root.hpp"

namespace invar::host {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kPool = "/sys/kernel/mm/hugepages/hugepages-2048kB/";
constexpr const char* kBalance = "/proc/sys/kernel/numa_balancing";

class MadeUpHostSettings : public MadeUpRoot {
 protected:
  void SetUp() override {
    MadeUpRoot::SetUp();
    roots_ = {.sys = root_ + "/sys", .proc = root_ + "/proc"};
    first_ = frequency_cpus(roots_.sys).front();
    last_ = frequency_cpus(roots_.sys).back();
  }
  // The kernel ends its lines.
  void says(const std::string& path, const std::string& text) const { write(path, text + "\n"); }
  // The CPUs of this process as the kernel shows them.
  void make_cpus() const {
    for (const std::uint32_t cpu : frequency_cpus(roots_.sys)) {
      const std::string folder = folder_of(cpu);
      says(folder + "scaling_governor", "schedutil");
      says(folder + "scaling_available_governors", "performance powersave schedutil");
      says(folder + "scaling_min_freq", "800000");
      says(folder + "scaling_max_freq", "3600000");
      says(folder + "cpuinfo_min_freq", "800000");
      says(folder + "cpuinfo_max_freq", "3600000");
    }
  }
  void make_pool(const std::string& reserved, const std::string& free) const {
    says(std::string(kPool) + "nr_hugepages", reserved);
    says(std::string(kPool) + "free_hugepages", free);
    says("/proc/meminfo", "MemAvailable: 204800 kB");  // a hundred pages
  }
  [[nodiscard]] static std::string folder_of(std::uint32_t cpu) {
    return "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpufreq/";
  }
  [[nodiscard]] std::string now(const std::string& path) const {
    return read_line(root_ + path).value_or("");
  }
  [[nodiscard]] std::string now(std::uint32_t cpu, const std::string& file) const {
    return now(folder_of(cpu) + file);
  }
  // A file that cannot be written, whoever the user is.
  void make_unwritable(const std::string& path) const {
    std::filesystem::remove(root_ + path);
    std::filesystem::create_directory(root_ + path);
  }
  [[nodiscard]] std::string refused(HostSetting setting, const std::string& level) const {
    const auto refusal = setting_refusal(setting, level, roots_);
    return refusal ? refusal->what + "; " + refusal->remedy : "";
  }

  HostRoots roots_ = {};
  std::uint32_t first_ = 0;
  std::uint32_t last_ = 0;
};

TEST_F(MadeUpHostSettings, AGovernorIsSetOnAllCpusAndPutBack) {
  make_cpus();
  EXPECT_EQ(refused(HostSetting::kFrequency, "performance"), "");
  {
    HostSettings settings(roots_);
    settings.set(HostSetting::kFrequency, "performance");
    EXPECT_EQ(now(first_, "scaling_governor"), "performance");
    EXPECT_EQ(now(last_, "scaling_governor"), "performance");
    EXPECT_EQ(settings.changed(), "");
    settings.set(HostSetting::kFrequency, "powersave");
    EXPECT_EQ(now(last_, "scaling_governor"), "powersave");
  }
  EXPECT_EQ(now(first_, "scaling_governor"), "schedutil");
  EXPECT_EQ(now(last_, "scaling_governor"), "schedutil");
}

TEST_F(MadeUpHostSettings, AFrequencyIsBothBoundsAndIsPutBack) {
  make_cpus();
  {
    HostSettings settings(roots_);
    settings.set(HostSetting::kFrequency, "2400000kHz");
    EXPECT_EQ(now(last_, "scaling_min_freq"), "2400000");
    EXPECT_EQ(now(last_, "scaling_max_freq"), "2400000");
    settings.set(HostSetting::kFrequency, "default");
    EXPECT_EQ(now(last_, "scaling_min_freq"), "800000");
    settings.set(HostSetting::kFrequency, "900000kHz");
  }
  EXPECT_EQ(now(last_, "scaling_min_freq"), "800000");
  EXPECT_EQ(now(last_, "scaling_max_freq"), "3600000");
}

TEST_F(MadeUpHostSettings, SomethingElseThatSetsItIsNoticed) {
  make_cpus();
  HostSettings settings(roots_);
  settings.set(HostSetting::kFrequency, "performance");
  says(folder_of(first_) + "scaling_governor", "powersave");
  EXPECT_THAT(settings.changed(), HasSubstr("was set to 'performance' and says 'powersave'"));
}

// The first setting is there when the second one is refused.
TEST_F(MadeUpHostSettings, RefusedHalfWayEverythingIsPutBack) {
  make_cpus();
  says(kBalance, "1");
  SettingTexts kept;
  HostSettings settings(roots_, [&](const SettingTexts& before) {
    if (kept.empty()) {
      EXPECT_EQ(now(first_, "scaling_governor"), "schedutil") << "kept before anything is written";
    }
    kept = before;
  });
  settings.set(HostSetting::kFrequency, "performance");
  make_unwritable(kBalance);
  EXPECT_THROW(settings.set(HostSetting::kNumaBalancing, "off"), base::UserError);
  EXPECT_EQ(now(first_, "scaling_governor"), "performance");
  std::filesystem::remove(root_ + kBalance);
  EXPECT_THAT(settings.restore(), IsEmpty());
  EXPECT_EQ(now(first_, "scaling_governor"), "schedutil");
  EXPECT_THAT(kept, Contains(SettingText{"sys/devices/system/cpu/cpu" + std::to_string(first_) +
                                             "/cpufreq/scaling_governor",
                                         "schedutil"}));
}

TEST_F(MadeUpHostSettings, SeveralAreSetTogetherAndOneOfThemAnew) {
  make_cpus();
  make_pool("0", "0");
  says(kBalance, "1");
  SettingTexts kept;
  HostSettings settings(roots_, [&](const SettingTexts& before) { kept = before; });
  settings.set(HostSetting::kFrequency, "performance");
  settings.set(HostSetting::kHugePages, "16x2MiB");
  settings.set(HostSetting::kNumaBalancing, "off");
  EXPECT_EQ(now(kBalance), "0");
  EXPECT_EQ(now(std::string(kPool) + "nr_hugepages"), "16");
  settings.set(HostSetting::kHugePages, "8x2MiB");
  EXPECT_EQ(now(std::string(kPool) + "nr_hugepages"), "8");
  EXPECT_EQ(now(first_, "scaling_governor"), "performance") << "another setting";
  EXPECT_THAT(kept, Contains(SettingText{"proc/sys/kernel/numa_balancing", "1"}));
  EXPECT_THAT(kept,
              Contains(SettingText{"sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "0"}));
  EXPECT_THAT(settings.restore(), IsEmpty());
  EXPECT_EQ(now(kBalance), "1");
  EXPECT_EQ(now(std::string(kPool) + "nr_hugepages"), "0");
  EXPECT_EQ(now(first_, "scaling_governor"), "schedutil");
}

// What others have reserved and mapped is not taken from them.
TEST_F(MadeUpHostSettings, HugePagesAreThoseThatAreFreeBesideWhatOthersHave) {
  make_pool("10", "4");
  HostSettings settings(roots_);
  settings.set(HostSetting::kHugePages, "4x2MiB");
  EXPECT_EQ(now(std::string(kPool) + "nr_hugepages"), "10") << "there are enough";
  settings.set(HostSetting::kHugePages, "16x2MiB");
  EXPECT_EQ(now(std::string(kPool) + "nr_hugepages"), "22");
  EXPECT_THAT(settings.restore(), IsEmpty());
  EXPECT_EQ(now(std::string(kPool) + "nr_hugepages"), "10");
}

TEST_F(MadeUpHostSettings, HugePagesThatCannotBeReservedAreRefusedWithTheReason) {
  const auto what = [&](const std::string& level) {
    return refused(HostSetting::kHugePages, level);
  };
  EXPECT_THAT(what("16x2MiB"), HasSubstr("this kernel has no huge pages of 2 MiB: there is no"));
  make_pool("0", "0");
  EXPECT_EQ(what("100x2MiB"), "");
  EXPECT_THAT(what("101x2MiB"),
              HasSubstr("101 huge pages of 2 MiB more than are reserved are 202 MiB, and 200 MiB "
                        "are available; reserve fewer"));
  EXPECT_THAT(what("1x1GiB"), HasSubstr("no huge pages of 1 GiB"));
  make_pool("101", "101");
  EXPECT_EQ(what("101x2MiB"), "") << "they are there";
}

TEST(HugePages, AreANumberAndASize) {
  EXPECT_EQ(parse_huge_pages("64x2MiB"), (HugePages{64, 2U << 20U}));
  EXPECT_EQ(parse_huge_pages("1x1GiB"), (HugePages{1, 1U << 30U}));
  for (const char* other :
       {"", "64", "x2MiB", "0x2MiB", "64x4MiB", "64 x2MiB", "18446744073709551615x1GiB"}) {
    EXPECT_EQ(parse_huge_pages(other), std::nullopt) << other;
  }
}

TEST_F(MadeUpHostSettings, BalancingThatTheKernelLacksIsRefused) {
  EXPECT_THAT(refused(HostSetting::kNumaBalancing, "off"), HasSubstr("there is no"));
  EXPECT_EQ(refused(HostSetting::kNumaBalancing, "default"), "");
  says(kBalance, "1");
  EXPECT_EQ(refused(HostSetting::kNumaBalancing, "off"), "");
}

TEST_F(MadeUpHostSettings, WhatIsSetAfterItWasPutBackStays) {
  make_cpus();
  {
    HostSettings settings(roots_);
    settings.set(HostSetting::kFrequency, "performance");
    EXPECT_THAT(settings.restore(), IsEmpty());
    says(folder_of(first_) + "scaling_governor", "powersave");
  }
  EXPECT_EQ(now(first_, "scaling_governor"), "powersave");
}

TEST_F(MadeUpHostSettings, WhatIsNotPutBackIsSaidWithFileAndValue) {
  make_cpus();
  HostSettings settings(roots_);
  settings.set(HostSetting::kFrequency, "performance");
  make_unwritable(folder_of(first_) + "scaling_governor");
  EXPECT_THAT(settings.restore(),
              ElementsAre(root_ + folder_of(first_) +
                          "scaling_governor says '' and could not be put back to 'schedutil'"));
}

// The core follows the higher request, and programs may run on any CPU that they inherit.
TEST_F(MadeUpHostSettings, AllCpusOfTheProcessAndTheirSiblingsAreSet) {
  cpu_set_t mine;
  ASSERT_EQ(sched_getaffinity(0, sizeof mine, &mine), 0);
  std::set<std::uint32_t> all;
  for (std::uint32_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &mine)) continue;
    all.insert({cpu, cpu + 1000});
    says("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list",
         std::to_string(cpu) + "," + std::to_string(cpu + 1000));
  }
  EXPECT_THAT(frequency_cpus(roots_.sys), testing::ElementsAreArray(all));
}

TEST(HostSetting, OnlyItsOwnFilesArePutBack) {
  for (const char* own : {"sys/devices/system/cpu/cpu12/cpufreq/scaling_min_freq",
                          "sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages",
                          "sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages",
                          "proc/sys/kernel/numa_balancing"}) {
    EXPECT_TRUE(is_setting_file(own)) << own;
  }
  for (const char* other :
       {"", "sys", "sys/devices/system/cpu/cpu",
        "sys/devices/system/cpu/cpux/cpufreq/scaling_governor", "sys/../cpu0/x",
        "sys/devices/system/cpu/cpu0/../../../etc/passwd",
        "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor/x",
        "sys/kernel/mm/hugepages/hugepages-2048kB/../nr_hugepages",
        "proc/sys/kernel/randomize_va_space", "/proc/sys/kernel/numa_balancing"}) {
    EXPECT_FALSE(is_setting_file(other)) << other;
  }
}

TEST_F(MadeUpHostSettings, AFrequencyThatCannotBeSetIsRefusedWithTheReason) {
  const auto what = [&](const std::string& level) {
    return refused(HostSetting::kFrequency, level);
  };
  const std::string cpu = "CPU " + std::to_string(first_);
  EXPECT_THAT(what("performance"), HasSubstr(cpu + " cannot be controlled: there is no"));
  EXPECT_EQ(what("default"), "");
  make_cpus();
  EXPECT_THAT(what("ondemand"), HasSubstr("there is no governor 'ondemand' of " + cpu +
                                          "; this kernel has: performance powersave schedutil"));
  EXPECT_THAT(what("5000000kHz"), HasSubstr("out of range of " + cpu + "; write 800000kHz to"));
}

}  // namespace
}  // namespace invar::host
