// Rates of planted curves, and where half of the largest one is reached.
#include "analysis/p2p/bandwidth.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <utility>

#include "analysis/p2p/planted_messages.hpp"

namespace invar::analysis {
namespace {

using planted::message_cell;
using planted::message_plan;
using testing::IsEmpty;
using testing::SizeIs;

std::optional<HalfSize> half_of(const std::vector<RatePoint>& points) {
  return half_rate_size(points);
}

TEST(HalfRateSize, LiesBetweenTheSizesAroundHalfOfTheLargest) {
  // Rates that double with the size, until they do no more.
  EXPECT_DOUBLE_EQ(half_of({{1, 1}, {2, 2}, {4, 4}, {8, 4}})->bytes, 2);
  // Half way on logarithmic scales.
  EXPECT_NEAR(half_of({{1, 1}, {4, 4}, {16, 4}})->bytes, 2, 1e-12);
  EXPECT_NEAR(half_of({{64, 1}, {1024, 16}})->bytes, 512, 1e-9);
  // The first time, although the rate falls below it again.
  EXPECT_NEAR(half_of({{1, 1}, {2, 5}, {4, 3}, {8, 10}})->bytes, 2, 1e-12);
}

// Hockney's model: a rate of r s / (s + n), whose half is reached at n.
TEST(HalfRateSize, OfALatencyAndABandwidthIsTheirProduct) {
  std::vector<RatePoint> points;
  for (int power = 0; power <= 24; ++power) {
    const double size = std::ldexp(1.0, power);
    points.push_back({size, 12 * size / (size + 8192)});
  }
  EXPECT_NEAR(half_of(points)->bytes / 8192, 1, 0.01);
}

TEST(HalfRateSize, OfTheSmallestSizeMayLieBelowAndOfOnePointIsNone) {
  const auto first = half_of({{8, 3}, {16, 4}});
  ASSERT_TRUE(first);
  EXPECT_TRUE(first->or_less);
  EXPECT_EQ(first->bytes, 8);
  EXPECT_FALSE(half_of({{8, 3}}));
  EXPECT_FALSE(half_of({}));
}

class PlantedRates {
 public:
  explicit PlantedRates(const planted::Plan& plan)
      : data_(planted::messages(plan)),
        study_(planted::study(data_)),
        places_(data_),
        table_(sort_visits(study_.summaries().visits, data_.cells.size(), data_.arms.size())),
        measured_{.data = data_, .places = places_, .table = table_} {}

  [[nodiscard]] std::vector<RateRow> rows() const { return rate_rows(measured_); }
  [[nodiscard]] PlaceRates place() const { return rates_of_place(measured_, 0, 0, rows()); }

 private:
  store::Data data_;
  Study study_;
  MessagePlaces places_;
  CellTable table_;
  MeasuredMessages measured_;
};

// 64 messages in a row at 10 GB/s behind a microsecond.
planted::Plan stream_plan() {
  std::vector<record::Cell> cells;
  std::vector<double> times;
  for (std::uint64_t size = 1; size <= 65536; size *= 4) {
    cells.push_back(message_cell("stream", size));
    times.push_back(1000 + 64 * static_cast<double>(size) / 10);
  }
  return message_plan(std::move(cells), std::move(times));
}

TEST(RateRows, CountTheBytesOfAllMessagesInBothDirections) {
  const std::vector<RateRow> rows =
      PlantedRates(message_plan({message_cell("stream", 1000), message_cell("pingpong", 1000),
                                 message_cell("oneway", 1000)},
                                {6400, 2000, 1000}))
          .rows();
  ASSERT_THAT(rows, SizeIs(3));
  EXPECT_NEAR(rows[0].bandwidth_gb_s->value, 10, 1.5) << "64 messages in a call";
  EXPECT_NEAR(rows[0].messages_per_s->value, 1e7, 1.5e6);
  EXPECT_NEAR(rows[1].bandwidth_gb_s->value, 1, 0.15) << "there and back in a round trip";
  EXPECT_NEAR(rows[2].bandwidth_gb_s->value, 1, 0.15);
  // The ends of a rate are those of its time, exchanged.
  EXPECT_DOUBLE_EQ(rows[0].bandwidth_gb_s->interval->high, 64000 / rows[0].time.interval_ns->low);
}

TEST(RateRows, OfEmptyMessagesAreNumbersOfMessagesAlone) {
  const std::vector<RateRow> rows =
      PlantedRates(message_plan({message_cell("pingpong", 0)}, {500})).rows();
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_FALSE(rows[0].bandwidth_gb_s);
  EXPECT_NEAR(rows[0].messages_per_s->value, 4e6, 1e6);
}

TEST(RateRows, OfCopiesAreNoNumbersOfMessages) {
  const std::vector<RateRow> rows =
      PlantedRates(message_plan({message_cell("memcpy", 1000)}, {100})).rows();
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_NEAR(rows[0].bandwidth_gb_s->value, 10, 1.5);
  EXPECT_FALSE(rows[0].messages_per_s);
}

// A sender's call may be over before its message has gone.
TEST(RateRows, OfOverheadsAreTimesAlone) {
  const std::vector<RateRow> rows =
      PlantedRates(message_plan({message_cell("send", 1000)}, {100})).rows();
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_FALSE(rows[0].bandwidth_gb_s || rows[0].messages_per_s);
}

TEST(RateRows, HaveNoCellsWithFullQueues) {
  EXPECT_THAT(
      PlantedRates(
          message_plan({planted::with_pending(message_cell("pingpong", 8), "any:16")}, {500}))
          .rows(),
      IsEmpty());
}

TEST(PlaceRates, AreTheLargestOfStreamsAndTheSizeOfTheirHalf) {
  const PlaceRates rates = PlantedRates(stream_plan()).place();
  EXPECT_EQ(rates.bandwidth_bytes, 65536U);
  EXPECT_EQ(rates.window, 64U);
  EXPECT_NEAR(rates.bandwidth_gb_s->value, 10, 0.5);
  ASSERT_TRUE(rates.half && rates.half->interval);
  // 1 us of 10 GB/s are 10^4 bytes in 64 messages; lines between sizes that are 4 times apart.
  EXPECT_NEAR(rates.half->bytes, 10000.0 / 64, 25);
  // The launch groups agree to a few bytes, but nobody has looked between these two.
  EXPECT_EQ(rates.half->interval->low, 64);
  EXPECT_EQ(rates.half->interval->high, 256);
  EXPECT_FALSE(rates.half->is_bracket());
  EXPECT_THAT(rates.half->lost, IsEmpty());
  EXPECT_EQ(rates.longest_bytes, 65536U);
  EXPECT_FALSE(rates.ping_pongs);
  EXPECT_NEAR(rates.messages_per_s->value, 64e9 / 1006, 5e6);
}

// In some groups the smallest size has half already: what the others say alone is too sure.
TEST(PlaceRates, HaveNoIntervalOfAHalfThatSomeGroupsHaveBelowAllSizes) {
  planted::Plan plan =
      message_plan({message_cell("stream", 64), message_cell("stream", 4096)}, {1000, 1000});
  plan.visit_ns = [](std::uint32_t group, std::uint32_t, std::size_t, std::size_t cell) {
    if (cell == 1) return 64 * 4096 / 10.0;
    return 64 * 64 / (group % 4 == 1 ? 5.2 : 3.0);
  };
  const PlaceRates rates = PlantedRates(plan).place();
  ASSERT_TRUE(rates.half);
  EXPECT_FALSE(rates.half->or_less);
  EXPECT_GT(rates.half->bytes, 64);
  EXPECT_FALSE(rates.half->interval);
}

TEST(PlaceRates, OfSeveralWindowsAreThoseOfTheBestOne) {
  planted::Plan plan = stream_plan();
  std::vector<record::Cell> cells = plan.cells;
  const auto time_ns = plan.time_ns;
  const std::size_t wide = cells.size();
  for (std::size_t i = 0; i < wide; ++i) {
    cells.push_back(cells[i]);
    cells.back().window = 1;
  }
  plan.cells = cells;
  // As long as before, for one message.
  plan.time_ns = [time_ns, wide](std::size_t arm, std::size_t cell) {
    return time_ns(arm, cell % wide);
  };
  const PlaceRates rates = PlantedRates(plan).place();
  EXPECT_EQ(rates.window, 64U);
  EXPECT_NEAR(rates.bandwidth_gb_s->value, 10, 0.5);
  EXPECT_NEAR(rates.half->bytes, 10000.0 / 64, 25) << "of one curve, not of both";
}

TEST(PlaceRates, WithoutStreamsAreThoseOfPingPongs) {
  std::vector<record::Cell> cells;
  std::vector<double> times;
  for (std::uint64_t size = 1; size <= 1 << 20; size *= 4) {
    cells.push_back(message_cell("pingpong", size));
    times.push_back(2 * (500 + static_cast<double>(size) / 4));
  }
  const PlaceRates rates = PlantedRates(message_plan(cells, times)).place();
  EXPECT_NEAR(rates.bandwidth_gb_s->value, 4, 0.6);
  EXPECT_NEAR(rates.half->bytes, 2000, 300);
  EXPECT_TRUE(rates.ping_pongs);
  EXPECT_NEAR(rates.messages_per_s->value, 2e6, 3e5);
}

// 5 GB/s above 64 KiB, where 64 messages are too many.
TEST(PlaceRates, OfLongMessagesGoOnWithFewerInARow) {
  planted::Plan plan = stream_plan();
  std::vector<record::Cell> cells = plan.cells;
  const std::size_t known = cells.size();
  for (const std::uint64_t size : {1U << 16U, 1U << 18U, 1U << 20U}) {
    cells.push_back(message_cell("stream", size));
    cells.back().window = 2;
  }
  plan.cells = cells;
  const auto time_ns = plan.time_ns;
  plan.time_ns = [=](std::size_t arm, std::size_t cell) {
    return cell < known ? time_ns(arm, cell) : 2 * static_cast<double>(*cells[cell].size_bytes) / 5;
  };
  const PlaceRates rates = PlantedRates(plan).place();
  EXPECT_EQ(rates.window, 64U);
  EXPECT_EQ(rates.bandwidth_bytes, 65536U);
  EXPECT_NEAR(rates.bandwidth_gb_s->value, 10, 0.5);
  EXPECT_EQ(rates.longest_bytes, 1U << 20U);
  EXPECT_NEAR(rates.longest_gb_s->value, 5, 0.25);
  EXPECT_FALSE(rates.grows);
}

TEST(PlaceRates, SayWhereHalfIsLostAgain) {
  std::vector<record::Cell> cells;
  std::vector<double> times;
  const auto add = [&](std::uint64_t size, double gb_s) {
    cells.push_back(message_cell("stream", size));
    times.push_back(64 * static_cast<double>(size) / gb_s);
  };
  for (const auto& [size, gb_s] :
       std::initializer_list<std::pair<std::uint64_t, double>>{{256, 4},
                                                               {512, 7},
                                                               {1024, 13},
                                                               {2048, 16},
                                                               {4096, 2},
                                                               {8192, 4},
                                                               {16384, 12},
                                                               {32768, 5}}) {
    add(size, gb_s);
  }
  planted::Plan plan = message_plan(cells, times);
  const PlaceRates rates = PlantedRates(plan).place();
  EXPECT_EQ(rates.half->low_bytes, 512);
  EXPECT_EQ(rates.half->high_bytes, 1024);
  EXPECT_THAT(rates.half->lost,
              testing::ElementsAre(SizeRange{4096, 8192, false}, SizeRange{32768, 32768, true}));
  // What may be half, by its interval, is not lost.
  times.back() = 64 * 32768 / 7.9;
  EXPECT_THAT(PlantedRates(message_plan(cells, times)).place().half->lost,
              testing::ElementsAre(SizeRange{4096, 8192, false}));
}

TEST(PlaceRates, OfFewSizesKnowBetweenWhichHalfLies) {
  const PlaceRates rates =
      PlantedRates(
          message_plan({message_cell("stream", 8), message_cell("stream", 1024)}, {1000, 2000}))
          .place();
  ASSERT_TRUE(rates.half);
  EXPECT_TRUE(rates.half->is_bracket());
  EXPECT_EQ(rates.half->low_bytes, 8);
  EXPECT_EQ(rates.half->high_bytes, 1024);
}

TEST(PlaceRates, SayWhereTheyStillGrow) {
  EXPECT_FALSE(PlantedRates(stream_plan()).place().grows) << "the last two differ by little";
  planted::Plan plan = stream_plan();
  plan.cells.resize(3);
  EXPECT_TRUE(PlantedRates(plan).place().grows);
}

}  // namespace
}  // namespace invar::analysis
