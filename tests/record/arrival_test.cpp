#include "record/arrival.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace invar::record {
namespace {

TEST(Arrival, HasAPatternAndAnAmplitude) {
  EXPECT_EQ(parse_arrival("none").value().pattern, ArrivalPattern::kNone);
  const Arrival late = parse_arrival("first-late:2500ns").value();
  EXPECT_EQ(late.pattern, ArrivalPattern::kFirstLate);
  EXPECT_EQ(late.amplitude_ns, 2500);
  EXPECT_EQ(late.amplitude_calls, 0);
  const Arrival linear = parse_arrival("linear:0.5x").value();
  EXPECT_EQ(linear.pattern, ArrivalPattern::kLinear);
  EXPECT_EQ(linear.amplitude_ns, 0);
  EXPECT_EQ(linear.amplitude_calls, 0.5);
  EXPECT_EQ(parse_arrival("last-late:1ns").value().pattern, ArrivalPattern::kLastLate);
  EXPECT_EQ(parse_arrival("random:1000000ns").value().pattern, ArrivalPattern::kRandom);
}

TEST(Arrival, OtherTextsAreNone) {
  for (const char* text :
       {"", "linear", "linear:", "linear:5", "linear:0ns", "linear:-1x", "linear:5us", "none:5ns",
        "late:5ns", "linear:5nsx", "linear:nanns", "none:probing", "linear:probing",
        "linear:5ns:", "linear:5ns:probing:probing", "linear:5ns:sleeping"}) {
    EXPECT_FALSE(parse_arrival(text)) << text;
  }
}

TEST(Arrival, OfRanksThatProbeMeanwhileIsAnotherLevel) {
  const Arrival late = parse_arrival("last-late:2500ns:probing").value();
  EXPECT_EQ(late.pattern, ArrivalPattern::kLastLate);
  EXPECT_EQ(late.amplitude_ns, 2500);
  EXPECT_TRUE(late.probing);
  EXPECT_TRUE(parse_arrival("random:0.5x:probing")->probing);
  EXPECT_FALSE(parse_arrival("last-late:2500ns")->probing);
  EXPECT_EQ(arrival_level("last-late:200us:probing").text, "last-late:200000ns:probing");
  EXPECT_EQ(arrival_level("linear:0.5x:probing").text, "linear:0.5x:probing");
  EXPECT_EQ(arrival_level("last-late:2s:probing").complaint, "is later than 1 s or 1000 calls");
  EXPECT_FALSE(arrival_level("last-late:200us:sleeping").text);
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
