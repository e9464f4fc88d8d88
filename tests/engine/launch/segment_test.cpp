// Peers' mistake 1: time-stamp arrays that are first touched between the two clock reads carry a
// page fault in every 512th sample.
#include "engine/launch/segment.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace invar::engine {
namespace {

long page_faults() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_minflt + usage.ru_majflt;
}

TEST(SegmentTest, WritingTicksWhileTimingTouchesNoPageForTheFirstTime) {
  constexpr std::uint32_t kRepetitions = 1 << 20;  // 16 MiB of ticks: 4096 pages
  constexpr std::uint32_t kMarks = 2;
  Segment segment(kRepetitions, kMarks);
  const long before = page_faults();
  for (std::uint32_t i = 0; i < kRepetitions; ++i) {
    segment.begin_ticks[i] = i;
    segment.flags[i] = 1;
    segment.end_ticks[i] = i + 1;
    segment.marks_at(i)[kMarks - 1] = i;
  }
  // The kernel may move a page now and then; 512 repetitions share one.
  EXPECT_LT(page_faults() - before, 16);
}

TEST(SegmentTest, ClearedSegmentIsUsedAgainWithoutNewMemory) {
  Segment segment(100, 0);
  const std::int64_t* const begin = segment.begin_ticks.data();
  segment.flags[7] = 3;
  segment.used = 50;
  segment.visits.emplace_back();
  segment.clear();
  EXPECT_EQ(segment.begin_ticks.data(), begin);
  EXPECT_EQ(segment.begin_ticks.size(), 100U);
  EXPECT_EQ(segment.flags[7], 0) << "flags of a visit are set, never taken back";
  EXPECT_EQ(segment.used, 0U);
  EXPECT_TRUE(segment.visits.empty());
}

TEST(SegmentTest, ThereIsAFlagForTheQuestionThatEndsAVisit) {
  EXPECT_EQ(Segment(100, 0).flags.size(), 101U);
}

}  // namespace
}  // namespace invar::engine
