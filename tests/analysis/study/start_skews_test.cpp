// What is made of repetitions in which a rank lost its processor: decided for every cell as a
// whole.
#include "analysis/study/start_skews.hpp"

#include <gtest/gtest.h>

#include "analysis/planted.hpp"
#include "analysis/study/scope.hpp"
#include "analysis/study/summaries.hpp"

namespace invar::analysis {
namespace {

// Two arms, two cells; a repetition that was lost takes as much longer as its starts were apart.
// `lost(arm, cell, group, repetition)`: by how many ns, 0: not.
template <typename Lost>
store::Data with_losses(Lost lost, std::int64_t limit_ps = 1'000'000) {
  planted::Plan plan;
  plan.cells = {planted::cell("allreduce", 8), planted::cell("allreduce", 1024)};
  plan.groups = 4;
  plan.rounds = 2;
  plan.warm_up = 0;
  plan.group_sd = plan.launch_sd = plan.visit_sd = 0;
  plan.time_ns = [](std::size_t, std::size_t) { return 5000.0; };
  store::Data data = planted::data(plan);
  for (store::Group& group : data.groups) {
    for (store::Launch& launch : group.launches) {
      for (store::Visit& visit : launch.visits) {
        // The records are the test's own.
        for (record::Timing& timing :
             std::span(const_cast<record::Timing*>(visit.records.data()), visit.records.size())) {
          const std::int64_t lost_ps =
              1000 * lost(launch.arm, visit.line.cell, group.group, timing.repetition);
          if (lost_ps == 0) continue;
          timing.flags |= record::kLost;
          timing.start_skew_ps = lost_ps;
          timing.global_ps += lost_ps;
          timing.local_max_ps += lost_ps;
          ++visit.line.lost;
          visit.line.skew_limit_ps = limit_ps;
        }
      }
    }
  }
  return data;
}

Summaries global_times(const store::Data& data) {
  return summarize_visits(data, Runtime::kAuto, true);
}

TEST(StartSkews, WithoutLossesThereIsNothingToDecide) {
  const store::Data data = with_losses([](auto...) { return 0; });
  const StartSkews starts(data);
  EXPECT_EQ(starts.of(0), nullptr);
  EXPECT_EQ(starts.most_ps(0, 0), StartSkews::kAnySkew);
  EXPECT_EQ(starts.scope(), "");
  EXPECT_EQ(scope_text(data, false).find("starts up to"), std::string::npos);
}

TEST(StartSkews, FewAreLeftOutAboveTheLimitAndKeptBelow) {
  const auto lost = [](std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t repetition) {
    return repetition % 5 == 0 ? 2500 : repetition % 5 == 1 ? 800 : 0;
  };
  const store::Data data = with_losses(lost);
  const Summaries summaries = global_times(data);
  for (const VisitSummary& visit : summaries.visits) EXPECT_EQ(visit.observations, 12U);
  EXPECT_EQ(summaries.arms[0].apart, 3U * 16);
  EXPECT_EQ(summaries.arms[0].lost, 3U * 16);
  EXPECT_EQ(StartSkews(data).scope(), "");
}

TEST(StartSkews, WhereMostAreApartAllAreKeptAndTheScopeSaysSo) {
  // Cell 1 only, in both arms.
  const auto lost = [](std::uint32_t, std::uint32_t cell, std::uint32_t, std::uint32_t repetition) {
    return cell == 1 && repetition % 5 != 0 ? 3100 : 0;
  };
  const store::Data data = with_losses(lost);
  const StartSkews starts(data);
  ASSERT_NE(starts.of(1), nullptr);
  EXPECT_TRUE(starts.of(1)->all_kept);
  EXPECT_NEAR(starts.of(1)->skew_ns, 3100, 1);
  EXPECT_EQ(starts.scope(),
            "starts up to 3.10 us apart in 1 of 2 cells: most repetitions had a rank that lost its "
            "processor");
  EXPECT_TRUE(scope_text(data, false).ends_with(", this session, " + starts.scope()));
  const Summaries summaries = global_times(data);
  for (const VisitSummary& visit : summaries.visits) EXPECT_EQ(visit.observations, 15U);
  EXPECT_EQ(summaries.arms[0].apart, 0U);
}

// One arm alone, or one group alone, would decide otherwise.
TEST(StartSkews, AreDecidedOverAllArmsAndVisitsOfACell) {
  const auto lost = [](std::uint32_t arm, std::uint32_t cell, std::uint32_t group, std::uint32_t) {
    const bool all_of_a_visit = cell == 0 ? arm == 0 && group <= 2 : arm == 0 || group <= 1;
    return all_of_a_visit ? 3000 : 0;
  };
  const store::Data data = with_losses(lost);
  const StartSkews starts(data);
  EXPECT_FALSE(starts.of(0)->all_kept) << "a quarter";
  EXPECT_TRUE(starts.of(1)->all_kept) << "five eighths";
  EXPECT_EQ(starts.most_ps(0, 0), 1'000'000);
  EXPECT_EQ(starts.most_ps(1, 1), StartSkews::kAnySkew);
}

TEST(StartSkews, LateOnesAreNoneOfThem) {
  store::Data data = with_losses([](auto...) { return 3000; });
  for (store::Visit& visit : data.groups[0].launches[0].visits) {
    for (const record::Timing& timing : visit.records) {
      const_cast<record::Timing&>(timing).flags |= record::kLate;
    }
  }
  const StartSkews starts(data);
  EXPECT_EQ(starts.of(0)->judged, starts.of(0)->lost);
  EXPECT_EQ(starts.of(0)->judged, 15U * (16 - 2));
  EXPECT_EQ(global_times(data).arms[0].late, 15U * 4);
}

TEST(StartSkews, LimitIsTheSmallestOfTheArmsLaunches) {
  store::Data data = with_losses([](auto...) { return 1500; });
  data.groups[0].launches[0].visits[0].line.skew_limit_ps = 1'400'000;
  for (store::Group& group : data.groups) {
    for (store::Visit& visit : group.launches[1].visits) visit.line.skew_limit_ps = 9'000'000;
  }
  const StartSkews starts(data);
  EXPECT_EQ(starts.most_ps(0, 0), 1'400'000) << "half of the cell: not most";
  EXPECT_EQ(starts.most_ps(1, 0), 9'000'000);
  EXPECT_FALSE(starts.of(0)->all_kept);
}

}  // namespace
}  // namespace invar::analysis
