// The campaign of `invar network`: which cells it has, in how many launch groups, and what it
// refuses.
#include "design/messages/network_campaign.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "design/campaign/campaign.hpp"
#include "design/factors/adaptive_sizes.hpp"
#include "design/factors/size_samples.hpp"
#include "design/helpers.hpp"
#include "design/plan/adaptive_places.hpp"

namespace invar::design {
namespace {

using test::faults_of;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

NetworkOrder usual_network() {
  NetworkOrder order;
  order.quick = {.arms = {parse_arm("openmpi", "network")},
                 .operations = {"pingpong"},
                 .sizes_bytes = {1},
                 .engine_levels = {{"sync", {"round-time"}}},
                 .budget_s = 180,
                 .seed = 5};
  return order;
}

// As engines describe them.
Surroundings with_network_operations(std::uint32_t hosts = 1) {
  Surroundings around = test::surroundings(1, 8);
  around.hosts = hosts;
  record::OperationInfo message{.datatypes = {{.name = "byte"}},
                                .messages = record::Messages::kPairs};
  message.buffers = test::everywhere({.per_message = 1}, {.per_message = 1});
  message.times = {{.name = "sending"}};
  message.batches = false;
  for (const char* name : {"send", "isend", "ssend"}) {
    message.name = name;
    around.operations.front().push_back(message);
  }
  message.name = "recv";
  message.chooses = record::CallChoice::kReceives;
  around.operations.front().push_back(message);
  message.name = "train";
  message.chooses = record::CallChoice::kNothing;
  message.windowed = true;
  message.delays = true;
  around.operations.front().push_back(message);
  record::OperationInfo pingpong{
      .name = "pingpong", .datatypes = {{.name = "byte"}}, .messages = record::Messages::kMatched};
  pingpong.both_ways = true;
  pingpong.buffers = message.buffers;
  pingpong.times = {{.name = "round trip"}};
  around.operations.front().push_back(pingpong);
  record::OperationInfo exchange = pingpong;
  exchange.name = "exchange";
  exchange.times = {{.name = "whole"}};
  around.operations.front().push_back(exchange);
  for (const char* name : {"wtime", "test", "iprobe"}) {
    around.operations.front().push_back(
        {.name = name, .sized = false, .chain = record::Chain::kNone});
  }
  return around;
}

ResolvedCells resolved_network(const Campaign& campaign, std::uint32_t hosts = 1) {
  return resolve_cells(campaign, with_network_operations(hosts), "network");
}

// "recv last-late:3x before", how many sizes it has.
std::map<std::string, std::size_t> sizes_by_kind(const ResolvedCells& resolved) {
  std::map<std::string, std::set<std::uint64_t>> sizes;
  for (const record::Cell& cell : resolved.cells) {
    std::string kind = cell.operation;
    if (cell.arrival != "none") kind += " " + cell.arrival;
    if (cell.receives != "in-call") kind += " " + cell.receives;
    if (cell.operation == "train") kind += " " + std::to_string(cell.window);
    if (cell.train_delay != "off") kind += " delayed";
    sizes[kind].insert(cell.size_bytes.value_or(0));
  }
  std::map<std::string, std::size_t> counts;
  for (const auto& [kind, of_kind] : sizes) counts[kind] = of_kind.size();
  return counts;
}

TEST(NetworkCampaign, HasACellForEveryPartOfTheModelAtTheSizesOfOneDraw) {
  const Campaign campaign = network_campaign(usual_network());
  EXPECT_EQ(campaign.analysis.question, Question::kNetwork);
  const ResolvedCells resolved = resolved_network(campaign);
  ASSERT_THAT(resolved.samples, SizeIs(1));
  const std::size_t all = resolved.samples.front().sizes_bytes.size();
  EXPECT_GT(all, 150U);
  EXPECT_THAT(sizes_by_kind(resolved),
              UnorderedElementsAre(
                  std::pair("pingpong", all), std::pair("send", all), std::pair("isend", all),
                  std::pair("ssend", all), std::pair("send last-late:3x", all),
                  std::pair("recv last-late:3x", all), std::pair("recv last-late:3x before", all),
                  std::pair("recv last-late:6x", all / 20), std::pair("train 1", all / 2),
                  std::pair("train 10", all / 2), std::pair("train 10 delayed", all / 8),
                  std::pair("exchange", 3U), std::pair("wtime", 1U), std::pair("test", 1U),
                  std::pair("iprobe", 1U)));
  for (const record::Cell& cell : resolved.cells) {
    EXPECT_EQ(cell.ranks, 2U);
    if (cell.operation == "pingpong") {
      EXPECT_EQ(cell.batches, "never");
    }
  }
}

TEST(NetworkCampaign, EverySizeIsInFiveOfItsLeastLaunchGroups) {
  const Campaign campaign = network_campaign(usual_network());
  const ResolvedCells resolved = resolved_network(campaign);
  Counters counters;
  const record::Plan plan = plan_groups(campaign, resolved, campaign.launches.min, counters);
  std::map<std::uint32_t, std::set<std::uint32_t>> groups;
  std::map<std::uint32_t, std::set<std::uint64_t>> sizes;
  for (const record::PlanRow& row : plan.rows) {
    groups[row.cell].insert(row.group);
    sizes[row.group].insert(plan.cells.at(row.cell).size_bytes.value_or(1));
  }
  EXPECT_EQ(groups.size(), resolved.cells.size());
  for (const auto& [cell, of_cell] : groups) EXPECT_GE(of_cell.size(), kLeastGroupsOfSize);
  // Besides its part the three of exchanges.
  for (const auto& [group, of_group] : sizes) EXPECT_LE(of_group.size(), 44U);
}

// A launch group of the usual budget is a small part of it, whatever its sizes.
TEST(NetworkCampaign, ItsLeastGroupsFitIntoTheUsualBudgetByTheEstimate) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    NetworkOrder order = usual_network();
    order.quick.seed = seed;
    const Campaign campaign = network_campaign(order);
    const ResolvedCells resolved = resolved_network(campaign);
    Counters counters;
    const record::Plan plan = plan_groups(campaign, resolved, campaign.launches.min, counters);
    const std::vector<double> startup_s{0.5};
    const double seconds = estimate(campaign, resolved, plan, startup_s).seconds;
    EXPECT_LT(seconds, 0.8 * order.quick.budget_s);
    EXPECT_GT(seconds, 0.2 * order.quick.budget_s) << "there is room for more sizes";
  }
}

TEST(NetworkCampaign, MoreTimeIsMoreSizes) {
  NetworkOrder order = usual_network();
  std::vector<std::uint32_t> counts;
  for (const double budget_s : {10.0, 60.0, 180.0, 360.0, 3600.0}) {
    order.quick.budget_s = budget_s;
    counts.push_back(network_campaign(order).cells.front().random_sizes.front().count);
  }
  EXPECT_THAT(counts, ElementsAre(50, 67, 200, 400, 400));
}

TEST(NetworkCampaign, SizesAreAddedWhereFitsOfSingleCallsBreak) {
  const Campaign campaign = network_campaign(usual_network());
  EXPECT_TRUE(adds_at_breaks(campaign));
  const ResolvedCells resolved = resolved_network(campaign);
  std::set<std::string> operations;
  for (const AdaptivePlace& place : adaptive_places(campaign, resolved)) {
    operations.insert(resolved.cells[place.cells.front()].operation);
    EXPECT_LT(place.cells.size(), place.asked.most);
  }
  EXPECT_THAT(operations, ElementsAre("isend", "pingpong", "recv", "send"))
      << "trains are compared size by size";
}

TEST(NetworkCampaign, IsWhatItsFileSays) {
  const Campaign campaign = network_campaign(usual_network());
  EXPECT_THAT(conflicts(campaign), IsEmpty());
  EXPECT_EQ(read_campaign(campaign_toml(campaign), "c.toml"), campaign);
}

TEST(NetworkCampaign, TheLastRankIsTheOneThatReceives) {
  NetworkOrder order = usual_network();
  order.quick.cell_levels["ranks"] = {"8"};
  Campaign campaign = network_campaign(order);
  for (const record::Cell& cell : resolved_network(campaign).cells) {
    EXPECT_EQ(cell.ranks, 8U);
    if (cell.size_bytes) {
      EXPECT_EQ(cell.pattern, cell.operation == "exchange" ? "bisection" : "distance:7")
          << cell.operation;
    }
  }
  order.quick.cell_levels = {{"nodes", {"2"}}, {"ppn", {"2"}}};
  campaign = network_campaign(order);
  EXPECT_THAT(campaign.cells.front().levels.at("pattern"), ElementsAre("distance:3"));
  order.quick.cell_levels.clear();
  order.hosts = {{.name = "a"}, {.name = "b"}};
  campaign = network_campaign(order);
  for (const CellsBlock& block : campaign.cells) {
    EXPECT_THAT(block.levels.at("nodes"), ElementsAre("2"));
    EXPECT_THAT(block.levels.at("ppn"), ElementsAre("1"));
    EXPECT_FALSE(block.levels.contains("pattern"));
  }
}

const CellsBlock& exchanges_of(const Campaign& campaign) {
  for (const CellsBlock& block : campaign.cells) {
    if (block.operations == std::vector<std::string>{"exchange"}) return block;
  }
  throw std::out_of_range("exchange");
}

TEST(NetworkCampaign, ExchangesAreOfFewLargeSizesAndOfAllPairsAtOnce) {
  NetworkOrder order = usual_network();
  Campaign campaign = network_campaign(order);
  EXPECT_THAT(
      exchanges_of(campaign).sizes_bytes,
      ElementsAre(std::uint64_t{1} << 18U, std::uint64_t{1} << 20U, std::uint64_t{1} << 22U));
  EXPECT_FALSE(exchanges_of(campaign).levels.contains("pattern")) << "two ranks are one pair";
  EXPECT_THAT(exchanges_of(campaign).levels.at("batches"), ElementsAre("never"));

  // The largest powers of two that the range has.
  order.sizes = {.low_bytes = 100, .high_bytes = 5000};
  campaign = network_campaign(order);
  EXPECT_THAT(exchanges_of(campaign).sizes_bytes, ElementsAre(256, 1024, 4096));
  order.sizes = {.low_bytes = 1, .high_bytes = 60};
  campaign = network_campaign(order);
  EXPECT_THROW(exchanges_of(campaign), std::out_of_range) << "none is large";

  order = usual_network();
  order.quick.cell_levels = {{"ranks", {"5"}}};
  campaign = network_campaign(order);
  EXPECT_THAT(exchanges_of(campaign).levels.at("pattern"), ElementsAre("distance:4"))
      << "one rank would be alone";
  order.quick.cell_levels = {{"nodes", {"2"}}, {"ppn", {"4"}}};
  campaign = network_campaign(order);
  EXPECT_THAT(exchanges_of(campaign).levels.at("pattern"), ElementsAre("bisection"));
  order.quick.cell_levels["mapping"] = {"round-robin"};
  campaign = network_campaign(order);
  EXPECT_THAT(exchanges_of(campaign).levels.at("pattern"), ElementsAre("distance:7"))
      << "halves of these would meet inside a host";
}

TEST(NetworkCampaign, LevelsOfMessagesAreNoneOfCallsWithoutAny) {
  NetworkOrder order = usual_network();
  order.quick.cell_levels = {{"source", {"any"}}, {"cache", {"warm"}}};
  const Campaign campaign = network_campaign(order);
  const CellsBlock& calls = campaign.cells.back();
  EXPECT_THAT(calls.operations, ElementsAre("wtime", "test", "iprobe"));
  EXPECT_FALSE(calls.levels.contains("source"));
  EXPECT_TRUE(calls.levels.contains("cache"));
  EXPECT_NO_THROW((void)resolved_network(campaign));
}

TEST(NetworkCampaign, EveryFaultIsSaidAtOnceWithItsOption) {
  NetworkOrder order = usual_network();
  order.quick.cell_levels = {{"arrival", {"none"}}, {"batches", {"short"}}, {"ranks", {"2", "4"}}};
  order.sizes = {.low_bytes = 8, .high_bytes = 12};
  EXPECT_THAT(faults_of([&] { (void)network_campaign(order); }),
              ElementsAre(HasSubstr("--with: 'arrival' is what tells the parts of the model"),
                          HasSubstr("--with: 'batches' is what tells the parts of the model"),
                          HasSubstr("--ranks: 2, 4 are several numbers, and a network is measured "
                                    "between two ranks"),
                          HasSubstr("--sizes: from 8 B to 12 B there are 5 sizes, and lines in "
                                    "pieces need 10")));
  order = usual_network();
  order.quick.cell_levels = {{"nodes", {"2"}}};
  EXPECT_THAT(faults_of([&] { (void)network_campaign(order); }),
              ElementsAre(HasSubstr("--with: of nodes and ppn one alone does not say")));
  order.quick.cell_levels = {{"ranks", {"1"}}};
  EXPECT_THAT(faults_of([&] { (void)network_campaign(order); }),
              ElementsAre(HasSubstr("--ranks: one rank sends to nobody")));
}

TEST(SizeRange, IsTwoSizesThatSimulatorsRead) {
  EXPECT_EQ(parse_size_range("1:4MiB", "--sizes").high_bytes, std::uint64_t{4} << 20U);
  EXPECT_THAT(
      faults_of([] { (void)parse_size_range("4MiB", "--sizes"); }),
      ElementsAre(HasSubstr("--sizes: '4MiB' is not a range of sizes; write the smallest")));
  EXPECT_THAT(faults_of([] { (void)parse_size_range("0:2GiB", "--sizes"); }),
              ElementsAre(HasSubstr("'2GiB' is 2 GiB or more, and MPI counts in int"),
                          HasSubstr("begins at 0, which has no logarithm")));
  EXPECT_THAT(faults_of([] { (void)parse_size_range("8x:1y", "--sizes"); }),
              ElementsAre(HasSubstr("'8x'"), HasSubstr("'1y'")));
  EXPECT_THAT(faults_of([] { (void)parse_size_range("64:8", "--sizes"); }), SizeIs(1));
}

}  // namespace
}  // namespace invar::design
