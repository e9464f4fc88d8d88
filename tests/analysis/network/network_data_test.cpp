// From a campaign's visits to plain numbers: which cells are which series, what reading the clock
// takes, how late receivers were.
#include "analysis/network/network_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/network/planted_network.hpp"
#include "design/factors/size_samples.hpp"

namespace invar::analysis {
namespace {

using planted::network_campaign_data;
using planted::network_cell;
using planted::network_plan;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::vector<std::uint64_t> kFewSizes{8, 64, 512};

std::vector<NetworkData> data_of(const store::Data& data, const TakenVisits& takes = {}) {
  return network_data(planted::study(data), takes);
}

NetworkData only_data(const store::Data& data) {
  std::vector<NetworkData> all = data_of(data);
  EXPECT_THAT(all, SizeIs(1));
  return all.empty() ? NetworkData() : all.front();
}

TEST(ReceiverLateness, IsThatOfTheRankThatReceives) {
  EXPECT_EQ(receiver_lateness(network_cell("recv", 8, "last-late:5000ns")), 5000);
  EXPECT_EQ(receiver_lateness(network_cell("recv", 8, "last-late:3x")), 3);
  EXPECT_EQ(receiver_lateness(network_cell("recv", 8, "first-late:3x")), 0);
  EXPECT_EQ(receiver_lateness(network_cell("recv", 8)), 0);
  record::Cell back = network_cell("recv", 8, "first-late:3x");
  back.pattern = "distance:1:back";
  EXPECT_EQ(receiver_lateness(back), 3);
}

TEST(NetworkDataOfAStudy, HasEverySeriesThatWasMeasured) {
  const NetworkData data = only_data(network_campaign_data(network_plan({}, kFewSizes)));
  std::vector<SeriesKey> keys;
  for (const DataSeries& series : data.series) keys.push_back(series.key);
  using enum SeriesKind;
  EXPECT_THAT(keys,
              ElementsAre(SeriesKey{kRoundTrip}, SeriesKey{kSend}, SeriesKey{kSendToLate},
                          SeriesKey{kIsend}, SeriesKey{kLateReceive}, SeriesKey{kLaterReceive},
                          SeriesKey{kPostedReceive}, SeriesKey{kTrain, 1}, SeriesKey{kTrain, 10}));
  EXPECT_THAT(data.find({kRoundTrip})->observations, SizeIs(3 * 6));
  EXPECT_THAT(data.find({kLaterReceive})->observations, SizeIs(6)) << "one size, twice as late";
  EXPECT_EQ(data.groups, 6U);
  EXPECT_EQ(data.arm, "openmpi");
  EXPECT_THAT(data.costs, SizeIs(3));
  EXPECT_THAT(data.costs.front().observations, SizeIs(6));
}

TEST(NetworkDataOfAStudy, TakesTheClocksReadingOffEveryTime) {
  const NetworkData data = only_data(network_campaign_data(network_plan({}, kFewSizes)));
  EXPECT_EQ(data.reading_ns, planted::kPlantedReadingNs);
  EXPECT_NEAR(data.costs.front().observations.front().median_ns, 40, 4);
  const SeriesObservation& send = data.find({SeriesKind::kSend})->observations.front();
  EXPECT_GT(send.repetitions, 5U);
  EXPECT_THAT(send.ratios, SizeIs(send.repetitions));
  EXPECT_NEAR(send.ratios[2], 1, 0.1);
  EXPECT_TRUE(std::ranges::is_sorted(send.ratios));
}

TEST(NetworkDataOfAStudy, SaysWhereTheReadingWasNotMeasured) {
  store::Data without = planted::data(network_plan({}, kFewSizes));
  for (store::ArmRecord& arm : without.arms) arm.operations = planted::network_operations();
  const NetworkData data = only_data(without);
  EXPECT_FALSE(data.reading_ns);
  EXPECT_THAT(data.warnings,
              Contains(testing::Field(&Warning::text, HasSubstr("reading the clock"))));
}

TEST(NetworkDataOfAStudy, LeavesOutWhatIsShorterThanAReading) {
  store::Data data = network_campaign_data(network_plan({}, kFewSizes));
  for (store::Group& group : data.groups) {
    for (store::Visit& visit : group.launches.front().visits) visit.line.empty_ps = 200'000;
  }
  const NetworkData made = only_data(data);
  EXPECT_THAT(made.warnings,
              Contains(testing::Field(&Warning::text, HasSubstr("no longer than reading"))));
  EXPECT_THAT(made.find({SeriesKind::kSend})->observations, SizeIs(3 * 6));
  EXPECT_EQ(made.find({SeriesKind::kPostedReceive}), nullptr) << "80 ns, and a reading takes 200";
}

// 80 ns around a reading of the clock: what is left of them are the longer ones.
TEST(NetworkDataOfAStudy, OfACellThatIsShorterInSomeLaunchesNoneCount) {
  planted::Plan plan = network_plan({}, kFewSizes);
  plan.group_sd = 0.3;
  store::Data data = network_campaign_data(plan);
  for (store::Group& group : data.groups) {
    for (store::Visit& visit : group.launches.front().visits) visit.line.empty_ps = 100'000;
  }
  const NetworkData made = only_data(data);
  EXPECT_EQ(made.find({SeriesKind::kPostedReceive}), nullptr);
  EXPECT_THAT(made.find({SeriesKind::kSend})->observations, SizeIs(3 * 6));
  EXPECT_THAT(made.warnings,
              Contains(testing::Field(&Warning::text, HasSubstr("longer ones alone"))));
}

TEST(NetworkDataOfAStudy, KnowsHowLateReceiversWere) {
  const NetworkData data = only_data(network_campaign_data(network_plan({}, kFewSizes)));
  const auto lateness = [&](SeriesKind kind) {
    return data.find({kind})->observations.front().lateness_ns;
  };
  EXPECT_EQ(lateness(SeriesKind::kLateReceive), 1e6);
  EXPECT_EQ(lateness(SeriesKind::kLaterReceive), 2e6);
  EXPECT_EQ(lateness(SeriesKind::kSend), 0);
}

TEST(NetworkDataOfAStudy, TakesTheVisitsThatCount) {
  const store::Data data = network_campaign_data(network_plan({}, kFewSizes));
  const auto some = data_of(data, [](const VisitSummary& visit) { return visit.group <= 2; });
  ASSERT_THAT(some, SizeIs(1));
  EXPECT_EQ(some.front().groups, 2U);
  EXPECT_THAT(data_of(data, [](const VisitSummary&) { return false; }), IsEmpty());
}

TEST(NetworkDataOfAStudy, KeepsOtherLevelsApart) {
  planted::Plan plan = network_plan({}, kFewSizes);
  record::Cell cold = network_cell("pingpong", 8);
  cold.cache = "cold-flush";
  plan.cells.push_back(cold);
  const auto before = plan.time_ns;
  const std::size_t last = plan.cells.size() - 1;
  plan.time_ns = [before, last](std::size_t arm, std::size_t cell) {
    return cell == last ? 5000.0 : before(arm, cell);
  };
  const auto all = data_of(network_campaign_data(plan));
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_THAT(all[1].place, HasSubstr("cold-flush"));
  EXPECT_THAT(all[1].series, SizeIs(1));
}

// An exchange of so many ranks, in 10 us a call.
planted::Plan with_exchange(const std::string& pattern, std::uint32_t ranks, std::uint32_t nodes) {
  planted::Plan plan = network_plan({}, kFewSizes);
  for (record::Cell& cell : plan.cells) {
    cell.ranks = ranks;
    cell.nodes = nodes;
    if (cell.size_bytes) cell.pattern = "distance:" + std::to_string(ranks - 1);
  }
  record::Cell exchange = planted::single_calls(network_cell("exchange", 4096));
  exchange.ranks = ranks;
  exchange.nodes = nodes;
  exchange.pattern = pattern;
  plan.cells.push_back(exchange);
  const auto before = plan.time_ns;
  const std::size_t last = plan.cells.size() - 1;
  plan.time_ns = [before, last](std::size_t arm, std::size_t cell) {
    return cell == last ? 10000 + planted::kPlantedReadingNs : before(arm, cell);
  };
  return plan;
}

TEST(NetworkDataOfAStudy, HasWhatPairsExchangeAtOnceWhateverTheirPattern) {
  const NetworkData data = only_data(network_campaign_data(with_exchange("bisection", 4, 1)));
  ASSERT_THAT(data.shared, SizeIs(6)) << "of each launch group";
  EXPECT_EQ(data.shared.front().size_bytes, 4096U);
  EXPECT_EQ(data.shared.front().pairs, 2U);
  EXPECT_EQ(data.shared.front().flows, 4U) << "both directions share the host's memory";
  EXPECT_NEAR(data.shared.front().median_ns, 10000, 1000) << "without the clock's reading";
  EXPECT_THAT(data.series, SizeIs(9)) << "it is in no series";
  EXPECT_EQ(data.place, "") << "nor is it a place";
  EXPECT_THAT(only_data(network_campaign_data(network_plan({}, kFewSizes))).shared, IsEmpty());
}

// A link has a direction of its own each way: what leaves one host shares it.
TEST(NetworkDataOfAStudy, BetweenHostsThoseShareThatLeaveOne) {
  const auto flows = [](const planted::Plan& plan) {
    std::vector<SharedObservation> shared = only_data(network_campaign_data(plan)).shared;
    return shared.empty() ? 0 : shared.front().flows;
  };
  EXPECT_EQ(flows(with_exchange("distance:1", 2, 2)), 1U);
  EXPECT_EQ(flows(with_exchange("bisection", 8, 2)), 4U);
  EXPECT_EQ(flows(with_exchange("bisection", 8, 4)), 2U);
  planted::Plan inside = with_exchange("bisection", 4, 2);
  for (record::Cell& cell : inside.cells) cell.mapping = "round-robin";
  EXPECT_EQ(flows(inside), 0U) << "ranks 0 and 2 are on one host";
  planted::Plan shuffled = with_exchange("bisection", 4, 2);
  for (record::Cell& cell : shuffled.cells) cell.rank_order = "shuffled";
  EXPECT_EQ(flows(shuffled), 0U) << "nobody knows";
}

TEST(NetworkDataOfAStudy, ExchangesOfOtherLevelsAreOfNoPlace) {
  planted::Plan plan = with_exchange("bisection", 4, 1);
  plan.cells.back().cache = "cold-flush";
  EXPECT_THAT(only_data(network_campaign_data(plan)).shared, IsEmpty());
}

TEST(NetworkDataOfAStudy, LeavesFailedCellsOut) {
  store::Data data = network_campaign_data(network_plan({}, kFewSizes));
  data.failed_cells.push_back({.cell = 0, .arm = "openmpi", .reason = "wrong result"});
  EXPECT_THAT(only_data(data).find({SeriesKind::kRoundTrip})->observations, SizeIs(2 * 6));
}

TEST(NetworkDataOfAStudy, MarksTheSizesThatFitsDoNotSee) {
  design::Campaign campaign;
  campaign.cells.push_back(
      {.operations = {"pingpong"},
       .random_sizes = {{.low_bytes = 1, .high_bytes = 4096, .count = 40, .hold_out = 5}}});
  const std::set<std::uint64_t> held_out = design::held_out_sizes(campaign);
  ASSERT_FALSE(held_out.empty());
  const Study study(network_campaign_data(network_plan({}, kFewSizes)), campaign, Rules());
  EXPECT_EQ(network_data(study).front().held_out, held_out);
}

// A plan rounds what was drawn to whole elements.
TEST(NetworkDataOfAStudy, OfADatatypeMarksTheSizesThatItsPlanHas) {
  design::Campaign campaign;
  campaign.cells.push_back(
      {.operations = {"pingpong"},
       .random_sizes = {{.low_bytes = 8, .high_bytes = 4096, .count = 40, .hold_out = 5}}});
  planted::Plan plan = network_plan({}, kFewSizes);
  for (record::Cell& cell : plan.cells) cell.datatype = "double";
  store::Data data = network_campaign_data(plan);
  for (store::ArmRecord& arm : data.arms) {
    for (record::OperationInfo& info : arm.operations) {
      info.datatypes = {{.name = "double", .size_bytes = 8, .extent_bytes = 8}};
    }
  }
  const std::set<std::uint64_t> held_out = design::held_out_sizes(campaign, 8);
  ASSERT_NE(held_out, design::held_out_sizes(campaign));
  const Study study(std::move(data), campaign, Rules());
  EXPECT_EQ(network_data(study).front().held_out, held_out);
}

}  // namespace
}  // namespace invar::analysis
