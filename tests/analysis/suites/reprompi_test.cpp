#include "analysis/suites/reprompi.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/compare/compare.hpp"
#include "analysis/planted.hpp"
#include "analysis/suites/launch_test.hpp"

namespace invar::analysis {
namespace {

using stats::Verdict;
using testing::Contains;
using testing::HasSubstr;

Rules reprompi() {
  Rules rules;
  rules.method = Method::kLaunchTest;
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
  const CellTable table = launch_value_table(with_times({1, 2, 3, 4, 5, 6, 7, 8, 9, 1000}));
  EXPECT_DOUBLE_EQ(table[0][0].launches[0].median_ns, 5);
  EXPECT_EQ(table[0][0].launches[0].visits[0].observations, 9U);
}

TEST(Reprompi, WarmUpsAreRemovedAndNothingElse) {
  EXPECT_TRUE(launch_value_table(with_times({1, 2, 3}, record::kWarmUp))[0][0].empty());
  EXPECT_FALSE(launch_value_table(with_times({1, 2, 3}, record::kLate))[0][0].empty());
}

TEST(Reprompi, GlobalTimesLeaveOutWhatHasNone) {
  store::Data data = with_times({1, 2, 3, 4, 5});
  auto records = std::make_shared<std::vector<record::Timing>>(
      data.groups[0].launches[0].visits[0].records.begin(),
      data.groups[0].launches[0].visits[0].records.end());
  for (record::Timing& timing : *records) timing.global_ps = 10 * timing.local_max_ps;
  (*records)[0].flags = record::kGlobalInvalid;
  (*records)[1].flags = record::kLate;
  (*records)[4].flags = record::kPastWindow;
  data.groups[0].launches[0].visits[0].records = *records;
  EXPECT_DOUBLE_EQ(launch_value_table(data, false, {.global = true})[0][0].launches[0].median_ns,
                   35);
  EXPECT_DOUBLE_EQ(launch_value_table(data, false)[0][0].launches[0].median_ns, 3);
}

// Lost starts are decided as in the method invar: where most are kept, these are part of global
// times here too, else they and what was made once more for them would both count.
TEST(Reprompi, GlobalTimesLeaveOutWhatBeganTooFarApart) {
  const auto launch_value = [](const std::vector<std::size_t>& apart, bool global) {
    store::Data data = with_times({1, 2, 3, 4, 5});
    store::Visit& visit = data.groups[0].launches[0].visits[0];
    std::vector<record::Timing> records(visit.records.begin(), visit.records.end());
    for (record::Timing& timing : records) timing.global_ps = timing.local_max_ps;
    for (const std::size_t i : apart) records[i].flags = record::kLost | record::kApart;
    visit.records = records;
    visit.line.lost = static_cast<std::uint32_t>(apart.size());
    const Study study = planted::study(data, reprompi());
    ValueRuntime runtime = value_runtime(study, 0, design::Processing::kFilteredMedian);
    EXPECT_TRUE(runtime.global);
    runtime.global = global;
    return launch_value_table(study.data(), false, runtime)[0][0].launches[0].median_ns;
  };
  EXPECT_DOUBLE_EQ(launch_value({}, true), 3);
  EXPECT_DOUBLE_EQ(launch_value({3, 4}, true), 2);
  EXPECT_DOUBLE_EQ(launch_value({2, 3, 4}, true), 3) << "most of them: all are kept";
  EXPECT_DOUBLE_EQ(launch_value({3, 4}, false), 3) << "of local times nothing is removed";
}

TEST(Reprompi, CellsThatAreLocalAreSoHereAsWell) {
  planted::Plan plan;
  plan.group_sd = plan.launch_sd = plan.visit_sd = 0;
  plan.global_factor = 3;
  store::Data data = planted::data(plan);
  // Without a global time in the second arm of the second cell.
  for (store::Group& group : data.groups) {
    for (store::Visit& visit : group.launches[1].visits) {
      if (visit.line.cell != 1) continue;
      for (const record::Timing& timing : visit.records) {
        const_cast<record::Timing&>(timing).flags |= record::kGlobalInvalid;
      }
    }
  }
  Rules rules = reprompi();
  rules.agreed_start = true;
  const Study study = planted::study(data, rules);
  const ValueRuntime runtime = value_runtime(study, 0, design::Processing::kFilteredMedian);
  EXPECT_TRUE(runtime.global_in(0));
  EXPECT_FALSE(runtime.global_in(1));
  const CellTable table = launch_value_table(data, true, runtime);
  for (std::uint32_t arm = 0; arm < plan.arms.size(); ++arm) {
    ASSERT_EQ(table[1][arm].launches.size(), plan.groups) << "both arms have all launches";
    EXPECT_NEAR(table[0][arm].launches[0].median_ns, 3000, 90);
    EXPECT_NEAR(table[1][arm].launches[0].median_ns, 1000, 30);
  }
  const Comparison result = compare(study);
  EXPECT_TRUE(result.global_runtime);
  EXPECT_EQ(result.local_cells.size(), 1U);
  EXPECT_THAT(launch_test_reading(result, "median"),
              HasSubstr("to the last end, but of the rank that took longest in allreduce, 1 KiB"));
}

// Global times are four times the local ones.
double ratio_by(std::optional<Runtime> runtime, bool agreed_start, const char* preset) {
  planted::Plan plan = planted::with_ratios({1, 1, 1});
  plan.group_sd = 0.02;
  store::Data data = planted::data(plan);
  auto all = std::make_shared<std::vector<std::vector<record::Timing>>>();
  for (store::Group& group : data.groups) {
    for (store::Launch& launch : group.launches) {
      for (store::Visit& visit : launch.visits) {
        all->emplace_back(visit.records.begin(), visit.records.end());
        for (record::Timing& timing : all->back()) {
          timing.global_ps = timing.local_max_ps * (launch.arm == 1 ? 4 : 1);
        }
        visit.records = all->back();
      }
    }
  }
  Rules rules = reprompi();
  rules.preset = design::find_preset(preset);
  rules.agreed_start = agreed_start;
  if (runtime) rules.runtime = *runtime;
  const Comparison result = compare(planted::study(data, rules));
  EXPECT_EQ(result.global_runtime, *result.cells[0].ratio > 2) << "the answer says which it is";
  return *result.cells[0].ratio;
}

TEST(Reprompi, RunTimesAreGlobalAfterAnAgreedStartAndLocalAfterBarriers) {
  EXPECT_NEAR(ratio_by({}, true, "reprompi"), 4, 0.2);
  EXPECT_NEAR(ratio_by({}, false, "reprompi"), 1, 0.05);
}

TEST(Reprompi, TheRunTimeThatIsAskedForIsTaken) {
  EXPECT_NEAR(ratio_by(Runtime::kLocal, true, "reprompi"), 1, 0.05);
  EXPECT_NEAR(ratio_by(Runtime::kGlobal, false, "reprompi"), 4, 0.2);
  EXPECT_NEAR(ratio_by({}, true, "pgmpi"), 1, 0.05);
  EXPECT_NEAR(ratio_by(Runtime::kGlobal, true, "pgmpi"), 4, 0.2);
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
  EXPECT_TRUE(result.global_runtime) << "the planted ranks agreed on their start";
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
