#include "record/arrival.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace invar::record {
namespace {

TEST(Arrival, IsReadAndWrittenAlike) {
  for (const char* text :
       {"none", "first-late:2500ns", "last-late:1ns", "linear:0.5x", "random:1000000ns"}) {
    const auto arrival = parse_arrival(text);
    ASSERT_TRUE(arrival) << text;
    EXPECT_EQ(arrival_text(*arrival), text);
  }
}

TEST(Arrival, OtherTextsAreNone) {
  for (const char* text : {"", "linear", "linear:", "linear:5", "linear:0ns", "linear:-1x",
                           "linear:5us", "none:5ns", "late:5ns", "linear:5nsx", "linear:nanns"}) {
    EXPECT_FALSE(parse_arrival(text)) << text;
  }
}

std::vector<double> shares(const char* text, std::uint32_t ranks) {
  std::vector<double> all;
  for (std::uint32_t i = 0; i < ranks; ++i) {
    all.push_back(parse_arrival(text)->share(i, ranks).value_or(-1));
  }
  return all;
}

TEST(Arrival, SharesFollowThePattern) {
  EXPECT_EQ(shares("none", 3), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(shares("first-late:5ns", 3), (std::vector<double>{1, 0, 0}));
  EXPECT_EQ(shares("last-late:5ns", 3), (std::vector<double>{0, 0, 1}));
  EXPECT_EQ(shares("linear:5ns", 3), (std::vector<double>{0, 0.5, 1}));
  EXPECT_EQ(shares("linear:5ns", 1), (std::vector<double>{0}));
  EXPECT_EQ(shares("random:5ns", 2), (std::vector<double>{-1, -1})) << "drawn";
}

}  // namespace
}  // namespace invar::record
