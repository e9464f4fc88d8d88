// Who sends to whom: what a pattern's text means, on how many ranks there is one, and that senders
// and receivers agree.
#include "record/p2p/pattern.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace invar::record {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using PairList = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Pattern pattern_named(const std::string& text) {
  const std::optional<Pattern> pattern = parse_pattern(text);
  EXPECT_TRUE(pattern) << text;
  return pattern.value_or(Pattern{});
}

PairList pairs_in(const std::string& text, std::uint32_t ranks) {
  PairList all;
  for (const RankPair& pair : pairs_of(pattern_named(text), ranks))
    all.emplace_back(pair.from, pair.to);
  return all;
}

std::string lack_in(const std::string& text, Messages messages, std::uint32_t ranks) {
  const LevelText found = lack_of_pattern(pattern_named(text), messages, ranks);
  return found.complaint + (found.remedy.empty() ? "" : "; " + found.remedy);
}

// The kind of operation that takes it.
Messages taken_by(const Pattern& pattern) {
  for (const Messages messages : {Messages::kMatched, Messages::kDirected, Messages::kPartners}) {
    const std::string what = lack_of_pattern(pattern, messages, 16).complaint;
    if (what.find(" has ranks that ") == std::string::npos &&
        what.find(" is none in which ") == std::string::npos) {
      return messages;
    }
  }
  return Messages::kNone;
}

const std::vector<std::string> kPatternTexts{
    "distance:1", "distance:3",    "doubling:0",     "doubling:2",      "hypercube:1",
    "bisection",  "matching:0",    "matching:4",     "random:1",        "random:99",
    "ring",       "shift:1",       "shift:5",        "fan-out:1",       "fan-out:4",
    "fan-in:3",   "grid:1",        "grid:2",         "grid:3",          "partners:2",
    "partners:6", "random:1:back", "bisection:back", "distance:2:back", "matching:3:back"};

TEST(Pattern, IsReadAsItIsWritten) {
  for (const std::string& text : kPatternTexts) EXPECT_EQ(pattern_text(pattern_named(text)), text);
  EXPECT_EQ(pattern_named("random:18446744073709551615").number, ~std::uint64_t{0});
}

TEST(Pattern, OtherTextsAreNone) {
  for (const char* text : {"",
                           "distance",
                           "distance:",
                           "distance:0",
                           "distance:01",
                           "distance:+1",
                           "distance:1x",
                           "distance:1:",
                           "distance:1:back:back",
                           "bisection:1",
                           "ring:1",
                           "ring:back",
                           "grid:1:back",
                           "fan-out:0",
                           "fan-in:2:back",
                           "shift:0",
                           "grid:0",
                           "grid:4",
                           "partners:1",
                           "partners:3",
                           "random:18446744073709551616",
                           "distance:10000001",
                           "all-pairs",
                           ":back",
                           "Ring",
                           "ring "}) {
    EXPECT_FALSE(parse_pattern(text)) << text;
  }
}

// What is sent is what is waited for, in every pattern and on every number of ranks that has it.
TEST(Pattern, EveryRankSendsToWhomOthersExpect) {
  for (const std::string& text : kPatternTexts) {
    const Pattern pattern = pattern_named(text);
    for (std::uint32_t ranks = 1; ranks <= 17; ++ranks) {
      if (!lack_of_pattern(pattern, taken_by(pattern), ranks).complaint.empty()) continue;
      PairList sent;
      PairList received;
      std::size_t most = 0;
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        const std::vector<std::uint32_t> to = sends_to(pattern, ranks, rank);
        const std::vector<std::uint32_t> from = receives_from(pattern, ranks, rank);
        for (const std::uint32_t other : to) sent.emplace_back(rank, other);
        for (const std::uint32_t other : from) received.emplace_back(other, rank);
        most = std::max({most, to.size(), from.size()});
      }
      std::ranges::sort(sent);
      std::ranges::sort(received);
      EXPECT_EQ(sent, pairs_in(text, ranks)) << text << ", " << ranks << " ranks";
      EXPECT_EQ(received, sent) << text << ", " << ranks << " ranks";
      EXPECT_EQ(most, most_peers(pattern)) << text << ", " << ranks << " ranks";
      for (const auto& [from, to] : sent) EXPECT_NE(from, to) << text << ", " << ranks << " ranks";
    }
  }
}

TEST(Pattern, OfPairsHasEveryRankOnceAtMost) {
  for (const std::string& text : kPatternTexts) {
    const Pattern pattern = pattern_named(text);
    if (taken_by(pattern) != Messages::kMatched) continue;
    for (std::uint32_t ranks = 2; ranks <= 17; ++ranks) {
      if (!lack_of_pattern(pattern, Messages::kMatched, ranks).complaint.empty()) continue;
      std::set<std::uint32_t> seen;
      for (const auto& [from, to] : pairs_in(text, ranks)) {
        EXPECT_TRUE(seen.insert(from).second && seen.insert(to).second) << text;
      }
    }
  }
}

TEST(Pattern, SaysWhoMeetsWhom) {
  EXPECT_EQ(pairs_in("distance:2", 4), (PairList{{0, 2}}));
  EXPECT_EQ(pairs_in("doubling:1", 5), (PairList{{0, 2}, {1, 3}})) << "rank 4 has no partner";
  EXPECT_EQ(pairs_in("hypercube:0", 4), (PairList{{0, 1}, {2, 3}}));
  EXPECT_EQ(pairs_in("bisection", 6), (PairList{{0, 3}, {1, 4}, {2, 5}}));
  EXPECT_EQ(pairs_in("ring", 3), (PairList{{0, 1}, {1, 2}, {2, 0}}));
  EXPECT_EQ(pairs_in("shift:2", 4), (PairList{{0, 2}, {1, 3}, {2, 0}, {3, 1}}));
  EXPECT_EQ(pairs_in("fan-out:2", 4), (PairList{{0, 1}, {0, 2}}));
  EXPECT_EQ(pairs_in("fan-in:2", 4), (PairList{{1, 0}, {2, 0}}));
}

TEST(Pattern, BackTurnsThePairsRound) {
  EXPECT_EQ(pairs_in("distance:2:back", 4), (PairList{{2, 0}}));
  EXPECT_EQ(pairs_in("bisection:back", 4), (PairList{{2, 0}, {3, 1}}));
}

// Slots of a halo: down and up in every dimension, also where both are one rank.
TEST(Pattern, NeighboursStandInTheOrderOfTheirSlots) {
  EXPECT_THAT(sends_to(pattern_named("grid:1"), 4, 0), ElementsAre(3, 1));
  EXPECT_THAT(sends_to(pattern_named("grid:1"), 2, 0), ElementsAre(1, 1)) << "twice the same";
  EXPECT_THAT(sends_to(pattern_named("grid:2"), 6, 0), ElementsAre(4, 2, 1, 1)) << "3 x 2 ranks";
  EXPECT_THAT(sends_to(pattern_named("partners:4"), 7, 0), ElementsAre(1, 6, 2, 5));
  EXPECT_THAT(receives_from(pattern_named("grid:2"), 6, 0), ElementsAre(4, 2, 1, 1));
}

TEST(Pattern, GridsAreAsSquareAsTheyCanBe) {
  EXPECT_THAT(grid_extents(12, 1), ElementsAre(12));
  EXPECT_THAT(grid_extents(12, 2), ElementsAre(4, 3));
  EXPECT_THAT(grid_extents(7, 2), ElementsAre(7, 1));
  EXPECT_THAT(grid_extents(24, 3), ElementsAre(4, 3, 2));
  EXPECT_THAT(grid_extents(27, 3), ElementsAre(3, 3, 3));
}

TEST(Pattern, MatchingsCoverEveryPairOnce) {
  for (std::uint32_t ranks = 2; ranks <= 9; ++ranks) {
    PairList all;
    for (const std::string& level : expand_pattern("all-pairs", ranks)) {
      for (const auto& pair : pairs_in(level, ranks)) all.push_back(pair);
    }
    std::ranges::sort(all);
    EXPECT_EQ(std::ranges::adjacent_find(all), all.end()) << ranks << " ranks";
    EXPECT_EQ(all.size(), std::size_t{ranks} * (ranks - 1)) << "both directions";
  }
}

TEST(Pattern, RandomMatchingsAreTheSameEverywhereAndDifferFromSeedToSeed) {
  EXPECT_EQ(pairs_in("random:1", 8), pairs_in("random:1", 8));
  EXPECT_EQ(pairs_in("random:1", 7).size(), 3U) << "one rank stands by";
  std::set<PairList> drawn;
  for (int seed = 0; seed < 20; ++seed) drawn.insert(pairs_in("random:" + std::to_string(seed), 8));
  EXPECT_GT(drawn.size(), 10U) << "of 105 that there are";
}

TEST(Pattern, StandsForAListOnlyWhereItSaysSo) {
  EXPECT_THAT(expand_pattern("all-pairs", 3),
              ElementsAre("matching:0", "matching:0:back", "matching:1", "matching:1:back",
                          "matching:2", "matching:2:back"));
  EXPECT_THAT(expand_pattern("random-matchings:2", 4), ElementsAre("random:1", "random:2"));
  EXPECT_THAT(expand_pattern("bisection", 4), ElementsAre("bisection"));
}

TEST(Pattern, AsPeopleWriteItMayBeAList) {
  for (const char* good : {"all-pairs", "random-matchings:1000", "ring", "matching:2:back"}) {
    EXPECT_EQ(pattern_level(good).text, good);
  }
  for (const char* wrong :
       {"pairs", "random-matchings:0", "random-matchings:1001", "all-pairs:2"}) {
    const LevelText level = pattern_level(wrong);
    EXPECT_EQ(level.text, std::nullopt);
    EXPECT_EQ(level.complaint, "is '" + std::string(wrong) + "', no pattern");
    EXPECT_THAT(level.remedy, testing::HasSubstr("bisection"));
  }
}

TEST(Pattern, RefusesOddBisectionsAndSixInAHypercube) {
  EXPECT_EQ(lack_in("bisection", Messages::kMatched, 3),
            "pattern 'bisection' needs an even number of ranks, not 3; write 2 or 4 ranks");
  EXPECT_EQ(lack_in("hypercube:1", Messages::kMatched, 6),
            "pattern 'hypercube:1' needs a power of two of ranks, not 6; write 4 or 8 ranks, or "
            "doubling:1");
  EXPECT_EQ(lack_in("doubling:1", Messages::kMatched, 6), "");
}

TEST(Pattern, RefusesAPartnerOutOfRangeWithThoseThatThereAre) {
  EXPECT_EQ(lack_in("distance:4", Messages::kMatched, 4),
            "pattern 'distance:4' needs a rank 4, and 4 ranks are 0 to 3; write distance:1 to "
            "distance:3, or more ranks");
  EXPECT_EQ(lack_in("distance:1", Messages::kMatched, 1),
            "pattern 'distance:1' needs 2 ranks or more, not 1; write 2 ranks or more");
  EXPECT_EQ(lack_in("doubling:2", Messages::kMatched, 4),
            "pattern 'doubling:2' has no pair among 4 ranks; write doubling:0 to doubling:1, or "
            "more ranks");
  EXPECT_EQ(lack_in("matching:3", Messages::kMatched, 4),
            "pattern 'matching:3' is none of the 3 matchings of 4 ranks; write matching:0 to "
            "matching:2, or all-pairs");
  EXPECT_EQ(lack_in("matching:2", Messages::kMatched, 3), "") << "an odd number has one more";
  EXPECT_EQ(lack_in("shift:4", Messages::kDirected, 4),
            "pattern 'shift:4' goes around 4 ranks; write shift:1 to shift:3, or more ranks");
  EXPECT_EQ(lack_in("fan-out:4", Messages::kDirected, 4),
            "pattern 'fan-out:4' needs 5 ranks, not 4; write fan-out:1 to fan-out:3, or more "
            "ranks");
  EXPECT_EQ(lack_in("partners:8", Messages::kPartners, 4),
            "pattern 'partners:8' goes around 4 ranks; write partners:2 to partners:6, or more "
            "ranks");
}

TEST(Pattern, RefusesGridsInWhichARankIsItsOwnNeighbour) {
  EXPECT_EQ(lack_in("grid:2", Messages::kPartners, 5),
            "pattern 'grid:2' of 5 ranks is 5 x 1: every rank would be its own neighbour; write 4 "
            "or 6 ranks, or grid:1");
  EXPECT_EQ(lack_in("grid:3", Messages::kPartners, 8), "");
  EXPECT_EQ(lack_in("grid:1", Messages::kPartners, 2), "");
}

TEST(Pattern, IsTakenByOperationsWhoseRanksTalkThatWay) {
  EXPECT_EQ(lack_in("bisection", Messages::kDirected, 4), "") << "pairs are directed, too";
  EXPECT_THAT(lack_in("ring", Messages::kMatched, 4),
              testing::HasSubstr("pattern 'ring' has ranks that talk to more than one other; "
                                 "write distance:D"));
  EXPECT_THAT(lack_in("grid:1", Messages::kDirected, 4),
              testing::HasSubstr("exchange with several others; write ring"));
  EXPECT_THAT(lack_in("bisection", Messages::kPartners, 4),
              testing::HasSubstr("write grid:D or partners:N"));
  EXPECT_EQ(lack_in("bisection:back", Messages::kPairs, 4), "");
  EXPECT_EQ(lack_in("ring", Messages::kPairs, 4), lack_in("ring", Messages::kMatched, 4));
  EXPECT_EQ(lack_in("fan-in:2", Messages::kPairs, 4), lack_in("fan-in:2", Messages::kMatched, 4));
  for (const Messages messages :
       {Messages::kMatched, Messages::kDirected, Messages::kPartners, Messages::kPairs}) {
    EXPECT_EQ(lack_in(std::string(usual_pattern(messages)), messages, 2), "") << name_of(messages);
  }
}

}  // namespace
}  // namespace invar::record
