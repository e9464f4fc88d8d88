// Guidelines as PGMPI judges them (paper 003, IV.C).
#include "analysis/guidelines/pgmpi_guidelines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/guidelines/planted_guidelines.hpp"

namespace invar::analysis {
namespace {

using planted::PlantedGuidelines;
using stats::Verdict;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

Guidelines as_pgmpi(const PlantedGuidelines& planted, PgmpiTest test = PgmpiTest::kWilcoxon) {
  const store::Data data = planted::data(planted.plan);
  return pgmpi_guidelines({data,
                           planted.campaign,
                           make_rules(planted.campaign, {.method = "pgmpi"}),
                           {.method = "pgmpi"}},
                          test);
}

std::vector<Verdict> pgmpi_verdicts_of(const Guidelines& found) {
  std::vector<Verdict> verdicts;
  verdicts.reserve(found.rows.size());
  for (const GuidelineRow& row : found.rows) verdicts.push_back(row.verdict().value());
  return verdicts;
}

// Launches differ by little, as PGMPI's do not know which of them belong together.
PlantedGuidelines planted_with(const std::vector<planted::PlantedRule>& rules) {
  PlantedGuidelines planted(rules);
  planted.plan.group_sd = 0.01;
  return planted;
}

TEST(PgmpiGuidelines, SidesAreTestedOneSidedAndNothingElseIsFound) {
  const PlantedGuidelines planted =
      planted_with({{"a: bcast(n) <= allgather(n)", {1.30, 1.00, 0.70}}});
  for (const PgmpiTest test : {PgmpiTest::kWilcoxon, PgmpiTest::kKolmogorovSmirnov}) {
    const Guidelines found = as_pgmpi(planted, test);
    EXPECT_THAT(pgmpi_verdicts_of(found),
                ElementsAre(Verdict::kViolated, Verdict::kHolds, Verdict::kHolds));
    EXPECT_LT(*found.rows[0].sides->p, 0.01);
    EXPECT_GT(*found.rows[2].sides->p, 0.9);
    EXPECT_FALSE(found.rows[0].sides->p_adjusted) << "nothing is corrected";
  }
}

// R: wilcox.test(9:16, 1:8, alternative = "greater", exact = FALSE)$p.value
TEST(PgmpiGuidelines, NormalApproximationIsTakenWhateverTheNumberOfLaunches) {
  const PlantedGuidelines planted = planted_with({{"a: bcast(n) <= allgather(n)", {1.30}}});
  EXPECT_NEAR(*as_pgmpi(planted).rows[0].sides->p, 0.000469, 0.000001);
}

TEST(PgmpiGuidelines, SplitIsInferredFromTheLargestSizeWhoseCallsTakeLess) {
  const std::vector<SizeTime> times{{8, 1}, {16, 1.5}, {1024, 400}, {2000, 420}};
  const std::vector<InferredSplit> splits = inferred_splits(times, 0.05);
  ASSERT_THAT(splits, SizeIs(3));
  EXPECT_FALSE(splits[0].violated) << "2 calls of 8 B take 2";
  EXPECT_TRUE(splits[1].violated);
  EXPECT_EQ(splits[1].part, 1U) << "64 calls of 16 B take 96, and 128 of 8 B as well less";
  EXPECT_EQ(splits[1].calls, 64U);
  EXPECT_TRUE(splits[2].violated);
  EXPECT_EQ(splits[2].part, 1U) << "2 calls of 1024 B take 800";
  EXPECT_EQ(splits[2].calls, 125U);
}

TEST(PgmpiGuidelines, SplitHasTheToleranceOfItsRule) {
  const std::vector<SizeTime> times{{8, 100}, {16, 209}};
  EXPECT_FALSE(inferred_splits(times, 0.05)[0].violated);
  EXPECT_TRUE(inferred_splits(times, 0.04)[0].violated);
  EXPECT_THAT(inferred_splits({{0, 1}, {8, 5}}, 0.05), SizeIs(0)) << "no number of calls is enough";
}

TEST(PgmpiGuidelines, TimesTooShortForTheClockAreNoParts) {
  const std::vector<InferredSplit> splits = inferred_splits({{8, 0}, {16, 100}, {32, 150}}, 0.05);
  ASSERT_THAT(splits, SizeIs(1)) << "0 ns for 2 calls of 8 B would violate everything";
  EXPECT_EQ(splits[0].whole, 2U);
  EXPECT_EQ(splits[0].part, 1U);
  EXPECT_FALSE(splits[0].violated);
}

// bcast of 8, 16 and 32 B: what other rules measure is enough.
TEST(PgmpiGuidelines, SplitNeedsNoMeasurementOfItsOwn) {
  PlantedGuidelines planted = planted_with({{"a: bcast(n) <= allgather(n)", {1.0, 1.1, 5.0}}});
  planted.campaign.guidelines.push_back(
      {.rule = "s: split(bcast) tolerance 5%", .not_measured = {{.why = "not yet"}}});
  const Guidelines found = as_pgmpi(planted);
  ASSERT_THAT(found.rows, SizeIs(5));
  EXPECT_EQ(found.rows[3].size_bytes, 16U);
  EXPECT_EQ(found.rows[3].verdict(), Verdict::kHolds);
  EXPECT_EQ(found.rows[4].size_bytes, 32U);
  EXPECT_EQ(found.rows[4].verdict(), Verdict::kViolated);
  EXPECT_EQ(found.rows[4].calls, 2U) << "of 16 B, though 4 of 8 B take less time as well";
  EXPECT_NEAR(*found.rows[4].sides->ratio, 5.0 / 2.2, 0.05);
}

// A split that was measured is not a test of PGMPI's, which infers it.
TEST(PgmpiGuidelines, ComparisonsAreTheTestsThatWereMade) {
  const Guidelines found = as_pgmpi(planted_with(
      {{"a: bcast(n) <= allgather(n)", {1.0, 1.1}}, {"s: split(bcast) tolerance 5%", {1.0, 1.0}}}));
  EXPECT_EQ(found.comparisons, 2U);
  EXPECT_THAT(found.rows, SizeIs(3)) << "the split of 16 B";
}

TEST(PgmpiGuidelines, DataThatAllowNoVerdictGetNone) {
  PlantedGuidelines planted = planted_with(
      {{"a: bcast(n) <= allgather(n)", {1.30, 9.0}}, {"s: split(bcast) tolerance 5%", {}}});
  planted.campaign.engine.pinning = "none";
  const Guidelines found = as_pgmpi(planted);
  ASSERT_THAT(found.rows, SizeIs(3));
  for (const GuidelineRow& row : found.rows) {
    EXPECT_FALSE(row.verdict());
    EXPECT_FALSE(row.sides->p);
    EXPECT_TRUE(row.sides->ratio);
  }
  EXPECT_EQ(found.comparisons, 0U);
  EXPECT_THAT(found.sentence, testing::StartsWith("No verdicts: the ranks were not pinned"));
}

TEST(PgmpiGuidelines, AnswerSaysThatItIsNotOurs) {
  const Guidelines found = as_pgmpi(planted_with(
      {{"a: bcast(n) <= allgather(n)", {1.30, 0.70}}, {"b: bcast(n) <= allgather(n)", {0.70}}}));
  EXPECT_THAT(found.sentence,
              testing::StartsWith("As PGMPI judges (Wilcoxon's rank-sum test, not corrected), "
                                  "openmpi violates 1 of 2 guidelines (pattern 1/2; 1 without a "
                                  "violation), "));
  const Answer answer = answer_of(found);
  const TidyTable& rows = answer.tables.front();
  const auto verdict = [&](std::size_t row) {
    return std::get<Word>(rows.rows[row][column_index(rows, "verdict")].content).name;
  };
  EXPECT_EQ(verdict(0), "violated");
  EXPECT_EQ(verdict(1), "not-violated");
  EXPECT_THAT(answer.notes.back(), HasSubstr("not corrected for 3 comparisons"));
  EXPECT_THAT(answer.notes.back(), HasSubstr("left takes longer, by however little"));
}

TEST(PgmpiGuidelines, CampaignThatLookedIsToldOf) {
  PlantedGuidelines planted = planted_with({{"a: bcast(n) <= allgather(n)", {1.30}}});
  planted.campaign.stopping = design::Stopping::kLooks;
  EXPECT_THAT(texts_of(as_pgmpi(planted).warnings),
              testing::Contains(HasSubstr("stopped by looks at its results")));
}

}  // namespace
}  // namespace invar::analysis
