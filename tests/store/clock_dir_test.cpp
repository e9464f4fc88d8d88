// An experiment with clocks on disk: sealed, damaged, cut off, made by a newer version.
#include "store/clock_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/error.hpp"
#include "record/journal.hpp"
#include "store/campaign_dir.hpp"
#include "store/files.hpp"
#include "store/manifest/manifest_text.hpp"
#include "store/version.hpp"
#include "test_dir.hpp"

namespace invar::store {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const ClockHead kHead{.experiment = "drift",
                      .library = "mpich",
                      .library_version = "4.0.2",
                      .ranks = {2},
                      .ranks_per_host = 1,
                      .host = "here",
                      .hosts = {"node1", "node2"},
                      .command = "invar clocks drift --library mpich",
                      .machine = {{"kernel.release", "6.1"}, {"processor.model", "a \"b\""}}};

fs::path sealed(const TestDir& dir) {
  const fs::path path = dir.path() / "kept";
  ClockDir kept = ClockDir::create(path, kHead, "spec\n");
  kept.add("a,b\n1,2\n");
  kept.seal();
  return path;
}

// The exit status and all messages of reading it.
std::pair<base::Exit, std::string> refusal_of(const fs::path& dir) {
  try {
    read_clock_dir(dir);
  } catch (const base::CommandError& error) {
    std::string all;
    for (const base::Fault& fault : error.faults()) all += fault.text() + '\n';
    return {error.status(), all};
  }
  return {base::Exit::kDone, ""};
}

void replace_in(const fs::path& file, const std::string& from, const std::string& to) {
  std::string text = read_text(file).value();
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
}

// The line (from 1) with another content and a checksum that holds, in both copies.
void rewrite_line(const fs::path& dir, std::size_t number, const std::string& from,
                  const std::string& to) {
  std::vector<std::string> lines = read_manifest_text(dir).lines;
  std::string& line = lines.at(number - 1);
  line.replace(line.find(from), from.size(), to);
  line = record::with_line_crc(line.substr(0, line.rfind(",\"line_crc\"")));
  std::string text;
  for (const std::string& one : lines) text += one + '\n';
  write_file(dir / kManifest, text);
  write_file(dir / kManifestCopy, text);
}

TEST(ClockDirTest, WhatWasSealedIsRead) {
  const TestDir dir;
  const fs::path path = sealed(dir);
  EXPECT_TRUE(is_clock_dir(path));
  EXPECT_FALSE(is_clock_dir(dir.path()));
  const ClockData data = read_clock_dir(path);
  EXPECT_EQ(data.head, kHead);
  EXPECT_EQ(data.spec, "spec\n");
  EXPECT_EQ(data.rows, "a,b\n1,2\n");
  EXPECT_EQ(data.made_by, version_text());
  const Verification found = verify_clock_dir(path);
  EXPECT_EQ(found.status(), base::Exit::kDone);
}

TEST(ClockDirTest, LaunchesAreKeptOneByOneAndThoseThatFailedAreNamed) {
  const TestDir dir;
  const fs::path path = dir.path() / "kept";
  const std::vector<FailedClockLaunch> failed{{.launch = 2, .ranks = 4, .what = "did not end"},
                                              {.launch = 5, .ranks = 4, .what = "ended with 1"}};
  {
    ClockDir kept = ClockDir::create(path, kHead, "spec\n");
    kept.add("a,b\n1,2\n");
    EXPECT_EQ(read_text(path / kClockRows), "a,b\n1,2\n")
        << "a driver that is killed loses nothing";
    kept.add("3,4\n");
    EXPECT_EQ(refusal_of(path).first, base::Exit::kIncomplete);
    kept.seal(failed);
  }
  const ClockData data = read_clock_dir(path);
  EXPECT_EQ(data.rows, "a,b\n1,2\n3,4\n");
  EXPECT_EQ(data.failed, failed);
  EXPECT_EQ(failed_text(failed.front()), "launch 2 (4 ranks): did not end");
  EXPECT_EQ(verify_clock_dir(path).status(), base::Exit::kDone);
}

TEST(ClockDirTest, RanksAHostAndHostsNeedNotBeKnown) {
  const TestDir dir;
  const fs::path path = dir.path() / "kept";
  ClockHead head = kHead;
  head.ranks_per_host.reset();
  head.hosts.clear();
  ClockDir kept = ClockDir::create(path, head, "spec\n");
  kept.add("a,b\n1,2\n");
  kept.seal();
  EXPECT_EQ(read_clock_dir(path).head, head);
}

// Earlier versions recorded neither the commit nor the machine.
TEST(ClockDirTest, WhatIsLackingIsUnknown) {
  const TestDir dir;
  const fs::path path = sealed(dir);
  rewrite_line(path, 1, ",\"commit\":\"" + std::string(invar_commit()) + "\"", "");
  rewrite_line(path, 1, ",\"machine\":", ",\"other\":");
  const ClockData data = read_clock_dir(path);
  EXPECT_EQ(data.made_by, invar_version());
  EXPECT_TRUE(data.head.machine.empty());
}

TEST(ClockDirTest, AnExistingDirectoryIsRefusedAndStays) {
  const TestDir dir;
  const fs::path path = sealed(dir);
  EXPECT_THROW(ClockDir::create(path, kHead, ""), base::UserError);
  try {
    check_new_directory(path);
    FAIL();
  } catch (const base::UserError& error) {
    EXPECT_THAT(error.faults().front().text(), HasSubstr("an experiment with clocks is there"));
  }
  EXPECT_EQ(refusal_of(path).first, base::Exit::kDone);
}

TEST(ClockDirTest, WhatFailedLeavesNothingBehind) {
  const TestDir dir;
  const fs::path path = dir.path() / "kept";
  { const ClockDir unsealed = ClockDir::create(path, kHead, "spec\n"); }
  EXPECT_FALSE(fs::exists(path));
}

// Whatever goes wrong after it.
TEST(ClockDirTest, WhatWasMeasuredStaysWithoutASeal) {
  const TestDir dir;
  const fs::path path = dir.path() / "kept";
  ClockDir::create(path, kHead, "spec\n").add("a,b\n1,2\n");
  std::ifstream rows(path / kClockRows);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(rows), {}), "a,b\n1,2\n");
}

TEST(ClockDirTest, WithoutItsSealItIsNotFinished) {
  const TestDir dir;
  const fs::path path = sealed(dir);
  // As a driver that was killed leaves it.
  for (const std::string_view name : {kManifest, kManifestCopy}) {
    std::string text = read_text(path / name).value();
    text.resize(text.rfind('\n', text.size() - 2) + 1);
    write_file(path / name, text);
  }
  const auto [status, text] = refusal_of(path);
  EXPECT_EQ(status, base::Exit::kIncomplete);
  EXPECT_THAT(text, HasSubstr("is not finished: the experiment was not brought to its end"));
  EXPECT_THAT(text, HasSubstr("measure again: invar clocks drift --library mpich"));
  EXPECT_EQ(verify_clock_dir(path).status(), base::Exit::kIncomplete);
}

TEST(ClockDirTest, WhatCannotBeSealedStaysAndSaysThatItIsNotFinished) {
  const TestDir dir;
  const fs::path path = dir.path() / "kept";
  {
    ClockDir measured = ClockDir::create(path, kHead, "spec\n");
    fs::create_directory(path / kClockRows);
    try {
      measured.add("a,b\n1,2\n");
      ADD_FAILURE() << "rows that could not be written";
    } catch (const base::CommandError& error) {
      EXPECT_EQ(error.status(), base::Exit::kMeasurementFailed);
    }
  }
  EXPECT_TRUE(fs::exists(path)) << "what was measured is lost";
  fs::remove(path / kClockRows);
  EXPECT_EQ(refusal_of(path).first, base::Exit::kIncomplete);
}

TEST(ClockDirTest, WhoeverReadsWhatIsBeingMeasuredIsToldToWait) {
  const TestDir dir;
  const fs::path path = dir.path() / "kept";
  const ClockDir measured = ClockDir::create(path, kHead, "spec\n");
  const auto [status, text] = refusal_of(path);
  EXPECT_EQ(status, base::Exit::kIncomplete);
  EXPECT_THAT(text, HasSubstr("wait"));
}

TEST(ClockDirTest, DamageIsNamedWithItsPlace) {
  for (const auto& [file, from, to, place] :
       {std::tuple{"clocks.csv", "1,2", "1,3", "clocks.csv: does not match its checksum"},
        std::tuple{"clocks.csv", "1,2\n", "", "clocks.csv: has 4 bytes instead of 8"},
        std::tuple{"clocks.spec", "spec", "spek", "clocks.spec: does not match its checksum"},
        std::tuple{"manifest.jsonl", "mpich", "mpick", "manifest.jsonl:1: does not match"},
        std::tuple{"manifest.copy.jsonl", "clocks.csv", "clocks.cst",
                   "manifest.copy.jsonl:3: does not match"}}) {
    const TestDir dir;
    const fs::path path = sealed(dir);
    replace_in(path / file, from, to);
    const auto [status, text] = refusal_of(path);
    EXPECT_EQ(status, base::Exit::kDamaged) << file;
    EXPECT_THAT(text, HasSubstr((path / place).string()));
    EXPECT_EQ(verify_clock_dir(path).status(), base::Exit::kDamaged) << file;
  }
}

TEST(ClockDirTest, AMissingFileIsDamage) {
  const TestDir dir;
  const fs::path path = sealed(dir);
  fs::remove(path / kClockRows);
  EXPECT_EQ(refusal_of(path).first, base::Exit::kDamaged);
  EXPECT_THAT(refusal_of(path).second, HasSubstr("clocks.csv: is missing"));
}

TEST(ClockDirTest, EveryByteThatIsFlippedIsFound) {
  const TestDir dir;
  const fs::path path = sealed(dir);
  for (const char* file : {"clocks.csv", "clocks.spec", "manifest.jsonl", "manifest.copy.jsonl"}) {
    const std::string whole = read_text(path / file).value();
    for (std::size_t i = 0; i < whole.size(); ++i) {
      std::string text = whole;
      text[i] = static_cast<char>(text[i] ^ 1);
      std::ofstream(path / file, std::ios::binary | std::ios::trunc) << text;
      ASSERT_EQ(verify_clock_dir(path).status(), base::Exit::kDamaged) << file << ", byte " << i;
    }
    std::ofstream(path / file, std::ios::binary | std::ios::trunc) << whole;
  }
  EXPECT_EQ(verify_clock_dir(path).status(), base::Exit::kDone);
}

TEST(ClockDirTest, WhatANewerVersionWroteIsRefusedWithItsLine) {
  for (const auto& [line, from, to, words] :
       {std::tuple{1U, "\"schema\":1", "\"schema\":2", "manifest.jsonl:1: has schema 2"},
        std::tuple{2U, "clock_file", "clock_tile", "manifest.jsonl:2: lines of type 'clock_tile'"},
        std::tuple{3U, "clocks.csv", "clocks.bin", "manifest.jsonl:3: the file 'clocks.bin'"}}) {
    const TestDir dir;
    const fs::path path = sealed(dir);
    rewrite_line(path, line, from, to);
    const auto [status, text] = refusal_of(path);
    EXPECT_EQ(status, base::Exit::kUsage);
    EXPECT_THAT(text, HasSubstr(words));
    EXPECT_THAT(text, HasSubstr("use the version of invar that measured this"));
  }
}

TEST(ClockDirTest, ALineThatLacksAKeyIsDamage) {
  const TestDir dir;
  const fs::path path = sealed(dir);
  rewrite_line(path, 1, "\"experiment\"", "\"exberiment\"");
  EXPECT_EQ(refusal_of(path).first, base::Exit::kDamaged);
  EXPECT_THAT(refusal_of(path).second, HasSubstr("manifest.jsonl:1: lacks what it must have"));
}

TEST(ClockDirTest, CampaignsAndExperimentsAreToldApart) {
  const TestDir dir;
  const fs::path path = sealed(dir);
  try {
    read_campaign_dir(path);
    FAIL();
  } catch (const base::UserError& error) {
    EXPECT_THAT(error.faults().front().text(),
                HasSubstr("holds an experiment with clocks, and is not a campaign"));
  }
  EXPECT_EQ(refusal_of(dir.path() / "nowhere").first, base::Exit::kUsage);
}

}  // namespace
}  // namespace invar::store
