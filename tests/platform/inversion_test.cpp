#include "platform/inversion.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/random.hpp"
#include "platform/planted_model.hpp"
#include "platform/predicted.hpp"
#include "platform/simgrid_xml.hpp"

namespace invar::platform {
namespace {

using test::planted_model;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr double kNsPerS = 1e9;

// Sizes on both sides of everything at which something changes, with envelope and without.
std::set<std::uint64_t> sizes_around(const PlatformModel& model) {
  std::set<std::uint64_t> breaks{0};
  for (const auto* lines : {&model.half_round_trip, &model.send, &model.isend, &model.receive}) {
    for (const Line& line : *lines) breaks.insert(static_cast<std::uint64_t>(line.from_bytes));
  }
  if (model.detached_bytes) breaks.insert(*model.detached_bytes);
  std::set<std::uint64_t> sizes{0, 1, 1000000, kMostBytes};
  for (const std::uint64_t at : breaks) {
    for (const std::uint64_t below : {1U, 16U, 17U}) {
      if (at >= below) sizes.insert(at - below);
    }
    for (const std::uint64_t above : {0U, 1U, 2U, 16U, 17U}) sizes.insert(at + above);
  }
  return sizes;
}

double half_ns(const SimgridPlatform& platform, std::uint64_t size) {
  return predicted_half_round_trip_s(platform, size).value() * kNsPerS;
}

TEST(Inversion, GivesThePlantedLinesBackAtEverySize) {
  const PlatformModel model = planted_model();
  const Inversion inversion = invert(model);
  EXPECT_THAT(inversion.clippings, IsEmpty());
  for (const std::uint64_t size : sizes_around(model)) {
    SCOPED_TRACE(size);
    const double half = line_ns(model.half_round_trip, size);
    EXPECT_NEAR(half_ns(inversion.platform, size), half, 1e-12 * half);
    const auto expect_overhead = [&](const std::vector<OverheadSection>& sections,
                                     const std::vector<Line>& lines) {
      EXPECT_DOUBLE_EQ(overhead_s(sections, size) * kNsPerS, line_ns(lines, size));
    };
    expect_overhead(inversion.platform.send, model.send);
    expect_overhead(inversion.platform.isend, model.isend);
    expect_overhead(inversion.platform.receive, model.receive);
  }
}

TEST(Inversion, FactorsAreModelsFormulas) {
  const PlatformModel model = planted_model();
  const SimgridPlatform platform = invert(model).platform;
  // Above 20000 and up to 33000: 14000 + 1.75 s less 2000 + .125 s and 5000 + .2 s.
  const double slope = 1.75 - 0.125 - 0.2;
  EXPECT_DOUBLE_EQ(factor_at(platform.bandwidth_factor, 25000), 1 / (1.125 * slope));
  EXPECT_DOUBLE_EQ(factor_at(platform.latency_factor, 25000),
                   (14000 - 2000 - 5000 - 16 * slope) / 10000);
  // Where the sender waits nothing is subtracted.
  EXPECT_DOUBLE_EQ(factor_at(platform.bandwidth_factor, 65537), 1 / (1.125 * 0.875));
  EXPECT_DOUBLE_EQ(factor_at(platform.latency_factor, 65537), (60000 - 16 * 0.875) / 10000);
}

TEST(Inversion, BoundariesAreTheLastSizeBeforeABreak) {
  const SimgridPlatform platform = invert(planted_model()).platform;
  const auto boundaries = [](const auto& sections) {
    std::vector<std::uint64_t> all;
    for (const auto& section : sections) all.push_back(section.above_bytes);
    return all;
  };
  EXPECT_THAT(boundaries(platform.send), ElementsAre(0, 3000));
  EXPECT_THAT(boundaries(platform.isend), ElementsAre(0, 5000, 100000));
  EXPECT_THAT(boundaries(platform.receive), ElementsAre(0, 1420, 20000));
  EXPECT_THAT(boundaries(platform.bandwidth_factor),
              ElementsAre(0, 1436, 3016, 20016, 33016, 65552));
  EXPECT_EQ(platform.detached_bytes, 65537U);
  EXPECT_EQ(platform.async_bytes, 4097U);
}

TEST(Inversion, ThresholdWithoutABreakDividesAPiece) {
  PlatformModel model = planted_model();
  model.detached_bytes = 40000;
  const SimgridPlatform platform = invert(model).platform;
  for (const std::uint64_t size : {39999U, 40000U, 40001U}) {
    EXPECT_NEAR(half_ns(platform, size), 31000 + 1.25 * static_cast<double>(size), 1e-6) << size;
  }
  EXPECT_EQ(predicted_send_s(platform, 39999), overhead_s(platform.send, 39999));
  EXPECT_EQ(predicted_send_s(platform, 40000), wire_s(platform, 40000));
}

TEST(Inversion, WithoutThresholdsEveryMessageIsDetached) {
  PlatformModel model = planted_model();
  model.detached_bytes.reset();
  model.async_bytes.reset();
  const Inversion inversion = invert(model);
  EXPECT_EQ(inversion.platform.detached_bytes, kMostBytes);
  EXPECT_EQ(inversion.platform.async_bytes, kMostBytes);
  EXPECT_NEAR(half_ns(inversion.platform, 10000000), 60000 + 0.875 * 10000000, 1e-5);
  for (const std::uint64_t detached : {0U, 1U, 2U}) {
    model.detached_bytes = detached;
    for (const std::uint64_t size : {0U, 1U, 2U, 100U}) {
      EXPECT_NEAR(half_ns(invert(model).platform, size), 9000 + 2.5 * static_cast<double>(size),
                  1e-9);
    }
  }
}

TEST(Inversion, BandwidthIsWhatPairsReachTogetherOnlyIfThatIsLess) {
  PlatformModel model = planted_model();
  const double factor = factor_at(invert(model).platform.bandwidth_factor, 100);
  model.shared_bandwidth_gb_s = 100;
  EXPECT_EQ(factor_at(invert(model).platform.bandwidth_factor, 100), factor);
  model.shared_bandwidth_gb_s = 1.125 / 2;
  EXPECT_DOUBLE_EQ(factor_at(invert(model).platform.bandwidth_factor, 100), 2 * factor);
  EXPECT_NEAR(half_ns(invert(model).platform, 100), 9000 + 2.5 * 100, 1e-9);
}

// Copies overlap: the overheads together take longer than the message.
TEST(Inversion, OverheadsGiveWayAndTheRoundTripIsKept) {
  PlatformModel model = planted_model();
  model.send = {{.from_bytes = 0, .intercept_ns = 800, .slope_ns = 0.25},
                {.from_bytes = 1420, .intercept_ns = 800, .slope_ns = 1}};
  model.receive = {{.from_bytes = 0, .intercept_ns = 1200, .slope_ns = 0.3},
                   {.from_bytes = 1420, .intercept_ns = 1200, .slope_ns = 1},
                   {.from_bytes = 33000, .intercept_ns = 1700, .slope_ns = 0.2}};
  const Inversion inversion = invert(model);
  ASSERT_EQ(inversion.clippings.size(), 1U);
  const Clipping& clipping = inversion.clippings[0];
  EXPECT_EQ(clipping.first_bytes, 1421U);
  EXPECT_EQ(clipping.last_bytes, 33000U);
  EXPECT_TRUE(clipping.bandwidth);
  EXPECT_FALSE(clipping.latency);
  // 2 ns a byte of overheads, 1.75 of a message.
  EXPECT_NEAR(clipping.receive_ns, 0.25 * 33000, 1);
  EXPECT_EQ(clipping.send_ns, 0);
  EXPECT_EQ(clipping.too_long, 0);
  for (const std::uint64_t size : {1420U, 1421U, 20000U, 33000U, 33001U}) {
    const double half = line_ns(model.half_round_trip, size);
    EXPECT_NEAR(half_ns(inversion.platform, size), half, 1e-12 * half) << size;
    EXPECT_NEAR(overhead_s(inversion.platform.send, size) * kNsPerS, line_ns(model.send, size),
                1e-9);
  }
  EXPECT_NEAR(overhead_s(inversion.platform.receive, 33000) * kNsPerS, 1200 + 0.75 * 33000, 1);
  EXPECT_EQ(clipping_text(clipping),
            "1421 B to 33000 B: nothing is left that a byte takes on the wire; MPI_Recv's overhead "
            "is up to 8.25 us smaller");
  Clipping rounded = clipping;
  rounded.send_ns = 1e-5;
  EXPECT_EQ(clipping_text(rounded), clipping_text(clipping)) << "nothing that would be written";
  rounded.send_ns = 0.002;
  EXPECT_THAT(clipping_text(rounded), testing::EndsWith(", MPI_Send's is up to 0.002 ns smaller"));
}

TEST(Inversion, SendGivesWayWhereTheReceiveHasNothingLeft) {
  PlatformModel model = planted_model();
  model.send = {{.from_bytes = 0, .intercept_ns = 9500, .slope_ns = 0.25}};
  model.receive = {{.from_bytes = 0, .intercept_ns = 100, .slope_ns = 0.3}};
  const Inversion inversion = invert(model);
  ASSERT_FALSE(inversion.clippings.empty());
  const Clipping& clipping = inversion.clippings[0];
  EXPECT_TRUE(clipping.latency);
  EXPECT_FALSE(clipping.bandwidth);
  EXPECT_GT(clipping.receive_ns, 0);
  EXPECT_GT(clipping.send_ns, 0);
  for (const std::uint64_t size : {0U, 1U, 700U, 1420U}) {
    const double half = line_ns(model.half_round_trip, size);
    EXPECT_NEAR(half_ns(inversion.platform, size), half, 1e-12 * half) << size;
  }
  EXPECT_THAT(clipping_text(clipping), testing::HasSubstr("less than nothing is left before the "
                                                          "first byte on the wire"));
  EXPECT_THAT(clipping_text(clipping), testing::HasSubstr("MPI_Send's is up to"));
}

TEST(Inversion, WhatNothingGivesWayForIsTooLongAndSaid) {
  PlatformModel model = planted_model();
  // 16 bytes of envelope take longer than the intercept leaves.
  model.half_round_trip[3] = {.from_bytes = 65536, .intercept_ns = 0, .slope_ns = 1};
  const Inversion inversion = invert(model);
  ASSERT_EQ(inversion.clippings.size(), 1U);
  const Clipping& clipping = inversion.clippings[0];
  EXPECT_TRUE(clipping.latency);
  EXPECT_NEAR(clipping.too_long, 16 / 65537.0, 1e-9);
  EXPECT_NEAR(half_ns(inversion.platform, 65537), 65537 + 16, 1e-6);
  EXPECT_EQ(clipping_text(clipping),
            "65537 B and more: less than nothing is left before the first byte on the wire; the "
            "half round trip is up to 0.024 % too long");
}

std::vector<Line> random_lines(base::Random& random, double most_intercept, double most_slope) {
  std::set<std::uint64_t> breaks{0};
  for (std::uint64_t i = random.below(4); i > 0; --i) breaks.insert(1 + random.below(200000));
  std::vector<Line> lines;
  for (const std::uint64_t at : breaks) {
    lines.push_back({.from_bytes = static_cast<double>(at),
                     .intercept_ns = (1 + random.uniform()) * most_intercept,
                     .slope_ns = random.uniform() * most_slope});
  }
  return lines;
}

// Overheads as large as the message itself: every other model is clipped somewhere.
TEST(Inversion, OfRandomModelsIsExactUnlessSaidAndCanBeWritten) {
  base::Random random(21);
  std::size_t clipped = 0;
  for (int i = 0; i < 300; ++i) {
    SCOPED_TRACE(i);
    PlatformModel model = planted_model();
    model.half_round_trip = random_lines(random, 5000, 2);
    model.send = random_lines(random, 2000, 1);
    model.isend = random_lines(random, 2000, 1);
    model.receive = random_lines(random, 2000, 1);
    model.detached_bytes = random.below(200000);
    model.async_bytes = *model.detached_bytes / 2;
    const Inversion inversion = invert(model);
    if (!inversion.clippings.empty()) ++clipped;
    for (const std::uint64_t size : sizes_around(model)) {
      const double half = line_ns(model.half_round_trip, size);
      double allowed = 1e-9;
      for (const Clipping& clipping : inversion.clippings) {
        if (size >= clipping.first_bytes && size <= clipping.last_bytes) {
          allowed += clipping.too_long;
        }
      }
      ASSERT_NEAR(half_ns(inversion.platform, size), half, allowed * half) << size;
    }
    ASSERT_NO_THROW(simgrid_xml(inversion.platform, {}, {}));
  }
  EXPECT_GT(clipped, 50U);
  EXPECT_LT(clipped, 300U);
}

TEST(Inversion, SegmentsCoverEverySizeOnce) {
  const Inversion inversion = invert(planted_model());
  std::uint64_t next = 0;
  for (const InvertedSegment& segment : inversion.segments) {
    EXPECT_EQ(segment.first_bytes, next);
    next = segment.last_bytes + 1;
  }
  EXPECT_EQ(next, kMostBytes + 1);
}

}  // namespace
}  // namespace invar::platform
