// Which cells with messages belong together.
#include "analysis/p2p/message_places.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/p2p/planted_messages.hpp"

namespace invar::analysis {
namespace {

using planted::message_cell;
using planted::message_plan;
using testing::HasSubstr;

MessagePlaces places_of(const std::vector<record::Cell>& cells) {
  return MessagePlaces(
      planted::messages(message_plan(cells, std::vector<double>(cells.size(), 1000))));
}

TEST(MessagePlaces, HaveWhatIsUsualForAnyOperationInOne) {
  const MessagePlaces places = places_of(
      {message_cell("pingpong", 8), message_cell("stream", 8), message_cell("stream", 1024),
       message_cell("oneway", 8), message_cell("oneway", 8, "distance:1:back"),
       planted::with_pending(message_cell("pingpong", 8), "any:16"),
       planted::with_unexpected(message_cell("pingpong", 8), "same:16")});
  EXPECT_EQ(places.count(), 1U);
  for (std::uint32_t cell = 0; cell < 7; ++cell) EXPECT_EQ(places.of(cell), 0U) << cell;
  EXPECT_EQ(places.text(0), "");
}

TEST(MessagePlaces, AreToldByWhatTheyDifferIn) {
  record::Cell cold = message_cell("pingpong", 8);
  cold.cache = "cold-flush";
  record::Cell cold_stream = message_cell("stream", 8);
  cold_stream.cache = "cold-flush";
  record::Cell persistent = message_cell("pingpong", 8);
  persistent.form = "persistent";
  const MessagePlaces places =
      places_of({message_cell("stream", 8), message_cell("pingpong", 8), cold, cold_stream,
                 persistent, message_cell("pingpong", 8, "distance:2")});
  EXPECT_EQ(places.count(), 4U);
  EXPECT_EQ(places.of(0), places.of(1));
  EXPECT_EQ(places.of(2), places.of(3));
  EXPECT_THAT(places.text(*places.of(2)), HasSubstr("cold-flush"));
  EXPECT_THAT(places.text(*places.of(2)), HasSubstr("form blocking"))
      << "that of its ping-pongs, whatever its streams have";
  EXPECT_THAT(places.text(*places.of(4)), HasSubstr("form persistent"));
  EXPECT_THAT(places.text(*places.of(5)), HasSubstr("distance:2"));
}

TEST(MessagePlaces, HaveNothingThatSaysNothingOfMessages) {
  record::Cell computing = message_cell("pingpong", 8);
  computing.compute = "10000ns";
  record::Cell of_a_suite = message_cell("pingpong", 8);
  of_a_suite.scheme = "series";
  const MessagePlaces places =
      places_of({planted::cell("bcast", 8), computing, of_a_suite, message_cell("pingpong", 8)});
  EXPECT_EQ(places.of(0), std::nullopt);
  EXPECT_EQ(places.of(1), std::nullopt);
  EXPECT_EQ(places.of(2), std::nullopt);
  EXPECT_EQ(places.of(3), 0U);
}

// Late receivers that show a protocol are cells that only a decision needed: they make no places.
TEST(MessagePlaces, HaveNoCellsWithoutVisits) {
  record::Cell late = message_cell("oneway", 8);
  late.arrival = "last-late:200us";
  store::Data data =
      planted::messages(message_plan({message_cell("pingpong", 8), late}, {1000, 1000}));
  planted::remove_cell(data, 0, 1);
  const MessagePlaces places(data);
  EXPECT_EQ(places.count(), 1U);
  EXPECT_EQ(places.of(1), std::nullopt);
  EXPECT_EQ(places.text(0), "") << "nobody has to be told that nobody is late";
  EXPECT_TRUE(any_messages(data));
}

TEST(WaitingQueue, IsOfOneKindOrOfNone) {
  const record::Cell cell = message_cell("pingpong", 8);
  EXPECT_EQ(waiting_queue(cell)->queue.kind, record::QueueKind::kNone);
  EXPECT_EQ(waiting_queue(planted::with_pending(cell, "any:16"))->queue.count, 16U);
  EXPECT_TRUE(waiting_queue(planted::with_unexpected(cell, "same:4"))->unexpected);
  const record::Cell both =
      planted::with_unexpected(planted::with_pending(cell, "any:1"), "same:1");
  EXPECT_EQ(waiting_queue(both), std::nullopt) << "what either of them costs cannot be told";
  EXPECT_TRUE(without_queues(both).same_levels(cell));
}

TEST(GroupEstimates, AreMeansWithStudentsInterval) {
  const std::vector<double> values{1, 2, 3};
  const GroupEstimate estimate = mean_over_groups(values, 0, 0.95);
  EXPECT_DOUBLE_EQ(estimate.value, 2);
  // t(0.975, 2) = 4.302653, sd 1.
  EXPECT_NEAR(estimate.interval->high, 2 + 4.302653 / std::sqrt(3.0), 1e-5);
  EXPECT_FALSE(mean_over_groups(std::vector<double>{5}, 0, 0.95).interval);
  EXPECT_FALSE(mean_over_groups(std::vector<double>{5, 5}, 0, 0.95).interval);
  EXPECT_TRUE(mean_over_groups(std::vector<double>{5, 5}, 0.1, 0.95).interval)
      << "equal roundings are no certainty";
  EXPECT_FALSE(log_interval_around(5, std::vector<double>{}, 0.95));
  const auto around = log_interval_around(100, std::vector<double>{7, 8, 9}, 0.95);
  ASSERT_TRUE(around);
  EXPECT_EQ(around->high, 100) << "it holds the estimate";
}

}  // namespace
}  // namespace invar::analysis
