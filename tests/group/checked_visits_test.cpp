// After which visits of a launch the result is checked.
#include "group/checked_visits.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace invar::group {
namespace {

constexpr std::uint64_t kSeed = 42;

// Two arms that take turns in `cells` cells, round after round.
std::vector<record::PlanRow> rows(std::uint32_t rounds, std::uint32_t cells) {
  std::vector<record::PlanRow> all;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    for (std::uint32_t cell = 0; cell < cells; ++cell) {
      for (const char* arm : {"a", "b"}) {
        all.push_back({.round = round,
                       .visit = static_cast<std::uint32_t>(all.size()) + 1,
                       .cell = cell,
                       .arm = arm});
      }
    }
  }
  return all;
}

TEST(CheckedVisits, AreAboutTheShareOfThemAndOfOneArmOnly) {
  const auto plan = rows(1000, 4);
  const std::vector<bool> checked = checked_visits(plan, "b", kSeed, 0.1);
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (plan[i].arm == "a") {
      EXPECT_FALSE(checked[i]) << i;
    }
  }
  const auto count = std::count(checked.begin(), checked.end(), true);
  EXPECT_NEAR(static_cast<double>(count), 400, 80) << "four standard deviations";
}

TEST(CheckedVisits, AlwaysHaveTheLastOneOfEveryCell) {
  const auto plan = rows(3, 5);
  const std::vector<bool> checked = checked_visits(plan, "a", kSeed, 1e-9);
  for (std::size_t i = 0; i < plan.size(); ++i) {
    EXPECT_EQ(checked[i], plan[i].arm == "a" && plan[i].round == 2) << i;
  }
}

TEST(CheckedVisits, FollowFromTheSeed) {
  const auto plan = rows(50, 4);
  EXPECT_EQ(checked_visits(plan, "a", kSeed, 0.3), checked_visits(plan, "a", kSeed, 0.3));
  EXPECT_NE(checked_visits(plan, "a", kSeed, 0.3), checked_visits(plan, "a", kSeed + 1, 0.3));
}

TEST(CheckedVisits, DoNotDependOnWhatElseIsPlanned) {
  const auto plan = rows(50, 4);
  const std::vector<bool> all = checked_visits(plan, "a", kSeed, 0.3);
  const auto first = std::span(plan).first(plan.size() / 2);
  const std::vector<bool> half = checked_visits(first, "a", kSeed, 0.3);
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (plan[i].round != plan[first.size() - 1].round) {
      EXPECT_EQ(half[i], all[i]) << i;
    }
  }
}

TEST(CheckedVisits, AreAllOrNoneAtTheEnds) {
  const auto plan = rows(10, 2);
  const std::vector<bool> all = checked_visits(plan, "a", kSeed, 1);
  EXPECT_EQ(std::count(all.begin(), all.end(), true), 20);
  const std::vector<bool> none = checked_visits(plan, "a", kSeed, 0);
  EXPECT_EQ(std::count(none.begin(), none.end(), true), 0);
}

}  // namespace
}  // namespace invar::group
