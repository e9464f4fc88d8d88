#include "base/canary_band.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace invar::base {
namespace {

TEST(CanaryBand, IsWrittenAsItIsRead) {
  for (const char* text :
       {"100ns:300ns", "0ns:1.5ns", "88.5ns:1200ns", "1ns:1000000ns", "0.0001ns:9999999999999ns"}) {
    const auto band = parse_band(text);
    ASSERT_TRUE(band.value) << band.error;
    EXPECT_EQ(band_text(*band.value), text);
    EXPECT_EQ(*parse_band(band_text(*band.value)).value, *band.value);
  }
  EXPECT_EQ(band_text(*parse_band("0.1us:1us").value), "100ns:1000ns");
}

TEST(CanaryBand, OfAnotherCanaryThanTheLineItSaysSo) {
  for (const auto& [text, kind] : {std::pair{"chain:980ns:1010ns", CanaryKind::kChain},
                                   std::pair{"across:300ns:450.5ns", CanaryKind::kAcross},
                                   std::pair{"100ns:300ns", CanaryKind::kLine}}) {
    const auto band = parse_band(text);
    ASSERT_TRUE(band.value) << band.error;
    EXPECT_EQ(band.value->kind, kind) << text;
    EXPECT_EQ(band_text(*band.value), text);
  }
  EXPECT_EQ(band_ends_text(*parse_band("chain:980ns:1010ns").value), "980ns:1010ns");
  for (const char* text : {"chain:", "chain:980ns", "line:100ns:300ns", "Chain:1ns:2ns",
                           "chain:chain:1ns:2ns", " chain:1ns:2ns"}) {
    EXPECT_FALSE(parse_band(text).value) << text;
  }
}

// The same numbers of two canaries are two states.
TEST(CanaryBand, OfTwoCanariesBandsNeverTouch) {
  const CanaryBand line{.low_ns = 100, .high_ns = 300};
  CanaryBand chain = line;
  chain.kind = CanaryKind::kChain;
  EXPECT_TRUE(line.touches(line));
  EXPECT_FALSE(line.touches(chain));
}

TEST(CanaryBand, ItsEndsAreDurationsAndTheFirstIsShorter) {
  for (const char* text : {"", "100ns", "300ns:100ns", "100ns:100ns", "100:300", "a:b",
                           "1ns:2ns:3ns", "1ns:1e300s", "-1ns:3ns"}) {
    const auto band = parse_band(text);
    EXPECT_FALSE(band.value) << text;
    EXPECT_NE(band.error.find("is not a regime"), std::string::npos) << band.error;
  }
}

TEST(CanaryBand, ContainsItsLowEndOnly) {
  const CanaryBand band{.low_ns = 100, .high_ns = 300};
  EXPECT_TRUE(band.contains(100));
  EXPECT_FALSE(band.contains(300));
  EXPECT_FALSE(band.contains(99));
}

}  // namespace
}  // namespace invar::base
