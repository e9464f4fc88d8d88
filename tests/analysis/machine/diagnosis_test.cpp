// What repetitions look like, and which of it is worth a warning.
#include "analysis/machine/diagnosis.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/compare/compare.hpp"
#include "analysis/planted.hpp"

namespace invar::analysis {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<CellDiagnosis> diagnosed(const store::Data& data) {
  const std::vector<std::uint32_t> arms{0, 1};
  return diagnose(data, summarize_visits(data, Runtime::kAuto, true), arms);
}

// Changes the times of all kept repetitions of the first arm: `time_ns(i)` of the i-th of a visit.
template <typename Time>
store::Data changed(const planted::Plan& plan, const Time& time_ns) {
  store::Data data = planted::data(plan);
  for (store::Group& group : data.groups) {
    for (store::Visit& visit : group.launches[0].visits) {
      std::size_t i = 0;
      for (const record::Timing& timing : visit.records) {
        // The records belong to the test.
        auto& mine = const_cast<record::Timing&>(timing);
        mine.local_max_ps = mine.global_ps = std::llround(time_ns(i++) * 1000);
      }
    }
  }
  return data;
}

TEST(Diagnosis, WellBehavedRepetitionsHaveNoWarning) {
  planted::Plan plan;
  plan.repetitions = 30;
  const std::vector<CellDiagnosis> cells = diagnosed(planted::data(plan));
  ASSERT_EQ(cells.size(), 6U);
  EXPECT_EQ(cells[0].visits, 32U);
  EXPECT_EQ(cells[0].tested_visits, 32U);
  EXPECT_GT(*cells[0].effective_share, 0.7);
  EXPECT_EQ(cells[0].normal_means_from, 10U);
  EXPECT_GT(*cells[0].means_w, 0.98);
  EXPECT_THAT(diagnosis_warnings(cells, false), IsEmpty());
}

TEST(Diagnosis, TwoModesAreNamed) {
  planted::Plan plan;
  plan.repetitions = 40;
  base::Random random(5);
  const std::vector<CellDiagnosis> cells = diagnosed(changed(plan, [&](std::size_t) {
    return (random.below(2) == 0 ? 1000.0 : 1400.0) * (1 + 0.01 * planted::normal(random));
  }));
  EXPECT_GT(cells[0].bimodal_visits, 25U);
  EXPECT_THAT(
      diagnosis_warnings(cells, false),
      Contains(HasSubstr("several modes, between which a median jumps: openmpi, allreduce")));
}

TEST(Diagnosis, RepetitionsThatFollowEachOtherCountLess) {
  planted::Plan plan;
  plan.repetitions = 60;
  base::Random random(6);
  double state = 0;
  const std::vector<CellDiagnosis> cells = diagnosed(changed(plan, [&](std::size_t) {
    state = 0.9 * state + 0.01 * planted::normal(random);
    return 1000 * std::exp(state);
  }));
  EXPECT_LT(*cells[0].effective_share, 0.4);
  EXPECT_THAT(diagnosis_warnings(cells, false),
              Contains(HasSubstr("repetitions depend on those before")));
}

// The paper's figure 2: a rare slow call makes means of 30 anything but normal.
TEST(Diagnosis, RareSlowCallsMakeMeansNotNormal) {
  planted::Plan plan;
  plan.repetitions = 100;
  base::Random random(7);
  const std::vector<CellDiagnosis> cells = diagnosed(changed(plan, [&](std::size_t) {
    return random.below(100) == 0 ? 50000.0 : 1000 * (1 + 0.01 * planted::normal(random));
  }));
  EXPECT_EQ(cells[0].normal_means_from, std::nullopt);
  EXPECT_LT(*cells[0].means_w, 0.95);
  EXPECT_THAT(diagnosis_warnings(cells, true),
              Contains(HasSubstr("even means of 50 repetitions are not normally distributed")));
  EXPECT_THAT(diagnosis_warnings(cells, false), IsEmpty()) << "medians do not mind";
}

TEST(Diagnosis, WhatTheClockHidesIsNotJudged) {
  planted::Plan plan;
  plan.noise_sd = 0;
  plan.visit_sd = 0;
  plan.step_ns = 1e6;
  const std::vector<CellDiagnosis> cells = diagnosed(planted::data(plan));
  EXPECT_EQ(cells[0].tested_visits, 0U);
  EXPECT_EQ(cells[0].effective_share, std::nullopt);
  EXPECT_EQ(cells[0].means_w, std::nullopt);
}

TEST(Diagnosis, OneGroupThatDecidesAllIsTold) {
  planted::Plan plan;
  plan.groups = 12;
  plan.slower = [](std::uint32_t group, std::uint32_t, std::size_t arm) {
    return group == 5 && arm == 1 ? 2.0 : 1.0;
  };
  const Comparison result = compare(planted::study(planted::data(plan), Rules{}));
  EXPECT_THAT(result.warnings, Contains(HasSubstr("ratios are not normally distributed in 3")));
  EXPECT_THAT(compare(planted::study(planted::data({}), Rules{})).warnings,
              Not(Contains(HasSubstr("not normally distributed"))));
}

}  // namespace
}  // namespace invar::analysis
