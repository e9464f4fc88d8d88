// What a plan costs, and how many groups a budget allows.
#include <gtest/gtest.h>

#include "design/helpers.hpp"
#include "record/launch_spec.hpp"
#include "record/timing.hpp"

namespace invar::design {
namespace {

using namespace test;  // NOLINT

Estimate estimate_of(const Campaign& campaign, std::uint32_t groups,
                     const std::vector<double>& startup_s = {},
                     const std::map<std::uint32_t, double>& cell_seconds = {}) {
  Counters counters;
  const ResolvedCells cells = resolved(campaign);
  return estimate(campaign, cells, plan_groups(campaign, cells, groups, counters), startup_s,
                  cell_seconds);
}

TEST(RoughSeconds, GrowWithSizeAndRanks) {
  const auto seconds = [](const char* operation, std::uint64_t size_bytes, std::uint32_t ranks) {
    return rough_seconds({.operation = operation, .size_bytes = size_bytes, .ranks = ranks},
                         in_catalogue(operation));
  };
  for (const record::OperationInfo& info : catalogue()) {
    if (!info.sized) continue;
    const char* name = info.name.c_str();
    EXPECT_GT(seconds(name, 0, 2), 0) << name;
    EXPECT_LT(seconds(name, 8, 2), seconds(name, 65536, 2)) << name;
    EXPECT_LE(seconds(name, 1024, 2), seconds(name, 1024, 64)) << name;
  }
  EXPECT_LT(seconds("bcast", 65536, 64), seconds("allgather", 65536, 64))
      << "a tree against a block from every rank";
  EXPECT_LT(rough_seconds({}, in_catalogue("empty")), rough_seconds({}, in_catalogue("barrier")));
}

TEST(RoughSeconds, FollowFromBlocksAndChainWhateverTheName) {
  const record::Cell cell{.operation = "x", .size_bytes = 1U << 20U, .ranks = 64};
  const record::OperationInfo all_to_all{.buffers = everywhere(kAllBlocks, kAllBlocks)};
  const record::OperationInfo tree{.buffers = everywhere(kBlock, kBlock)};
  record::OperationInfo one_way = tree;
  one_way.chain = record::Chain::kOne;
  record::OperationInfo ring = tree;
  ring.chain = record::Chain::kRing;
  EXPECT_NEAR(rough_seconds(cell, all_to_all) / rough_seconds(cell, tree), 63.0 / 6, 0.1);
  EXPECT_NEAR(rough_seconds(cell, tree) / rough_seconds(cell, one_way), 6, 0.1);
  EXPECT_LT(rough_seconds(cell, ring), rough_seconds(cell, tree)) << "its messages are shares";
  const record::Cell small{.operation = "x", .size_bytes = 8, .ranks = 64};
  EXPECT_GT(rough_seconds(small, ring), rough_seconds(small, tree)) << "and there are many";
}

// 4 ranks, blocks of 1000 bytes.
std::uint64_t buffer_bytes_of(const record::OperationInfo& info, std::uint32_t rank = 0,
                              const record::Cell& levels = {}) {
  record::Cell cell = levels;
  cell.operation = info.name;
  cell.size_bytes = 1000;
  cell.ranks = 4;
  return buffer_bytes(cell, info).at(rank);
}

// Where there is no root rank 0 stands for it: a mock-up may lead over it.
TEST(OperationBuffers, OfTheRootAreThoseOfRankZeroWhereThereIsNone) {
  record::OperationInfo info = in_catalogue("reduce_scatter_block");
  info.buffers.root.scratch = kAllBlocks;
  EXPECT_EQ(buffer_bytes_of(info, 0), 9000U);
  EXPECT_EQ(buffer_bytes_of(info, 1), 5000U);
  record::Cell cell{.operation = info.name, .size_bytes = 1000, .ranks = 4};
  EXPECT_EQ(most_buffer_bytes(cell, info), 9000U);
  info.buffers.root.scratch = {};
  info.buffers.others.scratch = kAllBlocks;
  EXPECT_EQ(most_buffer_bytes(cell, info), 9000U);
}

TEST(OperationBuffers, AreTheBlocksThatTheOperationSays) {
  EXPECT_EQ(buffer_bytes_of(in_catalogue("bcast")), 2000U);
  EXPECT_EQ(buffer_bytes_of(in_catalogue("allgather")), 5000U);
  EXPECT_EQ(buffer_bytes_of(in_catalogue("iallgather")), 5000U) << "a form is not told by its name";
  EXPECT_EQ(buffer_bytes_of(in_catalogue("alltoall")), 8000U);
  EXPECT_EQ(buffer_bytes_of(in_catalogue("alltoall"), 0, {.in_place = "yes"}), 4000U);
  EXPECT_EQ(buffer_bytes_of(in_catalogue("barrier")), 0U);
}

TEST(OperationBuffers, OfTheRootAreItsOwnAndOfARotatingRootEverybodys) {
  EXPECT_EQ(buffer_bytes_of(in_catalogue("gather"), 0), 5000U);
  EXPECT_EQ(buffer_bytes_of(in_catalogue("gather"), 1), 2000U);
  EXPECT_EQ(buffer_bytes_of(in_catalogue("gather"), 1, {.root = record::kRotatingRoot}), 5000U);
}

TEST(OperationBuffers, OfNeighboursDependOnTheTopology) {
  record::OperationInfo info = in_catalogue("bcast");
  info.rooted = false;
  info.buffers = everywhere(kNeighbourBlocks, kNeighbourBlocks);
  EXPECT_EQ(buffer_bytes_of(info, 0, {.topology = "ring"}), 4000U);
  EXPECT_EQ(buffer_bytes_of(info, 0, {.topology = "cartesian"}), 8000U);
}

TEST(OperationBuffers, OfAnOwnOperationHaveScratchAndShares) {
  record::OperationInfo own{.name = "handover",
                            .datatypes = {{.name = "byte"}},
                            .buffers = everywhere(kAllBlocks, kAllBlocks, kAllBlocks)};
  EXPECT_EQ(buffer_bytes_of(own), 12'000U);
  own.buffers = everywhere(kBlock, kBlock, {.shares_per_rank = 1});
  EXPECT_EQ(buffer_bytes_of(own), 3000U);
  own.datatypes = {{.name = "gaps", .size_bytes = 8, .extent_bytes = 24}};
  EXPECT_EQ(buffer_bytes_of(own), 3 * 3000U + 3 * 24) << "125 elements are shares of 32";
}

TEST(Estimate, CountsVisitsAndLaunches) {
  const Estimate total = estimate_of(small_campaign(2, 5, 4), 3);
  EXPECT_EQ(total.visits, 2U * 5 * 4 * 3);
  EXPECT_EQ(total.launches, 6U);
}

TEST(Estimate, TimeIsProportionalToGroupsAndGrowsWithRepetitions) {
  Campaign campaign = small_campaign(2, 5, 4);
  const double one_s = estimate_of(campaign, 1, {0.4, 0.1}).seconds;
  EXPECT_NEAR(estimate_of(campaign, 10, {0.4, 0.1}).seconds, 10 * one_s, 1e-9);
  campaign.repetitions *= 2;
  EXPECT_GT(estimate_of(campaign, 1, {0.4, 0.1}).seconds, one_s);
}

TEST(Estimate, StartUpsOfTurnsOverlapAndThoseOfLaunchesAddUp) {
  Campaign campaign = small_campaign(2, 1, 1);
  const double visits_s = estimate_of(campaign, 1).seconds;
  EXPECT_NEAR(estimate_of(campaign, 1, {0.4, 0.1}).seconds - visits_s, 0.45, 1e-9);
  campaign.engine.pairing = "launches";
  EXPECT_NEAR(estimate_of(campaign, 1, {0.4, 0.1}).seconds - visits_s, 0.5, 1e-9);
}

TEST(Estimate, MeasuredTimesReplaceTheModel) {
  const Campaign campaign = small_campaign(1, 1, 1);
  // 0.1 s of the group, one call before anything is timed, 25 repetitions and at least 3 of
  // warm-up, of a second each.
  EXPECT_NEAR(estimate_of(campaign, 1, {}, {{0, 1.0}}).seconds, 29.1, 0.05);
}

constexpr double kGroupSeconds = 0.1;

// Seconds of a launch with one visit, less those of the visit and of its group.
double settling_s(double call_s) {
  Campaign campaign = small_campaign(1, 1, 1);
  campaign.engine.verification = "0";
  Counters counters;
  const ResolvedCells cells = resolved(campaign);
  const record::Plan plan = plan_groups(campaign, cells, 1, counters);
  return estimate(campaign, cells, plan, {}, {{0, call_s}}).seconds -
         visit_cost(plan.cells[0], plan.rows[0], call_s).seconds - kGroupSeconds;
}

// Every repetition of the visit, warm-up included.
TEST(VisitCost, CountsWhatEveryFactorAddsToARepetition) {
  constexpr double kCallSeconds = 1e-3;
  const auto more_s = [](const record::Cell& cell, std::uint32_t calls) {
    const VisitCost free =
        visit_cost({.sync = "none", .dither_ns = 0}, {.calls = calls, .repetitions = 100}, 1e-3);
    const VisitCost cost = visit_cost(cell, {.calls = calls, .repetitions = 100}, kCallSeconds);
    EXPECT_GT(cost.repetitions, 100);
    const double own_s = kCallSeconds * calls;
    return (cost.seconds - free.seconds + free.repetitions * own_s) / cost.repetitions - own_s;
  };
  EXPECT_NEAR(more_s({.sync = "none", .dither_ns = 3000}, 1), 2e-6, 1e-12) << "dither";
  EXPECT_NEAR(more_s({.sync = "double-barrier", .dither_ns = 0}, 1), 2e-6, 1e-12) << "sync";
  for (const char* cache : {"cold-flush", "cold-cycle"}) {
    EXPECT_NEAR(more_s({.cache = cache, .sync = "none", .dither_ns = 0}, 1), 1e-6, 1e-12)
        << "nothing to throw out";
  }
  for (const char* cache : {"cold-flush", "cold-cycle"}) {
    EXPECT_NEAR(
        more_s({.size_bytes = 65536, .ranks = 2, .cache = cache, .sync = "none", .dither_ns = 0},
               1),
        1e-6 + 2 * 65536 * 2 * 1e-9, 1e-12)
        << "two buffers, of which one may hold a block of every rank";
  }
  for (const std::uint32_t calls : {1U, 4U}) {
    EXPECT_NEAR(more_s({.sync = "none", .arrival = "linear:0.5x", .dither_ns = 0}, calls),
                0.5 * kCallSeconds * calls, 1e-12)
        << "the pattern is as long as all calls of a repetition say";
  }
}

TEST(Estimate, CellsComeToRestInEveryLaunch) {
  EXPECT_NEAR(settling_s(1e-6), 100e-6, 1e-12) << "so many calls";
  EXPECT_NEAR(settling_s(1e-3), 20e-3, 1e-12) << "the limit";
  EXPECT_NEAR(settling_s(3), 3, 1e-9) << "one call at least";
  // Not in every visit: two launches of two cells, in each of four rounds.
  Campaign campaign = small_campaign(2, 2, 4);
  campaign.engine.verification = "0";
  const std::map<std::uint32_t, double> slow{{0, 1e-3}, {1, 1e-3}};
  Counters counters;
  const ResolvedCells cells = resolved(campaign);
  const record::Plan plan = plan_groups(campaign, cells, 1, counters);
  double visits_s = 0;
  for (const record::PlanRow& row : plan.rows) {
    visits_s += visit_cost(plan.cells[row.cell], row, 1e-3).seconds;
  }
  EXPECT_NEAR(estimate(campaign, cells, plan, {}, slow).seconds - visits_s,
              kGroupSeconds + 4 * 20e-3, 1e-9);
}

// Buffers are filled before every visit, and a share of them is compared after it.
TEST(Estimate, VisitsThatAreCheckedReadTheirBuffers) {
  Campaign campaign = small_campaign(1, 1, 1);
  campaign.cells.front().sizes_bytes = {std::uint64_t{1} << 20U};
  const auto seconds = [&](const char* share) {
    campaign.engine.verification = share;
    return estimate_of(campaign, 1, {}, {{0, 1e-3}}).seconds;
  };
  const double filled_s = seconds("0.1") - seconds("0");
  EXPECT_GE(filled_s, 1.1 * (1U << 20U) * 1e-9);
  EXPECT_NEAR((seconds("1") - seconds("0")) / filled_s, 2 / 1.1, 1e-6);
  // An arm may have another level.
  campaign.arms.front().launch = {{"verification", "0"}};
  EXPECT_NEAR(seconds("1"), seconds("0"), 1e-9);
}

TEST(Estimate, LaunchesOverHostsSynchroniseTheirClocks) {
  Campaign campaign = small_campaign(1, 1, 1);
  const auto seconds = [&](std::uint32_t nodes) {
    Counters counters;
    const ResolvedCells cells = resolved(campaign);
    record::Plan plan = plan_groups(campaign, cells, 1, counters);
    plan.cells[0].nodes = nodes;
    return estimate(campaign, cells, plan, {}, {{0, 1e-3}}).seconds;
  };
  const auto clocks_s = [&](std::uint32_t nodes) { return seconds(nodes) - seconds(1); };
  EXPECT_NEAR(clocks_s(2), 0.5, 0.02) << "mesh's duration";
  EXPECT_GT(clocks_s(1024), clocks_s(32) + 1e-3) << "the tree is higher";
  EXPECT_NEAR(clocks_s(1024) - clocks_s(32), clocks_s(32) - 0.5, 2e-3) << "by its levels";
  campaign.arms.front().launch = {{"clock-sync", "mesh:duration=2"}};
  EXPECT_NEAR(clocks_s(2), 2, 0.02);
  campaign.arms.front().launch = {{"clock-sync", "none"}};
  EXPECT_NEAR(clocks_s(2), 0, 1e-9);
  // One after the other, also by turns.
  campaign = small_campaign(2, 1, 1);
  EXPECT_NEAR(clocks_s(2), 1, 0.04);
  // Every rank has a clock of its own.
  const double one_clock_s = seconds(1);
  campaign.virtual_clocks.skew = {1e-5};
  EXPECT_NEAR(seconds(1) - one_clock_s, 1, 0.04);
}

TEST(Estimate, NodeHoursCountEveryNode) {
  const Campaign campaign = small_campaign(1, 1, 1);
  Counters counters;
  const ResolvedCells cells = resolved(campaign);
  record::Plan plan = plan_groups(campaign, cells, 1, counters);
  plan.cells[0].nodes = 4;
  const Estimate total = estimate(campaign, cells, plan, {}, {{0, 1.0}});
  EXPECT_NEAR(total.node_hours, 4 * total.seconds / 3600, 1e-12);
}

TEST(Estimate, DataAreRecordsAndWhatBelongsToEachRank) {
  Campaign campaign = small_campaign(1, 1, 1);
  campaign.engine.record = "extent";
  const std::uint64_t extent_bytes = estimate_of(campaign, 1).data_bytes;
  campaign.engine.record = "per-rank";
  // All repetitions of warm-up (bcast of 8 B is fast), 25 measured, 2 ranks, 32 bytes each.
  const std::uint64_t repetitions = record::LaunchSpec().warmup_repetitions + 25;
  EXPECT_EQ(estimate_of(campaign, 1).data_bytes - extent_bytes, repetitions * 2 * 32);
  campaign.engine.record = "auto";
  EXPECT_EQ(estimate_of(campaign, 1).data_bytes - extent_bytes, repetitions * 2 * 32)
      << "auto is per rank up to 8 ranks";
}

TEST(Estimate, MarksAreDataAndBystandersHaveNone) {
  const Campaign campaign = small_campaign(1, 1, 1);
  ResolvedCells cells = resolved(campaign);
  Counters counters;
  const record::Plan plan = plan_groups(campaign, cells, 1, counters);
  const auto bytes = [&] { return estimate(campaign, cells, plan, {}).data_bytes; };
  const std::uint64_t repetitions = record::LaunchSpec().warmup_repetitions + 25;
  const std::uint64_t plain_bytes = bytes();
  record::OperationInfo& bcast = cells.operations[0].at("bcast");
  bcast.marks = {{.name = "posted"}, {.name = "waited"}};
  EXPECT_EQ(bytes() - plain_bytes, repetitions * 2 * 2 * sizeof(record::MarkTicks));
  bcast.marks.clear();
  bcast.roles = {{.role = record::Role::kStarts, .ranks = record::Ranks::kNumber, .number = 1}};
  EXPECT_EQ(plain_bytes - bytes(), repetitions * sizeof(record::RankTicks));
}

TEST(Estimate, QuickstartGroupIsShort) {
  const auto text = base::read_file(std::string(INVAR_SOURCE_DIR) + "/campaigns/quickstart.toml");
  Campaign campaign = read_campaign(text.value_or(""), "quickstart.toml");
  campaign.arms = small_campaign(2, 1, 1).arms;
  const Estimate group = estimate_of(campaign, 1, {0.4, 0.07});
  EXPECT_LT(group.seconds, 2.5) << "150 s must allow the 60 groups";
}

TEST(GroupsForBudget, BudgetDecidesBetweenMinAndMax) {
  const Launches launches{.min = 3, .max = 60};
  // 150 s, 5 of them spent on the pilot group of 3 s: 48 groups more.
  EXPECT_EQ(groups_for_budget(launches, 150, 5, 1, 3), 49U);
  EXPECT_EQ(groups_for_budget(launches, 150, 5, 1, 0.5), 60U);
  EXPECT_EQ(groups_for_budget(launches, 150, 5, 1, 100), 3U) << "min wins over the budget";
  EXPECT_EQ(groups_for_budget(launches, 150, 500, 1, 3), 3U) << "nothing is left";
}

TEST(GroupsForBudget, WithoutABudgetAllLaunchesAreMade) {
  EXPECT_EQ(groups_for_budget({.min = 3, .max = 60}, {}, 5, 1, 1000), 60U);
  EXPECT_EQ(groups_for_budget({.min = 30, .max = 30}, 1, 5, 1, 1000), 30U) << "a fixed number";
}

TEST(GroupsForBudget, ExtremesDoNotOverflow) {
  const Launches launches{.min = 1, .max = 100'000};
  EXPECT_EQ(groups_for_budget(launches, 1e18, 0, 1, 1e-9), 100'000U);
  EXPECT_EQ(groups_for_budget(launches, 10, 0, 1, 0), 100'000U);
  EXPECT_EQ(groups_for_budget({.min = 1, .max = 2}, 10, 9, 5, 1), 5U) << "what is done is done";
}

}  // namespace
}  // namespace invar::design
