// Directories that others wrote: nothing outside of them is read, written, moved or waited for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <regex>

#include "base/error.hpp"
#include "record/journal.hpp"
#include "store/files.hpp"
#include "store/json_text.hpp"
#include "store/manifest/manifest_text.hpp"
#include "store/own_files.hpp"
#include "store/reader.hpp"
#include "store/synthetic.hpp"
#include "store/tampering.hpp"
#include "store/test_dir.hpp"

namespace invar::store {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const synthetic::Options kOneSealedGroup{.groups = 1, .rounds = 1, .repetitions = 4, .warm_up = 1};

class Foreign : public testing::Test {
 protected:
  Foreign() {
    CampaignDir campaign = synthetic::create(dir_, kOneSealedGroup, plan_);
    synthetic::write_group(campaign, kOneSealedGroup, plan_, 1);
    put(scratch_ / "mine", "precious");
  }
  ~Foreign() override { EXPECT_EQ(content(scratch_ / "mine"), "precious"); }

  // The manifest with this text in place of that one, as somebody would write it who knows
  // checksums.
  void forge(const std::string& from, const std::string& to) {
    std::string forged;
    std::istringstream lines(content(dir_ / kManifest));
    for (std::string line; std::getline(lines, line);) {
      line = line.substr(0, line.rfind(",\"line_crc\":"));
      for (std::size_t at = 0; (at = line.find(from, at)) != std::string::npos; at += to.size()) {
        line.replace(at, from.size(), to);
      }
      forged += record::with_line_crc(line) + '\n';
    }
    put(dir_ / kManifest, forged);
    put(dir_ / kManifestCopy, forged);
  }

  std::string reading() {
    return error_of<base::UserError>([&] { read_campaign_dir(dir_); });
  }
  std::string resuming() {
    std::vector<std::string> notes;
    return error_of<base::UserError>([&] { CampaignDir::resume(dir_, notes); });
  }

  TestDir scratch_ = {};
  fs::path dir_ = scratch_ / "c";
  record::Plan plan_ = synthetic::make_plan(kOneSealedGroup);
};

TEST_F(Foreign, PlanOutsideOfTheDirectoryIsNoPlan) {
  forge("\"file\":\"plan.csv\"", "\"file\":\"../mine\"");
  EXPECT_THAT(resuming(), HasSubstr("names '../mine', which is not part of a campaign"));
  EXPECT_THAT(reading(), HasSubstr("manifest.jsonl:2"));
}

TEST_F(Foreign, LaunchOutsideOfTheDirectoryIsNoLaunch) {
  forge("\"dir\":\"launches/", "\"dir\":\"/etc/");
  EXPECT_THAT(reading(), HasSubstr("names '/etc/"));
}

TEST_F(Foreign, FileOfALaunchOutsideOfItIsNoFileOfIt) {
  forge("\"journal.jsonl\":", "\"../../../mine\":");
  EXPECT_THAT(reading(), HasSubstr("names '../../../mine'"));
}

TEST_F(Foreign, MoveOutOfTheDirectoryIsNoMove) {
  {
    std::vector<std::string> notes;
    flip(dir_ / "launches/0001-alpha/timings.bin", 3);
    CampaignDir::resume(dir_, notes);
  }
  forge("\"from\":\"launches/0001-alpha\"", "\"from\":\"../mine\"");
  EXPECT_THAT(resuming(), HasSubstr("names '../mine'"));
  forge("\"from\":\"../mine\"", "\"from\":\"launches/0001-alpha\"");
  forge("\"to\":\"discarded/0001-alpha\"", "\"to\":\"discarded/../../mine\"");
  EXPECT_THAT(resuming(), HasSubstr("names 'discarded/../../mine'"));
}

TEST_F(Foreign, LinksAreNotFollowed) {
  for (const char* name : {"lock", "campaign.toml", "plan.csv", "manifest.copy.jsonl"}) {
    fs::remove(dir_ / name);
    fs::create_symlink(scratch_ / "mine", dir_ / name);
    EXPECT_THAT(resuming(), HasSubstr(std::string(name) + ": is a link")) << name;
    EXPECT_THAT(reading(), HasSubstr("is a link")) << name;
    fs::remove(dir_ / name);
    put(dir_ / name, "");
  }
}

TEST_F(Foreign, FoldersThatAreLinksAreNotEntered) {
  fs::rename(dir_ / "launches", scratch_ / "elsewhere");
  fs::create_symlink(scratch_ / "elsewhere", dir_ / "launches");
  EXPECT_THAT(reading(), HasSubstr("launches: is a link"));
  fs::remove(dir_ / "launches");
  fs::create_directory(dir_ / "launches");
  for (const auto& launch : fs::directory_iterator(scratch_ / "elsewhere")) {
    fs::create_symlink(launch.path(), dir_ / "launches" / launch.path().filename());
  }
  EXPECT_THAT(error_of<base::UserError>([&] { verify_campaign_dir(dir_); }),
              HasSubstr("0001-alpha: is a link"));
}

// git-annex and others keep large files elsewhere: nothing is lost, and nothing may be discarded.
TEST_F(Foreign, FileOfALaunchThatIsALinkIsNoDamage) {
  fs::remove(dir_ / "launches/0001-alpha/timings.bin");
  fs::create_symlink("/proc/self/environ", dir_ / "launches/0001-alpha/timings.bin");
  EXPECT_THAT(error_of<base::UserError>([&] { verify_campaign_dir(dir_); }),
              HasSubstr("timings.bin: is a link"));
  EXPECT_THAT(resuming(), HasSubstr("timings.bin: is a link"));
  EXPECT_TRUE(fs::is_symlink(dir_ / "launches/0001-alpha/timings.bin"));
  // Not even how long it is.
  put(scratch_ / "long", std::string(1'000'000, 'x'));
  fs::remove(dir_ / "launches/0001-alpha/timings.bin");
  fs::create_symlink(scratch_ / "long", dir_ / "launches/0001-alpha/timings.bin");
  EXPECT_THAT(resuming(), HasSubstr("timings.bin: is a link"));
}

// Whoever guesses the name of a file that is about to be written.
TEST_F(Foreign, TemporaryFilesAreNotWrittenThroughLinks) {
  for (const char* name : {"-campaign.toml", "-manifest.copy.jsonl", "-room"}) {
    fs::create_symlink(scratch_ / "mine", dir_ / (".tmp-" + std::to_string(::getpid()) + name));
  }
  fs::remove(dir_ / "campaign.toml");
  std::vector<std::string> notes;
  CampaignDir::resume(dir_, notes);
  check_room(dir_);
  EXPECT_EQ(content(scratch_ / "mine"), "precious");
  EXPECT_FALSE(fs::is_symlink(dir_ / "campaign.toml"));
}

TEST_F(Foreign, BracketsInBracketsEndNothing) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  forge("\"launch\":1,", "\"launch\":" + deep + ",");
  std::string told;
  for (const DataFault& fault : verify_campaign_dir(dir_).damage) told += fault.what;
  EXPECT_THAT(told, HasSubstr("is nested too deeply"));
  EXPECT_LT(told.size(), 1000U);
}

// Readers copy some of its values, and a library that copies calls itself for each bracket.
TEST_F(Foreign, BracketsInTheEnvironmentOfALaunchEndNothing) {
  const std::string deep =
      R"({"delay":{"planted":)" + std::string(300'000, '[') + std::string(300'000, ']') + "}}";
  for (const auto& launch : fs::directory_iterator(dir_ / "launches")) {
    put(launch.path() / "env.json", deep);
  }
  const std::string manifest = content(dir_ / kManifest);
  std::smatch sealed;
  ASSERT_TRUE(std::regex_search(manifest, sealed,
                                std::regex("\"env.json\":\\{\"bytes\":\\d+,\"crc\":\"\\w+\"")));
  forge(sealed.str(), "\"env.json\":{\"bytes\":" + std::to_string(deep.size()) + ",\"crc\":\"" +
                          base::crc_text(base::crc32c(std::as_bytes(std::span(deep)))) + '"');
  std::string told;
  for (const DataFault& fault : read_campaign_dir(dir_).damage) told += fault.what;
  EXPECT_EQ(told, "");
}

TEST_F(Foreign, ManyLinksAreToldInAFewLines) {
  for (int i = 0; i < 100; ++i) {
    fs::create_symlink("nowhere", dir_ / ("plan-" + std::to_string(i) + ".csv"));
  }
  const std::string told = reading();
  EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 5);
  EXPECT_THAT(told, HasSubstr("and 95 more such files"));
}

TEST(JsonText, DepthIsThatOfBracketsOutsideOfTexts) {
  EXPECT_FALSE(base::is_nested_too_deeply(std::string(64, '[')));
  EXPECT_TRUE(base::is_nested_too_deeply(std::string(65, '[')));
  EXPECT_TRUE(base::is_nested_too_deeply(R"({"\"":)" + std::string(64, '{')));
  EXPECT_FALSE(base::is_nested_too_deeply('"' + std::string(100, '[') + '"'));
  std::string flat;
  for (int i = 0; i < 100; ++i) flat += "[{}],";
  EXPECT_FALSE(base::is_nested_too_deeply(flat));
}

TEST_F(Foreign, PipesAreNotWaitedFor) {
  fs::remove(dir_ / kManifestCopy);
  ASSERT_EQ(::mkfifo((dir_ / kManifestCopy).c_str(), 0600), 0);
  EXPECT_THAT(reading(), HasSubstr("manifest.copy.jsonl: is not a file"));
  fs::remove(dir_ / kManifestCopy);
  fs::remove(dir_ / "launches/0001-alpha/journal.jsonl");
  ASSERT_EQ(::mkfifo((dir_ / "launches/0001-alpha/journal.jsonl").c_str(), 0600), 0);
  EXPECT_FALSE(verify_campaign_dir(dir_).damage.empty());
}

TEST_F(Foreign, AnotherUsersCampaignIsReadButNotGoneOnWith) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives directories away";
  ASSERT_EQ(::chown(dir_.c_str(), 65534, 65534), 0);
  EXPECT_THAT(resuming(), HasSubstr("runs the libraries and programs that it names"));
  // Whose files are ours is found out by one that is made there.
  const fs::path probe = dir_ / (".tmp-" + std::to_string(::getpid()) + "-owner");
  fs::create_symlink(scratch_ / "mine", probe);
  EXPECT_THAT(resuming(), HasSubstr("runs the libraries and programs that it names"));
  EXPECT_FALSE(fs::exists(fs::symlink_status(probe)));
  EXPECT_EQ(read_campaign_dir(dir_).groups.size(), 1U);
}

TEST_F(Foreign, AForgedLineNumberIsOneFault) {
  forge("\"line\":4,", "\"line\":3000,");
  std::string lost;
  for (const DataFault& fault : verify_campaign_dir(dir_).damage) {
    lost += fault.place + ' ' + fault.what + '\n';
  }
  EXPECT_THAT(lost, HasSubstr("manifest.jsonl:8 and the 2991 behind it"));
  EXPECT_LT(std::count(lost.begin(), lost.end(), '\n'), 8);
}

TEST(OwnNames, AreOneFolderAndOneName) {
  EXPECT_TRUE(is_plan_name("plan.csv"));
  EXPECT_TRUE(is_plan_name("plan-12.csv"));
  for (const char* name : {"plan-.csv", "plan-1/2.csv", "../plan.csv", "plan-x.csv", ".csv"}) {
    EXPECT_FALSE(is_plan_name(name)) << name;
  }
  EXPECT_TRUE(is_name_in("launches", "launches/0007-open_mpi"));
  for (const char* name : {"launches", "launches/", "launches/..", "launches/a/b", "/etc", "x/a"}) {
    EXPECT_FALSE(is_name_in("launches", name)) << name;
  }
}

}  // namespace
}  // namespace invar::store
