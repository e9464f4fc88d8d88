// Times of operations whose pairs follow from a pattern: rings, in which every rank is in two
// pairs, fans, in which one is in all of them, and pairs that are turned round.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/ticks/declared_time.hpp"
#include "analysis/ticks/tick_times.hpp"

namespace invar::analysis {
namespace {

using record::Role;
using record::TimeKind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

record::OperationInfo one_way_info() {
  record::OperationInfo info{.name = "oneway", .messages = record::Messages::kDirected};
  info.times = {{.name = "one way", .kind = TimeKind::kAcross, .to_role = Role::kAnswers},
                {.name = "pair", .kind = TimeKind::kPair, .to_role = Role::kAnswers},
                {.name = "sending", .kind = TimeKind::kOwn},
                {.name = "receiving",
                 .kind = TimeKind::kOwn,
                 .from_role = Role::kAnswers,
                 .to_role = Role::kAnswers}};
  return info;
}

record::Cell with_pattern(const std::string& pattern, std::uint32_t ranks) {
  return {.operation = "oneway", .ranks = ranks, .pattern = pattern};
}

ChosenTime chosen_time(const std::string& name, const std::string& pattern, std::uint32_t ranks) {
  return choose_time(one_way_info(), with_pattern(pattern, ranks),
                     {.kind = TimeChoice::Kind::kNamed, .name = name});
}

std::vector<std::uint32_t> senders(const ChosenTime& chosen) { return chosen.time->from_ranks; }
std::vector<std::uint32_t> receivers(const ChosenTime& chosen) { return chosen.time->to_ranks; }

TEST(PairsOfAPattern, AreThoseOfThePairsTime) {
  const ChosenTime ring = chosen_time("pair", "ring", 3);
  EXPECT_THAT(senders(ring), ElementsAre(0, 1, 2));
  EXPECT_THAT(receivers(ring), ElementsAre(1, 2, 0)) << "not the k-th of those that receive";
  const ChosenTime fan = chosen_time("pair", "fan-out:2", 4);
  EXPECT_THAT(senders(fan), ElementsAre(0, 0));
  EXPECT_THAT(receivers(fan), ElementsAre(1, 2));
  const ChosenTime back = chosen_time("pair", "bisection:back", 4);
  EXPECT_THAT(senders(back), ElementsAre(2, 3));
  EXPECT_THAT(receivers(back), ElementsAre(0, 1));
}

TEST(PairsOfAPattern, AreChosenByTheirNumbers) {
  EXPECT_THAT(senders(chosen_time("pair#2", "ring", 3)), ElementsAre(1));
  EXPECT_THAT(receivers(chosen_time("pair#2", "ring", 3)), ElementsAre(2));
  EXPECT_THAT(chosen_time("pair#4", "ring", 3).lack, HasSubstr("no pair 4"));
  EXPECT_THAT(senders(chosen_time("receiving#2", "fan-out:2", 4)), ElementsAre(2))
      << "of those that do";
}

// Starts are those that send, answers those that receive; in a ring all do both.
TEST(PairsOfAPattern, GiveTheRanksOfBothRoles) {
  EXPECT_THAT(senders(chosen_time("one way", "fan-in:3", 5)), ElementsAre(1, 2, 3));
  EXPECT_THAT(receivers(chosen_time("one way", "fan-in:3", 5)), ElementsAre(0));
  EXPECT_THAT(senders(chosen_time("sending", "ring", 3)), ElementsAre(0, 1, 2));
  EXPECT_THAT(senders(chosen_time("receiving", "ring", 3)), ElementsAre(0, 1, 2));
  EXPECT_THAT(senders(chosen_time("sending", "", 2)), ElementsAre(0)) << "the usual pattern";
}

TEST(PairsOfAPattern, ThatTheRanksDoNotHaveAreNone) {
  EXPECT_THAT(pairs_of_cell(one_way_info(), with_pattern("distance:5", 4)), IsEmpty());
  EXPECT_THAT(pairs_of_cell(one_way_info(), with_pattern("nonsense", 4)), IsEmpty());
  EXPECT_THAT(pairs_of_cell({.name = "bcast"}, {.operation = "bcast"}), IsEmpty());
  EXPECT_EQ(chosen_time("pair", "distance:5", 4).lack, "no rank of it has the role 'starts'");
}

record::RankTicks ticks_of_rank(std::uint32_t rank, std::int64_t start, std::int64_t end) {
  return {.visit = 1,
          .repetition = 0,
          .rank = rank,
          .reserved = 0,
          .start_ticks = start,
          .end_ticks = end};
}

// One repetition of three ranks; a tick is a picosecond.
class PlantedPairs : public testing::Test {
 protected:
  PlantedPairs() {
    visit_.records = timings_;
    visit_.rank_records = ranks_;
    visit_.tick_ps = 1;
    visit_.one_clock = true;
  }

  std::optional<std::int64_t> time(const std::string& name, const std::string& pattern) {
    const ChosenTime chosen = chosen_time(name, pattern, 3);
    EXPECT_EQ(lack_of_ticks(visit_, *chosen.time), "");
    return TickTimes(visit_, *chosen.time).next();
  }

  std::vector<record::Timing> timings_ = std::vector<record::Timing>(1);
  std::vector<record::RankTicks> ranks_{ticks_of_rank(0, 100, 180), ticks_of_rank(1, 110, 260),
                                        ticks_of_rank(2, 105, 300)};
  store::Visit visit_ = {};
};

// 0 to 1 takes 160, 1 to 2 takes 190, 2 to 0 takes 75: every rank ends one pair and begins another.
TEST_F(PlantedPairs, OfARingHaveARankInTwoOfThem) {
  EXPECT_EQ(time("pair#1", "ring"), 160);
  EXPECT_EQ(time("pair#2", "ring"), 190);
  EXPECT_EQ(time("pair#3", "ring"), 75);
  EXPECT_EQ(time("pair", "ring"), 190) << "the longest of them";
  EXPECT_EQ(time("one way", "ring"), 200) << "from the first start to the last end";
}

TEST_F(PlantedPairs, OfAFanHaveARankInAllOfThem) {
  EXPECT_EQ(time("pair#1", "fan-out:2"), 160);
  EXPECT_EQ(time("pair#2", "fan-out:2"), 200);
  EXPECT_EQ(time("pair", "fan-out:2"), 200);
  EXPECT_EQ(time("pair", "fan-in:2"), 75) << "from 2 to 0; from 1 to 0 it is 70";
  EXPECT_EQ(time("sending", "fan-out:2"), 80) << "of the one that sends";
  EXPECT_EQ(time("receiving", "fan-out:2"), 195);
}

TEST_F(PlantedPairs, TurnedRoundBeginAtTheOtherEnd) {
  EXPECT_EQ(time("pair", "distance:2"), 200);
  EXPECT_EQ(time("pair", "distance:2:back"), 75);
}

}  // namespace
}  // namespace invar::analysis
