#include "analysis/questions/sync_bias.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/planted.hpp"
#include "analysis/words/sync_words.hpp"

namespace invar::analysis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

record::Cell synced_cell(const std::string& sync, std::uint64_t dither_ns,
                         std::uint64_t size_bytes = 8) {
  record::Cell cell = planted::cell("allreduce", size_bytes);
  cell.sync = sync;
  cell.dither_ns = dither_ns;
  return cell;
}

// barrier and round-time, without dither and with: the second arm is slower by these ratios.
planted::Plan plan_with(const std::vector<double>& ratios) {
  planted::Plan plan = planted::with_ratios(ratios);
  plan.cells = {synced_cell("barrier", 0), synced_cell("barrier", 1000),
                synced_cell("round-time", 0), synced_cell("round-time", 1000)};
  plan.repetitions = 60;
  return plan;
}

TEST(SyncBias, RatiosOfEverySynchronisationAreThoseOfCompare) {
  const SyncBias bias =
      sync_bias(planted::study(planted::data(plan_with({1.1, 1.6, 1.3, 1.3})), Rules{}));
  ASSERT_EQ(bias.rows.size(), 4U);
  EXPECT_NEAR(*bias.rows[0].compared.ratio, 1.1, 0.02);
  EXPECT_NEAR(*bias.rows[1].compared.ratio, 1.6, 0.02);
  EXPECT_EQ(bias.rows[1].compared.verdict, stats::Verdict::kFaster);
  EXPECT_EQ(bias.comparison.comparisons, 4U) << "one family";
  EXPECT_THAT(bias.sentence,
              HasSubstr("The answer depends on the synchronisation: mpich takes 1.10 (barrier "
                        "without dither) to 1.60 (barrier with dither) times as long as openmpi, a "
                        "factor of 1.4"));
  EXPECT_THAT(bias.sentence,
              HasSubstr("all of them give one mode in at least three quarters of every "
                        "arm's visits: 2 ranks, 1 host, shared memory, this "
                        "session."));
}

TEST(SyncBias, WhoIsFasterMayDependOnTheSynchronisation) {
  const SyncBias bias =
      sync_bias(planted::study(planted::data(plan_with({0.8, 1.3, 1.3, 1.3})), Rules{}));
  EXPECT_THAT(bias.sentence, HasSubstr("and which of them is faster depends on it"));
}

TEST(SyncBias, EqualRatiosAreNoDependence) {
  const SyncBias bias =
      sync_bias(planted::study(planted::data(plan_with({1.3, 1.3, 1.3, 1.3})), Rules{}));
  EXPECT_THAT(bias.sentence, HasSubstr("was not seen to depend on the synchronisation"));
  EXPECT_THAT(bias.sentence, HasSubstr("but the intervals of both overlap"));
}

TEST(SyncBias, PhasesOfABarrierAreModes) {
  planted::Plan plan = plan_with({1.3, 1.3, 1.3, 1.3});
  store::Data data = planted::data(plan);
  // After a barrier without dither every second repetition of mpich waits for the other rank.
  auto records = std::make_shared<planted::Records>();
  for (store::Group& group : data.groups) {
    for (store::Visit& visit : group.launches[1].visits) {
      if (visit.line.cell != 0) continue;
      std::vector<record::Timing>& own =
          records->emplace_back(visit.records.begin(), visit.records.end());
      for (std::size_t i = 0; i < own.size(); i += 2) own[i].local_max_ps *= 2;
      for (std::size_t i = 0; i < own.size(); i += 2) own[i].global_ps *= 2;
      visit.records = own;
    }
  }
  const SyncBias bias = sync_bias(planted::study(data, Rules{}));
  EXPECT_EQ(bias.rows[0].b.repetitions.modes, 2U);
  EXPECT_EQ(bias.rows[0].b.repetitions.several, 1.0);
  EXPECT_EQ(bias.rows[0].b.repetitions.visits, 32U);
  EXPECT_GT(*bias.rows[0].b.repetitions.sd_repetitions, 0.3);
  EXPECT_EQ(bias.rows[0].a.repetitions.modes, 1U);
  EXPECT_NEAR(*bias.rows[0].a.repetitions.sd_repetitions, plan.noise_sd, 0.002);
  EXPECT_THAT(bias.sentence,
              HasSubstr("only barrier with dither and round-time give one mode in at "
                        "least three quarters of every arm's visits"));
}

TEST(SyncBias, SpreadOfVisitsIsThatOfTheirMedians) {
  planted::Plan plan = plan_with({1, 1, 1, 1});
  plan.visit_sd = 0.1;
  plan.rounds = 20;
  const SyncBias bias = sync_bias(planted::study(planted::data(plan), Rules{}));
  EXPECT_NEAR(*bias.rows[2].a.sd_visits, 0.1, 0.02);
  EXPECT_NEAR(*bias.rows[2].a.repetitions.sd_repetitions, plan.noise_sd, 0.002);
}

TEST(SyncBias, PlacesAreAnsweredApart) {
  planted::Plan plan = planted::with_ratios({1.3, 1.3, 1.0, 2.0});
  plan.cells = {synced_cell("barrier", 1000), synced_cell("round-time", 1000),
                synced_cell("barrier", 1000, 1024), synced_cell("round-time", 1000, 1024)};
  const SyncBias bias = sync_bias(planted::study(planted::data(plan), Rules{}));
  EXPECT_THAT(bias.sentence,
              HasSubstr("for 1 KiB mpich takes 1.00 (barrier) to 2.00 (round-time) times"));
}

TEST(SyncBias, OneGroupTellsNothing) {
  planted::Plan plan = plan_with({1, 2, 1, 1});
  plan.groups = 1;
  EXPECT_THAT(sync_bias(planted::study(planted::data(plan), Rules{})).sentence,
              HasSubstr("One launch group does not tell whether the answer depends on"));
}

TEST(SyncList, NamesASynchronisationAloneWhereAllItsWaysAreChosen) {
  const std::vector<record::Cell> cells{synced_cell("barrier", 0), synced_cell("barrier", 1000),
                                        synced_cell("window", 0), synced_cell("window", 1000)};
  EXPECT_THAT(sync_list(cells, {true, false, true, true}),
              ElementsAre("barrier without dither", "window"));
  EXPECT_THAT(sync_list(cells, {false, false, false, false}), ElementsAre());
}

}  // namespace
}  // namespace invar::analysis
