// Settings of a host that a killed driver has left behind are put back by the next one, in a
// made-up /sys and /proc.
#include "driver/prepare/old_settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "host/files.hpp"
#include "host/identity.hpp"
#include "store/lock.hpp"
#include "store/test_dir.hpp"

namespace invar::driver {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kGovernor = "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
constexpr const char* kPool = "sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages";
constexpr const char* kBalancing = "proc/sys/kernel/numa_balancing";

class OldSettings : public testing::Test {
 protected:
  OldSettings() {
    for (const char* file : {kGovernor, kPool, kBalancing}) {
      fs::create_directories((dir_ / file).parent_path());
    }
    fs::create_directories(campaign_);
    const char* home = std::getenv("INVAR_HOME");
    if (home != nullptr) old_home_ = home;
    setenv("INVAR_HOME", (dir_ / "home").c_str(), 1);
  }
  ~OldSettings() override {
    if (old_home_) {
      setenv("INVAR_HOME", old_home_->c_str(), 1);
    } else {
      unsetenv("INVAR_HOME");
    }
  }
  void is(const char* file, const std::string& text) const {
    std::ofstream(dir_ / file) << text << '\n';
  }
  [[nodiscard]] std::string now(const char* file) const {
    return host::read_line((dir_ / file).string()).value_or("");
  }
  [[nodiscard]] std::vector<std::string> put_back_here() const {
    return put_back_settings(campaign_, roots_);
  }
  [[nodiscard]] std::size_t listed() const {
    return host::list_directory((dir_ / "home/settings" / host::host_name()).string()).size();
  }
  // A driver that is killed when it has set everything.
  void set_and_be_killed() const {
    const pid_t child = fork();
    if (child == 0) {
      const store::Lock lock = store::Lock::acquire(campaign_);
      host::HostSettings settings(
          roots_, [&](const host::SettingTexts& before) { keep_old_settings(campaign_, before); });
      settings.set(host::HostSetting::kHugePages, "16x2MiB");
      settings.set(host::HostSetting::kNumaBalancing, "off");
      raise(SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  }

  store::TestDir dir_ = {};
  host::HostRoots roots_{.sys = (dir_ / "sys").string(), .proc = (dir_ / "proc").string()};
  fs::path campaign_ = dir_ / "campaign";
  fs::path file_ = campaign_ / ("settings." + host::host_name());
  std::optional<std::string> old_home_ = {};
};

TEST_F(OldSettings, OfADriverThatWasKilledArePutBackByTheNextOfItsDirectory) {
  is(kPool, "3");
  is(kBalancing, "1");
  set_and_be_killed();
  EXPECT_EQ(now(kPool), "19") << "nobody could put it back";
  EXPECT_EQ(now(kBalancing), "0");
  EXPECT_TRUE(fs::exists(file_));
  EXPECT_THAT(put_back_here(), IsEmpty());
  EXPECT_EQ(now(kPool), "3");
  EXPECT_EQ(now(kBalancing), "1");
  EXPECT_FALSE(fs::exists(file_));
  EXPECT_EQ(listed(), 0U);
  is(kPool, "7");
  EXPECT_THAT(put_back_here(), IsEmpty());
  EXPECT_EQ(now(kPool), "7") << "nothing to do";
}

// Whoever measures next on this host, whatever it measures.
TEST_F(OldSettings, OfADriverThatWasKilledArePutBackByTheNextStartOfAnything) {
  is(kPool, "3");
  is(kBalancing, "1");
  set_and_be_killed();
  EXPECT_EQ(listed(), 1U);
  EXPECT_THAT(put_back_left_settings(roots_), IsEmpty());
  EXPECT_EQ(now(kPool), "3");
  EXPECT_EQ(now(kBalancing), "1");
  EXPECT_FALSE(fs::exists(file_));
  EXPECT_EQ(listed(), 0U);
}

TEST_F(OldSettings, OfADirectoryThatWasRemovedArePutBackFromTheList) {
  is(kPool, "3");
  is(kBalancing, "1");
  set_and_be_killed();
  fs::remove_all(campaign_);
  EXPECT_THAT(put_back_left_settings(roots_), IsEmpty());
  EXPECT_EQ(now(kPool), "3");
  EXPECT_EQ(now(kBalancing), "1");
  EXPECT_EQ(listed(), 0U);
}

TEST_F(OldSettings, OfADriverAtWorkStayAndNobodyElseSetsThem) {
  keep_old_settings(campaign_, {{kBalancing, "1"}});
  is(kBalancing, "0");
  const fs::path other = dir_ / "other";
  fs::create_directories(other);
  {
    const store::Lock lock = store::Lock::acquire(campaign_);
    EXPECT_THAT(put_back_left_settings(roots_), IsEmpty());
    EXPECT_EQ(now(kBalancing), "0");
    keep_old_settings(other, {{kPool, "0"}});
    try {
      keep_old_settings(other, {{kBalancing, "0"}});
      ADD_FAILURE() << "what it found is not what there was";
    } catch (const base::UserError& error) {
      EXPECT_THAT(error.what(), HasSubstr("has set proc/sys/kernel/numa_balancing"));
    }
  }
  keep_old_settings(other, {{kBalancing, "0"}});
}

// An own list, as of another user or after a move of $INVAR_HOME.
TEST_F(OldSettings, ThatWerePutBackThroughAnotherListAreNotPutBackAgain) {
  keep_old_settings(campaign_, {{kBalancing, "1"}});
  setenv("INVAR_HOME", (dir_ / "elsewhere").c_str(), 1);
  EXPECT_THAT(put_back_here(), IsEmpty());
  is(kBalancing, "0");
  setenv("INVAR_HOME", (dir_ / "home").c_str(), 1);
  EXPECT_EQ(listed(), 1U);
  EXPECT_THAT(put_back_left_settings(roots_), IsEmpty());
  EXPECT_EQ(now(kBalancing), "0");
  EXPECT_EQ(listed(), 0U);
}

TEST_F(OldSettings, ThatCannotBePutBackAreSaidAndKeptForLater) {
  keep_old_settings(campaign_, {{kGovernor, "schedutil"}});
  const fs::path governor = dir_ / kGovernor;
  fs::create_directory(governor);
  EXPECT_THAT(put_back_here(),
              ElementsAre(governor.string() + " says '' and could not be put back to 'schedutil'"));
  fs::remove(governor);
  is(kGovernor, "performance");
  // The next launch finds 'performance', which is not what was there before.
  keep_old_settings(campaign_, {{kGovernor, "performance"}});
  EXPECT_THAT(put_back_here(), IsEmpty());
  EXPECT_EQ(now(kGovernor), "schedutil");
}

TEST_F(OldSettings, OfAnEarlierVersionArePutBackToo) {
  is(kGovernor, "performance");
  const fs::path old = campaign_ / ("frequencies." + host::host_name());
  std::ofstream(old) << "host=" << host::host_identity()
                     << "\ncpu0/cpufreq/scaling_governor=schedutil\n";
  EXPECT_THAT(put_back_here(), IsEmpty());
  EXPECT_EQ(now(kGovernor), "schedutil");
  EXPECT_FALSE(fs::exists(old));
}

TEST_F(OldSettings, OfBeforeAStartOfTheHostAreOver) {
  is(kGovernor, "ondemand");
  std::ofstream(file_) << "host=another start\n" << kGovernor << "=schedutil\n";
  EXPECT_THAT(put_back_here(), IsEmpty());
  EXPECT_EQ(now(kGovernor), "ondemand");
  EXPECT_FALSE(fs::exists(file_));
}

TEST_F(OldSettings, NoOtherFilesAreWritten) {
  const fs::path other = dir_ / "sys/devices/system/cpu/other";
  std::ofstream(other) << "as it was\n";
  std::ofstream(file_) << "host=" << host::host_identity()
                       << "\nsys/devices/system/cpu/other=x\n"
                          "sys/devices/system/cpu/cpu0/../other=x\n";
  EXPECT_THAT(put_back_here(), IsEmpty());
  EXPECT_EQ(host::read_line(other.string()), "as it was");
}

}  // namespace
}  // namespace invar::driver
