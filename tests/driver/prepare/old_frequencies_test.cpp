// Frequencies that a killed driver has left behind are put back by the next one, in a made-up /sys.
#include "driver/prepare/old_frequencies.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/text.hpp"
#include "host/files.hpp"
#include "host/identity.hpp"
#include "store/test_dir.hpp"

namespace invar::driver {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kFile = "cpu0/cpufreq/scaling_governor";

class OldFrequencies : public testing::Test {
 protected:
  OldFrequencies() {
    fs::create_directories(governor_.parent_path());
    fs::create_directories(campaign_);
  }
  void is(const std::string& governor) const { std::ofstream(governor_) << governor << '\n'; }
  [[nodiscard]] std::string now() const { return host::read_line(governor_.string()).value_or(""); }

  store::TestDir dir_ = {};
  fs::path sys_ = dir_ / "sys";
  fs::path governor_ = sys_ / "devices/system/cpu" / kFile;
  fs::path campaign_ = dir_ / "campaign";
  fs::path file_ = campaign_ / ("frequencies." + host::host_name());
};

TEST_F(OldFrequencies, ThatAKilledDriverHasLeftArePutBack) {
  keep_old_frequencies(campaign_, {{kFile, "schedutil"}});
  is("performance");
  EXPECT_THAT(put_back_frequencies(campaign_, sys_.string()), IsEmpty());
  EXPECT_EQ(now(), "schedutil");
  EXPECT_FALSE(fs::exists(file_));
  EXPECT_THAT(put_back_frequencies(campaign_, sys_.string()), IsEmpty()) << "nothing to do";
}

TEST_F(OldFrequencies, ThatCannotBePutBackAreSaidAndKeptForLater) {
  keep_old_frequencies(campaign_, {{kFile, "schedutil"}});
  fs::create_directory(governor_);
  EXPECT_THAT(
      put_back_frequencies(campaign_, sys_.string()),
      ElementsAre(governor_.string() + " says '' and could not be put back to 'schedutil'"));
  fs::remove(governor_);
  is("performance");
  // The next launch finds 'performance', which is not what was there before.
  keep_old_frequencies(campaign_, {{kFile, "performance"}});
  EXPECT_THAT(put_back_frequencies(campaign_, sys_.string()), IsEmpty());
  EXPECT_EQ(now(), "schedutil");
}

TEST_F(OldFrequencies, OfBeforeAStartOfTheHostAreOver) {
  is("ondemand");
  std::ofstream(file_) << "host=another start\n" << kFile << "=schedutil\n";
  EXPECT_THAT(put_back_frequencies(campaign_, sys_.string()), IsEmpty());
  EXPECT_EQ(now(), "ondemand");
  EXPECT_FALSE(fs::exists(file_));
}

TEST_F(OldFrequencies, NoOtherFilesAreWritten) {
  const fs::path other = sys_ / "devices/system/cpu/other";
  std::ofstream(other) << "as it was\n";
  std::ofstream(file_) << "host=" << host::host_identity() << "\nother=x\ncpu0/../other=x\n";
  EXPECT_THAT(put_back_frequencies(campaign_, sys_.string()), IsEmpty());
  EXPECT_EQ(host::read_line(other.string()), "as it was");
}

}  // namespace
}  // namespace invar::driver
