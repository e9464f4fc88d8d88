// What an entry of a queue costs a message.
#include "analysis/p2p/queues.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "analysis/p2p/planted_messages.hpp"

namespace invar::analysis {
namespace {

using planted::message_cell;
using planted::message_plan;
using planted::with_pending;
using planted::with_unexpected;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

Queues queues_in(const store::Data& data) {
  const Study study = planted::study(data);
  const MessagePlaces places(data);
  const CellTable table =
      sort_visits(study.summaries().visits, data.cells.size(), data.arms.size());
  return queues_of({.data = data, .places = places, .table = table});
}

// Round trips of 400 ns, and 3 ns for each pending receive of any source in both directions.
planted::Plan queued_plan() {
  std::vector<record::Cell> cells{message_cell("pingpong", 8)};
  std::vector<double> times{400};
  for (const int count : {1, 16, 256, 4096}) {
    cells.push_back(with_pending(message_cell("pingpong", 8), "any:" + std::to_string(count)));
    times.push_back(400 + 2 * 3.0 * count);
  }
  for (const int count : {16, 4096}) {
    cells.push_back(with_unexpected(message_cell("pingpong", 8), "same:" + std::to_string(count)));
    times.push_back(400);
  }
  return message_plan(std::move(cells), std::move(times));
}

TEST(Queues, CostWhatTheLineOverTheirEntriesRises) {
  const Queues found = queues_in(planted::messages(queued_plan()));
  ASSERT_THAT(found.costs, SizeIs(2));
  const QueueCost& pending = found.costs[0];
  EXPECT_EQ(pending.kind, "pending, any source");
  EXPECT_EQ(pending.most, 4096U);
  EXPECT_NEAR(pending.per_entry_ns->value, 3, 0.1) << "a round trip meets two queues";
  EXPECT_LT(pending.per_entry_ns->interval->low, 3.05);
  EXPECT_GT(pending.per_entry_ns->interval->high, 2.95);
  EXPECT_EQ(pending.line, true);
  EXPECT_THAT(cost_text(pending), HasSubstr(" ns ["));
  const QueueCost& unexpected = found.costs[1];
  EXPECT_EQ(unexpected.kind, "unexpected, same peer");
  EXPECT_NEAR(unexpected.per_entry_ns->interval->low, 0, 0.01);
  EXPECT_NEAR(unexpected.per_entry_ns->interval->high, 0, 0.01);
  EXPECT_TRUE(unexpected.is_nothing());
  EXPECT_THAT(cost_text(unexpected), StartsWith("nothing (below 0.00"));
}

// As real libraries do it: the first entries lie in a cache line that is there already.
TEST(Queues, ThatAreNoLineHaveARangeAndNoSlope) {
  std::vector<record::Cell> cells{message_cell("pingpong", 8)};
  std::vector<double> times{400};
  for (const auto& [count, each] : {std::pair(1, 0.0), {16, 0.8}, {256, 1.3}, {4096, 2.5}}) {
    cells.push_back(with_pending(message_cell("pingpong", 8), "same:" + std::to_string(count)));
    times.push_back(400 + 2 * each * count);
  }
  const Queues found = queues_in(planted::messages(message_plan(std::move(cells), times)));
  ASSERT_THAT(found.costs, SizeIs(1));
  const QueueCost& cost = found.costs[0];
  EXPECT_EQ(cost.line, false);
  EXPECT_FALSE(cost.per_entry_ns);
  EXPECT_NEAR(cost.least_ns, 0.8, 0.2) << "a single entry says nothing of its cost";
  EXPECT_NEAR(cost.most_ns, 2.5, 0.1);
  EXPECT_THAT(cost_text(cost), HasSubstr(" ns, not a line"));
  EXPECT_FALSE(found.rows[0].per_entry_ns);
  EXPECT_NEAR(found.rows[3].per_entry_ns->value, 1.3, 0.1);
}

// What a single entry seems to cost is the noise of two calls.
TEST(Queues, HaveARangeOfWhatIsToldWellEnough) {
  QueueCost cost{.line = false};
  EXPECT_EQ(cost_text(cost), "not a line") << "of nothing that is told well enough";
  std::vector<record::Cell> cells{message_cell("pingpong", 8)};
  std::vector<double> times{400};
  for (const auto& [count, each] : {std::pair(1, 9.0), {16, 0.8}, {256, 1.3}, {4096, 2.5}}) {
    cells.push_back(with_pending(message_cell("pingpong", 8), "same:" + std::to_string(count)));
    times.push_back(400 + 2 * each * count);
  }
  planted::Plan plan = message_plan(std::move(cells), times);
  plan.visit_sd = 0.05;
  const Queues found = queues_in(planted::messages(plan));
  ASSERT_THAT(found.costs, SizeIs(1));
  EXPECT_EQ(found.costs[0].line, false);
  EXPECT_NEAR(found.costs[0].most_ns, 2.5, 0.2);
}

TEST(Queues, OfOneLaunchGroupAreTakenForALine) {
  planted::Plan plan = queued_plan();
  plan.groups = 1;
  const Queues found = queues_in(planted::messages(plan));
  EXPECT_FALSE(found.costs.at(0).line);
  EXPECT_NEAR(found.costs.at(0).per_entry_ns->value, 3, 0.2);
}

TEST(Queues, BeginWithNoEntries) {
  const Queues found = queues_in(planted::messages(queued_plan()));
  ASSERT_THAT(found.rows, SizeIs(5 + 3));
  EXPECT_EQ(found.rows[0].count, 0U);
  EXPECT_NEAR(found.rows[0].time.median_ns, 200, 30) << "of a message, not of a round trip";
  EXPECT_EQ(found.rows[0].kind, "pending, any source");
  EXPECT_EQ(found.rows[5].count, 0U) << "of every kind";
  EXPECT_EQ(found.rows[5].kind, "unexpected, same peer");
  // The level stands in columns of its own, so that all counts are one place in figures.
  for (const QueueRow& row : found.rows) EXPECT_EQ(row.cell.pending, "none");
}

TEST(Queues, OfWindowsAreThoseOfAMessage) {
  const Queues found = queues_in(planted::messages(
      message_plan({message_cell("stream", 8), with_pending(message_cell("stream", 8), "same:100")},
                   {6400, 6400 + 64 * 100})));
  ASSERT_THAT(found.costs, SizeIs(1));
  EXPECT_NEAR(found.costs[0].per_entry_ns->value, 1, 0.1);
  EXPECT_EQ(found.costs[0].kind, "pending, same peer");
}

TEST(Queues, OfOneCountHaveNoLine) {
  const Queues found = queues_in(planted::messages(
      message_plan({with_pending(message_cell("pingpong", 8), "other:16")}, {500})));
  EXPECT_THAT(found.rows, SizeIs(1));
  EXPECT_EQ(found.rows[0].kind, "pending, other communicator");
  EXPECT_THAT(found.costs, IsEmpty());
}

// A batch hides what the start of a call costs: it is no shorter queue.
TEST(Queues, TimedInBatchesAreOnNoLineWithSingleCalls) {
  store::Data data = planted::messages(queued_plan());
  for (store::Group& group : data.groups) {
    for (store::Launch& launch : group.launches) {
      for (store::Visit& visit : launch.visits) {
        if (visit.line.cell == 0) visit.line.calls = 8;
      }
    }
  }
  const Queues found = queues_in(data);
  ASSERT_THAT(found.costs, SizeIs(2));
  EXPECT_NEAR(found.costs[0].per_entry_ns->value, 3, 0.1) << "of the others";
  ASSERT_THAT(found.warnings, SizeIs(2));
  EXPECT_THAT(found.warnings[0].text, HasSubstr("are so short that they are timed in batches"));
}

TEST(Queues, OfSeveralArmsAreApart) {
  planted::Plan plan = queued_plan();
  plan.arms = {"openmpi", "mpich"};
  const auto time_ns = plan.time_ns;
  plan.time_ns = [time_ns](std::size_t arm, std::size_t cell) {
    return arm == 0 ? 400.0 : time_ns(arm, cell);
  };
  const Queues found = queues_in(planted::messages(plan));
  ASSERT_THAT(found.costs, SizeIs(4));
  EXPECT_EQ(found.costs[0].arm, "openmpi");
  EXPECT_NEAR(found.costs[0].per_entry_ns->value, 0, 0.01);
  EXPECT_EQ(found.costs[2].arm, "mpich");
  EXPECT_NEAR(found.costs[2].per_entry_ns->value, 3, 0.1);
}

}  // namespace
}  // namespace invar::analysis
