#include "analysis/suites/reprompi.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/compare/compare.hpp"
#include "analysis/planted.hpp"

namespace invar::analysis {
namespace {

using stats::Verdict;
using testing::Contains;
using testing::HasSubstr;

Rules reprompi() {
  Rules rules;
  rules.method = Method::kReprompi;
  rules.preset = design::find_preset("reprompi");
  return rules;
}

store::Data with_times(const std::vector<double>& times_ns, std::uint16_t flags = 0) {
  store::Data data;
  data.arms = {{.label = "openmpi"}};
  data.cells = {planted::cell("bcast", 8)};
  auto records = std::make_shared<std::vector<record::Timing>>();
  for (const double time_ns : times_ns) {
    record::Timing timing{};
    timing.local_max_ps = std::llround(time_ns * 1000);
    timing.flags = flags;
    records->push_back(timing);
  }
  store::Visit visit;
  visit.records = *records;
  data.groups = {{.group = 1, .launches = {{.launch = 1, .group = 1, .visits = {visit}}}}};
  data.mapped = records;
  return data;
}

TEST(Reprompi, LaunchValueIsTheMedianInsideTukeysFences) {
  // Quartiles 2.25 and 7.75 (type 7) of 1..9 and 1000 reach to 16: without the outlier the median
  // of 1..9.
  const CellTable table = launch_median_table(with_times({1, 2, 3, 4, 5, 6, 7, 8, 9, 1000}));
  EXPECT_DOUBLE_EQ(table[0][0].launches[0].median_ns, 5);
  EXPECT_EQ(table[0][0].launches[0].visits[0].observations, 9U);
}

TEST(Reprompi, WarmUpsAreRemovedAndNothingElse) {
  EXPECT_TRUE(launch_median_table(with_times({1, 2, 3}, record::kWarmUp))[0][0].empty());
  EXPECT_FALSE(launch_median_table(with_times({1, 2, 3}, record::kLate))[0][0].empty());
}

TEST(Reprompi, RankSumOverLaunchesIsNotCorrected) {
  planted::Plan plan = planted::with_ratios({1.5, 1, 1});
  plan.group_sd = 0.02;
  const Comparison result = compare(planted::study(planted::data(plan), reprompi()));
  // 8 against 8 launches without overlap: 2 / C(16, 8).
  EXPECT_NEAR(*result.cells[0].p, 2.0 / 12870, 1e-9);
  EXPECT_FALSE(result.cells[0].p_adjusted.has_value());
  EXPECT_EQ(result.cells[0].verdict, Verdict::kFaster);
  EXPECT_NEAR(*result.cells[0].ratio, 1.5, 0.05);
  // No difference shown is never "equivalent".
  EXPECT_EQ(result.cells[1].verdict, Verdict::kUndecided);
  EXPECT_FALSE(result.global_runtime);
}

TEST(Reprompi, TooFewLaunchesForAlphaAreSaidWithTheNumberThatWouldDo) {
  planted::Plan plan = planted::with_ratios({3, 3, 3});
  plan.groups = 3;
  const Comparison result = compare(planted::study(planted::data(plan), reprompi()));
  EXPECT_EQ(result.cells[0].verdict, Verdict::kUndecided);
  EXPECT_THAT(
      result.warnings,
      Contains(HasSubstr("with 3 launches of the arms Wilcoxon's rank-sum test cannot reach "
                         "p <= 0.05 whatever the data: at least 4 launches of each are "
                         "needed")));
}

TEST(Reprompi, EnoughLaunchesGiveNoSuchWarning) {
  planted::Plan plan;
  plan.groups = 4;
  for (const std::string& warning :
       compare(planted::study(planted::data(plan), reprompi())).warnings) {
    EXPECT_THAT(warning, testing::Not(HasSubstr("cannot reach")));
  }
}

}  // namespace
}  // namespace invar::analysis
