// Batches and single calls of a cell are never pooled.
#include "analysis/study/batches.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/planted.hpp"

namespace invar::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Calls of every visit of a cell in a group.
void set_calls(store::Data& data, std::size_t group, std::uint32_t cell, std::uint32_t calls) {
  for (store::Launch& launch : data.groups.at(group).launches) {
    for (store::Visit& visit : launch.visits) {
      if (visit.line.cell == cell) visit.line.calls = calls;
    }
  }
}

// Group, launch and cell of the visits that are kept, each once.
std::vector<std::string> kept(const store::Data& data) {
  const Batches batches(data);
  std::vector<std::string> all;
  for (const store::Group& group : data.groups) {
    for (const store::Launch& launch : group.launches) {
      for (const store::Visit& visit : launch.visits) {
        const std::string text = "group " + std::to_string(group.group) + " cell " +
                                 std::to_string(visit.line.cell) + " arm " +
                                 std::to_string(launch.arm);
        if (batches.keeps(visit)) all.push_back(text);
      }
    }
  }
  return all;
}

// Three groups of two arms, one visit a cell.
store::Data three_groups(std::size_t cells = 2) {
  planted::Plan plan;
  plan.groups = 3;
  plan.rounds = 1;
  plan.cells.clear();
  for (std::size_t i = 0; i < cells; ++i) plan.cells.push_back(planted::cell("bcast", 8U << i));
  return planted::data(plan);
}

TEST(Batches, WithoutAnyEveryVisitIsKeptAndNothingIsSaid) {
  const store::Data data = three_groups();
  EXPECT_EQ(kept(data).size(), 3U * 2 * 2);
  EXPECT_THAT(Batches(data).warnings(data), IsEmpty());
}

TEST(Batches, VisitsOfThePilotAreLeftOutForTheCellThatIsBatchedLaterAndNoOther) {
  store::Data data = three_groups();
  for (const std::size_t group : {1U, 2U}) set_calls(data, group, 0, 62);
  EXPECT_THAT(kept(data),
              ElementsAre("group 1 cell 1 arm 0", "group 1 cell 1 arm 1",  //
                          "group 2 cell 0 arm 0", "group 2 cell 1 arm 0", "group 2 cell 0 arm 1",
                          "group 2 cell 1 arm 1", "group 3 cell 0 arm 0", "group 3 cell 1 arm 0",
                          "group 3 cell 0 arm 1", "group 3 cell 1 arm 1"));
  EXPECT_THAT(texts_of(Batches(data).warnings(data)),
              ElementsAre("timed in batches, because single calls are too short for the clock: "
                          "bcast, 8 B, 2 ranks (62 calls); 2 visits with fewer calls left out"));
}

TEST(Batches, TheMostCallsCountWhereverTheyStand) {
  store::Data data = three_groups(1);
  set_calls(data, 0, 0, 62);
  set_calls(data, 1, 0, 20);
  EXPECT_THAT(kept(data), ElementsAre("group 1 cell 0 arm 0", "group 1 cell 0 arm 1"));
}

TEST(Batches, WhereAllVisitsAreBatchesNoneIsLeftOut) {
  store::Data data = three_groups(1);
  for (const std::size_t group : {0U, 1U, 2U}) set_calls(data, group, 0, 62);
  EXPECT_EQ(kept(data).size(), 6U);
  EXPECT_THAT(texts_of(Batches(data).warnings(data)),
              ElementsAre("timed in batches, because single calls are too short for the clock: "
                          "bcast, 8 B, 2 ranks (62 calls)"));
}

TEST(Batches, WarningListsThreeCellsAndCountsWhatIsLeftOutOfAll) {
  store::Data data = three_groups(5);
  for (std::uint32_t cell = 0; cell < 5; ++cell) {
    for (const std::size_t group : {1U, 2U}) set_calls(data, group, cell, 60 + cell);
  }
  EXPECT_THAT(texts_of(Batches(data).warnings(data)),
              ElementsAre("timed in batches, because single calls are too short for the clock: "
                          "bcast, 8 B, 2 ranks (60 calls), bcast, 16 B, 2 ranks (61 calls), bcast, "
                          "32 B, 2 ranks (62 calls), 2 more; 10 visits with fewer calls left out"));
}

}  // namespace
}  // namespace invar::analysis
