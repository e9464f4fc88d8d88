// Which ranks and points a time of an operation is made of.
#include "analysis/ticks/declared_time.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/planted_ticks.hpp"
#include "base/error.hpp"

namespace invar::analysis {
namespace {

using record::Role;
using record::TimeKind;
using testing::ElementsAre;
using testing::HasSubstr;
using ChoiceKind = TimeChoice::Kind;

TimeChoice named(const std::string& name) { return {.kind = ChoiceKind::kNamed, .name = name}; }

const record::Cell kThreeRanks = planted::handover_cell(8);

// Half of the ranks send to the other half.
record::OperationInfo halves() {
  record::OperationInfo info{.name = "halves"};
  info.roles = {{.role = Role::kStarts, .ranks = record::Ranks::kLowerHalf},
                {.role = Role::kAnswers, .ranks = record::Ranks::kUpperHalf}};
  info.times = {{.name = "pair", .kind = TimeKind::kPair, .to_role = Role::kAnswers},
                {.name = "own", .kind = TimeKind::kOwn},
                {.name = "across", .kind = TimeKind::kAcross, .to_role = Role::kAnswers},
                {.name = "whole"}};
  return info;
}

record::Cell of_ranks(std::uint32_t ranks) {
  record::Cell cell{.operation = "halves"};
  cell.ranks = ranks;
  return cell;
}

TEST(ChooseTime, HeadlineIsTheFirstTimeAndAWholeOneIsNoTickAtAll) {
  const auto headline = [](const std::vector<std::string>& times) {
    return choose_time(planted::handover(times), kThreeRanks, {});
  };
  EXPECT_EQ(headline({"whole", "posting"}).time, nullptr);
  EXPECT_EQ(headline({"whole", "posting"}).lack, "");
  const ChosenTime posting = headline({"posting", "whole"});
  ASSERT_NE(posting.time, nullptr);
  EXPECT_EQ(posting.time->name, "posting");
  EXPECT_EQ(posting.time->from, (TickPoint{.kind = TickPoint::Kind::kStart}));
  EXPECT_EQ(posting.time->to, (TickPoint{.kind = TickPoint::Kind::kMark, .mark = 0}));
  EXPECT_THAT(posting.time->from_ranks, ElementsAre(1));
  EXPECT_FALSE(posting.time->needs_common_time());
  EXPECT_EQ(
      choose_time(planted::handover({"posting"}), kThreeRanks, {.kind = ChoiceKind::kWhole}).time,
      nullptr);
}

TEST(ChooseTime, RanksFollowFromTheRolesOfTheCell) {
  const ChosenTime across = choose_time(halves(), of_ranks(5), named("across"));
  EXPECT_THAT(across.time->from_ranks, ElementsAre(0, 1));
  EXPECT_THAT(across.time->to_ranks, ElementsAre(2, 3, 4));
  EXPECT_TRUE(across.time->needs_common_time());
  const ChosenTime pair = choose_time(halves(), of_ranks(5), named("pair"));
  EXPECT_THAT(pair.time->from_ranks, ElementsAre(0, 1));
  EXPECT_THAT(pair.time->to_ranks, ElementsAre(2, 3)) << "the last one has no partner";
}

TEST(ChooseTime, ANumberBehindTheNameIsOnePairOrOneRankOfTheRole) {
  const ChosenTime pair = choose_time(halves(), of_ranks(4), named("pair#2"));
  EXPECT_EQ(pair.time->name, "pair#2");
  EXPECT_THAT(pair.time->from_ranks, ElementsAre(1));
  EXPECT_THAT(pair.time->to_ranks, ElementsAre(3));
  EXPECT_THAT(choose_time(halves(), of_ranks(4), named("own#1")).time->from_ranks, ElementsAre(0));
  EXPECT_THAT(choose_time(halves(), of_ranks(4), named("pair#3")).lack, HasSubstr("no pair 3"));
  for (const char* none : {"pair#0", "pair#", "pair#x", "across#1", "whole#1"}) {
    EXPECT_THAT(choose_time(halves(), of_ranks(4), named(none)).lack, HasSubstr("has no time"))
        << none;
  }
}

TEST(ChooseTime, WhatNoRankHasAPartInIsSaid) {
  record::OperationInfo info = planted::handover({"posting"});
  info.times.front().to = "sent";
  EXPECT_THAT(choose_time(info, kThreeRanks, {}).lack, HasSubstr("'sent'"));
  info = planted::handover({"one way"});
  info.roles.pop_back();
  EXPECT_EQ(choose_time(info, kThreeRanks, {}).lack, "no rank of it has the role 'answers'");
}

TEST(ChooseTime, OfMarksThatACellLeavesOutThereIsNone) {
  record::OperationInfo info{.name = "ring"};
  info.marks = {{.name = "scatter"}};
  info.optional_marks = true;
  info.times = {{.name = "whole"}, {.name = "scatter", .kind = TimeKind::kLast, .to = "scatter"}};
  record::Cell cell{.operation = "ring"};
  EXPECT_THAT(choose_time(info, cell, named("scatter")).lack, HasSubstr("marks = \"on\""));
  cell.marks = "on";
  const ChosenTime marked = choose_time(info, cell, named("scatter"));
  EXPECT_THAT(marked.time->from_ranks, ElementsAre(0, 1));
  EXPECT_THAT(marked.time->to_ranks, ElementsAre(0, 1));
  EXPECT_THAT(choose_time(info, cell, named("scatter#1")).lack, HasSubstr("has no time"));
}

TEST(CheckTime, AnUnknownNameIsRefusedWithThoseThatThereAre) {
  const store::Data data =
      planted::handovers(planted::with_ratios({1, 1, 1}), {"whole", "one way", "posting"});
  EXPECT_NO_THROW(check_time(data, {}, "--time"));
  EXPECT_NO_THROW(check_time(data, named("one way"), "--time"));
  try {
    check_time(data, named("one-way"), "--time");
    FAIL();
  } catch (const base::UserError& error) {
    ASSERT_EQ(error.faults().size(), 1U);
    EXPECT_EQ(error.faults()[0].place, "--time");
    EXPECT_EQ(error.faults()[0].remedy, "known: whole, one way, posting");
  }
}

TEST(AsksHeadline, AlsoByItsName) {
  const store::Data data =
      planted::handovers(planted::with_ratios({1, 1, 1}), {"posting", "whole"});
  EXPECT_TRUE(asks_headline(data, {}));
  EXPECT_TRUE(asks_headline(data, named("posting")));
  EXPECT_FALSE(asks_headline(data, named("whole")));
}

}  // namespace
}  // namespace invar::analysis
