#include "clock/domain.hpp"

#include <gtest/gtest.h>

namespace invar::clock {
namespace {

constexpr std::int64_t kNs = 1000;
constexpr std::int64_t kMs = 1'000'000 * kNs;

std::vector<PingPong> batch(std::int64_t begin_ps, std::int64_t offset_ps) {
  std::vector<PingPong> all;
  for (int i = 0; i < 20; ++i) {
    const std::int64_t t = begin_ps + i * 500 * kNs;
    all.push_back({t, t + 200 * kNs - offset_ps, t + 220 * kNs - offset_ps, t + 400 * kNs});
  }
  return all;
}

const ClockIdentity kHere{.boot_id = "a", .time_namespace = "time:[1]", .kernel_source = "tsc"};

TEST(Domain, RanksOfOneHostShareAClock) {
  EXPECT_TRUE(same_domain(kHere, kHere, batch(0, 0), batch(20 * kMs, 0)).same);
}

TEST(Domain, EachDifferenceOfTheIdentitySeparates) {
  const auto verdict = [](auto change) {
    ClockIdentity other = kHere;
    change(other);
    return same_domain(kHere, other, batch(0, 0), batch(20 * kMs, 0)).same;
  };
  EXPECT_FALSE(verdict([](ClockIdentity& c) { c.boot_id = "b"; }));
  EXPECT_FALSE(verdict([](ClockIdentity& c) { c.time_namespace = "time:[2]"; }));
  EXPECT_FALSE(verdict([](ClockIdentity& c) { c.source = Source::kMonotonicRaw; }));
  EXPECT_FALSE(verdict([](ClockIdentity& c) { c.kernel_source = "hpet"; }));
  EXPECT_FALSE(verdict([](ClockIdentity& c) { c.origin = 1; }));
}

TEST(Domain, AnOffsetInEitherBatchSeparatesWhateverTheIdentitySays) {
  const DomainVerdict verdict = same_domain(kHere, kHere, batch(0, 0), batch(20 * kMs, 1000 * kNs));
  EXPECT_FALSE(verdict.same);
  EXPECT_EQ(verdict.why, "an answer came before its question by 800 ns of the other clock");
  EXPECT_FALSE(same_domain(kHere, kHere, batch(0, -1000 * kNs), batch(20 * kMs, 0)).same);
}

TEST(Domain, BatchesMustBeTenMillisecondsApart) {
  EXPECT_FALSE(same_domain(kHere, kHere, batch(0, 0), batch(5 * kMs, 0)).same);
  EXPECT_FALSE(same_domain(kHere, kHere, {}, batch(20 * kMs, 0)).same);
}

TEST(Domain, UnknownBootIdsAreNotTheSame) {
  ClockIdentity unknown = kHere;
  unknown.boot_id.clear();
  EXPECT_FALSE(same_domain(unknown, unknown, batch(0, 0), batch(20 * kMs, 0)).same);
}

}  // namespace
}  // namespace invar::clock
