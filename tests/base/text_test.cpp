#include "base/text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace invar::base {
namespace {

using Words = std::vector<std::string>;

TEST(Trim, SpaceAtBothEndsGoes) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim(" \n"), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Split, EmptyPartsAreKept) {
  EXPECT_EQ(split("a,,b,", ','), (std::vector<std::string_view>{"a", "", "b", ""}));
  EXPECT_EQ(split("", ','), (std::vector<std::string_view>{""}));
}

TEST(Join, PartsAreSeparated) {
  EXPECT_EQ(join(Words{"a", "", "b"}, ", "), "a, , b");
  EXPECT_EQ(join(Words{}, ", "), "");
}

// Mistake 5 of the peers: `8x` is 8, `1e3` is 1, `3.9` is 3.
TEST(ParseU64, OnlyAWholeDecimalNumberIsOne) {
  EXPECT_EQ(parse_u64("0"), 0U);
  EXPECT_EQ(parse_u64("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  for (const char* wrong :
       {"", "8x", "1e3", "3.9", "-1", "+1", " 1", "1 ", "0x10", "18446744073709551616"}) {
    EXPECT_FALSE(parse_u64(wrong)) << wrong;
  }
}

TEST(ParseDouble, OnlyAFiniteDecimalNumberIsOne) {
  EXPECT_EQ(parse_double("-1.5e-3"), -1.5e-3);
  for (const char* wrong : {"", "inf", "nan", "0x1p3", "1e999", "1.5.2", "2%", "1,5"}) {
    EXPECT_FALSE(parse_double(wrong)) << wrong;
  }
}

const Words kOperations{"allgather", "allgatherv", "allreduce", "bcast", "barrier"};

TEST(Nearest, SlipsOfTheFingerAreRecognised) {
  EXPECT_EQ(nearest("bcst", kOperations), "bcast") << "a letter missing";
  EXPECT_EQ(nearest("bcasst", kOperations), "bcast") << "a letter twice";
  EXPECT_EQ(nearest("bcats", kOperations), "bcast") << "two letters swapped";
  EXPECT_EQ(nearest("alreduse", kOperations), "allreduce");
  EXPECT_EQ(nearest("allgathr", kOperations), "allgather") << "the nearest of several";
}

TEST(Nearest, SomethingElseIsNotGuessed) {
  EXPECT_FALSE(nearest("pingpong", kOperations));
  EXPECT_FALSE(nearest("x", Words{"yy"}));
  EXPECT_FALSE(nearest("x", Words{}));
}

TEST(DidYouMean, NearestWordElseAllWords) {
  EXPECT_EQ(did_you_mean("bcats", kOperations), "did you mean 'bcast'?");
  EXPECT_EQ(did_you_mean("pingpong", Words{"bcast", "scan"}), "known: bcast, scan");
  EXPECT_TRUE(did_you_mean("pingpong", Words(200, "bcast")).ends_with(", bcast, 176 more"));
  EXPECT_EQ(did_you_mean("pingpong", Words{}), "");
}

TEST(ReadFile, AbsentFileIsNothing) {
  EXPECT_FALSE(read_file("/nonexistent/file"));
  EXPECT_FALSE(read_file("/")) << "a directory is not a file";
  const auto text = read_file(std::string(INVAR_SOURCE_DIR) + "/CMakeLists.txt");
  ASSERT_TRUE(text);
  EXPECT_TRUE(text->starts_with("cmake_minimum_required"));
}

TEST(WithoutControls, NothingSteersATerminal) {
  EXPECT_EQ(without_controls("a\x1b[2Jb\x07\n\x7f"), "a?[2Jb???");
  // U+009B begins an escape, U+00A0 is a blank, and the second byte of another letter is no
  // control.
  EXPECT_EQ(without_controls("\xc2\x9b"
                             "2J"),
            "?2J");
  EXPECT_EQ(without_controls("\xc2\xa0\xc3\x9f"), "\xc2\xa0\xc3\x9f");
  // By itself that byte is not text, and begins an escape on terminals of one byte a letter.
  EXPECT_EQ(without_controls("\x9b"
                             "2J"),
            "?2J");
}

TEST(FirstItems, AllWhereTheyAreNotTooMany) {
  EXPECT_EQ(first_items(Words{}, 2, ", "), "");
  EXPECT_EQ(first_items(Words{"a"}, 2, ", "), "a");
  EXPECT_EQ(first_items(Words{"a", "b"}, 2, ", "), "a, b");
}

TEST(ByReason, ThingsOfAReasonStandTogetherEachOnce) {
  ByReason reasons;
  EXPECT_TRUE(reasons.texts().empty());
  for (const char* what : {"a", "b", "a", "c", "d"}) reasons.add("too large", what);
  reasons.add("too old", "a");
  EXPECT_EQ(reasons.texts(), (Words{"a, b, c, 1 more: too large", "a: too old"}));
}

TEST(NaturalLess, NumbersCountAsNumbers) {
  std::vector<std::string> names{"node-10", "node-2", "node", "b", "node-02",
                                 "node-2a", "a9b",    "a10",  ""};
  std::ranges::sort(names, natural_less);
  EXPECT_EQ(names,
            (Words{"", "a9b", "a10", "b", "node", "node-02", "node-2", "node-2a", "node-10"}));
  EXPECT_FALSE(natural_less("x1", "x1"));
  EXPECT_TRUE(natural_less("18446744073709551617", "28446744073709551616"));
}

TEST(FirstItems, OthersAreCounted) {
  EXPECT_EQ(first_items(Words{"a", "b", "c"}, 2, "; "), "a; b; 1 more");
  EXPECT_EQ(first_items(Words{"a", "b", "c"}, 2, "; ", "cell"), "a; b; 1 cell more");
  EXPECT_EQ(first_items(Words{"a", "b", "c", "d", "e"}, 2, ", ", "library"),
            "a, b, 3 libraries more");
}

}  // namespace
}  // namespace invar::base
