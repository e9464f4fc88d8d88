// Which cells are timed in batches after the pilot group, of how many calls, and what that costs.
#include "driver/decide/batches.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <utility>

namespace invar::driver {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

constexpr std::uint32_t kCell = 0;
constexpr std::uint32_t kOther = 1;

// A pilot group in memory, a launch at a time.
class Pilot {
 public:
  explicit Pilot(std::size_t cells = 2) {
    for (std::uint32_t id = 0; id < cells; ++id) {
      data_.cells.push_back({.id = id, .operation = "allreduce", .size_bytes = 8ULL << id});
    }
  }

  Pilot& group() {
    data_.groups.push_back({.group = static_cast<std::uint32_t>(data_.groups.size() + 1)});
    return *this;
  }
  Pilot& launch(std::uint32_t arm) {
    data_.groups.back().launches.push_back({.arm = arm});
    return *this;
  }
  // A visit of the last launch with 15 single calls of this time, and what the launch found of
  // calls in a batch.
  Pilot& visit(std::uint32_t cell, double time_ns, store::BatchCall batch) {
    std::vector<record::Timing> timings(15);
    for (record::Timing& timing : timings) timing.local_max_ps = std::llround(time_ns * 1000);
    return visit(cell, timings, batch);
  }
  Pilot& visit(std::uint32_t cell, const std::vector<record::Timing>& timings,
               store::BatchCall batch) {
    store::Launch& last = data_.groups.back().launches.back();
    store::Visit& one = last.visits.emplace_back();
    one.line.cell = cell;
    one.line.records = static_cast<std::uint32_t>(timings.size());
    one.records = records_.emplace_back(timings);
    last.batch_calls[cell] = batch;
    return *this;
  }
  store::Visit& last_visit() { return data_.groups.back().launches.back().visits.back(); }

  store::Data& data() { return data_; }

 private:
  std::deque<std::vector<record::Timing>> records_ = {};
  store::Data data_ = {};
};

TEST(BatchesNeeded, ShortCellIsBatchedSoThatItLastsTwentyStepsAndATenthMore) {
  Pilot pilot;
  pilot.group().launch(0).visit(kCell, 150, {.call_ns = 100, .step_ns = 10});
  EXPECT_THAT(batches_needed(pilot.data(), {}), ElementsAre(Pair(kCell, 3)));  // 220 ns
}

TEST(BatchesNeeded, ShortIsBelowTwentyStepsOfTheSingleCall) {
  for (const double time_ns : {199.0, 200.0}) {
    Pilot pilot;
    pilot.group().launch(0).visit(kCell, time_ns, {.call_ns = 100, .step_ns = 10});
    EXPECT_EQ(batches_needed(pilot.data(), {}).contains(kCell), time_ns < 200) << time_ns;
  }
}

// Calls that follow one another take less than single ones: the batch must be long enough for those
// of the fastest arm.
TEST(BatchesNeeded, CallsAreThoseOfTheArmWhoseCallsInABatchAreFastest) {
  const store::BatchCall slow{.call_ns = 100, .step_ns = 10};
  const store::BatchCall fast{.call_ns = 20, .step_ns = 10};
  for (const bool fast_first : {true, false}) {
    Pilot pilot;
    pilot.group().launch(0).visit(kCell, 150, fast_first ? fast : slow);
    pilot.launch(1).visit(kCell, 150, fast_first ? slow : fast);
    EXPECT_THAT(batches_needed(pilot.data(), {}), ElementsAre(Pair(kCell, 11))) << fast_first;
  }
}

TEST(BatchesNeeded, StepIsThatOfTheArmWhoseClockIsCoarsest) {
  const store::BatchCall fine{.call_ns = 100, .step_ns = 10};
  const store::BatchCall coarse{.call_ns = 100, .step_ns = 40};
  for (const bool fine_first : {true, false}) {
    Pilot pilot;
    pilot.group().launch(0).visit(kCell, 150, fine_first ? fine : coarse);
    pilot.launch(1).visit(kCell, 150, fine_first ? coarse : fine);
    EXPECT_THAT(batches_needed(pilot.data(), {}), ElementsAre(Pair(kCell, 9))) << fine_first;
  }
}

TEST(BatchesNeeded, OneArmThatIsShortIsEnoughForAll) {
  for (const bool short_first : {true, false}) {
    Pilot pilot;
    pilot.group().launch(short_first ? 0 : 1).visit(kCell, 150, {.call_ns = 100, .step_ns = 10});
    pilot.launch(short_first ? 1 : 0).visit(kCell, 500, {.call_ns = 50, .step_ns = 10});
    EXPECT_THAT(batches_needed(pilot.data(), {}), ElementsAre(Pair(kCell, 5)))
        << "by the call of the arm that is long alone and fastest in a batch";
  }
}

TEST(BatchesNeeded, LongCellStaysAsItIs) {
  Pilot pilot;
  pilot.group().launch(0).visit(kCell, 150, {.call_ns = 100, .step_ns = 10});
  pilot.visit(kOther, 250, {.call_ns = 100, .step_ns = 10});
  EXPECT_THAT(batches_needed(pilot.data(), {}), ElementsAre(Pair(kCell, 3)));
}

TEST(BatchesNeeded, CellWithAColdCacheIsNeverBatched) {
  Pilot pilot;
  pilot.group().launch(0).visit(kCell, 50, {.call_ns = 50, .step_ns = 10});
  for (const char* cache : {"cold-flush", "cold-cycle"}) {
    pilot.data().cells[kCell].cache = cache;
    EXPECT_THAT(batches_needed(pilot.data(), {}), IsEmpty()) << cache;
  }
}

TEST(BatchesNeeded, NothingMeasuredNeedsNone) {
  Pilot pilot;
  EXPECT_THAT(batches_needed(pilot.data(), {}), IsEmpty());
  pilot.group().launch(0);
  EXPECT_THAT(batches_needed(pilot.data(), {}), IsEmpty());
  pilot.visit(kCell, 50, {.call_ns = 0, .step_ns = 10}).visit(kOther, 50, {.call_ns = 50});
  EXPECT_THAT(batches_needed(pilot.data(), {}), IsEmpty()) << "how long is not known";
}

// A late repetition waited for nobody, and one of the warm-up may be slow: neither tells how long a
// call is.
TEST(BatchesNeeded, WhatAnalysesLeaveOutDoesNotCount) {
  for (const record::Flag flag : {record::kWarmUp, record::kLate, record::kPastWindow}) {
    std::vector<record::Timing> timings(5);
    for (record::Timing& timing : timings) timing.local_max_ps = 250'000;
    record::Timing left_out{};
    left_out.local_max_ps = 1;
    left_out.flags = flag;
    timings.resize(25, left_out);
    Pilot pilot;
    pilot.group().launch(0).visit(kCell, timings, {.call_ns = 100, .step_ns = 10});
    EXPECT_THAT(batches_needed(pilot.data(), {}), IsEmpty()) << flag;
  }
}

TEST(BatchesNeeded, TimesPerCallOfABatchAreNoSingleCalls) {
  Pilot pilot;
  pilot.group().launch(0).visit(kCell, 250, {.call_ns = 100, .step_ns = 10});
  pilot.visit(kCell, 100, {.call_ns = 100, .step_ns = 10});
  pilot.last_visit().line.calls = 3;
  EXPECT_THAT(batches_needed(pilot.data(), {}), IsEmpty());
}

TEST(BatchesNeeded, ABatchHasTwoCallsAtLeastAndNotWithoutEnd) {
  Pilot pilot;
  pilot.group().launch(0).visit(kCell, 150, {.call_ns = 300, .step_ns = 10});
  pilot.visit(kOther, 150, {.call_ns = 0.001, .step_ns = 10});
  EXPECT_THAT(batches_needed(pilot.data(), {}), ElementsAre(Pair(kCell, 2), Pair(kOther, 65'536)));
}

TEST(BatchesNeeded, CellsOfAFamilyAreTimedAlike) {
  Pilot pilot(4);
  pilot.group().launch(0).visit(0, 150, {.call_ns = 100, .step_ns = 10});
  pilot.visit(1, 250, {.call_ns = 200, .step_ns = 10});
  pilot.visit(2, 190, {.call_ns = 180, .step_ns = 10});
  pilot.visit(3, 250, {.call_ns = 200, .step_ns = 10});
  for (const std::uint32_t cell : {0U, 1U, 2U}) pilot.data().cells[cell].family = "roots";
  EXPECT_THAT(batches_needed(pilot.data(), pilot.data().cells),
              ElementsAre(Pair(0, 3), Pair(1, 3), Pair(2, 3)));
  EXPECT_THAT(batches_needed(pilot.data(), {}), ElementsAre(Pair(0, 3), Pair(2, 2)));
}

// Else the factor "cache" would be that of batches as well.
TEST(BatchesNeeded, AFamilyWithAMemberThatCannotBeBatchedHasNone) {
  Pilot pilot(3);
  pilot.group().launch(0).visit(0, 150, {.call_ns = 100, .step_ns = 10});
  pilot.visit(1, 150, {.call_ns = 100, .step_ns = 10});
  pilot.visit(2, 150, {.call_ns = 100, .step_ns = 10});
  std::vector<record::Cell>& cells = pilot.data().cells;
  for (const std::uint32_t cell : {0U, 1U}) cells[cell].family = "caches";
  EXPECT_THAT(batches_needed(pilot.data(), cells), SizeIs(3));
  cells[1].cache = "cold-flush";
  EXPECT_THAT(batches_needed(pilot.data(), cells), ElementsAre(Pair(2, 3)));
}

TEST(BatchesNeeded, AnOperationWhoseCallsCannotBeTimedTogetherHasNone) {
  Pilot pilot;
  pilot.group().launch(0).visit(kCell, 150, {.call_ns = 100, .step_ns = 10});
  pilot.data().arms = {{.operations = {{.name = "allreduce"}}}};
  EXPECT_THAT(batches_needed(pilot.data(), {}), ElementsAre(Pair(kCell, 3)));
  pilot.data().arms.push_back({.operations = {{.name = "allreduce", .batches = false}}});
  EXPECT_THAT(batches_needed(pilot.data(), {}), IsEmpty()) << "one arm that says so is enough";
  pilot.data().arms.pop_back();
  pilot.data().arms[0].operations[0] = {.name = "allreduce", .marks = {{.name = "posted"}}};
  EXPECT_THAT(batches_needed(pilot.data(), {}), IsEmpty()) << "a batch has its last call's marks";
  pilot.data().arms[0].operations[0].optional_marks = true;
  EXPECT_THAT(batches_needed(pilot.data(), {}), ElementsAre(Pair(kCell, 3))) << "it makes none";
  pilot.data().cells[kCell].marks = "on";
  EXPECT_THAT(batches_needed(pilot.data(), {}), IsEmpty());
}

// The same cell is compared with a shorter one, with a longer one and with one that is longer than
// any batch: what the clock needs there says nothing about it here.
TEST(BatchesNeeded, OneCellInThreeFamiliesHasTheBatchesOfEach) {
  const store::BatchCall shorter{.call_ns = 20, .step_ns = 10};
  const store::BatchCall same{.call_ns = 100, .step_ns = 10};
  const store::BatchCall longer{.call_ns = 900, .step_ns = 10};
  Pilot pilot(6);
  pilot.group().launch(0).visit(0, 150, same).visit(1, 60, shorter);
  pilot.visit(2, 150, same).visit(3, 1000, longer);
  pilot.visit(4, 210, same).visit(5, 1000, longer);  // not too short in this family's visits
  std::vector<record::Cell>& cells = pilot.data().cells;
  for (const std::uint32_t cell : {2U, 4U}) cells[cell].size_bytes = cells[0].size_bytes;
  for (std::uint32_t cell = 0; cell < 6; ++cell) {
    cells[cell].family = cell < 2 ? "with-shorter" : cell < 4 ? "with-longer" : "single-calls";
  }
  EXPECT_THAT(batches_needed(pilot.data(), cells),
              ElementsAre(Pair(0, 11), Pair(1, 11), Pair(2, 3), Pair(3, 3)));
}

// mpptest doubles its calls until the batch lasts longer than 100 steps, ten times at most.
TEST(BatchesOfSuites, AreDoubledUntilTheyAreLongEnough) {
  for (const auto& [step_ns, calls] :
       {std::pair(10.0, 0U), {50.0, 100U}, {99.0, 100U}, {100.0, 200U}}) {
    Pilot pilot;
    pilot.data().cells[kCell].scheme = "batch-initiator";
    pilot.group().launch(0).visit(kCell, 100, {.call_ns = 100, .step_ns = step_ns});
    pilot.last_visit().line.calls = 50;
    const record::Calls needed = batches_needed(pilot.data(), {});
    EXPECT_EQ(needed.contains(kCell) ? needed.at(kCell) : 0, calls) << step_ns;
  }
}

TEST(BatchesOfSuites, AreDoubledTenTimesAtMost) {
  Pilot pilot;
  pilot.data().cells[kCell].scheme = "batch-initiator";
  pilot.group().launch(0).visit(kCell, 100, {.call_ns = 0.001, .step_ns = 10});
  pilot.last_visit().line.calls = 50;
  EXPECT_THAT(batches_needed(pilot.data(), {}), ElementsAre(Pair(kCell, 50U << 10U)));
}

TEST(BatchesOfSuites, AreThoseOfTheFastestArm) {
  Pilot pilot;
  pilot.data().cells[kCell].scheme = "batch-initiator";
  pilot.group().launch(0).visit(kCell, 100, {.call_ns = 100, .step_ns = 10});
  pilot.last_visit().line.calls = 50;
  pilot.launch(1).visit(kCell, 100, {.call_ns = 6, .step_ns = 10});
  pilot.last_visit().line.calls = 50;
  EXPECT_THAT(batches_needed(pilot.data(), {}), ElementsAre(Pair(kCell, 200)));
}

TEST(BatchesOfSuites, ThatAskForNoStepsStayAsTheyAre) {
  Pilot pilot;
  pilot.data().cells[kCell].scheme = "batch";
  pilot.group().launch(0).visit(kCell, 100, {.call_ns = 100, .step_ns = 100});
  pilot.last_visit().line.calls = 50;
  EXPECT_THAT(batches_needed(pilot.data(), {}), IsEmpty());
}

TEST(ExtraSeconds, OfASuitesBatchAreThoseOfTheCallsThatItDidNotHave) {
  Pilot pilot;
  pilot.data().cells[kCell].scheme = "batch-initiator";
  pilot.group().launch(0).visit(kCell, 100, {.call_ns = 100, .step_ns = 100});
  pilot.last_visit().line.calls = 50;
  EXPECT_DOUBLE_EQ(extra_seconds(pilot.data(), {{kCell, 200}}), 15 * 150 * 100e-9);
}

TEST(ExtraSeconds, AreThoseOfAllCallsButOneOfEveryRecord) {
  Pilot pilot;
  pilot.group().launch(0).visit(kCell, 150, {.call_ns = 100, .step_ns = 10});
  pilot.visit(kCell, 150, {.call_ns = 100, .step_ns = 10});
  pilot.visit(kOther, 150, {.call_ns = 100, .step_ns = 10});  // not batched
  pilot.launch(1).visit(kCell, 150, {.call_ns = 40, .step_ns = 10});
  EXPECT_DOUBLE_EQ(extra_seconds(pilot.data(), {{kCell, 11}}),
                   (15 + 15) * 10 * 100e-9 + 15 * 10 * 40e-9);
  EXPECT_EQ(extra_seconds(pilot.data(), {}), 0);
}

TEST(ExtraSeconds, OfWhatIsMeasuredNoMoreAreNone) {
  Pilot pilot;
  pilot.data().arms = {{.label = "a"}, {.label = "b"}};
  pilot.group();
  for (const std::uint32_t arm : {0U, 1U}) {
    pilot.launch(arm).visit(kCell, 150, {.call_ns = 100, .step_ns = 10});
    pilot.visit(kOther, 150, {.call_ns = 100, .step_ns = 10});
  }
  const record::Calls calls{{kCell, 11}, {kOther, 11}};
  const double visit_s = 15 * 10 * 100e-9;
  EXPECT_DOUBLE_EQ(extra_seconds(pilot.data(), calls), 4 * visit_s);
  pilot.data().decided = {
      {.not_judging = {{.groups = {1}, .cells = {kCell}}, {.cells = {kOther}, .arms = {"b"}}}}};
  EXPECT_DOUBLE_EQ(extra_seconds(pilot.data(), calls), 3 * visit_s);
}

TEST(ExtraSeconds, AreOfOneGroupHoweverManyThereAre) {
  Pilot pilot;
  for (int i = 0; i < 3; ++i) {
    pilot.group().launch(0).visit(kCell, 150, {.call_ns = 100, .step_ns = 10});
  }
  EXPECT_DOUBLE_EQ(extra_seconds(pilot.data(), {{kCell, 11}}), 15 * 10 * 100e-9);
  EXPECT_EQ(extra_seconds(Pilot().data(), {{kCell, 11}}), 0) << "no group at all";
}

TEST(ExtraSeconds, OfCellsWhoseCallsAreNotKnownAreNone) {
  Pilot pilot;
  pilot.group().launch(0).visit(kCell, 150, {});
  pilot.data().groups.back().launches.back().batch_calls.clear();
  EXPECT_EQ(extra_seconds(pilot.data(), {{kCell, 11}}), 0);
}

TEST(BatchesText, ListsFourCellsAndCountsTheOthers) {
  const std::vector<record::Cell> cells = Pilot(6).data().cells;
  EXPECT_EQ(batches_text({}, cells), "");
  EXPECT_EQ(batches_text({{0, 62}}, cells), "allreduce, 8 B, 2 ranks: 62 calls");
  const std::string four =
      "allreduce, 8 B, 2 ranks: 62 calls, allreduce, 16 B, 2 ranks: 61 calls, "
      "allreduce, 32 B, 2 ranks: 31 calls, allreduce, 64 B, 2 ranks: 2 calls";
  EXPECT_EQ(batches_text({{0, 62}, {1, 61}, {2, 31}, {3, 2}}, cells), four);
  EXPECT_EQ(batches_text({{0, 62}, {1, 61}, {2, 31}, {3, 2}, {4, 2}, {5, 2}}, cells),
            four + ", 2 cells more");
}

// Between a batch and single calls there is no line.
TEST(BatchesNeeded, SizesOfACurveOnWhichMoreAreChosenAreTimedAlike) {
  const std::vector<std::vector<std::uint32_t>> curves{{kCell, kOther}};
  Pilot pilot;
  pilot.group().launch(0).visit(kCell, 150, {.call_ns = 100, .step_ns = 10});
  pilot.visit(kOther, 1e6, {.call_ns = 1e6, .step_ns = 10});
  EXPECT_THAT(batches_needed(pilot.data(), {}), ElementsAre(Pair(kCell, 3)));
  EXPECT_THAT(batches_needed(pilot.data(), {}, curves),
              ElementsAre(Pair(kCell, 3), Pair(kOther, 3)));
}

// A batch of many calls would last as long as many.
TEST(BatchesNeeded, LongBatchesOfACurveEndWhereTheyCostTooMuch) {
  const std::vector<std::vector<std::uint32_t>> curves{{kCell, kOther}};
  for (const double long_ns : {2e3, 2e5}) {
    Pilot pilot;
    pilot.group().launch(0).visit(kCell, 20, {.call_ns = 10, .step_ns = 10});
    pilot.visit(kOther, long_ns, {.call_ns = long_ns, .step_ns = 10});
    const record::Calls calls = batches_needed(pilot.data(), {}, curves);
    EXPECT_EQ(calls.at(kCell), 22U);
    EXPECT_EQ(calls.contains(kOther), 22 * long_ns <= kLongestBatchNs) << long_ns;
  }
}

}  // namespace
}  // namespace invar::driver
