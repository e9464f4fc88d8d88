// From which sizes on senders wait, and late receives contain the transfer.
#include "analysis/network/fit/thresholds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/network/fit/series_pieces.hpp"

namespace invar::analysis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<WaitingShare> shares(const std::vector<double>& values) {
  std::vector<WaitingShare> made;
  std::uint64_t size = 1;
  for (const double share : values) {
    made.push_back({.size_bytes = size, .share = share});
    size *= 2;
  }
  return made;
}

TEST(Detached, LiesBetweenTheLastThatDoesNotWaitAndTheFirstThatDoes) {
  std::vector<std::uint64_t> wrong;
  const Threshold found = detached_threshold(shares({0, 0.02, 0.01, 0.97, 1.0, 1.1}), &wrong);
  EXPECT_EQ(found.last_bytes, 4U);
  EXPECT_EQ(found.first_bytes, 8U);
  EXPECT_TRUE(found.known);
  EXPECT_THAT(wrong, IsEmpty());
  EXPECT_TRUE(found.beyond(8));
  EXPECT_FALSE(found.beyond(7));
}

TEST(Detached, OfSendersThatAllWaitOrNeverDoHasOneEnd) {
  const Threshold never = detached_threshold(shares({0, 0, 0}));
  EXPECT_EQ(never.last_bytes, 4U);
  EXPECT_FALSE(never.first_bytes);
  const Threshold always = detached_threshold(shares({1, 1, 1}));
  EXPECT_FALSE(always.last_bytes);
  EXPECT_EQ(always.first_bytes, 1U);
  EXPECT_FALSE(never.beyond(1U << 30U));
}

TEST(Detached, NamesSizesOnTheWrongSide) {
  std::vector<std::uint64_t> wrong;
  const Threshold found = detached_threshold(shares({0, 1, 0, 0, 1, 1, 1}), &wrong);
  EXPECT_EQ(found.first_bytes, 16U);
  EXPECT_THAT(wrong, ElementsAre(2U));
}

TEST(Detached, OfTwoDivisionsThatAreAsGoodIsTheOneWithTheWiderStep) {
  // 8 B is on the wrong side, or 4 B is.
  const Threshold found = detached_threshold(shares({0, 0, 0.55, 0.2, 1, 1}));
  EXPECT_EQ(found.last_bytes, 8U);
}

TEST(Detached, OfNoSizeIsNotKnown) {
  const Threshold found = detached_threshold({});
  EXPECT_FALSE(found.known);
  EXPECT_THAT(found.why, HasSubstr("how late"));
}

SeriesObservation late_visit(std::uint64_t size, std::uint32_t group, double time_ns,
                             double lateness_ns) {
  return {.size_bytes = size, .group = group, .median_ns = time_ns, .lateness_ns = lateness_ns};
}

TEST(WaitingShares, AreWhatASendTakesBeyondOneInTimeOverTheLateness) {
  const DataSeries series{
      .key = {SeriesKind::kSendToLate},
      .observations = {late_visit(8, 1, 120, 1000), late_visit(64, 1, 1150, 1000),
                       late_visit(64, 2, 1050, 1000), late_visit(128, 1, 500, 0)}};
  const std::vector<GroupWeight> groups{{.group = 1}, {.group = 2}};
  const auto found = waiting_shares(series, groups, [](std::uint64_t) { return 100.0; });
  ASSERT_THAT(found, SizeIs(2)) << "of a visit whose lateness is not known nothing is said";
  EXPECT_NEAR(found[0].share, 0.02, 1e-12);
  EXPECT_NEAR(found[1].share, 1.0, 1e-12);
}

// L = 1000, G = 0.1, o_r = 300: half a round trip less o_s is 1300 + 0.1 s.
std::vector<HiddenTime> hidden_up_to(std::uint64_t async_bytes, double wire_ns = 1000) {
  std::vector<HiddenTime> hidden;
  std::uint64_t odd = 1;
  for (std::uint64_t size = 1; size <= 65536; size = size * 3 / 2 + 1) {
    odd = odd * 6364136223846793005U + 1442695040888963407U;
    const double noise = (static_cast<double>(odd >> 40U) / (1U << 24U) - 0.5) * 40;
    const double transfer = 300 + wire_ns + 0.1 * static_cast<double>(size);
    const double receive = size < async_bytes ? 300 : transfer;
    hidden.push_back({.size_bytes = size,
                      .transfer_ns = transfer,
                      .hidden_ns = transfer - receive + noise,
                      .variance_ns2 = 400});
  }
  return hidden;
}

TEST(Async, IsWhereALateReceiveHidesNothingAnyMore) {
  const std::vector<HiddenTime> hidden = hidden_up_to(3000);
  const Threshold found = async_threshold(hidden, {});
  ASSERT_TRUE(found.last_bytes && found.first_bytes);
  EXPECT_LT(*found.last_bytes, 3000U);
  EXPECT_GE(*found.first_bytes, 3000U);
  EXPECT_EQ(found.why, "");
}

TEST(Async, OfReceivesThatAllHideItIsWhereSendsWait) {
  const Threshold detached{.last_bytes = 65536, .first_bytes = 70000, .known = true};
  const Threshold found = async_threshold(hidden_up_to(1U << 20U), detached);
  EXPECT_EQ(found.first_bytes, 70000U);
  ASSERT_TRUE(found.last_bytes);
  EXPECT_LE(*found.last_bytes, 65536U);
  EXPECT_FALSE(async_threshold(hidden_up_to(1U << 20U), {}).first_bytes);
}

TEST(Async, OfReceivesThatHideNothingIsNotGuessedInSilence) {
  const Threshold found = async_threshold(hidden_up_to(0), {});
  EXPECT_FALSE(found.last_bytes);
  EXPECT_EQ(found.first_bytes, 1U);
  EXPECT_THAT(found.why, HasSubstr("or it takes nothing"));
}

// In shared memory both ends copy at once: by subtraction L is negative.
TEST(Async, OfEndsThatOverlapIsWhereSendsWaitAndSaysWhy) {
  std::vector<HiddenTime> hidden = hidden_up_to(0);
  for (HiddenTime& one : hidden) one.hidden_ns = -0.3 * one.transfer_ns;
  const Threshold detached{.last_bytes = 65536, .first_bytes = 70000, .known = true};
  const Threshold found = async_threshold(hidden, detached);
  EXPECT_EQ(found.first_bytes, 70000U);
  EXPECT_THAT(found.why, HasSubstr("overlap"));
}

TEST(Async, OfNoSizeIsNotKnown) {
  const Threshold detached{.last_bytes = 4000, .first_bytes = 4100, .known = true};
  const Threshold found = async_threshold({}, detached);
  EXPECT_FALSE(found.known);
  EXPECT_THAT(found.why, HasSubstr("no size"));
  EXPECT_TRUE(found.beyond(4100)) << "a send that waits is received with its transfer";
}

Threshold between(std::uint64_t last, std::uint64_t first) {
  return {.last_bytes = last,
          .first_bytes = first,
          .interval_bytes = stats::Interval{.low = static_cast<double>(last),
                                            .high = static_cast<double>(first),
                                            .confidence = 0.95},
          .known = true};
}

ModelBreak break_between(std::uint64_t last, std::uint64_t first, double low, double high) {
  return {.last_bytes = last,
          .first_bytes = first,
          .interval_bytes = stats::Interval{.low = low, .high = high, .confidence = 0.95}};
}

TEST(Narrowed, TheOneBreakInAThresholdsGapIsTheThreshold) {
  const std::vector<ModelBreak> breaks{break_between(100, 110, 90, 120),
                                       break_between(1000, 1010, 950, 5000)};
  const Threshold found = narrowed(between(900, 1500), breaks);
  EXPECT_EQ(found.last_bytes, 1000U);
  EXPECT_EQ(found.first_bytes, 1010U);
  EXPECT_EQ(found.interval_bytes->low, 950);
  EXPECT_EQ(found.interval_bytes->high, 1500) << "not beyond the gap";
}

TEST(NotBeyond, WhereBothGapsMeetAsyncIsDetached) {
  const Threshold detached = between(4031, 4112);
  for (const Threshold& async :
       {between(4070, 4101), between(4000, 4040), between(3900, 4031), between(5000, 6000),
        Threshold{.last_bytes = 1000, .first_bytes = 4112, .known = true}}) {
    const Threshold found = not_beyond(async, detached);
    EXPECT_EQ(found.last_bytes, 4031U) << *async.last_bytes;
    EXPECT_EQ(found.first_bytes, 4112U);
    EXPECT_EQ(found.interval_bytes, detached.interval_bytes);
    EXPECT_TRUE(found.known);
  }
}

TEST(NotBeyond, BelowItStaysAndSoDoesWhatIsNotKnown) {
  const Threshold detached = between(4031, 4112);
  EXPECT_EQ(not_beyond(between(900, 1100), detached).last_bytes, 900U);
  EXPECT_FALSE(not_beyond({.first_bytes = 1, .known = true}, detached).last_bytes);
  EXPECT_EQ(not_beyond(between(5000, 6000), {}).last_bytes, 5000U);
  const Threshold never{.last_bytes = 4031, .known = true};
  EXPECT_EQ(not_beyond(between(5000, 6000), never).last_bytes, 5000U) << "no send waits";
  const Threshold unknown = not_beyond({.first_bytes = 4112, .why = "why"}, detached);
  EXPECT_FALSE(unknown.known);
  EXPECT_EQ(unknown.why, "why");
}

TEST(Narrowed, OfNoneAndOfSeveralBreaksItStaysAsItIs) {
  const std::vector<ModelBreak> breaks{break_between(1000, 1010, 950, 1050),
                                       break_between(1200, 1210, 1150, 1250)};
  EXPECT_EQ(narrowed(between(900, 1500), breaks).last_bytes, 900U);
  EXPECT_EQ(narrowed(between(2000, 3000), breaks).first_bytes, 3000U);
  EXPECT_FALSE(narrowed({.first_bytes = 1100, .known = true}, breaks).last_bytes);
}

TEST(Narrowed, WhereResamplesHaveItElsewhereItsIntervalStays) {
  Threshold wide = between(900, 1500);
  wide.interval_bytes->low = 500;
  const std::vector<ModelBreak> breaks{break_between(1000, 1010, 950, 1050)};
  const Threshold found = narrowed(wide, breaks);
  EXPECT_EQ(found.last_bytes, 1000U);
  EXPECT_EQ(found.interval_bytes->low, 500);
  EXPECT_EQ(found.interval_bytes->high, 1500);
}

}  // namespace
}  // namespace invar::analysis
