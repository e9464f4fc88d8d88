#include "base/json_writer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace invar::base {
namespace {

TEST(JsonString, QuotesBackslashesAndControlCharactersAreEscaped) {
  EXPECT_EQ(json_string("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(json_string("line\nfeed\ttab"), R"("line\u000afeed\u0009tab")");
  EXPECT_EQ(json_string(std::string_view("\0\x7f", 2)), R"("\u0000\u007f")");
}

TEST(JsonString, ValidUtf8IsKept) {
  for (const char* text : {"\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_EQ(json_string(text), '"' + std::string(text) + '"');
  }
}

TEST(JsonString, InvalidUtf8BecomesTheReplacementCharacter) {
  EXPECT_EQ(json_string("a\xff"), R"("a\ufffd")");
  EXPECT_EQ(json_string("\xc3"), R"("\ufffd")") << "cut off";
  EXPECT_EQ(json_string("\xc0\xaf"), R"("\ufffd\ufffd")") << "overlong";
  EXPECT_EQ(json_string("\xe0\x80\xaf"), R"("\ufffd\ufffd\ufffd")") << "overlong";
  EXPECT_EQ(json_string("\xf0\x80\x80\x80"), R"("\ufffd\ufffd\ufffd\ufffd")") << "overlong";
  EXPECT_EQ(json_string("\xed\xa0\x80"), R"("\ufffd\ufffd\ufffd")") << "surrogate";
  EXPECT_EQ(json_string("\xf4\x90\x80\x80"), R"("\ufffd\ufffd\ufffd\ufffd")") << "above U+10FFFF";
  EXPECT_EQ(json_string("\xe2\x82x"), R"("\ufffd\ufffdx")") << "the byte after it is not lost";
}

TEST(JsonWriter, NestedValuesAreSeparatedByCommas) {
  JsonWriter json;
  json.begin_object().field("a", 1).key("b").begin_array();
  json.value(2).value("x").begin_object().end_object().begin_array().end_array().null();
  json.end_array().field("c", true).field("d", false).end_object();
  EXPECT_EQ(json.text(), R"({"a":1,"b":[2,"x",{},[],null],"c":true,"d":false})");
}

TEST(JsonWriter, OptionalWithoutValueIsNull) {
  JsonWriter json;
  json.begin_object().field("none", std::optional<std::int64_t>()).field("one", std::optional(1));
  EXPECT_EQ(json.end_object().text(), R"({"none":null,"one":1})");
}

TEST(JsonWriter, IntegersKeepAllTheirDigits) {
  JsonWriter json;
  json.begin_array()
      .value(std::numeric_limits<std::uint64_t>::max())
      .value(std::numeric_limits<std::int64_t>::min())
      .end_array();
  EXPECT_EQ(json.text(), "[18446744073709551615,-9223372036854775808]");
}

// Mistake 4 of the peers: variances printed as 0.0000000000 by "%.10f".
TEST(JsonWriter, DoublesReadBackExactly) {
  for (const double number : {1e-18, 0.1, 1.0 / 3, 2.5e22, -0.07, 4e9}) {
    EXPECT_EQ(std::stod(JsonWriter().value(number).text()), number);
  }
  EXPECT_EQ(JsonWriter().value(0.1).text(), "0.1");
}

TEST(JsonWriter, WhatIsNoNumberIsNull) {
  EXPECT_EQ(JsonWriter().value(std::nan("")).text(), "null");
  EXPECT_EQ(JsonWriter().value(-INFINITY).text(), "null");
}

}  // namespace
}  // namespace invar::base
