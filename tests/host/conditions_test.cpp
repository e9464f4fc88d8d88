// Conditions of a launch, and frequencies in a made-up /sys.
#include "host/conditions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sched.h>
#include <sys/prctl.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/error.hpp"
#include "host/files.hpp"
#include "host/frequency.hpp"
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
  // Two CPUs as the kernel shows them.
  void make_cpus() const {
    for (const char* cpu : {"0", "1"}) {
      const std::string folder = "/devices/system/cpu/cpu" + std::string(cpu) + "/cpufreq/";
      write(folder + "scaling_governor", "schedutil");
      write(folder + "scaling_available_governors", "performance powersave schedutil");
      write(folder + "scaling_min_freq", "800000");
      write(folder + "scaling_max_freq", "3600000");
      write(folder + "cpuinfo_min_freq", "800000");
      write(folder + "cpuinfo_max_freq", "3600000");
    }
  }
  [[nodiscard]] std::string read(int cpu, const std::string& file) const {
    return read_line(root_ + "/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpufreq/" + file)
        .value_or("");
  }
  [[nodiscard]] std::string refused(const std::string& level) const {
    const auto refusal = frequency_refusal(level, {0, 1}, root_);
    return refusal ? refusal->what + "; " + refusal->remedy : "";
  }
};

TEST_F(MadeUpSys, AGovernorIsSetOnAllCpusAndPutBack) {
  make_cpus();
  EXPECT_EQ(refused("performance"), "");
  {
    Frequency frequency({0, 1}, root_);
    frequency.set("performance");
    EXPECT_EQ(read(0, "scaling_governor"), "performance");
    EXPECT_EQ(read(1, "scaling_governor"), "performance");
    EXPECT_EQ(frequency.changed(), "");
    frequency.set("powersave");
    EXPECT_EQ(read(1, "scaling_governor"), "powersave");
  }
  EXPECT_EQ(read(0, "scaling_governor"), "schedutil");
  EXPECT_EQ(read(1, "scaling_governor"), "schedutil");
}

TEST_F(MadeUpSys, AFrequencyIsBothBoundsAndIsPutBack) {
  make_cpus();
  {
    Frequency frequency({1}, root_);
    frequency.set("2400000kHz");
    EXPECT_EQ(read(1, "scaling_min_freq"), "2400000");
    EXPECT_EQ(read(1, "scaling_max_freq"), "2400000");
    EXPECT_EQ(read(0, "scaling_max_freq"), "3600000") << "not its CPU";
    frequency.set("default");
    EXPECT_EQ(read(1, "scaling_min_freq"), "800000");
    frequency.set("900000kHz");
  }
  EXPECT_EQ(read(1, "scaling_min_freq"), "800000");
  EXPECT_EQ(read(1, "scaling_max_freq"), "3600000");
}

TEST_F(MadeUpSys, SomethingElseThatSetsTheFrequencyIsNoticed) {
  make_cpus();
  Frequency frequency({0}, root_);
  frequency.set("performance");
  write("/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave");
  EXPECT_THAT(frequency.changed(), HasSubstr("was set to 'performance' and says 'powersave'"));
}

// CPU 0 is set when CPU 1 refuses.
TEST_F(MadeUpSys, RefusedHalfWayEverythingIsPutBack) {
  make_cpus();
  const std::string refuses = root_ + "/devices/system/cpu/cpu1/cpufreq/scaling_governor";
  std::filesystem::remove(refuses);
  std::filesystem::create_directory(refuses);
  OldSettings kept;
  Frequency frequency({0, 1}, root_, [&](const OldSettings& before) {
    EXPECT_EQ(read(0, "scaling_governor"), "schedutil") << "kept before anything is written";
    kept = before;
  });
  EXPECT_THROW(frequency.set("performance"), base::UserError);
  EXPECT_EQ(read(0, "scaling_governor"), "performance");
  EXPECT_THAT(frequency.restore(), testing::IsEmpty());
  EXPECT_EQ(read(0, "scaling_governor"), "schedutil");
  EXPECT_THAT(kept, testing::Contains(OldSetting{"cpu0/cpufreq/scaling_governor", "schedutil"}));
}

TEST_F(MadeUpSys, WhatIsSetAfterItWasPutBackStays) {
  make_cpus();
  {
    Frequency frequency({0}, root_);
    frequency.set("performance");
    EXPECT_THAT(frequency.restore(), testing::IsEmpty());
    write("/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave");
  }
  EXPECT_EQ(read(0, "scaling_governor"), "powersave");
}

TEST_F(MadeUpSys, WhatIsNotPutBackIsSaidWithFileAndValue) {
  make_cpus();
  Frequency frequency({0}, root_);
  frequency.set("performance");
  const std::string folder = root_ + "/devices/system/cpu/cpu0/cpufreq/";
  std::filesystem::remove(folder + "scaling_governor");
  std::filesystem::create_directory(folder + "scaling_governor");
  EXPECT_THAT(frequency.restore(),
              testing::ElementsAre(folder + "scaling_governor says '' and could not be put back to "
                                            "'schedutil'"));
}

// The core follows the higher request, and programs may run on any CPU that they inherit.
TEST_F(MadeUpSys, AllCpusOfTheProcessAndTheirSiblingsAreSet) {
  cpu_set_t mine;
  ASSERT_EQ(sched_getaffinity(0, sizeof mine, &mine), 0);
  std::set<std::uint32_t> all;
  for (std::uint32_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &mine)) continue;
    all.insert({cpu, cpu + 1000});
    write("/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list",
          std::to_string(cpu) + "," + std::to_string(cpu + 1000));
  }
  EXPECT_THAT(frequency_cpus(root_), testing::ElementsAreArray(all));
}

TEST(Frequency, OnlyItsOwnFilesArePutBack) {
  EXPECT_TRUE(is_setting_of_frequency("cpu12/cpufreq/scaling_min_freq"));
  for (const char* other : {"", "cpu", "cpu1", "cpux/cpufreq/scaling_governor", "../cpu0/x",
                            "cpu0/../../../etc/passwd", "cpu0/cpufreq/scaling_governor/x"}) {
    EXPECT_FALSE(is_setting_of_frequency(other)) << other;
  }
}

TEST_F(MadeUpSys, AFrequencyThatCannotBeSetIsRefusedWithTheReason) {
  EXPECT_THAT(refused("performance"), HasSubstr("CPU 0 cannot be controlled: there is no"));
  EXPECT_EQ(refused("default"), "");
  make_cpus();
  EXPECT_THAT(refused("ondemand"), HasSubstr("there is no governor 'ondemand' of CPU 0; this "
                                             "kernel has: performance powersave schedutil"));
  EXPECT_THAT(refused("5000000kHz"), HasSubstr("out of range of CPU 0; write 800000kHz to"));
}

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
