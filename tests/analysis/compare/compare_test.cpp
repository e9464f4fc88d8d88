#include "analysis/compare/compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "analysis/compare/reference_regime.hpp"
#include "analysis/planted.hpp"
#include "analysis/questions/show.hpp"
#include "simulations.hpp"
#include "stats/decide/multiplicity.hpp"

namespace invar::analysis {
namespace {

using stats::Verdict;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Comparison compared(const planted::Plan& plan, const Rules& rules = {},
                    const CompareOptions& options = {}) {
  return compare(planted::study(planted::data(plan), rules, options));
}

TEST(Compare, PlantedRatiosGiveTheirVerdicts) {
  const Comparison result = compared(planted::with_ratios({1.3, 1.0, 0.65}));
  ASSERT_EQ(result.cells.size(), 3U);
  EXPECT_EQ(result.cells[0].verdict, Verdict::kFaster);
  EXPECT_EQ(result.cells[1].verdict, Verdict::kEquivalent);
  EXPECT_EQ(result.cells[2].verdict, Verdict::kSlower);
  EXPECT_NEAR(*result.cells[0].ratio, 1.3, 0.01);
  EXPECT_NEAR(*result.cells[2].ratio, 0.65, 0.01);
  EXPECT_EQ(result.cells[0].launches, 8U);
  EXPECT_EQ(result.sentence,
            "openmpi is 1.3 times faster for 8 B, mpich 1.5 times for 16 KiB; equivalent within 2 "
            "% for 1 KiB: "
            "2 ranks, 1 host, shared memory, this session.");
}

// Sizes that were added while measuring have the last numbers.
TEST(Compare, RowsAreInTheOrderOfSizesNotInThatInWhichTheyWereFound) {
  planted::Plan plan;
  plan.cells.clear();
  for (const std::uint64_t size_bytes : {8U, 4096U, 16384U, 4080U, 12U, 4081U}) {
    plan.cells.push_back(planted::cell("pingpong", size_bytes));
  }
  const store::Data data = planted::data(plan);
  std::vector<std::uint64_t> sizes;
  for (const ComparedCell& row : compare(planted::study(data)).cells) {
    sizes.push_back(*row.cell.size_bytes);
  }
  EXPECT_THAT(sizes, ElementsAre(8, 12, 4080, 4081, 4096, 16384));
  std::vector<std::string> shown;
  for (const ShownGroup& row : show(planted::study(data), {.arms = {"mpich"}}).groups) {
    shown.push_back(row.levels[1].second);
  }
  EXPECT_THAT(shown, ElementsAre("8", "12", "4080", "4081", "4096", "16384"));
}

TEST(Compare, SaysOnceWhichSettingsAnArmHas) {
  store::Data data = planted::data(planted::with_ratios({1.3, 1.0, 0.65}));
  const auto remark_of = [](const Answer& answer) {
    const auto found = std::ranges::find(answer.remarks, "settings", &Remark::label);
    return found == answer.remarks.end() ? std::string() : found->text;
  };
  EXPECT_EQ(remark_of(answer_of(compare(planted::study(data)))), "");
  data.arms[1].label = "small";
  data.arms[1].library = "openmpi";
  data.arms[1].settings = {{"OMPI_MCA_btl_vader_eager_limit", "2048"}, {"OMPI_MCA_pml", "ob1"}};
  const std::string told =
      "small: openmpi with OMPI_MCA_btl_vader_eager_limit=2048, OMPI_MCA_pml=ob1";
  EXPECT_EQ(remark_of(answer_of(compare(planted::study(data)))), told);
  EXPECT_EQ(remark_of(answer_of(show(planted::study(data)))), told);
}

// A machine of two regimes; the answer is of the faster one, of canaries from 0.26 us on.
TEST(Compare, OfAnotherRegimeThanTheLastComparisonOnThisHostSaysSo) {
  planted::Plan plan = planted::with_ratios({1.3, 1.0, 0.65});
  plan.groups = 12;
  plan.block_canary_ns = [](std::uint32_t group, std::uint32_t block) {
    return (group <= 6 ? 260.0 : 1400.0) * (1 + 0.01 * ((group + block) % 5));
  };
  store::Data data = planted::data(plan);
  const auto answered = [&data] { return compare(planted::study(data)); };
  constexpr std::string_view kTold = "The last comparison on this host was of another regime";
  const Comparison first = answered();
  ASSERT_TRUE(first.reference);
  const base::CanaryBand band = first.reference->band;
  ASSERT_TRUE(band.contains(265));
  EXPECT_THAT(first.sentence, Not(HasSubstr(kTold))) << "nothing is known of an earlier one";
  data.regime_before = band;
  EXPECT_THAT(answered().sentence, Not(HasSubstr(kTold))) << "the same one";
  EXPECT_EQ(answered().sentence, first.sentence);
  data.regime_before = base::CanaryBand{.low_ns = 2 * band.high_ns, .high_ns = 3 * band.high_ns};
  const Comparison result = answered();
  const std::string told = other_regime_sentence(result.reference, data.regime_before);
  EXPECT_THAT(told, testing::StartsWith(kTold));
  // Before everything else that is said of regimes, in both forms.
  EXPECT_THAT(result.detail, testing::StartsWith(told));
  EXPECT_THAT(result.sentence, HasSubstr(". " + told));
  EXPECT_EQ(answer_of(result).sentence, result.sentence);
}

TEST(Compare, OneCellInThreeFamiliesAnswersInEachFromItsOwnVisits) {
  planted::Plan plan = planted::with_ratios({1.3, 1.0, 0.65});
  const std::vector<std::string> families{"short", "middle", "long"};
  plan.cells.assign(3, planted::cell("allreduce", 1024));
  for (std::size_t i = 0; i < families.size(); ++i) plan.cells[i].family = families[i];
  store::Data data = planted::data(plan);
  // Batches are those of the family.
  constexpr std::array<std::uint32_t, 3> kCalls{16, 4, 1};
  for (store::Group& group : data.groups) {
    for (store::Launch& launch : group.launches) {
      for (store::Visit& visit : launch.visits) visit.line.calls = kCalls.at(visit.line.cell);
    }
  }
  const Comparison result = compare(planted::study(data, Rules{}));
  ASSERT_EQ(result.cells.size(), 3U);
  constexpr std::array kRatios{1.3, 1.0, 0.65};
  for (std::size_t i = 0; i < families.size(); ++i) {
    EXPECT_EQ(result.cells[i].cell.family, families[i]);
    EXPECT_NEAR(*result.cells[i].ratio, kRatios.at(i), 0.01);
    EXPECT_EQ(result.cells[i].launches, 8U);
  }
  EXPECT_EQ(result.cells[0].verdict, Verdict::kFaster);
  EXPECT_EQ(result.cells[1].verdict, Verdict::kEquivalent);
  EXPECT_EQ(result.cells[2].verdict, Verdict::kSlower);
}

TEST(Compare, RatioIsTimeOfBOverTimeOfAAndItsIntervalHoldsIt) {
  const ComparedCell row = compared(planted::with_ratios({2.0, 1, 1})).cells[0];
  EXPECT_EQ(row.arm_a, "openmpi");
  EXPECT_EQ(row.arm_b, "mpich");
  EXPECT_LT(row.ratio_interval->low, *row.ratio);
  EXPECT_GT(row.ratio_interval->high, *row.ratio);
  // Groups share their luck, so that the times vary by 20 % and their ratio does not.
  EXPECT_GT(row.time_b->median_ns / row.time_a->median_ns, 1.9);
  EXPECT_GT(row.time_a->interval_ns->high / row.time_a->interval_ns->low, 1.1);
  EXPECT_LT(row.ratio_interval->high / row.ratio_interval->low, 1.05);
}

TEST(Compare, EachRowRestsOnItsOwnNumbers) {
  // The first comparison's statistic must not be reused for the next ones.
  const Comparison together = compared(planted::with_ratios({1.5, 1.0, 0.8}));
  store::Data data = planted::data(planted::with_ratios({1.5, 1.0, 0.8}));
  for (std::uint32_t cell : {0U, 1U}) {
    planted::remove_cell(data, 0, cell);
    planted::remove_cell(data, 1, cell);
  }
  const Comparison alone = compare(planted::study(data, Rules{}));
  ASSERT_EQ(alone.cells.size(), 1U);
  EXPECT_DOUBLE_EQ(*alone.cells[0].p, *together.cells[2].p);
  EXPECT_DOUBLE_EQ(*alone.cells[0].ratio, *together.cells[2].ratio);
  EXPECT_NE(*together.cells[0].p, *together.cells[2].p);
}

TEST(Compare, CorrectionCoversEveryPrintedComparison) {
  // So that none is equivalent: those count with p = 1.
  Rules rules;
  rules.decision.min_effect = 0;
  const Comparison result = compared(planted::with_ratios({1.006, 1.003, 1.0}), rules);
  EXPECT_EQ(result.comparisons, 3U);
  std::vector<double> p;
  for (const ComparedCell& row : result.cells) p.push_back(*row.p);
  const std::vector<double> adjusted = stats::benjamini_hochberg(p);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_DOUBLE_EQ(*result.cells[i].p_adjusted, adjusted[i]);
  }
  rules.correction = stats::Correction::kHolm;
  EXPECT_DOUBLE_EQ(*compared(planted::with_ratios({1.006, 1.003, 1.0}), rules).cells[0].p_adjusted,
                   stats::holm(p)[0]);
}

TEST(Compare, EquivalenceComesBeforeASmallDifferenceThatIsSure) {
  // 0.8 % is there beyond doubt, and does not matter to somebody who asks for 2 %.
  planted::Plan plan = planted::with_ratios({1.008, 1, 1});
  plan.launch_sd = 0.001;
  const Comparison result = compared(plan);
  EXPECT_LT(*result.cells[0].p, 0.05);
  EXPECT_EQ(*result.cells[0].p_adjusted, 1) << "no claim of a difference";
  EXPECT_EQ(result.cells[0].verdict, Verdict::kEquivalent);
  Rules strict;
  strict.decision.min_effect = 0.001;
  EXPECT_EQ(compared(plan, strict).cells[0].verdict, Verdict::kFaster);
}

TEST(Compare, AClockTooCoarseForMinEffectForbidsEquivalence) {
  planted::Plan plan;
  plan.cells = {planted::cell("allreduce", 8)};
  plan.groups = 30;
  plan.step_ns = 100;  // everything within one step of 10 %
  plan.noise_sd = plan.visit_sd = plan.launch_sd = plan.group_sd = 1e-4;
  const Comparison result = compared(plan);
  EXPECT_NE(result.cells[0].verdict, Verdict::kEquivalent);
  EXPECT_THAT(result.warnings, Contains(HasSubstr("the clock's step of 0.100 us is 10 %")));
}

TEST(Compare, BlocksOfDifferentVisitsAreNotMixed) {
  // Rounds differ by a factor of 3; pairing inside blocks cancels it.
  planted::Plan plan = planted::with_ratios({1.3, 1.3, 1.3});
  store::Data data = planted::data(plan);
  auto records = std::make_shared<planted::Records>();
  for (store::Group& group : data.groups) {
    for (store::Launch& launch : group.launches) {
      for (store::Visit& visit : launch.visits) {
        auto& copy = records->emplace_back(visit.records.begin(), visit.records.end());
        for (record::Timing& timing : copy) {
          timing.global_ps *= visit.line.round % 2 == 0 ? 1 : 3;
        }
        visit.records = copy;
      }
    }
  }
  const Comparison result = compare(planted::study(data, Rules{}));
  EXPECT_NEAR(*result.cells[0].ratio, 1.3, 0.01);
}

TEST(Compare, OneGroupYieldsAnIntervalAndNoVerdict) {
  planted::Plan plan = planted::with_ratios({1.3, 1.3, 1.3});
  plan.groups = 1;
  const Comparison result = compared(plan);
  for (const ComparedCell& row : result.cells) {
    EXPECT_FALSE(row.p.has_value());
    EXPECT_FALSE(row.p_adjusted.has_value());
    EXPECT_EQ(row.verdict, Verdict::kUndecided);
    EXPECT_TRUE(row.this_launch_only);
    ASSERT_TRUE(row.ratio_interval.has_value());
  }
  EXPECT_THAT(result.scope, HasSubstr("this launch only"));
  EXPECT_THAT(result.warnings, Contains(HasSubstr("one launch group yields no verdict")));
}

TEST(Compare, CellsThatCallNoLibraryAreNoVerdictAboutOne) {
  const auto warned = [](const std::vector<record::Cell>& cells) {
    planted::Plan plan;
    plan.cells = cells;
    return compared(plan).warnings;
  };
  const record::Cell empty = planted::cell("empty", {});
  const record::Cell bcast = planted::cell("bcast", 8);
  EXPECT_THAT(warned({bcast, empty}), Contains(HasSubstr("'empty' calls no library")));
  EXPECT_THAT(warned({bcast}), Not(Contains(HasSubstr("'empty'"))));
}

TEST(Compare, OneGroupOfTwoBlocksHasNoInterval) {
  planted::Plan plan;
  plan.groups = 1;
  plan.rounds = 2;
  EXPECT_FALSE(compared(plan).cells[0].ratio_interval.has_value());
}

TEST(Compare, LaunchesArePairedByTheirMediansOverVisits) {
  planted::Plan plan = planted::with_ratios({1.3, 1.0, 0.65});
  store::Data data = planted::data(plan);
  // In separate launches blocks have nothing in common.
  for (store::Group& group : data.groups) {
    for (store::Visit& visit : group.launches[1].visits) visit.line.block += 1000;
  }
  Rules rules;
  rules.pairing = Pairing::kLaunches;
  const Comparison result = compare(planted::study(data, rules));
  EXPECT_EQ(result.cells[0].verdict, Verdict::kFaster);
  EXPECT_NEAR(*result.cells[0].ratio, 1.3, 0.01);
  EXPECT_EQ(result.cells[2].verdict, Verdict::kSlower);
  // By turns the same data have no block in common, and so no ratio.
  EXPECT_FALSE(compare(planted::study(data, Rules{})).cells[0].ratio.has_value());
}

TEST(Compare, GroupWithoutOneOfTheArmsDropsOut) {
  store::Data data = planted::data(planted::with_ratios({1.3, 1, 1}));
  data.groups[2].launches.erase(data.groups[2].launches.begin());
  EXPECT_EQ(compare(planted::study(data, Rules{})).cells[0].launches, 7U);
  data.groups[5].launches.pop_back();
  const ComparedCell row = compare(planted::study(data, Rules{})).cells[0];
  EXPECT_EQ(row.launches, 6U);
  // Launches of different groups were never paired: that would bring their luck in.
  EXPECT_NEAR(*row.ratio, 1.3, 0.01);
}

TEST(Compare, ArmsMayBeChosenAndTheFirstIsTheReference) {
  planted::Plan plan;
  plan.arms = {"openmpi", "mpich", "intel"};
  CompareOptions options;
  options.arms = {"intel", "openmpi"};
  const Comparison result = compared(plan, {}, options);
  ASSERT_EQ(result.cells.size(), 3U);
  EXPECT_EQ(result.cells[0].arm_a, "intel");
  EXPECT_EQ(result.cells[0].arm_b, "openmpi");
  EXPECT_TRUE(result.best.empty());
}

TEST(Compare, ThreeArmsShareOneFamilyAndNameTheBest) {
  planted::Plan plan;
  plan.arms = {"a", "b", "c"};
  plan.time_ns = [](std::size_t arm, std::size_t cell) {
    const double factors[3][3] = {{1, 1.5, 1}, {1, 1, 1}, {1.4, 1.6, 1}};
    return 1000 * factors[arm][cell];
  };
  const Comparison result = compared(plan);
  EXPECT_EQ(result.cells.size(), 6U);  // each against the first
  EXPECT_EQ(result.comparisons, 9U);   // but the best arms rest on every pair
  ASSERT_EQ(result.best.size(), 3U);
  EXPECT_THAT(result.best[0].arms, ElementsAre("a", "b"));
  EXPECT_THAT(result.best[1].arms, ElementsAre("b"));
  EXPECT_THAT(result.best[2].arms, ElementsAre("a", "b", "c"));
  EXPECT_EQ(result.sentence,
            "Of 3 arms a or b is 1.4 times faster than the next for 8 B, b 1.5 times for 1 KiB; no "
            "difference found for 16 KiB: 2 ranks, 1 host, shared memory, this session.");
  CompareOptions all;
  all.all_pairs = true;
  const Comparison pairs = compared(plan, {}, all);
  EXPECT_EQ(pairs.cells.size(), 9U);
  EXPECT_DOUBLE_EQ(*pairs.cells[0].p_adjusted, *result.cells[0].p_adjusted);
}

TEST(Compare, SameArmTwiceIsCalledSo) {
  planted::Plan plan;
  plan.arms = {"openmpi#1", "openmpi#2"};
  const Comparison result = compared(plan);
  EXPECT_TRUE(result.same_arm);
  EXPECT_EQ(result.sentence,
            "No difference found between openmpi#1 and openmpi#2 in 3 cells; all equivalent within "
            "2 %: 2 ranks, 1 host, shared memory, this session.");
}

// 150 A/A tables of 6 cells with 4 groups: BH at .05 allows 5 % of tables a false verdict.
TEST(Compare, EqualArmsGetAFalseVerdictInFewTables) {
  std::size_t tables_with_false_verdict = 0;
  std::size_t small_p = 0;
  std::size_t cells = 0;
  for (std::uint64_t seed = 0; seed < test::simulations(150); ++seed) {
    planted::Plan plan;
    for (const std::uint64_t size : {32U, 64U, 128U}) {
      plan.cells.push_back(planted::cell("bcast", size));
    }
    plan.groups = 4;
    plan.rounds = 3;
    plan.repetitions = 10;
    plan.launch_sd = 0.03;
    plan.seed = 1000 + seed;
    bool wrong = false;
    for (const ComparedCell& row : compared(plan).cells) {
      ++cells;
      small_p += *row.p < 0.05 ? 1U : 0U;
      wrong = wrong || row.verdict == Verdict::kFaster || row.verdict == Verdict::kSlower;
    }
    tables_with_false_verdict += wrong ? 1U : 0U;
  }
  if (test::kSanitized) return;
  // Cells of a table share the launches' luck: 900 cells are about 150 independent ones.
  EXPECT_LE(tables_with_false_verdict, 15U);
  EXPECT_GT(static_cast<double>(small_p) / static_cast<double>(cells), 0.01);
  EXPECT_LT(static_cast<double>(small_p) / static_cast<double>(cells), 0.10);
}

}  // namespace
}  // namespace invar::analysis
