// What is written is what is read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "store/reader.hpp"
#include "store/synthetic.hpp"
#include "store/test_dir.hpp"

namespace invar::store {
namespace {

TEST(Campaign, WrittenAndRead_GivesEveryGroupLaunchVisitAndRecord) {
  const TestDir dir;
  const synthetic::Options options{.groups = 3, .rounds = 2, .repetitions = 10};
  synthetic::write(dir / "c", options);

  const Data data = read_campaign_dir(dir / "c");
  EXPECT_THAT(data.damage, testing::IsEmpty());
  EXPECT_EQ(data.campaign_toml, synthetic::campaign_toml(options));
  EXPECT_EQ(data.scope, options.scope);
  EXPECT_EQ(data.arms, synthetic::arm_records(options));
  EXPECT_EQ(data.planned_groups, 3U);
  EXPECT_TRUE(data.ended);
  EXPECT_EQ(data.clock_step_ns, 1);
  EXPECT_EQ(data.session, session_name());
  ASSERT_EQ(data.cells.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(data.cells[i].id, i);
    EXPECT_TRUE(data.cells[i].same_levels(options.cells[i]));
  }
  ASSERT_EQ(data.groups.size(), 3U);
  std::uint32_t launch = 0;
  for (const Group& group : data.groups) {
    ASSERT_EQ(group.launches.size(), 2U);
    for (const Launch& one : group.launches) {
      EXPECT_EQ(one.launch, ++launch);
      EXPECT_EQ(one.group, group.group);
      EXPECT_EQ(options.arms[one.arm], launch % 2 == 1 ? "alpha" : "beta");
      ASSERT_EQ(one.visits.size(), 4U);
      for (const Visit& visit : one.visits) {
        ASSERT_EQ(visit.records.size(), 13U);
        EXPECT_EQ(visit.records.front().visit, visit.line.visit);
        EXPECT_EQ(visit.line.valid, 10U);
        EXPECT_EQ(visit.line.canary_ps.size(), 1U);
      }
    }
  }
}

TEST(Campaign, WrittenAndRead_HasThePlantedRatio) {
  const TestDir dir;
  synthetic::write(dir / "c", {.groups = 8, .noise_sd = 0.02});
  const Data data = read_campaign_dir(dir / "c");
  double log_ratio = 0;
  for (const Group& group : data.groups) {
    double sum[2] = {0, 0};
    for (const Launch& launch : group.launches) {
      for (const Visit& visit : launch.visits) {
        for (const record::Timing& record : visit.records) {
          if ((record.flags & record::kLeftOut) == 0) {
            sum[launch.arm] += std::log(static_cast<double>(record.local_max_ps)) / 120;
          }
        }
      }
    }
    log_ratio += (sum[1] - sum[0]) / 8;
  }
  EXPECT_NEAR(std::exp(log_ratio), 1.3, 0.03);
}

TEST(Campaign, VerifiedAfterItsEnd_IsClean) {
  const TestDir dir;
  synthetic::write(dir / "c");
  const Verification verification = verify_campaign_dir(dir / "c");
  EXPECT_THAT(verification.damage, testing::IsEmpty());
  EXPECT_THAT(verification.unfinished, testing::IsEmpty());
  EXPECT_THAT(verification.edits, testing::IsEmpty());
  EXPECT_EQ(verification.launches, 8U);
  EXPECT_GT(verification.bytes, 100'000U);
  EXPECT_EQ(verification.status(), base::Exit::kDone);
}

TEST(Campaign, VerifiedBeforeItsEnd_SaysWhatIsMissing) {
  const TestDir dir;
  const synthetic::Options options{.groups = 4};
  const record::Plan plan = synthetic::make_plan(options);
  CampaignDir campaign = synthetic::create(dir / "c", options, plan);
  synthetic::write_group(campaign, options, plan, 1);
  const Verification verification = verify_campaign_dir(dir / "c");
  EXPECT_THAT(verification.unfinished, testing::ElementsAre("3 of 4 groups are not measured yet"));
  EXPECT_EQ(verification.status(), base::Exit::kIncomplete);
}

TEST(Campaign, VerifiedBeforeItsEndWithAFailedGroup_NamesThatToo) {
  const TestDir dir;
  const synthetic::Options options{.groups = 3};
  const record::Plan plan = synthetic::make_plan(options);
  CampaignDir campaign = synthetic::create(dir / "c", options, plan);
  campaign.finish_group({.group = 1, .complete = false, .reason = "rank 1 died"});
  EXPECT_THAT(verify_campaign_dir(dir / "c").unfinished,
              testing::ElementsAre("1 of 3 groups failed, and a resume tries once more",
                                   "2 of 3 groups are not measured yet"));
}

TEST(Campaign, WithAFailedGroup_ListsItAndIsCleanAllTheSame) {
  const TestDir dir;
  synthetic::write(dir / "c", {.groups = 3, .failed_groups = {2}});
  const Data data = read_campaign_dir(dir / "c");
  ASSERT_EQ(data.groups.size(), 2U);
  EXPECT_EQ(data.groups[1].group, 3U);
  ASSERT_EQ(data.failed_groups.size(), 1U);
  EXPECT_EQ(data.failed_groups[0].reason, "rank 1 on node1 exited with status 3");
  EXPECT_EQ(verify_campaign_dir(dir / "c").status(), base::Exit::kDone);
}

TEST(Campaign, WithSeveralPlansCellsAndWarnings_KeepsThemAll) {
  const TestDir dir;
  const synthetic::Options options{.groups = 1};
  record::Plan plan = synthetic::make_plan(options);
  {
    CampaignDir campaign = synthetic::create(dir / "c", options, plan);
    campaign.warn("the clock \"steps\"\n");
    campaign.fail_cell(1, "beta", "wrong result");
    campaign.drop_arm("beta", "failed three groups");
    campaign.decide_groups(2, "budget of 20 s");
    for (record::PlanRow& row : plan.rows) {
      row.group += 1;
      row.launch += 2;
      row.visit += 1000;
    }
    campaign.add_plan(plan);
  }
  const Data data = read_campaign_dir(dir / "c");
  EXPECT_THAT(data.warnings, testing::ElementsAre("the clock \"steps\"\n"));
  EXPECT_THAT(data.failed_cells,
              testing::ElementsAre(FailedCell{.cell = 1, .arm = "beta", .reason = "wrong result"}));
  EXPECT_THAT(data.dropped_arms,
              testing::ElementsAre(DroppedArm{.arm = "beta", .reason = "failed three groups"}));
  std::vector<std::string> notes;
  const CampaignDir again = CampaignDir::resume(dir / "c", notes);
  ASSERT_EQ(again.state().plans.size(), 2U);
  EXPECT_EQ(again.state().plans[1].rows, plan.rows);
  EXPECT_EQ(again.state().planned_groups, 2U);
  EXPECT_THAT(again.state().dropped_arms, testing::ElementsAre("beta"));
  EXPECT_THAT(again.state().failed_cells, testing::ElementsAre(testing::Pair(1U, "beta")));
}

TEST(Journal, WithEveryKeySet_IsReadAsItWasWritten) {
  const record::VisitLine line{.visit = 7,
                               .cell = 1,
                               .turn = 2,
                               .round = 3,
                               .block = 4,
                               .calls = 5,
                               .first_record = 6,
                               .records = 8,
                               .records_crc = 0x0123abcd,
                               .first_rank_record = 9,
                               .rank_records = 10,
                               .rank_records_crc = 0xffffffff,
                               .warm_up = 11,
                               .valid = 12,
                               .late = 13,
                               .repeated = 14,
                               .interrupted = 15,
                               .retry_cap_reached = true,
                               .begin_ps = -16,
                               .end_ps = 17,
                               .canary_ps = {18, -19, 20},
                               .across_ps = {29, 30},
                               .chain_ps = {31},
                               .empty_ps = 21,
                               .slack_ps = 22,
                               .involuntary_switches = 23,
                               .run_delay_ns = 24,
                               .steal_ticks = 25,
                               .slept_cpu_ns = 26,
                               .lost = 29,
                               .apart = 30,
                               .skew_limit_ps = 31,
                               .late_ranks = {32, 33, 34},
                               .send_offset_bytes = 27,
                               .recv_offset_bytes = 28};
  const record::FailureLine failure{
      .cell = 3, .kind = "wrong result", .reason = "7 \"instead\" of 8", .rank = 1, .host = "node"};
  std::string text = record::journal_line(record::VisitLine{}) + '\n' + record::journal_line(line) +
                     '\n' + record::journal_line(failure) + '\n';
  const record::EndLine end{.files = {{"timings.bin", 0x0a}},
                            .journal_bytes = text.size(),
                            .journal_crc = base::crc32c(text),
                            .ticks_per_s = 2.6e9,
                            .rate_change_ppm = 0.125};
  text += record::journal_line(end) + '\n';
  const Journal journal = read_journal(text, "journal.jsonl");
  EXPECT_THAT(journal.faults, testing::IsEmpty());
  EXPECT_THAT(journal.visits, testing::ElementsAre(record::VisitLine{}, line));
  EXPECT_THAT(journal.failures, testing::ElementsAre(failure));
  EXPECT_EQ(journal.end, end);
}

TEST(Journal, WithDamage_NamesTheLineAndKeepsTheOthers) {
  std::string text;
  for (std::uint32_t visit = 1; visit <= 3; ++visit) {
    text += record::journal_line(record::VisitLine{.visit = visit}) + '\n';
  }
  const std::size_t second = text.find("\"visit\":2");
  text[second + 8] = '7';
  const Journal journal = read_journal(text + "{\"type\":\"vis", "j");
  EXPECT_THAT(journal.faults,
              testing::ElementsAre(DataFault{"j:2", "does not match its checksum"}));
  EXPECT_THAT(journal.visits,
              testing::ElementsAre(record::VisitLine{.visit = 1}, record::VisitLine{.visit = 3}));
  EXPECT_TRUE(journal.torn);
  EXPECT_FALSE(journal.end);
}

TEST(Journal, WithAnEndLineOfAnotherJournal_IsNotBelieved) {
  const std::string visit = record::journal_line(record::VisitLine{.visit = 1}) + '\n';
  const record::EndLine end{.journal_bytes = visit.size(), .journal_crc = base::crc32c(visit)};
  const std::string last = record::journal_line(end) + '\n';
  EXPECT_THAT(read_journal(visit + last, "j").faults, testing::IsEmpty());
  EXPECT_THAT(read_journal(visit + visit + last, "j").faults, testing::SizeIs(1));
  EXPECT_THAT(read_journal(visit + last + visit, "j").faults,
              testing::ElementsAre(DataFault{"j:3", "stands behind the end line"}));
}

// What ticks of single ranks are worth, where operations have times that are made of them.
synthetic::Options with_ticks(std::vector<record::TimeInfo> times, const std::string& environment) {
  synthetic::Options options{.groups = 1, .rounds = 1, .repetitions = 3};
  options.clock =
      "clock,ticks,raw_ns,bracket_ticks,ticks_per_s,half_width_per_s\n"
      "tsc,0,0,1,,\nmonotonic-raw,0,0,1,,\n"
      "tsc,9,9,1,3000000000,1\nmonotonic-raw,9,9,1,1000000000,1\n"
      "tsc,99,99,1,2000000000,1\nmonotonic-raw,99,99,1,1000000000,1\n";
  options.environment = environment;
  options.operations = {{.name = "allreduce", .times = std::move(times)}};
  options.cells[1].clock = "monotonic-raw";
  return options;
}

const record::TimeInfo kWholeTime{.name = "whole"};
const record::TimeInfo kOwnTime{.name = "own", .kind = record::TimeKind::kOwn};
constexpr const char* kBothAgree =
    R"(,"clocks":[{"source":"tsc","ranks_agree":true,"agree_within_ns":92.5},{"source":"monotonic-raw","ranks_agree":false,"agree_within_ns":7}])";

const Visit& visit_of_cell(const Data& data, std::uint32_t cell) {
  const std::vector<Visit>& visits = data.groups.at(0).launches.at(0).visits;
  return *std::ranges::find_if(visits, [&](const Visit& visit) { return visit.line.cell == cell; });
}

TEST(TicksOfACampaign, HaveTheLastRateOfTheirCellsClockAndItsAgreement) {
  const TestDir dir;
  synthetic::write(dir / "c", with_ticks({kWholeTime, kOwnTime}, kBothAgree));
  const Data data = read_campaign_dir(dir / "c");
  EXPECT_THAT(data.damage, testing::IsEmpty());
  EXPECT_DOUBLE_EQ(visit_of_cell(data, 0).tick_ps, 500) << "auto is the processor's counter";
  EXPECT_TRUE(visit_of_cell(data, 0).one_clock);
  EXPECT_DOUBLE_EQ(visit_of_cell(data, 1).tick_ps, 1000);
  EXPECT_FALSE(visit_of_cell(data, 1).one_clock);
  EXPECT_EQ(visit_of_cell(data, 0).agree_within_ns, 92.5);
  EXPECT_FALSE(visit_of_cell(data, 1).agree_within_ns) << "several clocks";
}

TEST(TicksOfACampaign, ClocksThatAreWrongOnPurposeAndOtherHostsAreNotOneClock) {
  const TestDir dir;
  synthetic::Options options =
      with_ticks({kOwnTime}, std::string(kBothAgree) + R"(,"virtual_clocks":{})");
  synthetic::write(dir / "virtual", options);
  EXPECT_FALSE(visit_of_cell(read_campaign_dir(dir / "virtual"), 0).one_clock);
  options.environment = kBothAgree;
  options.cells[0].nodes = 2;
  synthetic::write(dir / "hosts", options);
  EXPECT_FALSE(visit_of_cell(read_campaign_dir(dir / "hosts"), 0).one_clock);
}

TEST(TicksOfACampaign, SimulatedHostsReadOneClock) {
  const TestDir dir;
  synthetic::Options options = with_ticks(
      {kOwnTime},
      R"(,"clocks":[{"source":"tsc","ranks_agree":true,"hosts_agree":true,"agree_within_ns":0}])");
  options.cells[0].nodes = 2;
  synthetic::write(dir / "c", options);
  const Data data = read_campaign_dir(dir / "c");
  EXPECT_TRUE(visit_of_cell(data, 0).one_clock);
  EXPECT_EQ(visit_of_cell(data, 0).agree_within_ns, 0);
}

// clock_sync.csv of two hosts' leaders.
std::string looks_with_ticks_of(const std::string& first_ps, const std::string& second_ps) {
  const std::string between = ",0,0,0,0,0,0,,,,,,100,";
  return "clock,rank,epoch,at_ps,offset_ps,skew,offset_sd_ps,skew_sd,measured_ps,measured_sd_ps,"
         "innovation_ps,innovation_sd_ps,accepted,origin_ticks,ps_per_tick,wander,noise,restarted\n"
         "tsc,0" +
         between + first_ps + ",0,1,\ntsc,1" + between + second_ps + ",0,1,\n";
}

TEST(TicksOfACampaign, CountersOfTwoFrequenciesHaveNoCommonRate) {
  const TestDir dir;
  synthetic::Options options = with_ticks({kOwnTime}, kBothAgree);
  options.per_rank = true;
  for (record::Cell& cell : options.cells) cell.nodes = 2;
  options.clock_sync = looks_with_ticks_of("500", "500");
  synthetic::write(dir / "alike", options);
  EXPECT_TRUE(visit_of_cell(read_campaign_dir(dir / "alike"), 0).one_rate);
  options.clock_sync = looks_with_ticks_of("500", "461.5");
  synthetic::write(dir / "two", options);
  const Data two = read_campaign_dir(dir / "two");
  EXPECT_THAT(two.damage, testing::IsEmpty());
  EXPECT_FALSE(visit_of_cell(two, 0).one_rate);
  EXPECT_TRUE(visit_of_cell(two, 1).one_rate) << "nanoseconds are nanoseconds";
  options.clock_sync = {};
  synthetic::write(dir / "unknown", options);
  EXPECT_FALSE(visit_of_cell(read_campaign_dir(dir / "unknown"), 0).one_rate);
  for (record::Cell& cell : options.cells) cell.nodes = 1;
  synthetic::write(dir / "one-host", options);
  EXPECT_TRUE(visit_of_cell(read_campaign_dir(dir / "one-host"), 0).one_rate);
}

TEST(TicksOfACampaign, NobodyAsksWhereThereAreWholeCallsAlone) {
  const TestDir dir;
  synthetic::write(dir / "c", with_ticks({kWholeTime}, kBothAgree));
  EXPECT_EQ(visit_of_cell(read_campaign_dir(dir / "c"), 0).tick_ps, 0);
}

}  // namespace
}  // namespace invar::store
