// What the journal says of a visit's repetitions.
#include "engine/timed/visit_counts.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "record/timing.hpp"

namespace invar::engine::test {
namespace {

constexpr std::uint32_t kAskedFor = 20;
constexpr std::uint32_t kMost = 40;
constexpr std::int64_t kLimitPs = 1'000'000;

record::VisitLine line_of(const std::vector<std::pair<std::uint32_t, unsigned>>& kinds) {
  std::vector<record::Timing> records;
  for (const auto& [count, flags] : kinds) {
    record::Timing timing{};
    timing.flags = static_cast<std::uint16_t>(flags);
    records.insert(records.end(), count, timing);
  }
  record::VisitLine line;
  count_repetitions(records, kAskedFor, kMost, kLimitPs, line);
  return line;
}

TEST(VisitCounts, WarmUpAndLateAreNotValidAndApartIsNeither) {
  constexpr unsigned kApart = record::kLost | record::kApart;
  const record::VisitLine line = line_of({{3, record::kWarmUp},
                                          {2, record::kWarmUp | record::kLate},
                                          {18, 0},
                                          {2, record::kLost},
                                          {4, record::kLate},
                                          {5, kApart | record::kRepeatsLate}});
  EXPECT_EQ(line.valid, 20U);
  EXPECT_EQ(line.late, 4U);
  EXPECT_EQ(line.lost, 7U);
  EXPECT_EQ(line.apart, 5U);
  EXPECT_EQ(line.repeated, 5U);
  EXPECT_EQ(line.skew_limit_ps, kLimitPs);
  EXPECT_FALSE(line.retry_cap_reached);
}

TEST(VisitCounts, CapIsReachedWhereAllAttemptsWereMade) {
  EXPECT_TRUE(line_of({{5, record::kWarmUp}, {19, 0}, {21, record::kLate}}).retry_cap_reached);
  EXPECT_FALSE(line_of({{20, 0}, {20, record::kLate}}).retry_cap_reached) << "with the last one";
  EXPECT_TRUE(line_of({{10, 0}, {30, record::kApart}}).retry_cap_reached)
      << "a cell's first visit tries them all";
}

TEST(VisitCounts, VisitThatEndedBecauseMostAreLostHasNotReachedTheCap) {
  const record::VisitLine line = line_of({{3, record::kWarmUp}, {8, 0}, {12, record::kApart}});
  EXPECT_EQ(line.valid, 8U);
  EXPECT_FALSE(line.retry_cap_reached);
}

TEST(VisitCounts, VisitWhoseTimeWasOverHoldsFewerAndSaysSo) {
  EXPECT_TRUE(line_of({{3, record::kWarmUp}, {8, 0}, {2, record::kLate}}).retry_cap_reached);
}

}  // namespace
}  // namespace invar::engine::test
