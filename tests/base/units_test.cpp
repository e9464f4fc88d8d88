#include "base/units.hpp"

#include <gtest/gtest.h>

namespace invar::base {
namespace {

TEST(ParseSize, BytesAndUnitsOfBothKinds) {
  EXPECT_EQ(parse_size_bytes("0").value, 0U);
  EXPECT_EQ(parse_size_bytes("8").value, 8U);
  EXPECT_EQ(parse_size_bytes("8B").value, 8U);
  EXPECT_EQ(parse_size_bytes("64KiB").value, 65536U);
  EXPECT_EQ(parse_size_bytes(" 64 KiB ").value, 65536U);
  EXPECT_EQ(parse_size_bytes("2GiB").value, std::uint64_t{1} << 31U);
  EXPECT_EQ(parse_size_bytes("1kB").value, 1000U);
  EXPECT_EQ(parse_size_bytes("1.5KiB").value, 1536U);
  EXPECT_EQ(parse_size_bytes("1.001kB").value, 1001U) << "binary fractions do not matter";
}

TEST(ParseSize, WhatIsNoSizeSaysWhy) {
  EXPECT_EQ(parse_size_bytes("8x").error,
            "'8x' is not a size: unknown unit 'x' (units: B, KiB, MiB, GiB, TiB, kB, MB, GB)");
  EXPECT_EQ(parse_size_bytes("-8").error, "'-8' is not a size: it is negative");
  EXPECT_EQ(parse_size_bytes("3.9").error,
            "'3.9' is not a size: it is not a whole number of bytes");
  EXPECT_EQ(parse_size_bytes("0.1KiB").error,
            "'0.1KiB' is not a size: it is not a whole number of bytes");
  EXPECT_EQ(parse_size_bytes("1.5.2").error, "'1.5.2' is not a size: '1.5.2' is not a number");
  EXPECT_EQ(parse_size_bytes("big").error,
            "'big' is not a size: write a number first, as in 8, 1KiB or 64MiB");
  EXPECT_EQ(parse_size_bytes("9999999TiB").error, "'9999999TiB' is not a size: it is too large");
  for (const char* wrong : {"", "1e3", "+8", "64kib", "64K", "."}) {
    EXPECT_FALSE(parse_size_bytes(wrong).value) << wrong;
    EXPECT_FALSE(parse_size_bytes(wrong).error.empty()) << wrong;
  }
}

TEST(ParseSize, UnitWithTwoMeaningsIsRefusedWithTheUsualOne) {
  for (const char* text : {"64K", "64k", "64KB", "64kb", "64kib"}) {
    EXPECT_TRUE(parse_size_bytes(text).error.ends_with("'; did you mean KiB (1024 bytes)?"))
        << parse_size_bytes(text).error;
  }
  EXPECT_EQ(parse_size_bytes("1M").error,
            "'1M' is not a size: unknown unit 'M'; did you mean MiB (1048576 bytes)?");
}

TEST(ParseDuration, AllUnitsGiveSeconds) {
  EXPECT_EQ(parse_duration_s("150s").value, 150);
  EXPECT_EQ(parse_duration_s("2m").value, 120);
  EXPECT_EQ(parse_duration_s("1.5h").value, 5400);
  EXPECT_EQ(parse_duration_s("20ms").value, 0.02);
  EXPECT_EQ(parse_duration_s("1.5us").value, 1.5e-6);
  EXPECT_EQ(parse_duration_s("7ns").value, 7e-9) << "the nearest double, no rounding twice";
}

TEST(ParseDuration, MissingUnitIsRefused) {
  EXPECT_EQ(
      parse_duration_s("150").error,
      "'150' is not a time: the unit is missing (units: ns, us, ms, s, m, h); did you mean 150s?");
  EXPECT_FALSE(parse_duration_s("-1s").value);
  EXPECT_FALSE(parse_duration_s("1 min").value);
}

TEST(ParsePercent, SignIsRequired) {
  EXPECT_EQ(parse_percent("2%").value, 0.02);
  EXPECT_EQ(parse_percent("7%").value, 0.07) << "7 * 0.01 would be another number";
  EXPECT_EQ(parse_percent("0.5 %").value, 0.005);
  EXPECT_EQ(parse_percent("0.02").error,
            "'0.02' is not a percentage: the unit is missing (units: %)");
  EXPECT_EQ(parse_percent("-2%").error, "'-2%' is not a percentage: it is negative");
}

TEST(ParseCount, OnlyWholeNumbersCount) {
  EXPECT_EQ(parse_count("60").value, 60U);
  EXPECT_EQ(parse_count(" 60 ").value, 60U);
  for (const char* wrong : {"", "8x", "1e3", "3.9", "-1"}) {
    EXPECT_EQ(parse_count(wrong).error,
              "'" + std::string(wrong) + "' is not a count: write a whole number, as in 60");
  }
}

TEST(SizeText, ExactOrInBytes) {
  EXPECT_EQ(size_text(0), "0 B");
  EXPECT_EQ(size_text(1023), "1023 B");
  EXPECT_EQ(size_text(1024), "1 KiB");
  EXPECT_EQ(size_text(1536), "1.5 KiB");
  EXPECT_EQ(size_text(1025), "1025 B");
  EXPECT_EQ(size_text(std::uint64_t{64} << 20U), "64 MiB");
}

TEST(DurationText, ThreeDigitsAndAFittingUnit) {
  EXPECT_EQ(duration_text(0), "0 ns");
  EXPECT_EQ(duration_text(4.25), "4.25 ns");
  EXPECT_EQ(duration_text(35), "0.035 us");
  EXPECT_EQ(duration_text(514), "0.514 us");
  EXPECT_EQ(duration_text(8430), "8.43 us");
  EXPECT_EQ(duration_text(222'000), "222 us");
  EXPECT_EQ(duration_text(1'250'000), "1.25 ms");
  EXPECT_EQ(duration_text(1.2e9), "1.20 s");
  EXPECT_EQ(duration_text(-8430), "-8.43 us");
}

TEST(DurationText, RoundingAddsNoDigit) {
  EXPECT_EQ(duration_text(9'996), "10.0 us");
  EXPECT_EQ(duration_text(99'960), "100 us");
  EXPECT_EQ(duration_text(999'600), "1.00 ms");
  EXPECT_EQ(duration_text(999.6e6), "1.00 s");
}

TEST(SpanText, TimesForPeople) {
  EXPECT_EQ(span_text(0.5), "0.5 s");
  EXPECT_EQ(span_text(9.96), "10 s");
  EXPECT_EQ(span_text(17.2), "17 s");
  EXPECT_EQ(span_text(150), "2 min 30 s");
  EXPECT_EQ(span_text(180), "3 min");
  EXPECT_EQ(span_text(3900 * 2), "2 h 10 min");
}

}  // namespace
}  // namespace invar::base
