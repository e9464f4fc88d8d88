// Times from ticks: of known ticks, and in words where the records do not have them.
#include "analysis/ticks/tick_times.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/planted_ticks.hpp"
#include "analysis/study/summaries.hpp"

namespace invar::analysis {
namespace {

using record::TimeKind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Point = TickPoint::Kind;

constexpr TickPoint kStart{.kind = Point::kStart};
constexpr TickPoint kEnd{.kind = Point::kEnd};
constexpr TickPoint mark(std::uint32_t number) { return {.kind = Point::kMark, .mark = number}; }

DeclaredTime time_of(TimeKind kind, TickPoint from, TickPoint to,
                     std::vector<std::uint32_t> from_ranks, std::vector<std::uint32_t> to_ranks) {
  return {.name = "t",
          .kind = kind,
          .from = from,
          .to = to,
          .from_ranks = std::move(from_ranks),
          .to_ranks = std::move(to_ranks)};
}
DeclaredTime own(TickPoint from, TickPoint to, const std::vector<std::uint32_t>& ranks) {
  return time_of(TimeKind::kOwn, from, to, ranks, ranks);
}

record::RankTicks ticks_of(std::uint32_t repetition, std::uint32_t rank, std::int64_t start,
                           std::int64_t end) {
  return {.visit = 1,
          .repetition = repetition,
          .rank = rank,
          .reserved = 0,
          .start_ticks = start,
          .end_ticks = end};
}
record::MarkTicks mark_of(std::uint32_t repetition, std::uint32_t rank, std::uint32_t number,
                          std::int64_t start, std::int64_t tick) {
  return {.visit = 1,
          .repetition = repetition,
          .rank = rank,
          .mark = number,
          .start_ticks = start,
          .mark_ticks = tick};
}

// Two repetitions of ranks 0 to 3; a tick is 2 ps.
class ReadTicks : public testing::Test {
 protected:
  ReadTicks() {
    visit_.records = timings_;
    visit_.rank_records = ranks_;
    visit_.mark_records = marks_;
    visit_.tick_ps = 2;
    visit_.one_clock = true;
  }

  std::vector<std::optional<std::int64_t>> times(const DeclaredTime& time) {
    EXPECT_EQ(lack_of_ticks(visit_, time), "");
    TickTimes ticks(visit_, time);
    std::vector<std::optional<std::int64_t>> all;
    for (std::size_t i = 0; i < timings_.size(); ++i) all.push_back(ticks.next());
    return all;
  }

  std::vector<record::Timing> timings_ = std::vector<record::Timing>(2);
  std::vector<record::RankTicks> ranks_{ticks_of(0, 0, 100, 200),   ticks_of(0, 1, 104, 234),
                                        ticks_of(0, 2, 102, 190),   ticks_of(0, 3, 101, 250),
                                        ticks_of(1, 0, 1000, 1050), ticks_of(1, 1, 1010, 1100),
                                        ticks_of(1, 2, 1004, 1090), ticks_of(1, 3, 1002, 1080)};
  // Rank 1 comes by mark 1 in the first repetition only.
  std::vector<record::MarkTicks> marks_{mark_of(0, 0, 0, 100, 130), mark_of(0, 1, 0, 104, 144),
                                        mark_of(0, 1, 1, 104, 204), mark_of(1, 0, 0, 1000, 1020),
                                        mark_of(1, 1, 0, 1010, 1030)};
  store::Visit visit_ = {};
};

TEST_F(ReadTicks, OwnTimeOfOneRankAndTheLongestOfSeveral) {
  EXPECT_THAT(times(own(kStart, kEnd, {0})), ElementsAre(200, 100));
  EXPECT_THAT(times(own(kStart, kEnd, {0, 1, 2})), ElementsAre(260, 180));
}

TEST_F(ReadTicks, AcrossIsFromTheFirstOfTheOneToTheLastOfTheOthers) {
  EXPECT_THAT(times(time_of(TimeKind::kAcross, kStart, kEnd, {0, 1}, {2, 3})),
              ElementsAre(300, 180));
  EXPECT_THAT(times(time_of(TimeKind::kAcross, kEnd, kEnd, {1}, {2})), ElementsAre(-88, -20))
      << "the other one was done before";
}

TEST_F(ReadTicks, FromMarkToMarkAndFromStartToMark) {
  EXPECT_THAT(times(own(kStart, mark(0), {1})), ElementsAre(80, 40));
  EXPECT_THAT(times(own(mark(0), mark(1), {1})), ElementsAre(120, std::nullopt))
      << "where no rank came by there is no time";
  EXPECT_THAT(times(own(mark(0), kEnd, {0, 1})), ElementsAre(180, 140));
  EXPECT_THAT(times(time_of(TimeKind::kAcross, mark(0), mark(0), {0}, {1})), ElementsAre(28, 20));
}

TEST_F(ReadTicks, PairsAreKthWithKthAndTheLongestCounts) {
  EXPECT_THAT(times(time_of(TimeKind::kPair, kStart, kEnd, {0, 1}, {2, 3})), ElementsAre(292, 180));
  EXPECT_THAT(times(time_of(TimeKind::kPair, kStart, kEnd, {0}, {2})), ElementsAre(180, 180));
}

// Rank 3, then rank 1: not the one whose call took longest.
TEST_F(ReadTicks, LastIsOfTheRankThatEndsLastOfItsRole) {
  const auto last = [](TickPoint from, TickPoint to, const std::vector<std::uint32_t>& ranks) {
    return time_of(TimeKind::kLast, from, to, ranks, ranks);
  };
  EXPECT_THAT(times(last(kStart, kEnd, {0, 1, 2, 3})), ElementsAre(298, 180));
  EXPECT_THAT(times(last(kStart, kEnd, {0, 2})), ElementsAre(200, 172));
  EXPECT_THAT(times(last(mark(0), kEnd, {0, 1})), ElementsAre(180, 140));
  EXPECT_THAT(times(last(mark(0), mark(1), {0, 1})), ElementsAre(120, std::nullopt));
  EXPECT_THAT(times(last(kStart, mark(0), {1, 2, 3})), ElementsAre(std::nullopt, 40))
      << "rank 3 ends last, and comes by no mark";
  visit_.one_clock = false;
  EXPECT_THAT(lack_of_ticks(visit_, last(kStart, kEnd, {0, 1})),
              HasSubstr("do not read one clock"));
  visit_.one_clock = true;
  visit_.rank_records = {};
  EXPECT_THAT(lack_of_ticks(visit_, last(kStart, mark(0), {0, 1})),
              HasSubstr("record = \"per-rank\""));
}

TEST_F(ReadTicks, BatchesAreTimedByTheCallWhereAllItsCallsAreInTheTime) {
  visit_.line.calls = 4;
  EXPECT_THAT(times(own(kStart, kEnd, {0})), ElementsAre(50, 25));
  EXPECT_THAT(times(own(mark(0), kEnd, {0})), ElementsAre(140, 60)) << "of the last call";
  EXPECT_THAT(times(time_of(TimeKind::kAcross, kStart, kStart, {0}, {1})), ElementsAre(8, 20));
  EXPECT_THAT(lack_of_ticks(visit_, own(kStart, mark(0), {0})), HasSubstr("batches"));
}

TEST_F(ReadTicks, StartsStandBesideMarksButEndsDoNot) {
  visit_.rank_records = {};
  EXPECT_THAT(times(own(kStart, mark(0), {1})), ElementsAre(80, 40));
  EXPECT_THAT(lack_of_ticks(visit_, own(mark(0), kEnd, {1})), HasSubstr("record = \"per-rank\""));
  visit_.mark_records = {};
  EXPECT_THAT(lack_of_ticks(visit_, own(kStart, kStart, {1})), HasSubstr("record = \"per-rank\""));
  EXPECT_THAT(lack_of_ticks(visit_, own(mark(0), mark(1), {1})), HasSubstr("no marks"));
}

TEST_F(ReadTicks, TicksOfTwoClocksAreNeverSubtracted) {
  visit_.one_clock = false;
  EXPECT_THAT(lack_of_ticks(visit_, time_of(TimeKind::kAcross, kStart, kEnd, {0}, {1})),
              HasSubstr("do not read one clock"));
  EXPECT_EQ(lack_of_ticks(visit_, own(kStart, kEnd, {0})), "");
  EXPECT_EQ(lack_of_ticks(visit_, time_of(TimeKind::kAcross, kStart, kEnd, {1}, {1})), "")
      << "one rank reads one clock";
}

TEST_F(ReadTicks, TicksOfSeveralRatesAreNoTimes) {
  visit_.one_rate = false;
  EXPECT_THAT(lack_of_ticks(visit_, own(kStart, kEnd, {0})), HasSubstr("do not tick at one rate"));
}

TEST_F(ReadTicks, WithoutARateThereIsNoTime) {
  visit_.tick_ps = 0;
  EXPECT_THAT(lack_of_ticks(visit_, own(kStart, kEnd, {0})), HasSubstr("rate of the clock"));
}

// Summaries, of the same.

planted::Plan one_visit() {
  planted::Plan plan;
  plan.arms = {"openmpi"};
  plan.cells = {planted::cell("handover", 8)};
  plan.groups = 1;
  plan.rounds = 1;
  plan.group_sd = plan.launch_sd = plan.visit_sd = plan.noise_sd = 0;
  return plan;
}

Summaries summaries_of(const store::Data& data, const std::string& name = "") {
  return summarize_visits(
      data, Runtime::kAuto, true,
      name.empty() ? TimeChoice{} : TimeChoice{.kind = TimeChoice::Kind::kNamed, .name = name});
}

TEST(SummariesOfTimes, PlantedTimesComeOutAndWarmUpsAndLateOnesAreLeftOut) {
  planted::Plan plan = one_visit();
  plan.flags = [](std::size_t, std::size_t, std::uint32_t i) {
    return static_cast<std::uint16_t>(i % 3 == 0 ? record::kLate : 0);
  };
  const store::Data data = planted::handovers(
      plan, {"whole", "one way", "posting", "waiting", "giving", "sent to waited"});
  for (const auto& [name, expected_ns] :
       std::vector<std::pair<std::string, double>>{{"whole", 1000},
                                                   {"one way", 1000},
                                                   {"posting", 300},
                                                   {"waiting", 600},
                                                   {"giving", 600},
                                                   {"sent to waited", 400}}) {
    const Summaries summaries = summaries_of(data, name);
    ASSERT_EQ(summaries.visits.size(), 1U) << name;
    EXPECT_NEAR(summaries.visits[0].median_ns, expected_ns, 1) << name;
    EXPECT_EQ(summaries.visits[0].time_name(), name);
    EXPECT_EQ(summaries.arms[0].kept, 10U);
    EXPECT_EQ(summaries.arms[0].warm_up, 2U);
    EXPECT_EQ(summaries.arms[0].late, 5U);
    EXPECT_THAT(summaries.untold, IsEmpty());
  }
}

TEST(SummariesOfTimes, HeadlineIsWhatTheOperationStatesFirst) {
  const store::Data data = planted::handovers(one_visit(), {"posting", "whole"});
  EXPECT_NEAR(summaries_of(data).visits[0].median_ns, 300, 1);
  const Summaries whole =
      summarize_visits(data, Runtime::kAuto, true, {.kind = TimeChoice::Kind::kWhole});
  EXPECT_NEAR(whole.visits[0].median_ns, 1000, 1);
}

TEST(SummariesOfTimes, OwnTimesDoNotNeedGlobalOnesAndOthersDo) {
  planted::Plan plan = one_visit();
  plan.skip_global = true;
  const store::Data data = planted::handovers(plan, {"posting", "one way"});
  EXPECT_EQ(summaries_of(data).arms[0].kept, 15U);
  EXPECT_EQ(summaries_of(data).arms[0].global_invalid, 0U);
  const Summaries across = summaries_of(data, "one way");
  EXPECT_THAT(across.visits, IsEmpty());
  EXPECT_EQ(across.arms[0].global_invalid, 15U);
  EXPECT_FALSE(across.global_refused) << "no whole call lacks a global time";
}

TEST(SummariesOfTimes, WhatCannotBeToldIsNamedAndNeverEmptyVisits) {
  const store::Data data = planted::handovers(one_visit(), {"giving", "posting"}, {}, false);
  const Summaries summaries = summaries_of(data);
  EXPECT_THAT(summaries.visits, IsEmpty());
  EXPECT_THAT(summaries.empty, IsEmpty());
  ASSERT_EQ(summaries.untold.size(), 1U);
  EXPECT_EQ(summaries.untold[0].visits, 1U);
  EXPECT_THAT(summaries.untold[0].why, HasSubstr("ends were not recorded"));
  EXPECT_NEAR(summaries_of(data, "posting").visits[0].median_ns, 300, 1);
}

TEST(SummariesOfTimes, StepIsThatOfTheClockWhereOneCallOfABatchIsTimed) {
  planted::Plan plan = one_visit();
  plan.step_ns = 10;
  plan.calls = 20;
  const store::Data data = planted::handovers(plan, {"one way", "waiting"});
  EXPECT_DOUBLE_EQ(summaries_of(data).visits[0].step_ns, 0.5);
  EXPECT_DOUBLE_EQ(summaries_of(data, "waiting").visits[0].step_ns, 10);
  EXPECT_NEAR(summaries_of(data, "waiting").visits[0].median_ns, 600, 10);
}

TEST(SummariesOfTimes, RepetitionsInWhichNoRankCameByAreCounted) {
  store::Data data = planted::handovers(one_visit(), {"posting"});
  auto& visit = data.groups[0].launches[0].visits[0];
  std::vector<record::MarkTicks> marks(visit.mark_records.begin(), visit.mark_records.end());
  std::erase_if(marks, [](const record::MarkTicks& mark) { return mark.repetition == 5; });
  visit.mark_records = marks;
  const Summaries summaries = summaries_of(data);
  EXPECT_EQ(summaries.arms[0].kept, 14U);
  EXPECT_EQ(summaries.arms[0].without_point, 1U);
}

TEST(SummariesOfTimes, WhatAProgramPrintsIsItsHeadline) {
  store::Data data = planted::handovers(one_visit(), {"posting", "whole"});
  data.groups[0].launches[0].visits[0].program = true;
  EXPECT_NEAR(summaries_of(data).visits[0].median_ns, 1000, 1);
  EXPECT_EQ(summaries_of(data).visits[0].time_name(), kPrintedName);
  EXPECT_THAT(summaries_of(data, "posting").untold.at(0).why, HasSubstr("program"));
}

}  // namespace
}  // namespace invar::analysis
