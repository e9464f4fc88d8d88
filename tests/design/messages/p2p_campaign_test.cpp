// The campaign of `invar p2p`, and what it becomes on a machine.
#include "design/messages/p2p_campaign.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "design/campaign/campaign.hpp"
#include "design/campaign/presets.hpp"
#include "design/helpers.hpp"
#include "design/plan/adaptive_places.hpp"

namespace invar::design {
namespace {

using test::faults_of;
using test::Names;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

P2pOrder usual_order() {
  P2pOrder order;
  order.quick = {.arms = {parse_arm("openmpi", "p2p"), parse_arm("mpich", "p2p")},
                 .operations = {"pingpong"},
                 .adaptive = {{.low_bytes = 0, .high_bytes = 1 << 20}},
                 .engine_levels = {{"sync", {"round-time"}}},
                 .budget_s = 120,
                 .seed = 5};
  return order;
}

std::vector<const CellsBlock*> blocks_with(const Campaign& campaign, const std::string& operation) {
  std::vector<const CellsBlock*> found;
  for (const CellsBlock& block : campaign.cells) {
    if (block.operations == Names{operation}) found.push_back(&block);
  }
  return found;
}

// As engines describe them.
Surroundings with_message_operations(std::size_t arms, std::uint32_t hosts = 1) {
  Surroundings around = test::surroundings(arms, 4);
  around.hosts = hosts;
  const record::DatatypeInfo byte{.name = "byte"};
  record::OperationInfo pingpong{
      .name = "pingpong", .datatypes = {byte}, .messages = record::Messages::kMatched};
  pingpong.both_ways = true;
  record::OperationInfo oneway{
      .name = "oneway", .datatypes = {byte}, .messages = record::Messages::kDirected};
  oneway.batches = false;
  record::OperationInfo stream{
      .name = "stream", .datatypes = {byte}, .messages = record::Messages::kDirected};
  stream.windowed = true;
  record::OperationInfo bistream = stream;
  bistream.name = "bistream";
  bistream.messages = record::Messages::kMatched;
  bistream.both_ways = true;
  record::OperationInfo copying = pingpong;
  copying.name = "memcpy";
  copying.both_ways = false;
  copying.copies = true;
  for (auto& operations : around.operations) {
    for (record::OperationInfo info : {pingpong, oneway, stream, bistream, copying}) {
      info.buffers = test::everywhere({.per_message = 1}, {.per_message = 1});
      info.times = {{.name = "whole"}};
      operations.push_back(std::move(info));
    }
  }
  return around;
}

std::vector<record::Cell> cells_of(const Campaign& campaign, std::uint32_t hosts = 1) {
  return resolve_cells(campaign, with_message_operations(campaign.arms.size(), hosts), "p2p").cells;
}

std::set<std::uint64_t> sizes_of_operation(const std::vector<record::Cell>& cells,
                                           const std::string& operation) {
  std::set<std::uint64_t> sizes;
  for (const record::Cell& cell : cells) {
    if (cell.operation == operation) sizes.insert(*cell.size_bytes);
  }
  return sizes;
}

TEST(P2pCampaign, AsksAboutMessagesOfTwoRanks) {
  const Campaign campaign = p2p_campaign(usual_order());
  EXPECT_EQ(campaign.name, "p2p");
  EXPECT_EQ(campaign.analysis.question, Question::kP2p);
  EXPECT_EQ(campaign.stopping, Stopping::kFixed) << "sizes are chosen under way";
  EXPECT_EQ(campaign.budget_s, 120);
  EXPECT_THAT(conflicts(campaign), IsEmpty());
  for (const CellsBlock& block : campaign.cells) EXPECT_EQ(block.levels.at("ranks"), Names{"2"});
  const std::vector<record::Cell> cells = cells_of(campaign);
  EXPECT_EQ(sizes_of_operation(cells, "oneway"), (std::set<std::uint64_t>{8, 1024, 65536}));
  EXPECT_EQ(*sizes_of_operation(cells, "pingpong").rbegin(), 1U << 20U);
  EXPECT_TRUE(sizes_of_operation(cells, "pingpong").contains(0));
}

std::set<std::uint64_t> stream_sizes_of(const P2pOrder& order, std::uint32_t window) {
  std::set<std::uint64_t> sizes;
  for (const record::Cell& cell : cells_of(p2p_campaign(order))) {
    if (cell.operation == "stream" && cell.window == window) sizes.insert(*cell.size_bytes);
  }
  return sizes;
}

// Their visits are planned beforehand: no size can be chosen under way.
TEST(P2pCampaign, MeasuresAsOtherSuitesDoWhereTheyAreNamed) {
  P2pOrder order = usual_order();
  order.presets = {"osu"};
  EXPECT_THAT(faults_of([&] { (void)p2p_campaign(order); }),
              ElementsAre(HasSubstr("--size: the visits of other suites are planned beforehand")));
  order.quick.adaptive.clear();
  order.quick.sizes_bytes = {0, 8, 1024};
  const Campaign campaign = p2p_campaign(order);
  EXPECT_EQ(campaign.analysis.presets, Names{"osu"});
  EXPECT_THAT(conflicts(campaign), IsEmpty());
  std::set<std::string> measured;
  for (const record::Cell& cell : cells_of(campaign)) {
    if (cell.scheme != record::kOwnScheme) measured.insert(cell.operation);
  }
  EXPECT_EQ(measured, (std::set<std::string>{"pingpong", "stream"})) << "it has no one-way message";
}

// 64 messages of 1 MiB would take as long as all other cells together.
TEST(P2pCampaign, HasFewerLongMessagesInARow) {
  P2pOrder order = usual_order();
  const std::set<std::uint64_t> sizes = stream_sizes_of(order, 64);
  EXPECT_EQ(*sizes.begin(), 1U) << "empty messages have no rate";
  EXPECT_EQ(*sizes.rbegin(), kMostInFlightBytes / 64);
  EXPECT_THAT(sizes, SizeIs(18)) << "powers of two";
  EXPECT_THAT(stream_sizes_of(order, kLeastInFlight), ElementsAre(256 << 10, 1 << 20));
  order.stream_bytes = kLargestStreamBytes;
  EXPECT_EQ(stream_sizes_of(order, 64), sizes);
  EXPECT_THAT(stream_sizes_of(order, kLeastInFlight), ElementsAre(256 << 10, 1 << 20, 4 << 20));
  for (const record::Cell& cell : cells_of(p2p_campaign(order))) {
    if (cell.operation != "stream") continue;
    EXPECT_LE(*cell.size_bytes * cell.window, kMostInFlightBytes);
  }
  EXPECT_EQ(*sizes_of_operation(cells_of(p2p_campaign(order)), "pingpong").rbegin(), 1U << 20U);
}

// 16 MiB are left to the ping-pongs.
TEST(P2pCampaign, TakesWrittenSizesInARowAsFarAsTwoOfThemAreInFlight) {
  P2pOrder order = usual_order();
  order.quick.adaptive.clear();
  order.quick.sizes_bytes = {8, 1 << 20, 3 << 20, 16 << 20};
  EXPECT_THAT(stream_sizes_of(order, 64), ElementsAre(8));
  EXPECT_THAT(stream_sizes_of(order, kLeastInFlight), ElementsAre(1 << 20, 3 << 20));
  order.quick.sizes_bytes.clear();
  order.quick.adaptive = {{.low_bytes = 0, .high_bytes = 16 << 20}};
  EXPECT_THAT(stream_sizes_of(order, kLeastInFlight), ElementsAre(256 << 10, 1 << 20, 4 << 20));
}

TEST(P2pCampaign, HasTheWindowsThatAreAskedFor) {
  P2pOrder order = usual_order();
  order.quick.cell_levels["window"] = {"8", "64"};
  const Campaign campaign = p2p_campaign(order);
  ASSERT_THAT(blocks_with(campaign, "stream"), SizeIs(2)) << "eight of the longest are in flight";
  EXPECT_EQ(blocks_with(campaign, "stream")[0]->sizes_bytes.back(), 1U << 20U);
  EXPECT_FALSE(blocks_with(campaign, "pingpong")[0]->levels.contains("window"));
  EXPECT_THAT(cells_of(campaign), Not(IsEmpty())) << "nobody else has a window";
  order.quick.cell_levels["window"] = {"64", "16777216"};
  EXPECT_THAT(faults_of([&] { (void)p2p_campaign(order); }),
              ElementsAre(HasSubstr("--with: window 16777216: so many messages of 1 B")));
  order.quick.cell_levels["window"] = {"1"};
  EXPECT_THAT(stream_sizes_of(order, 1), SizeIs(21));
  EXPECT_THAT(stream_sizes_of(order, kLeastInFlight), IsEmpty());
}

TEST(P2pCampaign, MeasuresBothDirectionsTogether) {
  const Campaign campaign = p2p_campaign(usual_order());
  std::map<std::string, std::set<std::string>> patterns;
  for (const record::Cell& cell : cells_of(campaign)) {
    if (cell.operation == "oneway") patterns[cell.family].insert(cell.pattern);
  }
  EXPECT_THAT(patterns, SizeIs(3));
  for (const auto& [family, both] : patterns) {
    EXPECT_THAT(family, testing::StartsWith("one-way-"));
    EXPECT_EQ(both, (std::set<std::string>{"distance:1", "distance:1:back"}));
  }
}

TEST(P2pCampaign, FillsQueuesOfEveryKindOfSmallMessages) {
  std::set<std::string> pending;
  std::set<std::string> unexpected;
  for (const record::Cell& cell : cells_of(p2p_campaign(usual_order()))) {
    if (cell.pending == "none" && cell.unexpected == "none") continue;
    EXPECT_EQ(cell.size_bytes, 8U);
    EXPECT_TRUE(cell.pending == "none" || cell.unexpected == "none") << "each by itself";
    pending.insert(cell.pending);
    unexpected.insert(cell.unexpected);
  }
  EXPECT_THAT(pending, SizeIs(1 + 3 * 4));
  EXPECT_THAT(pending, Contains("any:4096"));
  EXPECT_THAT(unexpected, SizeIs(1 + 2 * 4));
  P2pOrder order = usual_order();
  order.quick.cell_levels["pending"] = {"any:7"};
  pending.clear();
  for (const record::Cell& cell : cells_of(p2p_campaign(order))) pending.insert(cell.pending);
  EXPECT_EQ(pending, (std::set<std::string>{"none", "any:7"}));
}

// Cells that are added while sizes are chosen stand in no family, and in none of the other blocks.
TEST(P2pCampaign, ChoosesSizesOfPlainPingPongsAlone) {
  const Campaign campaign = p2p_campaign(usual_order());
  const ResolvedCells resolved =
      resolve_cells(campaign, with_message_operations(campaign.arms.size()), "p2p");
  const std::vector<AdaptivePlace> places = adaptive_places(campaign, resolved);
  ASSERT_THAT(places, SizeIs(1));
  for (const std::uint32_t id : places[0].cells) {
    const record::Cell& cell = resolved.cells[id];
    EXPECT_EQ(cell.operation, "pingpong");
    EXPECT_EQ(cell.pending, "none");
    EXPECT_EQ(cell.family, "");
  }
  EXPECT_THAT(adaptive_place_conflicts(campaign, resolved), IsEmpty());
}

TEST(P2pCampaign, OfMoreRanksThanCoresHasTheSizesThatChoosingBeginsWith) {
  P2pOrder order = usual_order();
  order.sizes_written = false;
  order.quick.oversubscribe = true;
  const Campaign campaign = p2p_campaign(order);
  EXPECT_TRUE(campaign.engine.oversubscribe);
  for (const CellsBlock& block : campaign.cells) EXPECT_TRUE(block.adaptive.empty());
  EXPECT_GT(campaign.cells.front().sizes_bytes.size(), 10U);
  order.sizes_written = true;
  EXPECT_THAT(test::faults_of([&] { (void)p2p_campaign(order); }),
              testing::ElementsAre(testing::HasSubstr("--size: with --oversubscribe times say")));
}

TEST(P2pCampaign, OfWrittenSizesHasNoOthers) {
  P2pOrder order = usual_order();
  order.quick.adaptive.clear();
  order.quick.sizes_bytes = {0, 16, 4096};
  const std::vector<record::Cell> cells = cells_of(p2p_campaign(order));
  EXPECT_EQ(sizes_of_operation(cells, "pingpong"), (std::set<std::uint64_t>{0, 16, 4096}));
  EXPECT_EQ(sizes_of_operation(cells, "stream"), (std::set<std::uint64_t>{16, 4096}));
  EXPECT_EQ(sizes_of_operation(cells, "oneway"), (std::set<std::uint64_t>{16, 4096}))
      << "those nearest to 8 B, 1 KiB and 64 KiB, each once";
}

// Nothing tells one direction from the other there.
TEST(P2pCampaign, BetweenHostsHasARankOnEachAndNothingOneWay) {
  P2pOrder order = usual_order();
  order.hosts = {{.name = "a"}, {.name = "b"}};
  const Campaign campaign = p2p_campaign(order);
  EXPECT_THAT(blocks_with(campaign, "oneway"), IsEmpty());
  EXPECT_THAT(campaign.families, IsEmpty());
  EXPECT_EQ(campaign.engine.hosts.size(), 2U);
  for (const record::Cell& cell : cells_of(campaign, 2)) {
    EXPECT_EQ(cell.nodes, 2U);
    EXPECT_EQ(cell.ranks, 2U);
  }
  order.quick.cell_levels["ranks"] = {"4"};
  EXPECT_FALSE(p2p_campaign(order).cells.front().levels.contains("nodes")) << "somebody chose";
}

TEST(P2pCampaign, OfAnotherPatternTurnsThatRound) {
  P2pOrder order = usual_order();
  order.quick.cell_levels["pattern"] = {"distance:3"};
  order.quick.cell_levels["ranks"] = {"4"};
  std::set<std::string> patterns;
  for (const record::Cell& cell : cells_of(p2p_campaign(order))) patterns.insert(cell.pattern);
  EXPECT_EQ(patterns, (std::set<std::string>{"distance:3", "distance:3:back"}));
}

TEST(P2pCampaign, OtherLevelsAreThoseOfAllCells) {
  P2pOrder order = usual_order();
  order.quick.cell_levels["cache"] = {"cold-flush"};
  for (const record::Cell& cell : cells_of(p2p_campaign(order))) {
    EXPECT_EQ(cell.cache, "cold-flush");
  }
}

TEST(P2pCampaign, NamesAllItsFaultsAtOnceWithTheirOptions) {
  P2pOrder order = usual_order();
  order.quick.cell_levels = {{"compute", {"off", "1x"}},
                             {"progress-calls", {"10"}},
                             {"pattern", {"distance:1", "all-pairs"}}};
  order.quick.arms = {parse_arm("a=openmpi", "p2p"), parse_arm("a=mpich", "p2p")};
  const std::vector<std::string> faults = faults_of([&] { (void)p2p_campaign(order); });
  EXPECT_THAT(faults, ElementsAre(HasSubstr("--with: 'compute' asks what computation hides"),
                                  HasSubstr("--with: 'progress-calls' asks"),
                                  HasSubstr("--with: pattern distance:1, all-pairs is more than "
                                            "one pattern; name one"),
                                  HasSubstr("p2p: ")));
  order = usual_order();
  order.quick.cell_levels["pattern"] = {"all-pairs"};
  EXPECT_THAT(faults_of([&] { (void)p2p_campaign(order); }),
              ElementsAre(HasSubstr("pattern all-pairs is more than one pattern")));
}

TEST(P2pCampaign, IsWrittenAndReadAgain) {
  const Campaign campaign = p2p_campaign(usual_order());
  EXPECT_EQ(read_campaign(campaign_toml(campaign), "c.toml"), campaign);
}

// What is written by hand for parts of it.
TEST(MessageCampaigns, AreReadAndAskTheSame) {
  for (const char* name : {"latency", "bandwidth", "queues", "papers/001-fig1a", "papers/001-fig1b",
                           "papers/001-fig1c", "papers/001-fig1d"}) {
    SCOPED_TRACE(name);
    const auto text =
        base::read_file(std::string(INVAR_SOURCE_DIR) + "/campaigns/" + name + ".toml");
    ASSERT_TRUE(text);
    Campaign campaign = read_campaign(*text, name);
    EXPECT_EQ(campaign.analysis.question, Question::kP2p);
    EXPECT_THAT(conflicts(campaign), IsEmpty());
    campaign.analysis.presets.clear();
    EXPECT_THAT(cells_of(campaign), Not(IsEmpty()));
  }
}

}  // namespace
}  // namespace invar::design
