// Overlap of planted times: a call of 1000 ns, a computation, and both at once.
#include "analysis/overlap/overlap.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "analysis/planted.hpp"
#include "analysis/questions/question_row.hpp"
#include "base/error.hpp"

namespace invar::analysis {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

constexpr double kCallNs = 1000;

record::Cell overlapped_cell(const std::string& compute, const std::string& family = "together-1") {
  record::Cell cell = planted::cell("ibcast", 65536);
  cell.compute = compute;
  cell.family = family;
  return cell;
}

struct PlantedLevel {
  double compute_ns = 0;
  double both_ns = 0;
};

// The call, and for each level ("1x", "2x", ...) both at once and the computation by itself.
planted::Plan plan_of(const std::vector<PlantedLevel>& levels) {
  planted::Plan plan;
  plan.arms = {"openmpi"};
  // Times in nanoseconds have a launch's luck in them, which shares have not.
  plan.group_sd = 0.005;
  plan.cells = {overlapped_cell("off")};
  std::vector<double> times{kCallNs};
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const std::string level = std::to_string(i + 1) + "x";
    plan.cells.push_back(overlapped_cell(level));
    plan.cells.push_back(overlapped_cell("only:" + level));
    times.push_back(levels[i].both_ns);
    times.push_back(levels[i].compute_ns);
  }
  plan.time_ns = [times](std::size_t, std::size_t cell) { return times[cell]; };
  return plan;
}

Overlaps found_in(const planted::Plan& plan) {
  return overlaps(planted::study(planted::data(plan)));
}

// What a terminal shows of the first call in this column.
std::string shown_of(const Overlaps& found, const std::string& header) {
  for (const TidyTable& table : answer_of(found).tables) {
    for (const ShownColumn& shown : table.shown) {
      if (shown.header != header) continue;
      return std::get<std::string>(table.rows.at(0)[column_index(table, shown.column)].content);
    }
  }
  return {};
}

OverlapRow row_of(double compute_ns, double both_ns) {
  return found_in(plan_of({{compute_ns, both_ns}})).rows.at(0);
}

TEST(Overlap, IsWhatIsHiddenOfTheShorterOne) {
  EXPECT_NEAR(row_of(1000, 1000).overlap.value, 1, 0.02) << "all of it";
  EXPECT_NEAR(row_of(1000, 1500).overlap.value, 0.5, 0.02) << "half";
  EXPECT_NEAR(row_of(1000, 2000).overlap.value, 0, 0.02) << "one after the other";
  EXPECT_NEAR(row_of(500, 1000).overlap.value, 1, 0.03) << "all of the computation";
  EXPECT_NEAR(row_of(4000, 4000).overlap.value, 1, 0.05) << "all of the call";
}

// Ranks that share cores with a progress thread take longer for both than one after the other.
TEST(Overlap, IsSignedAndNeverCutOff) {
  const OverlapRow row = row_of(1000, 2200);
  EXPECT_NEAR(row.overlap.value, -0.2, 0.02);
  EXPECT_TRUE(row.costs());
  EXPECT_LT(row.overlap.interval->high, 0);
  EXPECT_NEAR(row.hidden_ns.value, -200, 20);
}

// Two thirds of the visits are in the slow regime, and yet the figures are of the fast one: why is
// said.
TEST(Overlap, SaysOfWhichRegimeItsFiguresAreAndWhy) {
  planted::Plan plan = plan_of({{1000, 1500}});
  plan.groups = 18;
  const auto is_slow = [](std::uint32_t group) { return group <= 12; };
  plan.slower = [is_slow](std::uint32_t group, std::uint32_t, std::size_t) {
    return is_slow(group) ? 3.0 : 1.0;
  };
  plan.canary_ns = [is_slow](std::uint32_t group) {
    return (is_slow(group) ? 500.0 : 130.0) * (1 + 0.01 * (group % 5));
  };
  const Overlaps found = found_in(plan);
  EXPECT_NEAR(found.rows.at(0).call_time.median_ns, 1000, 20);
  EXPECT_THAT(answer_of(found).notes,
              testing::Contains(testing::AllOf(
                  testing::StartsWith("regimes of the machine: canary 0.13"),
                  HasSubstr("(33 % of visits; the figures are of this one, the fastest that has "
                            "launch groups enough, however rare), canary 0.5"),
                  HasSubstr("(67 % of visits)"))));
}

TEST(Overlap, IntervalsHoldTheTruth) {
  const OverlapRow row = row_of(1000, 1500);
  EXPECT_EQ(row.groups, 8U);
  EXPECT_TRUE(row.hides());
  EXPECT_LT(row.overlap.interval->low, 0.5);
  EXPECT_GT(row.overlap.interval->high, 0.5);
  EXPECT_LT(row.overlap.interval->high - row.overlap.interval->low, 0.05);
  const OverlapRow nothing = row_of(1000, 2000);
  EXPECT_FALSE(nothing.hides() || nothing.costs());
}

// OSU: max(0, 100 - (both - computation) / call * 100). IMB: 100 max(0, min(1, (call + computation
// - both) / max(call, computation))). SMB: 1 - (both - computation) / call.
TEST(Overlap, FormulasOfOtherSuitesAreThoseDoneByHand) {
  const OverlapRow longer = row_of(2000, 2400);  // 600 ns are hidden
  EXPECT_NEAR(longer.overlap.value, 0.6, 0.03);
  EXPECT_NEAR(longer.availability.value, 0.6, 0.03);
  EXPECT_NEAR(longer.osu.value, 0.6, 0.03);
  EXPECT_NEAR(longer.imb.value, 0.3, 0.015);
  const OverlapRow shorter = row_of(500, 1200);  // 300 ns are
  EXPECT_NEAR(shorter.overlap.value, 0.6, 0.03);
  EXPECT_NEAR(shorter.availability.value, 0.3, 0.02);
  EXPECT_NEAR(shorter.osu.value, 0.3, 0.02);
  EXPECT_NEAR(shorter.imb.value, 0.3, 0.02);
  const OverlapRow less = row_of(1000, 2300);
  EXPECT_EQ(less.osu.value, 0);
  EXPECT_EQ(less.imb.value, 0);
  EXPECT_EQ(less.osu.interval->high, 0);
  const OverlapRow all = row_of(1000, 900);
  EXPECT_GT(all.osu.value, 1.05) << "OSU has no upper limit";
  EXPECT_EQ(all.imb.value, 1);
}

TEST(Overlap, LuckOfALaunchIsInAllThree) {
  planted::Plan plan = plan_of({{1000, 1500}});
  plan.group_sd = 0.8;
  const OverlapRow row = found_in(plan).rows.at(0);
  EXPECT_NEAR(row.overlap.value, 0.5, 0.02);
  EXPECT_LT(row.overlap.interval->high - row.overlap.interval->low, 0.05);
}

TEST(Overlap, OfOneLaunchGroupRestsOnItsRounds) {
  planted::Plan plan = plan_of({{1000, 1500}});
  plan.groups = 1;
  const Overlaps found = found_in(plan);
  EXPECT_TRUE(found.rows.at(0).this_launch_only);
  EXPECT_NEAR(found.rows.at(0).overlap.value, 0.5, 0.05);
  EXPECT_TRUE(found.rows.at(0).overlap.interval);
  EXPECT_THAT(found.scope, HasSubstr("this launch only"));
}

// Both take the longer of the call and the computation with the 100 ns that nothing hides.
TEST(OverlapKnee, IsWhatIsHiddenWhereBothTakeHalfAsLongAgainAsTheCall) {
  const Overlaps found = found_in(plan_of({{500, 1000}, {1000, 1100}, {2000, 2100}, {4000, 4100}}));
  ASSERT_THAT(found.knees, SizeIs(1));
  const OverlapKnee& knee = found.knees[0];
  EXPECT_NEAR(*knee.free_ns, 500, 10);
  EXPECT_NEAR(*knee.costs_ns, 1000, 20);
  EXPECT_EQ(knee.computation, "3x") << "the shortest one beyond";
  EXPECT_NEAR(knee.knee_ns->value, 900, 30);
  EXPECT_NEAR(knee.availability->value, 0.9, 0.03);
}

// The smallest that was tried is not a place where anything begins.
TEST(OverlapKnee, ThatTheShortestComputationIsBeyondIsSaid) {
  const Overlaps found = found_in(plan_of({{500, 1400}, {2000, 2900}}));
  EXPECT_FALSE(found.knees.at(0).free_ns);
  EXPECT_THAT(shown_of(found, "free up to"), testing::StartsWith("< 0.5"));
  EXPECT_THAT(shown_of(found, "costs from"), testing::StartsWith("<= 0.5"));
}

TEST(OverlapKnee, IsUnknownWhereNoComputationIsLongEnough) {
  const Overlaps found = found_in(plan_of({{500, 1000}, {900, 1000}}));
  EXPECT_FALSE(found.knees.at(0).knee_ns);
  EXPECT_NEAR(*found.knees.at(0).free_ns, 900, 20);
  EXPECT_FALSE(found.knees.at(0).costs_ns);
  EXPECT_THAT(shown_of(found, "costs from"), testing::StartsWith("> 0."));
  EXPECT_THAT(answer_of(found).warnings.back().text,
              HasSubstr("no knee: no computation is so long that both take 1.50 times the call: "
                        "ibcast 64 KiB of openmpi"));
}

TEST(Overlap, NeedsACallItsComputationAndBothInOneFamily) {
  planted::Plan plan = plan_of({{1000, 1500}});
  plan.cells[2].family = "together-2";
  const Study study = planted::study(planted::data(plan));
  ASSERT_TRUE(overlap_lack(study));
  EXPECT_THAT(overlap_lack(study)->text(),
              HasSubstr("no family has a call, a computation and both at once"));
  EXPECT_THROW((void)overlaps(study), base::CommandError);
}

TEST(Overlap, OfAnArmThatLacksACellIsThatOfTheOthers) {
  planted::Plan plan = plan_of({{1000, 1500}});
  plan.arms = {"openmpi", "mpich"};
  store::Data data = planted::data(plan);
  planted::remove_cell(data, 1, 2);
  const Overlaps found = overlaps(planted::study(data));
  ASSERT_THAT(found.rows, SizeIs(1));
  EXPECT_EQ(found.rows[0].arm, "openmpi");
}

TEST(Overlap, RowsStandBesideTheirCallWithoutComputation) {
  const Answer answer = answer_of(found_in(plan_of({{1000, 1500}})));
  const TidyTable& table = answer.tables.at(0);
  EXPECT_EQ(table.id, "overlap");
  const std::vector<Value>& row = table.rows.at(0);
  EXPECT_EQ(std::get<record::Cell>(row[column_index(table, "cell")].content).compute, "off");
  EXPECT_EQ(std::get<std::string>(row[column_index(table, "computation")].content), "1x");
  EXPECT_NEAR(std::get<double>(row[column_index(table, "multiple")].content), 1, 0.02);
  EXPECT_EQ(answer.tables.at(1).id, "knees");
  for (const TidyTable& one : answer.tables) {
    for (const std::vector<Value>& values : one.rows) {
      EXPECT_EQ(values.size(), one.columns.size()) << one.id;
    }
  }
}

// Sentences follow from the rows alone. The call takes 1000 ns.
OverlapRow told_row(const std::string& arm, double multiple, double overlap, double half_width) {
  OverlapRow row{.arm = arm, .call = overlapped_cell("off"), .computation = "1x"};
  row.call_time = {.median_ns = kCallNs};
  row.compute_time = {.median_ns = kCallNs * multiple};
  row.hidden_ns = {.value = kCallNs * overlap};
  row.both_time = {.median_ns = kCallNs * (1 + multiple - overlap)};
  row.overlap = row.availability = {
      .value = overlap,
      .interval = stats::Interval{overlap - half_width, overlap + half_width, 0.95}};
  return row;
}

OverlapRow told_call(const std::string& arm, const std::string& operation, double hidden,
                     std::uint32_t progress_calls = 0) {
  OverlapRow row = told_row(arm, 2, hidden, 0.01);
  row.call.operation = operation;
  // As in a plan: a call has one number.
  row.call.id = std::accumulate(operation.begin(), operation.end(), progress_calls);
  row.call.progress_calls = progress_calls;
  return row;
}

std::string sentence_of(std::vector<OverlapRow> rows, const std::string& no_verdict = {}) {
  Overlaps found{.scope = "2 ranks", .rows = std::move(rows), .no_verdict = no_verdict};
  for (const OverlapRow& row : found.rows) {
    if (found.arms.empty() || found.arms.back().label != row.arm) {
      found.arms.push_back({.label = row.arm});
    }
  }
  return overlap_sentence(found);
}

TEST(OverlapSentence, OfOneAmountSaysWhatIsHiddenWhatIsNotAndWhatCosts) {
  EXPECT_EQ(sentence_of({told_row("openmpi", 1.18, 0.924, 0.02)}),
            "openmpi hides 92 % [90, 94] of ibcast 64 KiB behind 1.2x: 2 ranks.");
  EXPECT_EQ(sentence_of({told_row("openmpi", 1, 0.01, 0.04)}),
            "openmpi hides nothing of ibcast 64 KiB behind 1.0x that could be told (1.0 % [-3.0, "
            "5.0]): 2 ranks.");
  EXPECT_EQ(sentence_of({told_row("openmpi", 0.5, -0.12, 0.04)}),
            "openmpi takes longer for ibcast 64 KiB and 0.50x of computation at once than for one "
            "after the other, by 12 % [8, 16] of the shorter one: 2 ranks.");
}

// More computation than at the knee hides no more.
TEST(OverlapSentence, OfSeveralAmountsIsOfTheKnee) {
  EXPECT_EQ(sentence_of({told_row("openmpi", 0.5, 0.4, 0.04), told_row("openmpi", 4, 0.6, 0.02),
                         told_row("openmpi", 2, 0.5, 0.02), told_row("mpich", 2, 0.8, 0.1)}),
            "openmpi hides 50 % [48, 52] of ibcast 64 KiB by itself; mpich hides 80 % [70, 90] of "
            "ibcast 64 KiB behind 2.0x: 2 ranks.");
}

TEST(OverlapSentence, SaysWhichCallsOverlapByThemselvesAndWhatProgressCallsBring) {
  EXPECT_EQ(
      sentence_of({told_call("openmpi", "ibcast", 0.28), told_call("openmpi", "ibarrier", 0.4),
                   told_call("openmpi", "iallreduce", 0.022),
                   told_call("openmpi", "iallreduce", 0.47, 10),
                   told_call("openmpi", "exchange", 0.012)}),
      "openmpi hides 40 % of ibarrier 64 KiB and 28 % of ibcast 64 KiB by itself, hardly "
      "anything of iallreduce and exchange at 64 KiB (at most 3.2 %), with 10 progress calls 0.470 "
      "us "
      "of the 1.00 us of iallreduce 64 KiB: 2 ranks.");
  EXPECT_EQ(
      sentence_of({told_call("mpich", "ibcast", 0.018), told_call("mpich", "iallreduce", 0.003),
                   told_call("mpich", "iallreduce", 0.015, 10)}),
      "mpich hides hardly anything of any call by itself (at most 2.8 %), with 10 progress "
      "calls 0.015 us of the 1.00 us of iallreduce 64 KiB: 2 ranks.");
}

// An interval from nothing to a half shows no hiding, wherever its middle is.
TEST(OverlapSentence, CallsNothingHiddenThatMayBeNothing) {
  OverlapRow untold = told_call("openmpi", "ibcast", 0.12);
  untold.availability.interval = stats::Interval{-0.3, 0.54, 0.95};
  EXPECT_EQ(sentence_of({told_call("openmpi", "exchange", 0.9), untold}),
            "openmpi hides 90 % [89, 91] of exchange 64 KiB by itself, what it hides of ibcast 64 "
            "KiB cannot be told: 2 ranks.");
}

TEST(OverlapSentence, SaysOfCallsThatTakeLonger) {
  EXPECT_EQ(
      sentence_of({told_call("openmpi", "ibcast", 0.5), told_call("openmpi", "exchange", -0.3)}),
      "openmpi hides 50 % [49, 51] of ibcast 64 KiB by itself, takes longer for exchange 64 "
      "KiB and computation at once than for one after the other: 2 ranks.");
}

TEST(OverlapSentence, OfRanksWithoutCoresOfTheirOwnTellsOfNoFigures) {
  EXPECT_THAT(
      sentence_of({told_row("openmpi", 1, 0.92, 0.02)}, "more ranks than cores (oversubscribed)"),
      testing::Eq("No figures: more ranks than cores (oversubscribed); the table has times "
                  "as behaviour alone: 2 ranks."));
}

TEST(OverlapSentence, TellsCallsOfOneSizeApart) {
  OverlapRow other = told_row("openmpi", 2, 0.2, 0.02);
  other.call.id = 1;
  other.call.ranks = 4;
  EXPECT_THAT(sentence_of({told_row("openmpi", 2, 0.9, 0.02), other}),
              testing::AllOf(HasSubstr("90 % of ibcast, 64 KiB, 2 ranks and"),
                             HasSubstr("20 % of ibcast, 64 KiB, 4 ranks by itself")));
}

}  // namespace
}  // namespace invar::analysis
