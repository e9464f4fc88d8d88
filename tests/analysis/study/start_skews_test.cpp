// What is made of repetitions in which a rank lost its processor: decided for every cell as a
// whole.
#include "analysis/study/start_skews.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "analysis/compare/compare.hpp"
#include "analysis/planted.hpp"
#include "analysis/study/scope.hpp"
#include "analysis/study/summaries.hpp"

namespace invar::analysis {
namespace {

// Two arms, two cells; a repetition that was lost takes as much longer as its starts were apart.
// `lost(arm, cell, group, repetition)`: by how many ns, 0: not. `limits_ps`: of the arms, above
// which it matters.
template <typename Lost>
store::Data with_losses(Lost lost,
                        const std::array<std::int64_t, 2>& limits_ps = {1'000'000, 1'000'000},
                        const std::string& family = "") {
  planted::Plan plan;
  plan.cells = {planted::cell("allreduce", 8), planted::cell("allreduce", 1024)};
  for (record::Cell& cell : plan.cells) cell.family = family;
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
          if (lost_ps > limits_ps[launch.arm]) timing.flags |= record::kApart;
          timing.start_skew_ps = lost_ps;
          timing.global_ps += lost_ps;
          timing.local_max_ps += lost_ps;
          ++visit.line.lost;
          visit.line.skew_limit_ps = limits_ps[launch.arm];
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
  EXPECT_FALSE(starts.keeps_apart(0));
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

// With few valid ones, but nothing less than what was asked for.
TEST(StartSkews, VisitsThatKeepAllHoldNoFewerThanPlanned) {
  const auto lost = [](std::uint32_t, std::uint32_t cell, std::uint32_t, std::uint32_t repetition) {
    return repetition % 5 < (cell == 1 ? 4U : 1U) ? 3100 : 0;
  };
  store::Data data = with_losses(lost);
  for (store::Group& group : data.groups) {
    for (store::Visit& visit : group.launches[0].visits) {
      visit.line.retry_cap_reached = true;
      visit.line.apart = visit.line.lost;
      visit.line.valid = 15 - visit.line.apart;
      visit.line.records = 15;
    }
  }
  EXPECT_EQ(global_times(data).arms[0].capped_visits, 4U * 2) << "cell 0, which leaves some out";
  // Most of the attempts were late.
  for (store::Visit& visit : data.groups[0].launches[0].visits) visit.line.records = 45;
  EXPECT_EQ(global_times(data).arms[0].capped_visits, 4U * 2 + 2);
}

// As at 10000 ranks with calls of 100 and 160 us, of which 2 % is the limit: the same loss matters
// to the one arm and not to the other.
TEST(StartSkews, AnArmOfWhichMostAreApartDecidesForAllArms) {
  const auto lost = [](std::uint32_t, std::uint32_t cell, std::uint32_t, std::uint32_t repetition) {
    return cell == 0 && repetition % 5 != 0 ? 2500 : 0;
  };
  const store::Data data = with_losses(lost, {2'000'000, 3'200'000});
  const StartSkews starts(data);
  ASSERT_NE(starts.of(0), nullptr);
  EXPECT_LT(2 * starts.of(0)->apart, starts.of(0)->judged) << "of both arms together not most";
  EXPECT_TRUE(starts.of(0)->all_kept);
  EXPECT_TRUE(starts.keeps_apart(0));
  EXPECT_FALSE(starts.keeps_apart(1));
  const Summaries summaries = global_times(data);
  EXPECT_TRUE(summaries.empty.empty());
  for (const VisitSummary& visit : summaries.visits) EXPECT_EQ(visit.observations, 15U);
  for (const Tally& arm : summaries.arms) EXPECT_EQ(arm.apart, 0U);
}

// A visit in which all are apart is empty where they are not most of its arm's, and is counted.
TEST(StartSkews, AreDecidedOverAllVisitsOfACell) {
  const auto lost = [](std::uint32_t arm, std::uint32_t cell, std::uint32_t group, std::uint32_t) {
    const bool all_of_a_visit = arm == 0 && group <= (cell == 0 ? 2U : 3U);
    return all_of_a_visit ? 3000 : 0;
  };
  const store::Data data = with_losses(lost);
  const StartSkews starts(data);
  EXPECT_FALSE(starts.of(0)->all_kept) << "half of the arm's";
  EXPECT_TRUE(starts.of(1)->all_kept) << "three quarters";
  const Summaries summaries = global_times(data);
  ASSERT_EQ(summaries.empty.size(), 1U);
  EXPECT_EQ(summaries.empty[0].arm, 0U);
  EXPECT_EQ(summaries.empty[0].cell, 0U);
  EXPECT_EQ(summaries.empty[0].visits, 2U * 2);
  EXPECT_EQ(summaries.visits.size(), 4U * 2 * 2 * 2 - 4);
}

TEST(StartSkews, CellsThatAreComparedWithEachOtherAreDecidedTogether) {
  const auto lost = [](std::uint32_t, std::uint32_t cell, std::uint32_t, std::uint32_t repetition) {
    return repetition % 5 < (cell == 0 ? 4U : 1U) ? 3000 : 0;
  };
  const std::array<std::int64_t, 2> limits_ps{1'000'000, 1'000'000};
  EXPECT_FALSE(StartSkews(with_losses(lost, limits_ps)).keeps_apart(1));
  EXPECT_TRUE(StartSkews(with_losses(lost, limits_ps), true).keeps_apart(1));
  EXPECT_TRUE(StartSkews(with_losses(lost, limits_ps, "ours")).keeps_apart(1));
  EXPECT_EQ(StartSkews(with_losses(lost, limits_ps), true).scope(),
            "starts up to 3.00 us apart in 1 of 2 cells (and 1 compared with them): most "
            "repetitions had a rank that lost its processor")
      << "only of those of which it is true";
}

// In cell 0 a rank began 3 us later in `of_five` of five repetitions.
store::Data lost_in(const std::string& dir, std::uint32_t of_five) {
  store::Data data = with_losses(
      [of_five](std::uint32_t, std::uint32_t cell, std::uint32_t, std::uint32_t repetition) {
        return cell == 0 && repetition % 5 < of_five ? 3000 : 0;
      });
  data.dir = dir;
  data.session = dir;
  // No two campaigns hold the same bytes.
  const record::Timing& first = data.groups.front().launches.front().visits.front().records.front();
  const_cast<record::Timing&>(first).start_ps = static_cast<unsigned char>(dir.back());
  return data;
}

// One day just above a half and another just below it: each for itself, the ratio would be that of
// two kinds of time.
TEST(StartSkews, CampaignsThatAreComparedAreDecidedTogether) {
  const Study first = planted::study(lost_in("day1", 3));
  const Study second = planted::study(lost_in("day2", 2));
  EXPECT_FALSE(second.starts().keeps_apart(0));
  EXPECT_EQ(second.summaries().arms[0].apart, 6U * 8);
  for (const Study& both : {Study(first, second), Study(second, first)}) {
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_TRUE(both.starts(i).keeps_apart(0));
      EXPECT_FALSE(both.starts(i).keeps_apart(1));
      EXPECT_EQ(both.summaries(i).arms[0].apart, 0U);
    }
  }
  EXPECT_FALSE(second.starts().keeps_apart(0)) << "by itself it is what it was";
  EXPECT_EQ(Study(first, second).starts(1).scope(),
            "starts up to 3.00 us apart in 1 of 2 cells: kept as in those that they are compared "
            "with");
}

// A cell's family brings others along, which may be what a third campaign's are compared with.
TEST(StartSkews, WhatIsKeptForAnotherCampaignBringsItsFamilyAlong) {
  const auto lost = [](std::uint32_t cell, std::uint32_t of_five) {
    return
        [cell, of_five](std::uint32_t, std::uint32_t in, std::uint32_t, std::uint32_t repetition) {
          return repetition % 5 < (in == cell ? of_five : 1U) ? 3000 : 0;
        };
  };
  const std::array<std::int64_t, 2> limits_ps{1'000'000, 1'000'000};
  const Study both(planted::study(with_losses(lost(0, 1), limits_ps, "ours")),
                   planted::study(with_losses(lost(0, 4), limits_ps)));
  EXPECT_TRUE(both.starts(0).keeps_apart(0)) << "its counterpart's are kept";
  EXPECT_TRUE(both.starts(0).keeps_apart(1)) << "it is of the same family";
  EXPECT_TRUE(both.starts(1).keeps_apart(1)) << "its counterpart's are kept";
}

TEST(StartSkews, EverySessionSaysWhatItKept) {
  const Comparison result =
      compare_campaigns(planted::sides({lost_in("n1", 4), lost_in("n3", 0), lost_in("n5", 0)},
                                       {lost_in("n2", 0), lost_in("n4", 0), lost_in("n6", 3)}));
  EXPECT_THAT(result.scope, testing::HasSubstr(", in n1 starts up to 3.00 us apart in 1 of 2"));
  EXPECT_THAT(result.scope, testing::HasSubstr(", in n6 starts up to 3.00 us apart in 1 of 2"));
  EXPECT_THAT(result.scope, testing::Not(testing::HasSubstr("in n2 starts")));
}

// Loss alone is none: by how much a rank began later decides, and the recorder did.
TEST(StartSkews, LossWithinTheLimitIsKept) {
  const store::Data data = with_losses([](auto...) { return 900; });
  const StartSkews starts(data);
  EXPECT_EQ(starts.of(0)->lost, starts.of(0)->judged);
  EXPECT_EQ(starts.of(0)->apart, 0U);
  EXPECT_EQ(starts.scope(), "");
  const Summaries summaries = global_times(data);
  EXPECT_EQ(summaries.arms[0].lost, 15U * 16);
  for (const VisitSummary& visit : summaries.visits) EXPECT_EQ(visit.observations, 15U);
}

// 60 skews from 2 to 2.59 us: what the label says is their 95 %, to the histogram's 3 %.
TEST(StartSkews, LabelIsTheSkewThatMostStartsKeepWithin) {
  const auto lost = [](std::uint32_t, std::uint32_t, std::uint32_t group,
                       std::uint32_t repetition) {
    return 2000 + static_cast<std::int64_t>(10 * repetition + 150 * (group - 1));
  };
  const StartSkews starts(with_losses(lost));
  // 95 % of 60 are 57, and the 57th step of 10 ns from 2 us on is 2560 ns.
  EXPECT_GE(starts.of(0)->skew_ns, 2560);
  EXPECT_LE(starts.of(0)->skew_ns, 2560 * 1.033);
}

// Nobody knows how far apart these began: the recorder wrote 0.
TEST(StartSkews, WhatHasNoGlobalTimeTellsNoSkew) {
  store::Data data = with_losses([](auto...) { return 3000; });
  for (store::Group& group : data.groups) {
    for (store::Visit& visit : group.launches[0].visits) {
      for (const record::Timing& timing : visit.records) {
        auto& own = const_cast<record::Timing&>(timing);
        own.flags |= record::kGlobalInvalid;
        own.start_skew_ps = 40'000'000;
      }
    }
  }
  EXPECT_NEAR(StartSkews(data).of(0)->skew_ns, 3000, 1);
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

}  // namespace
}  // namespace invar::analysis
