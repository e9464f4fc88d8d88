// Half a round trip, one way, and when one direction can be told from the other.
#include "analysis/p2p/latency.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/p2p/planted_messages.hpp"

namespace invar::analysis {
namespace {

using planted::message_cell;
using planted::message_plan;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

std::vector<LatencyRow> rows_of(const store::Data& data,
                                std::span<const UntoldVisits> untold = {}) {
  const Study study = planted::study(data);
  const MessagePlaces places(data);
  const CellTable table =
      sort_visits(study.summaries().visits, data.cells.size(), data.arms.size());
  return latency_rows({.data = data, .places = places, .table = table, .untold = untold});
}

planted::Plan both_ways(double there_ns, double back_ns) {
  return message_plan({message_cell("pingpong", 8), message_cell("oneway", 8),
                       message_cell("oneway", 8, "distance:1:back")},
                      {600, there_ns, back_ns});
}

TEST(Latency, IsHalfOfWhatTheStartingRankReads) {
  const std::vector<LatencyRow> rows = rows_of(planted::messages(
      message_plan({message_cell("pingpong", 8), message_cell("pingpong", 1024)}, {400, 1200})));
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_NEAR(rows[0].half_round_trip->median_ns, rows[0].round_trip->median_ns / 2, 1e-9);
  EXPECT_NEAR(rows[0].half_round_trip->interval_ns->low, rows[0].round_trip->interval_ns->low / 2,
              1e-9);
  EXPECT_EQ(rows[1].cell.size_bytes, 1024U);
  EXPECT_FALSE(rows[0].there || rows[0].asymmetry_ns);
  EXPECT_EQ(rows[0].asymmetry_missing, "") << "nobody measured one way";
}

TEST(Latency, HasBothDirectionsBesideIt) {
  const std::vector<LatencyRow> rows = rows_of(planted::messages(both_ways(310, 290), 35));
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_NEAR(rows[0].there->median_ns / rows[0].back->median_ns, 310.0 / 290, 0.02);
  EXPECT_EQ(rows[0].cell.operation, "pingpong");
}

// What the clocks are apart is in both directions, with opposite signs: twice of it may be wrong.
TEST(Asymmetry, IsToldBeyondTwiceWhatTheClocksMayBeApart) {
  const LatencyRow told = rows_of(planted::messages(both_ways(400, 200), 35)).at(0);
  ASSERT_TRUE(told.asymmetry_ns) << told.asymmetry_missing;
  EXPECT_NEAR(told.asymmetry_ns->value, 200, 60);
  EXPECT_GT(told.asymmetry_ns->interval->low, 70);
  EXPECT_EQ(told.asymmetry_missing, "");
  const LatencyRow back = rows_of(planted::messages(both_ways(200, 400), 35)).at(0);
  ASSERT_TRUE(back.asymmetry_ns);
  EXPECT_LT(back.asymmetry_ns->interval->high, -70);
}

TEST(Asymmetry, WithinThatCannotBeTold) {
  const LatencyRow row = rows_of(planted::messages(both_ways(330, 290), 35)).at(0);
  EXPECT_FALSE(row.asymmetry_ns);
  EXPECT_THAT(row.asymmetry_missing, StartsWith("cannot be told: there - back is 0.0"));
  EXPECT_THAT(
      row.asymmetry_missing,
      HasSubstr("not surely more than the 0.070 us that its ranks' clocks, which agree up to "
                "0.035 us, may put into it"));
}

TEST(Asymmetry, BetweenHostsCannotBeKnown) {
  planted::Plan plan = both_ways(400, 200);
  for (record::Cell& cell : plan.cells) {
    cell.nodes = 2;
    cell.ppn = 1;
  }
  const LatencyRow row = rows_of(planted::messages(plan, 35)).at(0);
  EXPECT_FALSE(row.asymmetry_ns);
  EXPECT_EQ(row.asymmetry_missing, kUnknowableAsymmetry);
  // Also where nobody has tried.
  plan = message_plan({plan.cells[0]}, {600});
  EXPECT_EQ(rows_of(planted::messages(plan)).at(0).asymmetry_missing, kUnknowableAsymmetry);
}

TEST(Asymmetry, OfRanksThatReadSeveralClocksCannotBeTold) {
  const LatencyRow row = rows_of(planted::messages(both_ways(400, 200), 35, false)).at(0);
  EXPECT_EQ(row.asymmetry_missing, "cannot be told: its ranks do not read one clock");
}

TEST(Asymmetry, OfADirectionWithoutTimesSaysWhy) {
  store::Data data = planted::messages(both_ways(400, 200));
  planted::remove_cell(data, 0, 2);
  EXPECT_EQ(rows_of(data).at(0).asymmetry_missing, "") << "it was not measured";
  // Its visits are there, and have no such time.
  const store::Data whole = planted::messages(both_ways(400, 200));
  const Study study = planted::study(whole);
  const MessagePlaces places(whole);
  CellTable table = sort_visits(study.summaries().visits, whole.cells.size(), whole.arms.size());
  table[2][0].launches.clear();
  const std::vector<UntoldVisits> untold{{.arm = 0, .cell = 2, .visits = 4, .why = "no ticks"}};
  const std::vector<LatencyRow> rows =
      latency_rows({.data = whole, .places = places, .table = table, .untold = untold});
  EXPECT_EQ(rows.at(0).asymmetry_missing, "cannot be told: no ticks");
  EXPECT_TRUE(rows.at(0).there);
}

// Launches differ, and of one nobody knows by how much.
TEST(Asymmetry, OfOneLaunchGroupCannotBeTold) {
  planted::Plan plan = both_ways(400, 200);
  plan.groups = 1;
  const LatencyRow row = rows_of(planted::messages(plan, 35)).at(0);
  EXPECT_FALSE(row.asymmetry_ns);
  EXPECT_EQ(row.asymmetry_missing, "cannot be told: only one launch group has both directions");
}

// A counter's step is what a reading is rounded by, and no bound of what two counters are apart.
TEST(Asymmetry, IsNotToldByTheStepOfTheClock) {
  store::Data data = planted::messages(both_ways(400, 200), 35);
  for (store::Group& group : data.groups) {
    for (store::Launch& launch : group.launches) {
      for (store::Visit& visit : launch.visits) visit.agree_within_ns.reset();
    }
  }
  const LatencyRow row = rows_of(data).at(0);
  EXPECT_FALSE(row.asymmetry_ns);
  EXPECT_EQ(row.asymmetry_missing,
            "cannot be told: by how much the clocks of its ranks may be apart is not recorded");
}

// Among many sizes one differs by chance: the more are tested, the wider each interval is.
TEST(Asymmetry, IsCorrectedForAllThatAreTested) {
  const LatencyRow alone = rows_of(planted::messages(both_ways(400, 200), 35)).at(0);
  std::vector<record::Cell> cells;
  std::vector<double> times;
  for (std::uint64_t size = 8; size <= 8 << 9; size *= 2) {
    for (const char* pattern : {"distance:1", "distance:1:back"}) {
      cells.push_back(message_cell("oneway", size, pattern));
    }
    times.insert(times.end(), {400, 200});
  }
  const std::vector<LatencyRow> rows = rows_of(planted::messages(message_plan(cells, times), 1));
  ASSERT_THAT(rows, SizeIs(10));
  for (const LatencyRow& row : rows) {
    ASSERT_TRUE(row.asymmetry_ns) << row.asymmetry_missing;
    EXPECT_NEAR(row.asymmetry_ns->interval->confidence, 0.995, 1e-9);
  }
  EXPECT_NEAR(alone.asymmetry_ns->interval->confidence, 0.95, 1e-9);
}

}  // namespace
}  // namespace invar::analysis
