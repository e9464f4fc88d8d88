// How the budget of `invar tune` is divided.
#include "design/recipes/tune_budget.hpp"

#include <gtest/gtest.h>

namespace invar::design {
namespace {

TEST(TuneBudget, RaceGetsWhatTheGuidelinesLeft) {
  EXPECT_DOUBLE_EQ(left_for_race_s(60, 15), 45);
  EXPECT_DOUBLE_EQ(left_for_race_s(60, 5), 55) << "all of them were decided early";
  EXPECT_DOUBLE_EQ(left_for_race_s(60, 50), 15) << "they may take three quarters";
}

TEST(TuneBudget, SomeIsKeptForAskingTheLibraryWhenTheRaceHasEnded) {
  EXPECT_DOUBLE_EQ(kept_for_asking_s(40, 1), 3);
  EXPECT_DOUBLE_EQ(kept_for_asking_s(40, 12), 4) << "never more than a tenth";
  EXPECT_DOUBLE_EQ(kept_for_asking_s(600, 12), 36);
}

TEST(TuneBudget, OneThatIsEnoughBringsAllLooks) {
  EXPECT_DOUBLE_EQ(enough_for_all_looks_s(18, 6, 30), 120);
  EXPECT_GT(kMostOfGuidelines * enough_for_all_looks_s(18, 6, 30), 18.0 / 6 * 29);
}

}  // namespace
}  // namespace invar::design
