#include "analysis/suites/launch_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/compare/compare.hpp"
#include "analysis/planted.hpp"
#include "analysis/suites/reprompi.hpp"
#include "design/campaign/campaign.hpp"
#include "golden.hpp"
#include "stats/golden.hpp"

namespace invar::analysis {
namespace {

using design::LaunchTest;
using stats::Alternative;
using stats::Verdict;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
namespace golden = stats::golden;

CellVisits launches(const std::vector<double>& times_ns) {
  CellVisits visits;
  for (std::size_t i = 0; i < times_ns.size(); ++i) {
    visits.launches.push_back({.group = static_cast<std::uint32_t>(i + 1),
                               .visits = {{.observations = 10, .median_ns = times_ns[i]}},
                               .median_ns = times_ns[i]});
  }
  return visits;
}

Rules by(LaunchTest test, Alternative alternative) {
  Rules rules;
  rules.method = Method::kLaunchTest;
  rules.test = test;
  rules.alternative = alternative;
  return rules;
}

ComparedCell judged(const std::vector<double>& a, const std::vector<double>& b, LaunchTest test,
                    Alternative alternative) {
  ComparedCell row;
  judge_launches(row, launches(a), launches(b), by(test, alternative));
  return row;
}

// R's answers with x = A and y = B. Files differ in whether R's rows have a kind, and in which of
// its options ("automatic": exact where R's default is) they were asked with.
void expect_as_in_r(LaunchTest test, const std::string& file, const golden::Row& only,
                    bool turned_direction, double relative) {
  std::size_t compared = 0;
  for (const golden::Row& row : golden::read(file)) {
    const bool wanted = std::all_of(only.begin(), only.end(), [&](const auto& column) {
      return row.at(column.first) == column.second;
    });
    if (!wanted) continue;
    const golden::Samples& samples = golden::samples("two", row.at("case"));
    if (std::min(samples.x.size(), samples.y.size()) < 2) continue;
    if (*std::min_element(samples.x.begin(), samples.x.end()) <= 0) continue;
    if (*std::min_element(samples.y.begin(), samples.y.end()) <= 0) continue;
    Alternative alternative = golden::alternative(row.at("alternative"));
    if (turned_direction && alternative != Alternative::kTwoSided) {
      alternative = alternative == Alternative::kLess ? Alternative::kGreater : Alternative::kLess;
    }
    const auto p = golden::number(row.at("p"));
    const ComparedCell cell = judged(samples.x, samples.y, test, alternative);
    // Where all values are tied we say nothing, and R says 1.
    if (!cell.p && p == 1) continue;
    ++compared;
    // R takes some of them as 1 - P, which leaves nothing of the smallest ones.
    if (cell.p && p && *cell.p < 1e-12 && *p < 1e-12) continue;
    golden::expect_close(cell.p, p, relative, row.at("case") + " " + row.at("alternative"));
  }
  EXPECT_GT(compared, 40U);
}

TEST(LaunchTest, WhatAProgramRoundedIsNoDifference) {
  const CellVisits a = launches({1020, 1021, 1022, 1023, 1024, 1025});
  CellVisits b = launches({1000, 1001, 1002, 1003, 1004, 1005});
  store::Visit printed;
  printed.program = true;
  for (const LaunchTest test :
       {LaunchTest::kWilcoxon, LaunchTest::kKolmogorovSmirnov, LaunchTest::kStudent}) {
    for (const auto& [step_ns, verdict] :
         {std::pair(30.0, Verdict::kUndecided), std::pair(10.0, Verdict::kSlower)}) {
      for (LaunchVisits& launch : b.launches) {
        launch.visits[0].source = &printed;
        launch.visits[0].step_ns = step_ns;
      }
      ComparedCell row;
      judge_launches(row, a, b, by(test, Alternative::kTwoSided));
      EXPECT_LT(*row.p, 0.05);
      EXPECT_EQ(row.verdict, verdict) << step_ns;
      EXPECT_GT(row.rounding, 0);
    }
  }
}

TEST(LaunchTest, WilcoxonsPIsThatOfR) {
  expect_as_in_r(LaunchTest::kWilcoxon, "stats_wilcoxon.csv",
                 {{"kind", "rank_sum"}, {"automatic", "1"}}, false, 1e-9);
}

TEST(LaunchTest, WelchsPIsThatOfR) {
  expect_as_in_r(LaunchTest::kStudent, "stats_t_test.csv",
                 {{"kind", "welch"}, {"confidence", "0.90000000000000002"}}, false, 1e-9);
}

TEST(LaunchTest, KolmogorovAndSmirnovsPIsThatOfRWhoseAlternativesAreOfDistributionFunctions) {
  expect_as_in_r(LaunchTest::kKolmogorovSmirnov, "stats_kolmogorov_smirnov.csv",
                 {{"automatic", "1"}}, true, 1e-6);
}

class EveryLaunchTest : public testing::TestWithParam<LaunchTest> {};

INSTANTIATE_TEST_SUITE_P(, EveryLaunchTest,
                         testing::Values(LaunchTest::kWilcoxon, LaunchTest::kKolmogorovSmirnov,
                                         LaunchTest::kStudent));

const std::vector<double> kShort{100, 101, 102, 103, 104, 105};
const std::vector<double> kLong{120, 121, 122, 123, 124, 125};

TEST_P(EveryLaunchTest, LessClaimsThatTheFirstArmTakesLessTime) {
  const auto verdict = [&](const std::vector<double>& a, const std::vector<double>& b,
                           Alternative alternative) {
    return *judged(a, b, GetParam(), alternative).verdict;
  };
  EXPECT_EQ(verdict(kShort, kLong, Alternative::kTwoSided), Verdict::kFaster);
  EXPECT_EQ(verdict(kLong, kShort, Alternative::kTwoSided), Verdict::kSlower);
  EXPECT_EQ(verdict(kShort, kLong, Alternative::kLess), Verdict::kFaster);
  EXPECT_EQ(verdict(kLong, kShort, Alternative::kLess), Verdict::kUndecided);
  EXPECT_EQ(verdict(kLong, kShort, Alternative::kGreater), Verdict::kSlower);
  EXPECT_EQ(verdict(kShort, kLong, Alternative::kGreater), Verdict::kUndecided);
}

TEST_P(EveryLaunchTest, OneDirectionHasHalfThePOfBoth) {
  const double both = *judged(kShort, kLong, GetParam(), Alternative::kTwoSided).p;
  EXPECT_NEAR(*judged(kShort, kLong, GetParam(), Alternative::kLess).p, both / 2, 1e-12);
}

TEST(LaunchTest, DistributionsThatDifferAlikeOnBothSidesGiveNoDirection) {
  std::vector<double> outside;
  std::vector<double> inside;
  for (int i = 0; i < 30; ++i) {
    outside.push_back(i % 2 == 0 ? 100 + i : 300 + i);
    inside.push_back(200 + i);
  }
  const ComparedCell row =
      judged(outside, inside, LaunchTest::kKolmogorovSmirnov, Alternative::kTwoSided);
  EXPECT_LT(*row.p, 0.001);
  EXPECT_EQ(row.verdict, Verdict::kUndecided);
}

TEST(LaunchTest, TheTTestIsOfMeansOverLaunches) {
  const ComparedCell row =
      judged({90, 100, 140}, {200, 210, 250}, LaunchTest::kStudent, Alternative::kTwoSided);
  EXPECT_DOUBLE_EQ(row.time_a->median_ns, 110);
  EXPECT_DOUBLE_EQ(row.time_b->median_ns, 220);
  EXPECT_DOUBLE_EQ(*row.ratio, 2);
  // t.test(c(90, 100, 140))$conf.int of R.
  EXPECT_NEAR(row.time_a->interval_ns->low, 44.27589, 1e-4);
}

TEST(LaunchTest, ALaunchCountsByItsMeanForTheTTest) {
  store::Data data = planted::data(planted::with_ratios({1, 1, 1}));
  const CellTable medians = launch_value_table(data, false, {}, LaunchValue::kMedian);
  const CellTable means = launch_value_table(data, false, {}, LaunchValue::kMean);
  double sum = 0;
  std::size_t count = 0;
  for (const store::Visit& visit : data.groups[0].launches[0].visits) {
    if (cell_index(data, visit.line.cell) != 0) continue;
    for (const record::Timing& timing : visit.records) {
      if ((timing.flags & record::kWarmUp) != 0) continue;
      sum += static_cast<double>(timing.local_max_ps) * 1e-3;
      ++count;
    }
  }
  const std::uint32_t arm = data.groups[0].launches[0].arm;
  EXPECT_NEAR(means[0][arm].launches[0].median_ns, sum / static_cast<double>(count), 1e-6);
  EXPECT_NE(means[0][arm].launches[0].median_ns, medians[0][arm].launches[0].median_ns);
}

Comparison compared(const std::vector<double>& ratios, LaunchTest test, Alternative alternative) {
  planted::Plan plan = planted::with_ratios(ratios);
  plan.group_sd = 0.02;
  return compare(planted::study(planted::data(plan), by(test, alternative)));
}

TEST(LaunchTest, ASentenceOfOneDirectionNeverSaysThatThereIsNoDifference) {
  const Comparison slower = compared({1.5, 1.5, 1.5}, LaunchTest::kWilcoxon, Alternative::kGreater);
  EXPECT_THAT(slower.sentence, HasSubstr("Not shown that openmpi is slower than mpich in 3 cells "
                                         "(Wilcoxon's rank-sum test over launches, one-sided: the "
                                         "first arm takes more time)"));
  const Comparison faster = compared({1.5, 1, 1}, LaunchTest::kStudent, Alternative::kLess);
  EXPECT_THAT(faster.sentence, HasSubstr("openmpi is "));
  EXPECT_THAT(faster.sentence, HasSubstr("; not shown for "));
}

TEST(LaunchTest, TheTableHasPAndAsterisks) {
  const Answer answer =
      answer_of(compared({1.5, 1, 1}, LaunchTest::kKolmogorovSmirnov, Alternative::kTwoSided));
  const TidyTable& cells = answer.tables.front();
  const std::vector<Value>& row = cells.rows.front();
  EXPECT_LT(std::get<double>(row[column_index(cells, "p")].content), 0.001);
  EXPECT_EQ(std::get<std::string>(row[column_index(cells, "asterisks")].content), "***");
}

TEST(LaunchTest, FewerLaunchesSufficeInOneDirection) {
  planted::Plan plan = planted::with_ratios({3, 3, 3});
  plan.groups = 3;
  const auto warnings = [&](Alternative alternative) {
    return compare(
               planted::study(planted::data(plan), by(LaunchTest::kKolmogorovSmirnov, alternative)))
        .warnings;
  };
  EXPECT_THAT(warnings(Alternative::kTwoSided),
              Contains(HasSubstr("Kolmogorov and Smirnov's two-sample test cannot reach p <= 0.05 "
                                 "whatever the data: at least 4 launches of each are needed")));
  for (const Warning& warning : warnings(Alternative::kLess)) {
    EXPECT_THAT(warning, testing::Not(HasSubstr("cannot reach")));
  }
}

// 1 / C(6, 3) is exactly .05, and a difference at alpha is one.
TEST(LaunchTest, APThatIsExactlyAlphaDecides) {
  planted::Plan plan = planted::with_ratios({3, 3, 3});
  plan.groups = 3;
  for (const LaunchTest test : {LaunchTest::kKolmogorovSmirnov, LaunchTest::kWilcoxon}) {
    const Comparison result =
        compare(planted::study(planted::data(plan), by(test, Alternative::kLess)));
    for (const ComparedCell& row : result.cells) {
      EXPECT_EQ(row.p, 0.05);
      EXPECT_EQ(row.verdict, stats::Verdict::kFaster);
    }
  }
}

std::vector<std::string> refusals(const CompareOptions& options,
                                  const design::AnalysisOptions& written = {}) {
  design::Campaign campaign;
  campaign.analysis = written;
  return test::faults_of([&] { make_rules(campaign, options); });
}

TEST(LaunchTest, ADirectionThatAMethodDoesNotHaveIsRefused) {
  EXPECT_EQ(refusals({.alternative = "less"}),
            std::vector<std::string>{
                "--alternative: method 'invar' asks both directions at once, so that it may call "
                "arms equivalent; take --method wilcoxon, t or ks, or leave --alternative out"});
  EXPECT_THAT(refusals({.method = "osu", .alternative = "greater"}),
              Contains(HasSubstr("--alternative: method 'osu' has no test")));
  EXPECT_THAT(refusals({.method = "t", .alternative = "lower"}),
              Contains(HasSubstr("--alternative: unknown value 'lower'")));
  EXPECT_THAT(refusals({.method = "t", .alternative = "greater", .gate = design::Gate{}}),
              Contains(HasSubstr("--fail-on: a gate asks whether an arm is slower")));
  EXPECT_THAT(refusals({.method = "ks", .time = "one way"}),
              Contains(HasSubstr("--time: tests over launches are of whole calls")));
}

TEST(LaunchTest, WhatOnlyOurMethodDoesIsRefused) {
  for (const char* method : {"ks", "t", "wilcoxon", "reprompi", "osu"}) {
    EXPECT_EQ(refusals({.regimes = true,
                        .method = method,
                        .correction = "holm",
                        .min_effect = 0.5,
                        .regime = base::CanaryBand{100, 300}})
                  .size(),
              4U)
        << method;
  }
  EXPECT_THAT(refusals({.method = "osu", .alpha = 0.01}),
              ElementsAre(HasSubstr("--alpha: method 'osu' has no interval and no test")));
  EXPECT_EQ(make_rules({}, {.method = "t", .alpha = 0.01}).decision.alpha, 0.01);
  EXPECT_THAT(refusals({.method = "t", .correction = "holm"}),
              ElementsAre("--correction: method 't' corrects nothing for many comparisons; leave "
                          "--correction out, or take --method invar"));
}

TEST(LaunchTest, TheDirectionOfTheCampaignGoesWithTestsAndNotWithOtherMethods) {
  design::Campaign campaign;
  campaign.analysis.method = "wilcoxon";
  campaign.analysis.alternative = "less";
  EXPECT_EQ(make_rules(campaign, {}).alternative, Alternative::kLess);
  EXPECT_EQ(make_rules(campaign, {.method = "t"}).alternative, Alternative::kLess);
  EXPECT_EQ(make_rules(campaign, {.method = "reprompi"}).alternative, Alternative::kLess);
  EXPECT_EQ(make_rules(campaign, {.method = "invar"}).alternative, Alternative::kTwoSided);
  EXPECT_EQ(make_rules(campaign, {.alternative = "greater"}).alternative, Alternative::kGreater);
}

}  // namespace
}  // namespace invar::analysis
