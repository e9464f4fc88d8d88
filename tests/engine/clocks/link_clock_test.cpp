// What a rank reads on a virtual clock, and what its link makes of it.
#include "engine/clocks/link_clock.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace invar::engine::test {
namespace {

LinkClock of_another_frequency() {
  LinkClock link;
  link.virtual_clock = {0, 0.5, 0.05, 0, 1};
  link.virtual_scale = 1 / 1.05;
  return link;
}

TEST(LinkClock, TicksOfAnotherFrequencyAreRoughlyRealTimeToTheLink) {
  const LinkClock link = of_another_frequency();
  constexpr std::int64_t kSecondPs = 1'000'000'000'000;
  const auto shown = [&](std::int64_t real_ps) { return link.virtual_clock.at_ps(real_ps); };
  EXPECT_NEAR(static_cast<double>(shown(2 * kSecondPs) - shown(kSecondPs)), 1.05e12, 10);
  EXPECT_NEAR(static_cast<double>(link.ps_of_virtual(shown(2 * kSecondPs)) -
                                  link.ps_of_virtual(shown(kSecondPs))),
              1e12, 10);
}

TEST(LinkClock, ScaleIsExactToATickBehindAnOffsetOfDays) {
  const LinkClock link = of_another_frequency();
  for (const std::int64_t ticks : {std::int64_t{0}, std::int64_t{123'456'789'012'345'678},
                                   std::int64_t{-987'654'321'098'765'432}}) {
    EXPECT_LE(std::abs(link.virtual_of_ps(link.ps_of_virtual(ticks)) - ticks), 1);
    // Neighbours stay in order.
    EXPECT_LE(link.ps_of_virtual(ticks), link.ps_of_virtual(ticks + 1));
  }
}

// Else a line that is fitted on the link's readings is applied to others.
TEST(LinkClock, ReadsTheCounterAsVisitsDoWhereItIsAheadOfTheHosts) {
  constexpr std::int64_t kAheadTicks = 1'000'000'000'000;
  const clock::ShiftedTscClock visits{kAheadTicks};
  LinkClock link{.source = clock::Source::kTsc, .origin_ticks = clock::tsc_ticks()};
  link.ahead_ticks = kAheadTicks;
  const std::int64_t before_ps = link.real_ps_of(visits.now());
  const std::int64_t read_ps = link.real_ps();
  const std::int64_t after_ps = link.real_ps_of(visits.now());
  EXPECT_LE(before_ps, read_ps);
  EXPECT_LE(read_ps, after_ps);
  EXPECT_LT(read_ps, 0) << "far behind the raw counter";
}

TEST(LinkClock, WithoutAScaleTheLinkHasTheTicksThemselves) {
  LinkClock link = of_another_frequency();
  link.virtual_scale = 1;
  EXPECT_EQ(link.ps_of_virtual(987'654'321'098'765'433), 987'654'321'098'765'433);
  EXPECT_EQ(link.virtual_of_ps(987'654'321'098'765'433), 987'654'321'098'765'433);
}

}  // namespace
}  // namespace invar::engine::test
