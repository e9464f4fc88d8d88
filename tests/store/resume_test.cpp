// Interrupted campaigns: what is finished is kept, what is not is measured again.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <thread>

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

const synthetic::Options kThreeGroups{.groups = 3, .rounds = 1, .repetitions = 4, .warm_up = 1};

class Resume : public testing::Test {
 protected:
  // Files of a launch of group 2 as the engine leaves them, without a seal.
  void write_launch(CampaignDir& campaign, std::size_t arm, bool finished = true) {
    synthetic::LaunchWriter writer(kThreeGroups, plan_, 2, arm);
    writer.write(campaign.make_launch_dir(writer.launch(), kThreeGroups.arms[arm]), finished);
  }

  TestDir scratch_ = {};
  fs::path dir_ = scratch_ / "c";
  record::Plan plan_ = synthetic::make_plan(kThreeGroups);
  std::vector<std::string> notes_ = {};
};

TEST_F(Resume, WithACompleteGroupThatOnlyLacksSeals_AdoptsIt) {
  {
    CampaignDir campaign = synthetic::create(dir_, kThreeGroups, plan_);
    synthetic::write_group(campaign, kThreeGroups, plan_, 1);
    write_launch(campaign, 0);
    write_launch(campaign, 1);
    campaign.seal_launch(3, 2, "alpha");
  }
  EXPECT_THAT(
      verify_campaign_dir(dir_).unfinished,
      ElementsAre("2 of 3 groups are not measured yet", "launches/0004-beta is not sealed"));
  CampaignDir campaign = CampaignDir::resume(dir_, notes_);
  EXPECT_THAT(notes_, ElementsAre("group 2 was complete and only lacked its seal; adopted"));
  EXPECT_THAT(campaign.state().adopted, ElementsAre(2U));
  EXPECT_EQ(campaign.state().groups.size(), 2U);
  EXPECT_EQ(read_campaign_dir(dir_).groups.size(), 2U);
}

TEST_F(Resume, WithAGroupThatWasCutShort_DiscardsAllOfIt) {
  {
    CampaignDir campaign = synthetic::create(dir_, kThreeGroups, plan_);
    synthetic::write_group(campaign, kThreeGroups, plan_, 1);
    write_launch(campaign, 0);
    write_launch(campaign, 1, false);
    campaign.seal_launch(3, 2, "alpha");
  }
  CampaignDir campaign = CampaignDir::resume(dir_, notes_);
  EXPECT_THAT(notes_, ElementsAre("group 2 was moved to discarded/ and is measured again"));
  EXPECT_EQ(campaign.state().groups.size(), 1U);
  EXPECT_TRUE(fs::exists(dir_ / "discarded/0003-alpha"));
  EXPECT_TRUE(fs::exists(dir_ / "discarded/0004-beta"));
  synthetic::write_group(campaign, kThreeGroups, plan_, 2);
  EXPECT_EQ(read_campaign_dir(dir_).groups.size(), 2U);
}

TEST_F(Resume, WithAFailedGroup_TriesItOnceMoreAndKeepsTheFirstTry) {
  {
    CampaignDir campaign = synthetic::create(dir_, kThreeGroups, plan_);
    synthetic::write_group(campaign, kThreeGroups, plan_, 1);
    write_launch(campaign, 0);
    campaign.discard_group(2, "beta crashed");
    campaign.finish_group({.group = 2, .reason = "beta crashed", .arm = "beta"});
    synthetic::write_group(campaign, kThreeGroups, plan_, 3);
    campaign.end();
  }
  EXPECT_EQ(verify_campaign_dir(dir_).status(), base::Exit::kDone);
  {
    CampaignDir campaign = CampaignDir::resume(dir_, notes_);
    EXPECT_THAT(notes_, ElementsAre("group 2 failed before (beta crashed); it is tried once more"));
    EXPECT_FALSE(campaign.state().ended);
    EXPECT_EQ(campaign.state().groups.size(), 2U);
    ASSERT_EQ(campaign.state().failed_before.size(), 1U);
    EXPECT_EQ(campaign.state().failed_before[0].arm, "beta");
    EXPECT_THAT(campaign.state().place.cpus, ElementsAre(0, 1));
    EXPECT_THAT(campaign.state().place.hosts, ElementsAre("node1"));
    synthetic::write_group(campaign, kThreeGroups, plan_, 2);
    campaign.end();
  }
  const Data data = read_campaign_dir(dir_);
  EXPECT_EQ(data.groups.size(), 3U);
  EXPECT_THAT(data.failed_groups, IsEmpty());
  EXPECT_TRUE(data.ended);
}

TEST_F(Resume, AfterAFailureWhoseLaunchesWereNotMovedYet_DoesNotAdoptThem) {
  {
    CampaignDir campaign = synthetic::create(dir_, kThreeGroups, plan_);
    write_launch(campaign, 0);
    write_launch(campaign, 1);
    campaign.finish_group({.group = 2, .reason = "the arms' ranks were on different cores"});
  }
  const CampaignDir campaign = CampaignDir::resume(dir_, notes_);
  EXPECT_THAT(campaign.state().groups, IsEmpty());
  EXPECT_THAT(campaign.state().adopted, IsEmpty());
  EXPECT_FALSE(fs::exists(dir_ / "launches/0003-alpha"));
}

TEST_F(Resume, WithATornLastLine_LosesNothingElse) {
  {
    CampaignDir campaign = synthetic::create(dir_, kThreeGroups, plan_);
    synthetic::write_group(campaign, kThreeGroups, plan_, 1);
  }
  const std::string whole = content(dir_ / "manifest.jsonl");
  put(dir_ / "manifest.jsonl", whole + whole.substr(whole.rfind("{\"type\""), 50));
  EXPECT_EQ(verify_campaign_dir(dir_).status(), base::Exit::kIncomplete);
  EXPECT_EQ(read_campaign_dir(dir_).groups.size(), 1U);
  {
    const CampaignDir campaign = CampaignDir::resume(dir_, notes_);
    EXPECT_EQ(content(dir_ / "manifest.jsonl"), whole);
  }
  // Ended between the two files.
  notes_.clear();
  put(dir_ / "manifest.copy.jsonl", whole.substr(0, whole.rfind("{\"type\"") + 20));
  EXPECT_EQ(verify_campaign_dir(dir_).status(), base::Exit::kIncomplete);
  EXPECT_THAT(verify_campaign_dir(dir_).damage, IsEmpty());
  CampaignDir::resume(dir_, notes_);
  EXPECT_EQ(content(dir_ / "manifest.copy.jsonl"), whole);
}

TEST_F(Resume, WhenAMoveWasNotFinished_FinishesIt) {
  {
    CampaignDir campaign = synthetic::create(dir_, kThreeGroups, plan_);
    write_launch(campaign, 0);
    write_launch(campaign, 1);
    campaign.discard_group(2, "beta crashed");
  }
  fs::rename(dir_ / "discarded/0004-beta", dir_ / "launches/0004-beta");
  fs::rename(dir_ / "discarded/0003-alpha", dir_ / "launches/0003-alpha");
  const CampaignDir campaign = CampaignDir::resume(dir_, notes_);
  EXPECT_THAT(campaign.state().adopted, IsEmpty());
  EXPECT_TRUE(fs::exists(dir_ / "discarded/0004-beta"));
  EXPECT_TRUE(fs::is_empty(dir_ / "launches"));
}

TEST_F(Resume, WithAPlanThatWasNotPutIntoForce_TakesItOut) {
  { CampaignDir campaign = synthetic::create(dir_, kThreeGroups, plan_); }
  put(dir_ / "plan-2.csv", record::plan_csv(plan_));
  put(dir_ / ".tmp-12-plan-3.csv", "group");
  const CampaignDir campaign = CampaignDir::resume(dir_, notes_);
  EXPECT_EQ(campaign.state().plans.size(), 1U);
  EXPECT_FALSE(fs::exists(dir_ / "plan-2.csv"));
  EXPECT_TRUE(fs::exists(dir_ / "discarded/plan-2.csv"));
  EXPECT_FALSE(fs::exists(dir_ / ".tmp-12-plan-3.csv"));
}

TEST_F(Resume, WithAFailureOnlyInAJournal_NotesTheCell) {
  {
    CampaignDir campaign = synthetic::create(dir_, kThreeGroups, plan_);
    write_launch(campaign, 0);
    write_launch(campaign, 1);
    const fs::path journal = dir_ / "launches/0004-beta/journal.jsonl";
    std::string text = content(journal);
    record::EndLine end = *read_journal(text, "journal").end;
    text.resize(end.journal_bytes);
    text += record::journal_line(record::FailureLine{
                .cell = 1, .kind = "wrong result", .reason = "3 instead of 2"}) +
            '\n';
    end.journal_bytes = text.size();
    end.journal_crc = base::crc32c(text);
    put(journal, text + record::journal_line(end) + '\n');
  }
  EXPECT_THAT(read_campaign_dir(dir_).failed_cells, IsEmpty());  // no complete group yet
  const CampaignDir campaign = CampaignDir::resume(dir_, notes_);
  EXPECT_THAT(campaign.state().failed_cells, ElementsAre(testing::Pair(1U, "beta")));
  EXPECT_EQ(read_campaign_dir(dir_).failed_cells.size(), 1U);
}

TEST_F(Resume, AfterSigkillAtAnyMoment_GoesOnUntilTheCampaignIsDone) {
  const synthetic::Options options{.groups = 12, .rounds = 2, .repetitions = 10};
  const record::Plan plan = synthetic::make_plan(options);
  { synthetic::create(dir_, options, plan); }
  base::Random random(20160412);
  int kills = 0;
  for (int tries = 0; tries < 200 && !read_campaign_dir(dir_).ended; ++tries) {
    const pid_t child = fork();
    if (child == 0) {
      std::vector<std::string> notes;
      CampaignDir campaign = CampaignDir::resume(dir_, notes);
      for (std::uint32_t group = 1; group <= options.groups; ++group) {
        // One kill there is, even where this process is slow to send it.
        if (tries == 0 && group == options.groups) pause();
        const auto& done = campaign.state().groups;
        if (std::none_of(done.begin(), done.end(),
                         [&](const GroupOutcome& outcome) { return outcome.group == group; })) {
          synthetic::write_group(campaign, options, plan, group);
        }
      }
      campaign.end();
      _exit(0);
    }
    // Later and later, so that slow machines come to the end too.
    const std::uint64_t longest_us = 2000 + 500 * static_cast<std::uint64_t>(tries);
    std::this_thread::sleep_for(std::chrono::microseconds(200 + random.below(longest_us)));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    kills += WIFSIGNALED(status) ? 1 : 0;
    ASSERT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    const Verification found = verify_campaign_dir(dir_);
    ASSERT_THAT(found.damage, IsEmpty());
    ASSERT_THAT(read_campaign_dir(dir_).damage, IsEmpty());
  }
  EXPECT_GT(kills, 0);
  {
    CampaignDir campaign = CampaignDir::resume(dir_, notes_);
    for (std::uint32_t group = 1; group <= options.groups; ++group) {
      const auto& done = campaign.state().groups;
      if (std::none_of(done.begin(), done.end(),
                       [&](const GroupOutcome& outcome) { return outcome.group == group; })) {
        synthetic::write_group(campaign, options, plan, group);
      }
    }
    campaign.end();
  }
  EXPECT_EQ(verify_campaign_dir(dir_).status(), base::Exit::kDone);
  EXPECT_EQ(read_campaign_dir(dir_).groups.size(), 12U);
}

TEST_F(Resume, OnAFullDisk_SaysSoAndLeavesNoHalfLine) {
  { synthetic::create(dir_, kThreeGroups, plan_); }
  const std::string whole = content(dir_ / "manifest.jsonl");
  const int status = in_child([&] {
    // A file-size limit acts as a full disk does: a part is written, then an error.
    std::vector<std::string> notes;
    CampaignDir campaign = CampaignDir::resume(dir_, notes);
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{whole.size() + 20, whole.size() + 20};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      campaign.warn("too much for this disk");
    } catch (const base::CommandError& error) {
      return error.status() == base::Exit::kIncomplete ? 0 : 1;
    }
    return 2;
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(content(dir_ / "manifest.jsonl"), whole);
  EXPECT_EQ(content(dir_ / "manifest.copy.jsonl"), whole);
}

TEST_F(Resume, OnALaunchThatIsNotWhole_RefusesTheSealWithTheReasons) {
  CampaignDir campaign = synthetic::create(dir_, kThreeGroups, plan_);
  const auto sealing = [&] {
    return error_of<base::CommandError>([&] { campaign.seal_launch(3, 2, "alpha"); });
  };
  EXPECT_THAT(sealing(), HasSubstr("journal.jsonl: is missing"));
  write_launch(campaign, 0, false);
  EXPECT_THAT(sealing(), HasSubstr("has no end line"));
  write_launch(campaign, 0);
  const fs::path launch = dir_ / "launches/0003-alpha";
  flip(launch / "env.json", 5);
  EXPECT_THAT(sealing(), HasSubstr("env.json: does not match the checksum in the end line"));
  flip(launch / "env.json", 5);
  // A journal that holds, but lacks a visit of the plan.
  const std::string text = content(launch / "journal.jsonl");
  record::EndLine end = *read_journal(text, "journal").end;
  std::string timings = content(launch / "timings.bin");
  std::string ranks = content(launch / "ranks.bin");
  const record::VisitLine last = read_journal(text, "journal").visits.back();
  timings.resize(last.first_record * 64);
  ranks.resize(last.first_rank_record * 32);
  put(launch / "timings.bin", timings);
  put(launch / "ranks.bin", ranks);
  std::string shorter = text.substr(0, text.rfind("{\"type\":\"visit\""));
  end.files["timings.bin"] = base::crc32c(timings);
  end.files["ranks.bin"] = base::crc32c(ranks);
  end.journal_bytes = shorter.size();
  end.journal_crc = base::crc32c(shorter);
  put(launch / "journal.jsonl", shorter + record::journal_line(end) + '\n');
  EXPECT_THAT(sealing(), HasSubstr("lacks visit " + std::to_string(last.visit) + " of the plan"));
  // Unless its cell had failed.
  campaign.fail_cell(last.cell, "alpha", "wrong result");
  EXPECT_EQ(campaign.seal_launch(3, 2, "alpha").visits.size(), 1U);
}

}  // namespace
}  // namespace invar::store
