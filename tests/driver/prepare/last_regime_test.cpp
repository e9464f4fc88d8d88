// The regime of the last comparison on a host, from one campaign to the next.
#include "driver/prepare/last_regime.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace invar::driver {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

constexpr base::CanaryBand kFastBand{.low_ns = 112, .high_ns = 207.5};
constexpr base::CanaryBand kSlowBand{.low_ns = 368, .high_ns = 614};

class LastRegime : public testing::Test {
 protected:
  LastRegime() {
    std::string name = (fs::temp_directory_path() / "invar-regime-XXXXXX").string();
    dir_ = mkdtemp(name.data());
    const char* home = std::getenv("INVAR_HOME");
    if (home != nullptr) old_home_ = home;
    live_in(dir_ / "home");
  }
  ~LastRegime() override {
    if (old_home_) {
      setenv("INVAR_HOME", old_home_->c_str(), 1);
    } else {
      unsetenv("INVAR_HOME");
    }
    fs::remove_all(dir_);
  }

  static void live_in(const fs::path& home) { setenv("INVAR_HOME", home.c_str(), 1); }
  // What somebody else than Invar wrote there.
  void put_for(const std::string& host, const std::string& text) const {
    fs::create_directories(regimes());
    std::ofstream(regimes() / host, std::ios::binary) << text;
  }
  // Remembers, and gives what was said meanwhile.
  static std::string said_on_remembering(const std::string& host) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    EXPECT_NO_THROW(remember_regime(host, kFastBand));
    return testing::internal::GetCapturedStdout() + testing::internal::GetCapturedStderr();
  }
  [[nodiscard]] fs::path regimes() const { return dir_ / "home" / "regimes"; }
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(regimes())) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }

  fs::path dir_ = {};

 private:
  std::optional<std::string> old_home_ = {};
};

TEST_F(LastRegime, IsTheOneThatWasRememberedLast) {
  remember_regime("node1", kSlowBand);
  EXPECT_EQ(last_regime("node1"), kSlowBand);
  remember_regime("node1", kFastBand);
  EXPECT_EQ(last_regime("node1"), kFastBand);
  EXPECT_THAT(files(), testing::ElementsAre("node1")) << "nothing stays of how it was written";
}

TEST_F(LastRegime, OfAnotherKindOfCanaryIsReadBackWithItsKind) {
  const base::CanaryBand chain{.low_ns = 980, .high_ns = 1010.25, .kind = base::CanaryKind::kChain};
  remember_regime("node1", chain);
  EXPECT_EQ(last_regime("node1"), chain);
}

TEST_F(LastRegime, IsOfOneHostAlone) {
  remember_regime("node1", kFastBand);
  remember_regime("node2", kSlowBand);
  EXPECT_EQ(last_regime("node1"), kFastBand);
  EXPECT_EQ(last_regime("node2"), kSlowBand);
  EXPECT_EQ(last_regime("node3"), std::nullopt);
}

TEST_F(LastRegime, IsNoneBeforeTheFirstComparison) {
  EXPECT_EQ(last_regime("node1"), std::nullopt);
  EXPECT_FALSE(fs::exists(dir_ / "home")) << "whoever only asks makes nothing";
}

TEST_F(LastRegime, IsNoneWhereRubbishIsWritten) {
  for (const std::string& text :
       {std::string(), std::string("\n"), std::string("rubbish\n"), std::string("112ns\n"),
        std::string("207ns:112ns\n"), std::string("112ns:nan\n"), std::string("112ns:1e400s\n"),
        std::string("\n112ns:207ns\n"), std::string("112ns:207ns\0\n", 13),
        std::string(100'000, ':')}) {
    put_for("node1", text);
    EXPECT_EQ(last_regime("node1"), std::nullopt) << text.substr(0, 20);
  }
  fs::remove(regimes() / "node1");
  fs::create_directory(regimes() / "node1");
  EXPECT_EQ(last_regime("node1"), std::nullopt) << "a directory";
}

// What a later Invar may add below is not ours to judge.
TEST_F(LastRegime, StandsInTheFirstLine) {
  put_for("node1", "112ns:207.5ns\nand more");
  EXPECT_EQ(last_regime("node1"), kFastBand);
  put_for("node1", "112ns:207.5ns");
  EXPECT_EQ(last_regime("node1"), kFastBand);
}

// Root writes everywhere; below a file and over a directory not even root does.
TEST_F(LastRegime, InAHomeThatCannotBeWrittenIsForgottenWithoutAWord) {
  std::ofstream(dir_ / "file") << "mine";
  live_in(dir_ / "file" / "home");
  EXPECT_THAT(said_on_remembering("node1"), IsEmpty());
  EXPECT_EQ(last_regime("node1"), std::nullopt);
  live_in(dir_ / "home");
  fs::create_directories(regimes() / "node1");
  EXPECT_THAT(said_on_remembering("node1"), IsEmpty());
  EXPECT_EQ(last_regime("node1"), std::nullopt);
}

}  // namespace
}  // namespace invar::driver
