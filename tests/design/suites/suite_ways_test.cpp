// What suites have benchmarks of beside collectives, and what a campaign plans for them.
#include "design/suites/suite_ways.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>

#include "design/helpers.hpp"
#include "design/recipes/suite_campaign.hpp"

namespace invar::design {
namespace {

using namespace test;  // NOLINT
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

record::OperationInfo message_info(const std::string& name, record::Messages messages) {
  constexpr record::Blocks kSlot{.per_message = 1};
  return {.name = name,
          .datatypes = {{.name = "byte"}},
          .chain = record::Chain::kOne,
          .buffers = everywhere(kSlot, kSlot),
          .messages = messages};
}

// As the engine describes ours.
std::vector<record::OperationInfo> messages() {
  std::vector<record::OperationInfo> all{message_info("pingpong", record::Messages::kMatched),
                                         message_info("exchange", record::Messages::kMatched),
                                         message_info("oneway", record::Messages::kDirected),
                                         message_info("stream", record::Messages::kDirected),
                                         message_info("halo", record::Messages::kPartners)};
  all[0].both_ways = all[0].overlaps = all[1].both_ways = true;
  all[2].batches = false;
  all[3].windowed = true;
  return all;
}

const record::OperationInfo& info_of(const std::string& name) {
  static const std::vector<record::OperationInfo> all = messages();
  return *std::ranges::find(all, name, &record::OperationInfo::name);
}

Surroundings with_these_messages() {
  Surroundings around = surroundings(1, 8);
  for (const record::OperationInfo& info : messages()) around.operations[0].push_back(info);
  return around;
}

// `more`: lines of the block.
Campaign campaign_with(const std::string& presets, const std::string& operations,
                       const std::string& more = "ranks = 2") {
  return read_campaign(
      with_head("[[cells]]\noperation = [" + operations + "]\nsize = 8\n" + more +
                "\n[analysis]\npresets = [" + presets + "]\n[[arm]]\nlibrary = \"a\"\n"),
      "c.toml");
}

ResolvedCells cells_with(const Campaign& campaign) {
  return resolve_cells(campaign, with_these_messages(), "c.toml");
}

std::vector<std::string> scheme_cells(const ResolvedCells& cells) {
  std::vector<std::string> all;
  for (const record::Cell& cell : cells.cells) {
    if (cell.scheme != record::kOwnScheme) all.push_back(cell.operation + " " + cell.scheme);
  }
  return all;
}

TEST(SuiteWays, OfEachRowExist) {
  std::set<std::pair<std::string_view, std::string_view>> places;
  for (const MessagePreset& row : message_presets()) {
    EXPECT_NE(find_preset(row.preset), nullptr) << row.benchmark;
    ASSERT_NE(record::find_scheme(row.scheme), nullptr) << row.benchmark;
    EXPECT_TRUE(places.emplace(row.preset, row.operation).second) << row.benchmark;
    EXPECT_EQ(record::find_scheme(row.scheme)->batch, row.preset != std::string_view("osu"))
        << "OSU alone times single calls";
    EXPECT_EQ(row.window > 0, row.printed == Printed::kMegabytesPerS) << row.benchmark;
  }
}

TEST(SuiteWays, OfMessagesAreOtherThanOfCollectives) {
  const Preset& osu = *find_preset("osu");
  EXPECT_EQ(way_of(osu, in_catalogue("bcast"))->scheme->name, "barrier");
  EXPECT_EQ(way_of(osu, in_catalogue("bcast"))->messages, nullptr);
  const SuiteWay latency = *way_of(osu, info_of("pingpong"));
  EXPECT_EQ(latency.scheme->name, "series");
  EXPECT_EQ(latency.messages->benchmark, "osu_latency");
  EXPECT_EQ(latency.messages->printed, Printed::kHalfTime);
  EXPECT_EQ(way_of(*find_preset("imb-papers"), info_of("pingpong"))->messages->benchmark,
            "PingPong")
      << "whatever is done with the roots of collectives";
  EXPECT_FALSE(way_of(osu, info_of("halo")));
  EXPECT_FALSE(way_of(osu, info_of("oneway")));
  EXPECT_FALSE(way_of(*find_preset("skampi"), info_of("pingpong")));
}

TEST(SuiteWays, ThatLookAtOurOwnVisitsDoSoOfMessagesToo) {
  const SuiteWay way = *way_of(*find_preset("reprompi"), info_of("pingpong"));
  EXPECT_EQ(way.scheme, nullptr);
  EXPECT_EQ(way.processing, Processing::kFilteredMedian);
}

TEST(SuiteWays, OfAnOperationThatOnlyHasTheNameAreThoseOfCollectives) {
  const record::OperationInfo own{.name = "exchange"};
  EXPECT_FALSE(is_of_messages(own));
  EXPECT_EQ(way_of(*find_preset("imb"), own)->scheme->name, "barrier");
}

TEST(SuiteWays, AreNotThoseOfMorePairsThanTheBenchmarkHas) {
  const auto lack = [](const char* preset, const char* operation, const char* pattern,
                       std::uint32_t ranks = 4) {
    const record::OperationInfo& info = info_of(operation);
    return lack_in_suite(*way_of(*find_preset(preset), info), info,
                         {.ranks = ranks, .pattern = pattern});
  };
  EXPECT_EQ(lack("osu", "pingpong", "distance:3"), "");
  EXPECT_EQ(lack("osu", "pingpong", "bisection"), "osu_latency has one pair of ranks");
  EXPECT_EQ(lack("osu", "pingpong", "bisection", 2), "");
  EXPECT_EQ(lack("imb", "pingpong", "bisection"), "PingPong has one pair of ranks");
  EXPECT_EQ(lack("imb", "stream", "bisection"), "");
  EXPECT_EQ(lack("imb", "stream", "fan-out:3"), "Uniband has no rank in two pairs");
  EXPECT_EQ(lack("mpptest", "pingpong", "bisection"), "");
  EXPECT_EQ(lack("mpptest", "halo", "grid:1"), "");
}

TEST(SuiteWays, AreNotThoseOfCellsWithQueues) {
  const record::OperationInfo& info = info_of("pingpong");
  const SuiteWay way = *way_of(*find_preset("osu"), info);
  EXPECT_EQ(lack_in_suite(way, info, {.ranks = 2, .pending = "none", .unexpected = "none"}), "");
  EXPECT_EQ(lack_in_suite(way, info, {.ranks = 2, .pending = "same:16"}),
            "osu_latency has no messages that wait in queues");
  EXPECT_EQ(lack_in_suite(way, info, {.ranks = 2, .unexpected = "other:1"}),
            "osu_latency has no messages that wait in queues");
}

TEST(SuiteWays, MakeAsManyCallsAsARunOfTheirBenchmark) {
  const Preset& osu = *find_preset("osu");
  EXPECT_EQ(calls_of(osu, {.size_bytes = 8192}, info_of("pingpong")), 10'000U);
  EXPECT_EQ(calls_of(osu, {.size_bytes = 8193}, info_of("pingpong")), 1000U);
  EXPECT_EQ(calls_of(osu, {.size_bytes = 8192}, info_of("stream")), 100U);
  EXPECT_EQ(calls_of(osu, {.size_bytes = 8193}, info_of("stream")), 20U);
  EXPECT_EQ(calls_of(osu, {.size_bytes = 8192}, in_catalogue("bcast")), 1000U);
  EXPECT_EQ(calls_of(*find_preset("imb"), {.size_bytes = 1U << 20U}, info_of("pingpong")), 40U);
  const std::vector<std::string> both{"pingpong", "stream"};
  EXPECT_EQ(run_habit(osu, both).calls, 10'000U);
  EXPECT_EQ(run_habit(*find_preset("mpptest"), both).passes, kMpptestPasses);
}

TEST(SuiteWays, AreTheSchemesOfEachOperation) {
  EXPECT_THAT(scheme_cells(cells_with(
                  campaign_with("\"osu\", \"imb\", \"mpptest\"", "\"bcast\", \"pingpong\""))),
              UnorderedElementsAre("bcast barrier", "bcast batch", "pingpong batch",
                                   "pingpong series", "pingpong batch-initiator"));
}

TEST(SuiteWays, OfMessagesThatMustNotFollowOneAnotherAreNone) {
  Surroundings around = with_these_messages();
  std::ranges::find(around.operations[0], "pingpong", &record::OperationInfo::name)->batches =
      false;
  EXPECT_THAT(scheme_cells(resolve_cells(
                  campaign_with("\"osu\", \"imb\", \"mpptest\"", "\"pingpong\""), around, "c")),
              ElementsAre("pingpong series"));
}

TEST(SuiteWays, WithPatternsOfMorePairsAreOfThoseThatHaveThem) {
  EXPECT_THAT(scheme_cells(cells_with(
                  campaign_with("\"osu\", \"imb\", \"mpptest\"", "\"pingpong\"",
                                "ranks = 4\npattern = [\"distance:1\", \"bisection\"]"))),
              ElementsAre("pingpong batch", "pingpong series", "pingpong batch-initiator",
                          "pingpong batch-initiator"));
}

// mpptest moves its buffers on by itself; a flush before every call is what no suite does.
TEST(SuiteWays, WithAColdCacheAreThoseOfASuiteThatCycles) {
  const auto of_cache = [](const std::string& cache) {
    return scheme_cells(cells_with(campaign_with("\"osu\", \"imb\", \"mpptest\"", "\"pingpong\"",
                                                 "ranks = 2\ncache = \"" + cache + "\"")));
  };
  EXPECT_THAT(of_cache("cold-cycle"), ElementsAre("pingpong batch-initiator"));
  EXPECT_THAT(of_cache("cold-flush"), IsEmpty());
}

TEST(SuiteWays, OfMpptestHaveFurtherRoundsBehindTheCampaigns) {
  Campaign campaign = campaign_with("\"osu\", \"mpptest\"", "\"pingpong\"");
  campaign.rounds = 3;
  const ResolvedCells cells = cells_with(campaign);
  Counters counters;
  const record::Plan plan = plan_groups(campaign, cells, 1, counters);
  std::map<std::string, std::uint32_t> visits;
  std::map<std::string, std::uint32_t> last_round;
  for (const record::PlanRow& row : plan.rows) {
    const std::string& scheme = plan.cells[row.cell].scheme;
    ++visits[scheme];
    last_round[scheme] = std::max(last_round[scheme], row.round);
  }
  EXPECT_EQ(visits["invar"], 3U);
  EXPECT_EQ(visits["series"], 3U);
  EXPECT_EQ(visits["batch-initiator"], 3U + 4U) << "points may be measured four times more";
  EXPECT_EQ(last_round["invar"], 2U);
  EXPECT_EQ(last_round["batch-initiator"], 6U);
  EXPECT_NO_THROW(
      check_plan(record::read_plan(record::plan_csv(plan), "plan.csv"), campaign, cells, "p"));
}

TEST(SuiteWays, OfASuiteWithoutABenchmarkAreRefused) {
  const auto faults = [](const std::string& presets, const std::string& operations,
                         const std::string& more = "ranks = 4") {
    return faults_of([&] { (void)cells_with(campaign_with(presets, operations, more)); });
  };
  EXPECT_THAT(faults("\"imb\"", "\"halo\""),
              ElementsAre(HasSubstr("imb has no benchmark of halo; leave it out, or measure "
                                    "pingpong, stream, bistream, exchange beside them")));
  EXPECT_THAT(faults("\"skampi\"", "\"pingpong\", \"stream\""),
              ElementsAre(HasSubstr("skampi has no benchmark of pingpong, stream; leave it out, or "
                                    "measure a collective beside them")));
  EXPECT_THAT(faults("\"osu\"", "\"pingpong\"", "ranks = 4\npattern = \"bisection\""),
              ElementsAre(HasSubstr("osu can measure none of these cells its way: osu_latency has "
                                    "one pair of ranks, and pattern \"bisection\" more; write "
                                    "pattern = \"distance:1\"")));
  EXPECT_NO_THROW((void)cells_with(campaign_with("\"imb\"", "\"halo\", \"pingpong\"", "ranks = 4")))
      << "one is enough";
}

TEST(SuiteWays, AreWhatACampaignOfTheSuiteAloneHas) {
  const Campaign own = campaign_with("\"osu\"", "\"pingpong\", \"stream\"");
  const Campaign campaign = suite_campaign(own, *find_preset("osu"));
  std::map<std::string, std::uint32_t> repetitions;
  Counters counters;
  const record::Plan plan = plan_groups(campaign, cells_with(campaign), 1, counters);
  for (const record::PlanRow& row : plan.rows) {
    EXPECT_EQ(plan.cells[row.cell].scheme, "series");
    repetitions[plan.cells[row.cell].operation] = row.repetitions;
  }
  EXPECT_THAT(repetitions,
              ElementsAre(testing::Pair("pingpong", 10'000U), testing::Pair("stream", 100U)));
}

TEST(SuiteWays, InWordsNameTheBenchmark) {
  const std::vector<record::OperationInfo> both{in_catalogue("bcast"), info_of("pingpong")};
  EXPECT_EQ(reports_words(*find_preset("osu"), both),
            "mean over ranks of each rank's mean; of pingpong, osu_latency: half of the "
            "initiator's mean round trip");
  const std::vector<record::OperationInfo> collective{in_catalogue("bcast")};
  EXPECT_EQ(reports_words(*find_preset("osu"), collective), find_preset("osu")->reports);
}

}  // namespace
}  // namespace invar::design
