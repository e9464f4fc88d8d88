// Directories that cannot be used, and drivers that come second.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <memory>

#include "store/manifest/manifest_text.hpp"
#include "store/reader.hpp"
#include "store/synthetic.hpp"
#include "store/tampering.hpp"
#include "store/test_dir.hpp"
#include "store/unborn.hpp"

namespace invar::store {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const synthetic::Options kOneGroup{.groups = 1, .rounds = 1, .repetitions = 2};

std::string creating(const fs::path& dir) {
  return error_of<base::UserError>(
      [&] { synthetic::create(dir, kOneGroup, synthetic::make_plan(kOneGroup)); });
}

std::string resuming(const fs::path& dir) {
  return error_of<base::UserError>([&] {
    std::vector<std::string> notes;
    CampaignDir::resume(dir, notes);
  });
}

TEST(Directory, ThatIsACampaignAlready_IsLeftAloneAndSaysHowToGoOn) {
  const TestDir dir;
  synthetic::write(dir / "c", kOneGroup);
  const std::vector<std::string> before = files_of(dir / "c");
  EXPECT_THAT(creating(dir / "c"), HasSubstr("a campaign is there already; go on with 'invar run "
                                             "--resume -o"));
  EXPECT_EQ(files_of(dir / "c"), before);
}

TEST(Directory, ThatHoldsSomethingElse_IsLeftAlone) {
  const TestDir dir;
  put(dir / "notes.txt", "mine");
  EXPECT_THAT(creating(dir.path()), HasSubstr("exists already and is not empty"));
  EXPECT_THAT(creating(dir / "notes.txt"), HasSubstr("exists already and is not a directory"));
  EXPECT_THAT(files_of(dir.path()), testing::ElementsAre("notes.txt"));
  EXPECT_FALSE(fs::exists(dir / "lock"));
}

TEST(Directory, OfAStartThatWasKilled_IsTakenAwayAndHoldsNoCampaign) {
  const TestDir dir;
  fs::create_directories(dir / "c/launches");
  for (const char* name : {"c/lock", "c/campaign.toml", "c/plan.csv"}) put(dir / name, "x");
  EXPECT_FALSE(holds_campaign(dir / "c"));
  EXPECT_THAT(creating(dir / "c"), HasSubstr("is not empty"));
  remove_unborn(dir / "c");
  EXPECT_FALSE(fs::exists(dir / "c"));
  EXPECT_NO_THROW(remove_unborn(dir / "c")) << "what is not there is in order";
  synthetic::write(dir / "c", kOneGroup);
  EXPECT_TRUE(holds_campaign(dir / "c"));
}

TEST(Directory, OfACampaignThatLostAManifest_IsStillOneByItsCopy) {
  const TestDir dir;
  synthetic::write(dir / "c", kOneGroup);
  fs::remove(dir / "c" / kManifest);
  EXPECT_TRUE(holds_campaign(dir / "c"));
  fs::remove(dir / "c" / kManifestCopy);
  EXPECT_FALSE(holds_campaign(dir / "c"));
  EXPECT_THAT(error_of<base::UserError>([&] { remove_unborn(dir / "c"); }),
              HasSubstr("'launches' is there"));
  EXPECT_TRUE(fs::exists(dir / "c/launches"));
}

TEST(Directory, ThatIsEmptyOrMissing_BecomesACampaign) {
  const TestDir dir;
  fs::create_directory(dir / "empty");
  for (const fs::path& path : {dir / "empty", dir / "new", dir / "a/b/c", dir / "slash/"}) {
    synthetic::write(path, kOneGroup);
    EXPECT_EQ(verify_campaign_dir(path).status(), base::Exit::kDone) << path;
  }
}

TEST(Directory, ThatIsNoCampaign_IsSaidByEveryReader) {
  const TestDir dir;
  put(dir / "file", "");
  fs::create_directory(dir / "empty");
  for (const auto& read : std::vector<std::function<void(const fs::path&)>>{
           [](const fs::path& path) { read_campaign_dir(path); },
           [](const fs::path& path) { verify_campaign_dir(path); },
           [](const fs::path& path) {
             std::vector<std::string> notes;
             CampaignDir::resume(path, notes);
           }}) {
    const auto said = [&](const std::string& name) {
      return error_of<base::UserError>([&] { read(dir / name); });
    };
    EXPECT_THAT(said("missing"), HasSubstr("no such directory"));
    EXPECT_THAT(said("file"), HasSubstr("is not a directory"));
    EXPECT_THAT(said("empty"), HasSubstr("is not a campaign: it has no manifest.jsonl"));
  }
  EXPECT_TRUE(fs::is_empty(dir / "empty"));
}

// Killed at any moment before the manifest was there.
TEST(Directory, OfAStartThatWasInterrupted_IsTold) {
  const TestDir dir;
  fs::create_directory(dir / "c");
  const auto said = [&] {
    return error_of<base::UserError>([&] { read_campaign_dir(dir / "c"); });
  };
  const auto told = HasSubstr("a start was interrupted before anything was measured");
  for (const char* name : {"lock", ".tmp-123-campaign.toml", "campaign.toml", "plan.csv"}) {
    put(dir / "c" / name, "");
    EXPECT_THAT(said(), told) << name;
  }
  put(dir / "c/thesis.tex", "");
  EXPECT_THAT(said(), Not(told)) << "what is not ours is not to be deleted";
}

TEST(Directory, OfAnUnknownSchema_IsRefused) {
  const TestDir dir;
  synthetic::write(dir / "c", kOneGroup);
  std::string text = content(dir / "c/manifest.jsonl");
  const std::size_t feed = text.find('\n');
  std::string line = text.substr(0, text.rfind(",\"line_crc\"", feed));
  line.replace(line.find("\"schema\":1"), 10, "\"schema\":2");
  text = record::with_line_crc(line) + text.substr(feed);
  put(dir / "c/manifest.jsonl", text);
  put(dir / "c/manifest.copy.jsonl", text);
  EXPECT_THAT(error_of<base::UserError>([&] { read_campaign_dir(dir / "c"); }),
              HasSubstr("schema 2 is unknown to this version"));
  EXPECT_THAT(resuming(dir / "c"), HasSubstr("schema 2 is unknown to this version"));
}

// A line whose checksum holds but that says nothing a driver would write (found by fuzzing).
TEST(Directory, WhosePlanInTheManifestIsNoText_IsDamaged) {
  const TestDir dir;
  synthetic::write(dir / "c");
  for (const std::string_view name : {kManifest, kManifestCopy}) {
    std::string text = content(dir / "c" / name);
    const std::size_t begin = text.find('\n') + 1;
    const std::size_t end = text.find('\n', begin);
    std::string line = text.substr(begin, end - begin);
    ASSERT_TRUE(line.starts_with("{\"type\":\"plan\""));
    line = line.substr(0, line.find(",\"csv\":")) + ",\"csv\":[1,2";
    put(dir / "c" / name, text.substr(0, begin) + record::with_line_crc(line) + text.substr(end));
  }
  const Verification found = verify_campaign_dir(dir / "c");
  ASSERT_FALSE(found.damage.empty());
  EXPECT_THAT(found.damage.front().what, HasSubstr("the manifest's copy of plan.csv is not text"));
  std::vector<std::string> notes;
  EXPECT_THROW(CampaignDir::resume(dir / "c", notes), base::CommandError);
}

// Four billion groups take neither time nor memory.
TEST(Directory, WhosePlannedGroupsAreAbsurd_IsVerifiedAllTheSame) {
  const TestDir dir;
  const synthetic::Options options{.groups = 2, .end = false};
  synthetic::write(dir / "c", options);
  {
    std::vector<std::string> notes;
    CampaignDir campaign = CampaignDir::resume(dir / "c", notes);
    campaign.decide_groups(4'000'000'000, "test");
  }
  const Verification found = verify_campaign_dir(dir / "c");
  ASSERT_EQ(found.unfinished.size(), 1U);
  EXPECT_EQ(found.unfinished.front(), "3999999998 of 4000000000 groups are not measured yet");
}

TEST(Directory, WithADriverAtWork_TurnsASecondOneAway) {
  const TestDir dir;
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  { synthetic::create(dir / "c", kOneGroup, synthetic::make_plan(kOneGroup)); }
  const pid_t first = fork();
  if (first == 0) {
    std::vector<std::string> notes;
    const auto campaign = std::make_unique<CampaignDir>(CampaignDir::resume(dir / "c", notes));
    if (campaign != nullptr && write(ready[1], "x", 1) == 1) pause();
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_THAT(resuming(dir / "c"),
              HasSubstr("another driver is at work here (pid " + std::to_string(first) + " on "));
  EXPECT_NO_THROW(read_campaign_dir(dir / "c"));
  kill(first, SIGKILL);
  waitpid(first, nullptr, 0);
  EXPECT_EQ(resuming(dir / "c"), "nothing was thrown");
  close(ready[0]);
  close(ready[1]);
}

TEST(Directory, WhoseDriverEndedBeforeItsChildren_IsFree) {
  const TestDir dir;
  pid_t child = -1;
  {
    const Lock lock = Lock::acquire(dir.path());
    child = fork();
    if (child == 0) {
      execl("/bin/sleep", "sleep", "60", nullptr);
      _exit(1);
    }
    // Until the child has gone through exec it shares the lock.
    const std::string link = "/proc/" + std::to_string(child) + "/exe";
    for (std::string name; name.find("sleep") == std::string::npos;) {
      std::error_code error;
      name = fs::read_symlink(link, error).string();
    }
  }
  EXPECT_NO_THROW(Lock::acquire(dir.path()));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST(Directory, WithoutPermission_IsSaidAndNothingIsLeft) {
  const TestDir dir;
  fs::create_directory(dir / "locked");
  fs::permissions(dir / "locked", fs::perms::owner_read | fs::perms::owner_exec |
                                      fs::perms::others_read | fs::perms::others_exec);
  fs::permissions(dir.path(),
                  fs::perms::owner_all | fs::perms::others_read | fs::perms::others_exec);
  synthetic::write(dir / "c", kOneGroup);
  const int status = in_child([&] {
    // Root may write everywhere, so the test gives that up.
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) return 10;
    if (creating(dir / "locked/c").find("cannot be made: Permission denied") == std::string::npos) {
      return 1;
    }
    if (creating(dir / "locked").find("cannot be written: Permission denied") ==
        std::string::npos) {
      return 2;
    }
    if (read_campaign_dir(dir / "c").groups.size() != 1) return 4;
    return 0;
  });
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(fs::is_empty(dir / "locked"));
  fs::permissions(dir / "locked", fs::perms::owner_all);
}

TEST(Directory, ThatThisUserMayNotRead_IsNotTakenForDamage) {
  const TestDir dir;
  synthetic::write(dir / "c", kOneGroup);
  const fs::path secret = dir / "c/launches/0001-alpha/timings.bin";
  fs::permissions(secret, fs::perms::none);
  fs::permissions(dir.path(),
                  fs::perms::owner_all | fs::perms::others_read | fs::perms::others_exec);
  const int status = in_child([&] {
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) return 10;
    const std::string said = error_of<base::UserError>([&] { verify_campaign_dir(dir / "c"); });
    return said.find("cannot be read: Permission denied") == std::string::npos ? 1 : 0;
  });
  EXPECT_EQ(status, 0);
  fs::permissions(secret, fs::perms::owner_all);
}

TEST(Directory, MadeOnAFullDisk_IsNotMade) {
  const TestDir dir;
  const int status = in_child([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{300, 300};
    setrlimit(RLIMIT_FSIZE, &limit);
    return creating(dir / "a/c").find("cannot be written: File too large") == std::string::npos ? 1
                                                                                                : 0;
  });
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(fs::is_empty(dir.path()));
}

TEST(LaunchDirectory, WithAStrangeLabel_IsAPlainName) {
  EXPECT_EQ(launch_dir_name(7, "openmpi"), "launches/0007-openmpi");
  EXPECT_EQ(launch_dir_name(12345, "a/b c:d#1"), "launches/12345-a_b_c_d#1");
  EXPECT_EQ(launch_dir_name(1, ".."), "launches/0001-..");
}

}  // namespace
}  // namespace invar::store
