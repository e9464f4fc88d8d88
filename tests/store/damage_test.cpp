// Every byte of a campaign counts: damage is found, named, kept out of the data, and mended.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "store/reader.hpp"
#include "store/synthetic.hpp"
#include "store/tampering.hpp"
#include "store/test_dir.hpp"

namespace invar::store {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const synthetic::Options kSmall{
    .groups = 3, .rounds = 1, .repetitions = 4, .warm_up = 1, .late_share = 0.1};

class Damage : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    pristine = std::make_unique<TestDir>();
    synthetic::write(*pristine / "c", kSmall);
  }
  static void TearDownTestSuite() { pristine.reset(); }

  void SetUp() override { copy_dir(*pristine / "c", dir_); }

  // All records of a group, for comparison.
  static std::map<std::uint32_t, std::string> records(const Data& data) {
    std::map<std::uint32_t, std::string> bytes;
    for (const Group& group : data.groups) {
      for (const Launch& launch : group.launches) {
        for (const Visit& visit : launch.visits) {
          bytes[group.group] += record::journal_line(visit.line);
          bytes[group.group].append(reinterpret_cast<const char*>(visit.records.data()),
                                    visit.records.size_bytes());
        }
      }
    }
    return bytes;
  }

  static std::vector<std::uint32_t> groups(const Data& data) {
    std::vector<std::uint32_t> numbers;
    numbers.reserve(data.groups.size());
    for (const Group& group : data.groups) numbers.push_back(group.group);
    return numbers;
  }

  static std::vector<std::string> places(const std::vector<DataFault>& faults) {
    std::vector<std::string> all;
    all.reserve(faults.size());
    for (const DataFault& fault : faults) all.push_back(fault.place);
    return all;
  }

  // What a driver does after --resume: measures what is missing, and ends.
  static void measure_the_rest(CampaignDir& campaign) {
    const record::Plan plan = synthetic::make_plan(kSmall);
    for (std::uint32_t group = 1; group <= kSmall.groups; ++group) {
      const auto& done = campaign.state().groups;
      if (std::none_of(done.begin(), done.end(),
                       [&](const GroupOutcome& outcome) { return outcome.group == group; })) {
        synthetic::write_group(campaign, kSmall, plan, group);
      }
    }
    if (!campaign.state().ended) campaign.end();
  }

  static void resume_and_finish(const fs::path& dir, std::vector<std::string>& notes) {
    CampaignDir campaign = CampaignDir::resume(dir, notes);
    measure_the_rest(campaign);
  }

  static std::unique_ptr<TestDir> pristine;
  TestDir scratch_ = {};
  fs::path dir_ = scratch_ / "c";
};

std::unique_ptr<TestDir> Damage::pristine;

TEST_F(Damage, OfOneBitInAnyFileOfALaunch_IsNamedLeftOutAndMeasuredAgain) {
  const fs::path launch = "launches/0003-alpha";  // of group 2
  std::size_t tried = 0;
  for (const std::string& file : files_of(dir_ / launch)) {
    const std::size_t size = content(dir_ / launch / file).size();
    if (size == 0) continue;  // stdout
    SCOPED_TRACE(file);
    ++tried;
    fs::remove_all(dir_);
    copy_dir(*pristine / "c", dir_);
    flip(dir_ / launch / file, size / 2);
    const std::string place = (launch / file).string();

    const Verification found = verify_campaign_dir(dir_);
    EXPECT_THAT(places(found.damage), ElementsAre(place));
    EXPECT_EQ(found.status(), base::Exit::kDamaged);
    const Data data = read_campaign_dir(dir_);
    EXPECT_THAT(groups(data), ElementsAre(1U, 3U));
    EXPECT_THAT(data.damaged_groups, ElementsAre(2U));
    EXPECT_THAT(places(data.damage), ElementsAre(place));

    std::vector<std::string> notes;
    resume_and_finish(dir_, notes);
    EXPECT_THAT(notes, ElementsAre(HasSubstr(place),
                                   "group 2 was moved to discarded/ and is measured again"));
    EXPECT_EQ(verify_campaign_dir(dir_).status(), base::Exit::kDone);
    EXPECT_TRUE(fs::exists(dir_ / "discarded/0003-alpha"));
    EXPECT_TRUE(fs::exists(dir_ / "discarded/0004-beta"));
    EXPECT_THAT(groups(read_campaign_dir(dir_)), ElementsAre(1U, 2U, 3U));
  }
  EXPECT_EQ(tried, 8U);
}

TEST_F(Damage, OfRecords_NamesTheVisit) {
  const Data before = read_campaign_dir(dir_);
  const Visit& second = before.groups[0].launches[0].visits[1];
  flip(dir_ / "launches/0001-alpha/timings.bin", second.line.first_record * 64 + 20);
  const Verification found = verify_campaign_dir(dir_);
  ASSERT_EQ(found.damage.size(), 1U);
  EXPECT_EQ(found.damage[0].what,
            "does not match its checksum: visit " + std::to_string(second.line.visit));
}

TEST_F(Damage, ThatCutsAFile_SaysHowMuchIsLeft) {
  const fs::path file = dir_ / "launches/0001-alpha/timings.bin";
  const std::size_t size = fs::file_size(file);
  fs::resize_file(file, 64);
  EXPECT_THAT(verify_campaign_dir(dir_).damage,
              ElementsAre(DataFault{"launches/0001-alpha/timings.bin",
                                    "has 64 bytes instead of " + std::to_string(size) + " bytes"}));
}

TEST_F(Damage, ThatTakesAFileOrADirectoryAway_IsFoundAndMeasuredAgain) {
  fs::remove(dir_ / "launches/0001-alpha/clock.csv");
  fs::remove_all(dir_ / "launches/0004-beta");
  const Data data = read_campaign_dir(dir_);
  EXPECT_THAT(groups(data), ElementsAre(3U));
  EXPECT_EQ(data.damage[0], (DataFault{"launches/0001-alpha/clock.csv", "is missing"}));
  std::vector<std::string> notes;
  resume_and_finish(dir_, notes);
  EXPECT_EQ(verify_campaign_dir(dir_).status(), base::Exit::kDone);
}

TEST_F(Damage, OfCampaignToml_IsRestoredFromTheManifest) {
  put(dir_ / "campaign.toml", content(dir_ / "campaign.toml").substr(0, 3));
  const Verification found = verify_campaign_dir(dir_);
  EXPECT_THAT(places(found.damage), ElementsAre("campaign.toml"));
  EXPECT_EQ(read_campaign_dir(dir_).campaign_toml, synthetic::campaign_toml(kSmall));
  std::vector<std::string> notes;
  const CampaignDir campaign = CampaignDir::resume(dir_, notes);
  EXPECT_THAT(notes,
              ElementsAre("campaign.toml is damaged (the manifest's copy is whole); restored "
                          "from the manifest"));
  EXPECT_EQ(content(dir_ / "campaign.toml"), synthetic::campaign_toml(kSmall));
  EXPECT_TRUE(campaign.state().ended);
  EXPECT_EQ(verify_campaign_dir(dir_).status(), base::Exit::kDone);
}

TEST_F(Damage, OfCampaignToml_IsToldFromAnEditByWhoeverCanReadCampaigns) {
  flip(dir_ / "campaign.toml", 2);  // schema -> sciema
  const CampaignCheck check = [](const std::string& toml) {
    return toml.starts_with("schema") ? std::optional<std::vector<base::Fault>>(std::in_place)
                                      : std::nullopt;
  };
  EXPECT_EQ(verify_campaign_dir(dir_, check).status(), base::Exit::kDamaged);
  std::vector<std::string> notes;
  CampaignDir::resume(dir_, notes, check);
  EXPECT_EQ(content(dir_ / "campaign.toml"), synthetic::campaign_toml(kSmall));
}

TEST_F(Damage, OfCampaignToml_IsNoneWhereANewerInvarWroteIt) {
  const std::string newer = synthetic::campaign_toml(kSmall) + "from = \"tomorrow\"\n";
  put(dir_ / "campaign.toml", newer);
  const CampaignCheck check = [](const std::string& /*toml*/) {
    return std::vector{base::Fault{.place = "campaign.toml", .what = "a newer Invar"}};
  };
  const Verification found = verify_campaign_dir(dir_, check);
  EXPECT_EQ(found.status(), base::Exit::kUsage);
  ASSERT_EQ(found.edits.size(), 2U);
  EXPECT_THAT(found.edits[0].what, HasSubstr("differs from what was sealed"));
  EXPECT_EQ(found.edits[1].what, "a newer Invar");
  std::vector<std::string> notes;
  EXPECT_THROW(CampaignDir::resume(dir_, notes, check), base::UserError);
  EXPECT_EQ(content(dir_ / "campaign.toml"), newer);
}

TEST_F(Damage, OfThePlan_IsRestoredFromTheManifest) {
  const std::string sealed = content(dir_ / "plan.csv");
  put(dir_ / "plan.csv", "group;launch\n" + sealed);
  std::vector<std::string> notes;
  CampaignDir::resume(dir_, notes);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("plan.csv is damaged")));
  EXPECT_EQ(content(dir_ / "plan.csv"), sealed);
  fs::remove(dir_ / "plan.csv");
  notes.clear();
  CampaignDir::resume(dir_, notes);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("plan.csv is missing")));
  EXPECT_EQ(content(dir_ / "plan.csv"), sealed);
}

TEST_F(Damage, ThatIsAnEdit_IsRefusedAndNothingTouched) {
  std::string plan = content(dir_ / "plan.csv");
  const std::size_t at = plan.find(",1,4,");  // calls, repetitions
  plan.replace(at, 5, ",1,9,");
  put(dir_ / "plan.csv", plan);
  std::string toml = content(dir_ / "campaign.toml");
  toml.replace(toml.find("seed = 1"), 8, "seed = 2");
  put(dir_ / "campaign.toml", toml);
  flip(dir_ / "launches/0001-alpha/timings.bin", 0);

  EXPECT_EQ(verify_campaign_dir(dir_).edits.size(), 2U);
  const std::string manifest = content(dir_ / "manifest.jsonl");
  std::vector<std::string> notes;
  const std::string said = error_of<base::UserError>([&] { CampaignDir::resume(dir_, notes); });
  EXPECT_THAT(said, HasSubstr("campaign.toml:3:8: differs from what was sealed"));
  EXPECT_THAT(said, HasSubstr("plan.csv:2:"));
  EXPECT_EQ(content(dir_ / "manifest.jsonl"), manifest);
  EXPECT_EQ(content(dir_ / "plan.csv"), plan);
  EXPECT_TRUE(fs::exists(dir_ / "launches/0001-alpha"));
}

TEST_F(Damage, OfEitherCopyOfTheManifest_IsRestoredFromTheOther) {
  const std::string whole = content(dir_ / "manifest.jsonl");
  for (const char* name : {"manifest.jsonl", "manifest.copy.jsonl"}) {
    for (const std::size_t at : {std::size_t{40}, whole.size() / 2, whole.size() - 1}) {
      SCOPED_TRACE(std::string(name) + " byte " + std::to_string(at));
      flip(dir_ / name, at, 3);
      const Verification found = verify_campaign_dir(dir_);
      ASSERT_THAT(found.damage, Not(IsEmpty()));
      EXPECT_THAT(found.damage[0].place, HasSubstr(name));
      EXPECT_THAT(groups(read_campaign_dir(dir_)), ElementsAre(1U, 2U, 3U));
      std::vector<std::string> notes;
      CampaignDir::resume(dir_, notes);
      EXPECT_THAT(notes, ElementsAre(HasSubstr("restored from the other copy of the manifest")));
      EXPECT_THAT(content(dir_ / "manifest.jsonl"), testing::StartsWith(whole));
      EXPECT_EQ(content(dir_ / "manifest.jsonl"), content(dir_ / "manifest.copy.jsonl"));
      EXPECT_EQ(verify_campaign_dir(dir_).status(), base::Exit::kDone);
    }
  }
}

const synthetic::Options kTwoGroups{.groups = 2, .rounds = 1, .repetitions = 4, .warm_up = 1};

// A campaign in `dir` whose first group of two is complete; returns its manifest.
std::string measured_half(const fs::path& dir) {
  const record::Plan plan = synthetic::make_plan(kTwoGroups);
  CampaignDir campaign = synthetic::create(dir, kTwoGroups, plan);
  synthetic::write_group(campaign, kTwoGroups, plan, 1);
  return content(dir / "manifest.jsonl");
}

// Before the end nobody waits for it to be on the disk.
TEST_F(Damage, OfACopyThatAPowerCutTook_IsNone) {
  const fs::path dir = *pristine / "cut";
  const std::string whole = measured_half(dir);
  put(dir / "manifest.copy.jsonl", whole.substr(0, whole.size() / 2));
  const Verification found = verify_campaign_dir(dir);
  EXPECT_THAT(found.damage, IsEmpty());
  EXPECT_EQ(found.status(), base::Exit::kIncomplete);
  std::vector<std::string> notes;
  CampaignDir::resume(dir, notes);
  EXPECT_THAT(content(dir / "manifest.copy.jsonl"), testing::StartsWith(whole));
  fs::remove_all(dir);
}

// Nobody waits for seals in either file, and any of them may be on the disk before the other.
TEST_F(Damage, OfAManifestThatLostSealsInAPowerCut_IsNone) {
  const fs::path dir = *pristine / "cut";
  const std::string whole = measured_half(dir);
  const std::string sealed = whole.substr(0, whole.rfind("{\"type\":\"group\""));
  const std::size_t last_seal = sealed.rfind("{\"type\":\"launch\"");
  const std::string torn = sealed.substr(0, last_seal + 30);
  for (const auto& [main, copy] : {std::pair(torn, sealed), std::pair(sealed + "{\"ty", torn),
                                   std::pair(sealed + "{\"ty", sealed.substr(0, 100))}) {
    put(dir / "manifest.jsonl", main);
    put(dir / "manifest.copy.jsonl", copy);
    const Verification found = verify_campaign_dir(dir);
    EXPECT_THAT(found.damage, IsEmpty());
    EXPECT_EQ(found.status(), base::Exit::kIncomplete);
  }
  put(dir / "manifest.jsonl", torn);
  put(dir / "manifest.copy.jsonl", sealed);
  std::vector<std::string> notes;
  CampaignDir::resume(dir, notes);
  EXPECT_THAT(content(dir / "manifest.jsonl"), testing::StartsWith(sealed));
  fs::remove_all(dir);
}

// A disk that was full for a moment.
TEST_F(Damage, OfACopyThatCouldNotBeWritten_IsMendedByTheNextLine) {
  const fs::path dir = *pristine / "full";
  CampaignDir campaign = synthetic::create(dir, kTwoGroups, synthetic::make_plan(kTwoGroups));
  const std::string before = content(dir / "manifest.copy.jsonl");
  fs::remove(dir / "manifest.copy.jsonl");
  fs::create_directory(dir / "manifest.copy.jsonl");
  EXPECT_THROW(campaign.warn("one"), base::CommandError);
  fs::remove(dir / "manifest.copy.jsonl");
  put(dir / "manifest.copy.jsonl", before);
  campaign.warn("two");
  EXPECT_EQ(content(dir / "manifest.copy.jsonl"), content(dir / "manifest.jsonl"));
  fs::remove_all(dir);
}

TEST_F(Damage, ThatCutsLinesOffTheManifest_IsNotTakenForACampaignThatNeverGotThere) {
  const std::string whole = content(dir_ / "manifest.jsonl");
  put(dir_ / "manifest.jsonl", whole.substr(0, whole.rfind("{\"type\":\"launch\"")));
  EXPECT_EQ(verify_campaign_dir(dir_).status(), base::Exit::kDamaged);
  EXPECT_THAT(groups(read_campaign_dir(dir_)), ElementsAre(1U, 2U, 3U));
  fs::remove(dir_ / "manifest.jsonl");
  EXPECT_EQ(verify_campaign_dir(dir_).status(), base::Exit::kDamaged);
  std::vector<std::string> notes;
  CampaignDir::resume(dir_, notes);
  EXPECT_EQ(verify_campaign_dir(dir_).status(), base::Exit::kDone);
}

TEST_F(Damage, OfBothCopiesOfAManifestLine_IsBeyondRepairAndGivesNoNumbers) {
  for (const char* name : {"manifest.jsonl", "manifest.copy.jsonl"}) flip(dir_ / name, 60);
  const Data data = read_campaign_dir(dir_);
  EXPECT_THAT(data.groups, IsEmpty());
  EXPECT_THAT(data.damage.back().what, HasSubstr("cannot be restored"));
  EXPECT_EQ(verify_campaign_dir(dir_).status(), base::Exit::kDamaged);
  std::vector<std::string> notes;
  try {
    CampaignDir::resume(dir_, notes);
    FAIL() << "resumed";
  } catch (const base::CommandError& error) {
    EXPECT_EQ(error.status(), base::Exit::kDamaged);
  }
}

TEST_F(Damage, OfTheWholeManifest_IsNotTakenForAnEditOfTheRest) {
  for (const char* name : {"manifest.jsonl", "manifest.copy.jsonl"}) put(dir_ / name, "\n?\n");
  const Verification found = verify_campaign_dir(dir_);
  EXPECT_THAT(found.edits, IsEmpty());
  EXPECT_THAT(places(found.damage), testing::SizeIs(2));
  EXPECT_THAT(read_campaign_dir(dir_).damage, testing::SizeIs(2));
}

TEST_F(Damage, AtRandom_CrashesNothingEntersNoNumberAndIsMended) {
  const std::map<std::uint32_t, std::string> truth = records(read_campaign_dir(dir_));
  const std::vector<std::string> files = files_of(dir_);
  base::Random random(4711);
  int edits = 0;
  for (int i = 0; i < 300; ++i) {
    const std::string& file = files[random.below(files.size())];
    std::string text = content(*pristine / "c" / file);
    if (text.empty()) continue;
    const std::size_t at = random.below(text.size());
    const bool cut = random.below(3) == 0;
    if (cut) {
      text.resize(at);
    } else {
      text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1U << random.below(8)));
    }
    SCOPED_TRACE(file + (cut ? " cut at " : " flipped at ") + std::to_string(at));
    fs::remove_all(dir_);
    copy_dir(*pristine / "c", dir_);
    put(dir_ / file, text);

    const Verification found = verify_campaign_dir(dir_);
    EXPECT_NE(found.status(), base::Exit::kDone);
    std::string named;
    for (const DataFault& fault : found.damage) named += fault.place + '\n';
    for (const base::Fault& fault : found.edits) named += fault.place + '\n';
    for (const std::string& line : found.unfinished) named += line + '\n';
    EXPECT_THAT(named, HasSubstr(file));
    for (const auto& [group, bytes] : records(read_campaign_dir(dir_))) {
      EXPECT_EQ(bytes, truth.at(group)) << "group " << group;
    }

    std::vector<std::string> notes;
    if (!found.edits.empty()) {
      ++edits;
      EXPECT_THROW(CampaignDir::resume(dir_, notes), base::UserError);
      fs::remove(dir_ / file);
    }
    resume_and_finish(dir_, notes);
    const Verification after = verify_campaign_dir(dir_);
    EXPECT_EQ(after.status(), base::Exit::kDone);
    // The synthetic engine measures the same again.
    EXPECT_EQ(records(read_campaign_dir(dir_)), truth);
  }
  EXPECT_LT(edits, 30);
}

}  // namespace
}  // namespace invar::store
