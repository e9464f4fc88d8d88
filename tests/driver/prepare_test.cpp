// What the driver makes of a campaign that is resolved; resolving itself needs real libraries and
// is tested by whole campaigns (tests/campaign).
#include "driver/prepare.hpp"

#include <gtest/gtest.h>

#include "design/helpers.hpp"
#include "driver/run.hpp"

namespace invar::driver {
namespace {

// Two arms and three cells, ready to be planned.
Prepared prepared(design::Launches launches) {
  Prepared prepared{.campaign = design::test::small_campaign(2, 3, 4), .ranks = 2, .cpus = {0, 1}};
  prepared.campaign.launches = launches;
  prepared.cells = design::test::resolved(prepared.campaign);
  return prepared;
}

TEST(ScopeText, NamesRanksHostsAndTransport) {
  EXPECT_EQ(scope_text(prepared({})), "2 ranks, 1 host");
  EXPECT_EQ(scope_text({.ranks = 1}), "1 rank, 1 host");
}

// The budget decides on more only after the first group's cost is known.
TEST(FirstPlan, HasTheGroupsThatTheCampaignAsksForAtLeast) {
  const record::Plan plan = first_plan(prepared({.min = 3, .max = 60}));
  ASSERT_FALSE(plan.rows.empty());
  EXPECT_EQ(plan.rows.front().group, 1U);
  EXPECT_EQ(plan.rows.back().group, 3U);
  EXPECT_EQ(plan.rows.size(), 3U * 4 * 3 * 2);
  EXPECT_EQ(plan.cells.size(), 3U);
}

TEST(FirstPlan, OfAFixedNumberIsTheWholePlan) {
  EXPECT_EQ(first_plan(prepared({.min = 7, .max = 7})).rows.back().group, 7U);
}

TEST(FirstPlan, DependsOnTheSeedAlone) {
  Prepared one = prepared({.min = 2, .max = 5});
  const std::string plan = record::plan_csv(first_plan(one));
  EXPECT_EQ(record::plan_csv(first_plan(one)), plan);
  one.ranks = 4;  // another machine
  one.cpus = {3, 5, 7, 9};
  one.campaign.budget_s = 10;
  EXPECT_EQ(record::plan_csv(first_plan(one)), plan);
  one.campaign.seed += 1;
  EXPECT_NE(record::plan_csv(first_plan(one)), plan);
}

TEST(StartupTimes, AreThoseOfTheArmsInTheirOrder) {
  Prepared two = prepared({});
  two.arms.resize(2);
  two.arms[0].profile.startup_s = 0.4;
  two.arms[1].profile.startup_s = 0.1;
  EXPECT_EQ(startup_s(two), (std::vector<double>{0.4, 0.1}));
}

}  // namespace
}  // namespace invar::driver
