// Canaries of the machine, split where they lie in separate heaps, and what a comparison makes of
// it.
#include "analysis/machine/regimes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "analysis/compare/compare.hpp"
#include "analysis/planted.hpp"
#include "base/error.hpp"

namespace invar::analysis {
namespace {

using stats::Verdict;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

// `n` canaries around each of `levels_ns`, standard deviation of the log `sd`.
std::vector<double> canaries(const std::vector<double>& levels_ns, std::size_t n, double sd,
                             std::uint64_t seed = 1) {
  base::Random random(seed);
  std::vector<double> values;
  for (const double level : levels_ns) {
    for (std::size_t i = 0; i < n; ++i) {
      values.push_back(level * std::exp(sd * planted::normal(random)));
    }
  }
  return values;
}

std::size_t regimes(const std::vector<double>& values, double step_ns = 0) {
  return split_canaries(values, step_ns).found.size();
}

TEST(SplitCanaries, OneHeapIsOneRegimeHoweverWide) {
  for (const double sd : {0.0, 0.01, 0.1, 0.5}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      EXPECT_EQ(regimes(canaries({260}, 300, sd, seed)), 1U) << "sd " << sd << " seed " << seed;
    }
  }
}

TEST(SplitCanaries, SkewedAndHeavyTailedHeapsAreOneRegime) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    base::Random random(seed);
    std::vector<double> skewed;
    std::vector<double> heavy;
    for (int i = 0; i < 500; ++i) {
      skewed.push_back(130 * (1 - 0.4 * std::log(1 - random.uniform())));
      // Student's t with 2 degrees of freedom, on the log scale.
      const double u = random.uniform();
      heavy.push_back(130 * std::exp(0.03 * (2 * u - 1) / std::sqrt(2 * u * (1 - u) + 1e-9)));
    }
    EXPECT_EQ(regimes(skewed), 1U) << "seed " << seed;
    EXPECT_EQ(regimes(heavy), 1U) << "seed " << seed;
  }
}

TEST(SplitCanaries, SeparateHeapsAreRegimesWithTheirOwnNames) {
  const Regimes split = split_canaries(canaries({130, 520, 1400}, 200, 0.05), 0);
  ASSERT_EQ(split.found.size(), 3U);
  EXPECT_NEAR(split.found[0].median_ns, 130, 3);
  EXPECT_NEAR(split.found[1].share, 1.0 / 3, 0.01);
  EXPECT_THAT(split.found[2].name, HasSubstr("canary 1.4"));
  EXPECT_EQ(split.of(128), 0U);
  EXPECT_EQ(split.of(500), 1U);
  EXPECT_EQ(split.of(1e6), 2U);
  EXPECT_EQ(regimes_text(split), "3 regimes");
}

TEST(SplitCanaries, HeapsCloserThanAQuarterAreOneRegime) {
  EXPECT_EQ(regimes(canaries({130, 150}, 300, 0.01)), 1U);
  EXPECT_EQ(regimes(canaries({130, 180}, 300, 0.01)), 2U);
}

TEST(SplitCanaries, FewStragglersBelongToNoRegime) {
  std::vector<double> values = canaries({130, 520}, 300, 0.03);
  for (const double value : canaries({20000}, 10, 0.1)) values.push_back(value);
  const Regimes split = split_canaries(values, 0);
  ASSERT_EQ(split.found.size(), 2U);
  EXPECT_EQ(split.of(20000), std::nullopt);
  // One regime and stragglers: nothing is split.
  std::vector<double> one = canaries({130}, 300, 0.03);
  one.push_back(20000);
  EXPECT_EQ(regimes(one), 1U);
}

TEST(SplitCanaries, StepsOfTheClockAreNoRegimes) {
  std::vector<double> values = canaries({130}, 1000, 0.3);
  for (double& value : values) value = 50 * std::round(value / 50);
  EXPECT_EQ(regimes(values, 50), 1U);
}

// Short canaries by a clock of coarse steps, as they were here: 8 % of 130 and 140 ns, each of them
// less than a twentieth, beside 92 % of about 520 ns. Taken for stragglers they made one regime of
// 130 to 540 ns, and a repeat in that band mixed what differs by four times.
TEST(SplitCanaries, ARegimeInTwoStepsOfTheClockIsOne) {
  std::vector<double> values(40, 130.0);
  values.insert(values.end(), 40, 140.0);
  for (const double value : canaries({520}, 920, 0.02)) {
    values.push_back(10 * std::round(value / 10));
  }
  const Regimes split = split_canaries(values, 10);
  ASSERT_EQ(split.found.size(), 2U);
  EXPECT_NEAR(split.found[0].share, 0.08, 1e-9);
  EXPECT_EQ(split.of(140), 0U);
  EXPECT_EQ(split.of(510), 1U);
}

// 24 canaries are too few to prove a third mode of 400, joined as they are.
TEST(SplitCanaries, ARareRegimeThatIsNotProvenMakesNoSingleOneOfTwoOthers) {
  std::vector<double> values = canaries({130}, 216, 0.02);
  for (const double value : canaries({170}, 160, 0.02)) values.push_back(value);
  for (const double value : canaries({400, 480}, 12, 0.02)) values.push_back(value);
  const Regimes split = split_canaries(values, 0);
  ASSERT_EQ(split.found.size(), 2U);
  EXPECT_NEAR(split.found[0].median_ns, 130, 3);
  EXPECT_NEAR(split.found[1].median_ns, 170, 4);
  EXPECT_EQ(split.of(450), std::nullopt);
}

TEST(SplitCanaries, HundredThousandAreSplitAsFew) {
  EXPECT_EQ(regimes(canaries({130, 520}, 50000, 0.05)), 2U);
}

TEST(SplitCanaries, NoCanaryNoRegimeAndTheReason) {
  const Regimes none = split_canaries({}, 0);
  EXPECT_TRUE(none.found.empty());
  EXPECT_EQ(regimes_text(none), "no canary was measured");
  EXPECT_EQ(none.of(100), std::nullopt);
}

// 8 groups of 16 blocks of one cell; every second run of four blocks in the slow regime, where the
// second arm takes `slow_ratio` times as long instead of `fast_ratio` times.
planted::Plan two_regimes(double fast_ratio, double slow_ratio) {
  const auto slow = [](std::uint32_t block) { return block / 4 % 2 == 1; };
  planted::Plan plan;
  plan.cells = {planted::cell("allreduce", 8)};
  plan.rounds = 16;
  plan.block_canary_ns = [slow](std::uint32_t group, std::uint32_t block) {
    return (slow(block) ? 500.0 : 130.0) * (1 + 0.01 * ((group + block) % 5));
  };
  plan.slower = [=](std::uint32_t, std::uint32_t block, std::size_t arm) {
    return (slow(block) ? 3.0 : 1.0) * (arm == 0 ? 1.0 : slow(block) ? slow_ratio : fast_ratio);
  };
  return plan;
}

TEST(Regimes, TheHeadlineIsOfTheFastestAndTheOthersStandBehindIt) {
  const Comparison result = compare(planted::study(planted::data(two_regimes(1.12, 2.4)), Rules{}));
  ASSERT_EQ(result.cells.size(), 3U);
  EXPECT_FALSE(result.cells[0].regime);
  EXPECT_NEAR(*result.cells[0].ratio, 1.12, 0.02);
  EXPECT_EQ(result.cells[1].regime, result.regimes.found[1].name);
  EXPECT_NEAR(*result.cells[1].ratio, 2.4, 0.03);
  EXPECT_EQ(result.cells[2].regime, kAllRegimes);
  EXPECT_GT(*result.cells[2].ratio, 1.3);
  // Only the headline's questions are corrected together: nobody decides by the others.
  EXPECT_EQ(result.comparisons, 1U);
  ASSERT_TRUE(result.reference);
  EXPECT_TRUE(result.reference->band.contains(130));
  EXPECT_FALSE(result.reference->band.contains(500));
  EXPECT_NEAR(result.reference->share, 0.5, 0.01);
  EXPECT_TRUE(result.scope.ends_with("canary 0.133 us (50 % of visits)")) << result.scope;
  // The same winner: nothing to be said.
  EXPECT_EQ(result.detail, "");
  EXPECT_EQ(result.cells[0].doubt, Doubt::kNone);
}

TEST(Regimes, AnotherWinnerElsewhereIsPartOfTheHeadline) {
  const Comparison result = compare(planted::study(planted::data(two_regimes(1.12, 0.7)), Rules{}));
  EXPECT_EQ(result.cells[0].verdict, Verdict::kFaster);
  EXPECT_EQ(result.cells[0].doubt, Doubt::kDisagree);
  EXPECT_EQ(result.cells[1].doubt, Doubt::kNone);
  EXPECT_THAT(result.detail, HasSubstr("(50 % of visits) mpich wins for 8 B."));
  EXPECT_TRUE(result.sentence.ends_with(". " + result.detail));
}

TEST(Regimes, ANamedRegimeIsTheReference) {
  Rules rules;
  rules.regime = base::CanaryBand{.low_ns = 400, .high_ns = 700};
  const store::Data data = planted::data(two_regimes(1.12, 2.4));
  EXPECT_NEAR(*compare(planted::study(data, rules)).cells[0].ratio, 2.4, 0.03);
  rules.regime = base::CanaryBand{.low_ns = 1, .high_ns = 2};
  try {
    compare(planted::study(data, rules));
    ADD_FAILURE() << "a regime that no visit is in was taken";
  } catch (const base::CommandError& error) {
    EXPECT_EQ(error.status(), base::Exit::kUsage);
    EXPECT_THAT(error.faults().front().text(),
                HasSubstr("no visit is in the reference regime 1ns:2ns"));
  }
}

// A rarer one comes and goes between sessions.
TEST(Regimes, AFasterOneThatHoldsLessThanATenthIsNotTheReference) {
  planted::Plan plan = two_regimes(1.2, 1.2);
  plan.rounds = 32;
  plan.block_canary_ns = [](std::uint32_t group, std::uint32_t block) {
    return (block % 16 == 0  ? 60.0
            : block % 2 == 0 ? 130.0
                             : 500.0) *
           (1 + 0.01 * ((group + block) % 5));
  };
  const Comparison result = compare(planted::study(planted::data(plan), Rules{}));
  ASSERT_EQ(result.regimes.found.size(), 3U);
  EXPECT_TRUE(result.reference->band.contains(130)) << base::band_text(result.reference->band);
  EXPECT_FALSE(result.reference->band.contains(61));
}

TEST(Regimes, ARegimeThatIsAnArmsOwnDoingSplitsNothing) {
  store::Data data = planted::data(two_regimes(1.2, 1.2));
  for (store::Group& group : data.groups) {
    for (store::Launch& launch : group.launches) {
      for (store::Visit& visit : launch.visits) {
        const std::int64_t spread_ps = 1000 * ((group.group + visit.line.block) % 5);
        visit.line.canary_ps = {(launch.arm == 1 ? 500'000 : 130'000) + spread_ps};
      }
    }
  }
  const Comparison result = compare(planted::study(data, Rules{}));
  EXPECT_EQ(result.cells.size(), 1U);
  EXPECT_FALSE(result.reference);
  EXPECT_THAT(result.warnings, Contains(HasSubstr("'mpich' lies in a slower regime than")));
}

TEST(Regimes, AgreementIsNotSpokenOf) {
  const Comparison result = compare(planted::study(planted::data(two_regimes(1.3, 1.3)), Rules{}));
  ASSERT_EQ(result.cells.size(), 3U);
  EXPECT_THAT(result.sentence, Not(HasSubstr("regime")));
  EXPECT_EQ(result.cells[0].doubt, Doubt::kNone);
}

TEST(Regimes, BlockOfTwoRegimesBelongsToNone) {
  store::Data data = planted::data(two_regimes(1.2, 1.2));
  // Now the one arm's visit is in the other regime, now the other's: no block is of one regime.
  for (store::Group& group : data.groups) {
    for (store::Launch& launch : group.launches) {
      for (store::Visit& visit : launch.visits) {
        const bool slow = (visit.line.block + launch.arm) % 2 == 1;
        const std::int64_t spread_ps = 1000 * ((group.group + visit.line.block) % 5);
        visit.line.canary_ps = {(slow ? 500'000 : 130'000) + spread_ps};
      }
    }
  }
  const Comparison result = compare(planted::study(data, Rules{}));
  EXPECT_EQ(result.regimes.found.size(), 2U);
  ASSERT_EQ(result.cells.size(), 1U);
  EXPECT_FALSE(result.reference) << "no launch group would be left";
  // Named all the same: there is nothing to say.
  Rules rules;
  rules.regime = base::CanaryBand{.low_ns = 100, .high_ns = 200};
  const Comparison named = compare(planted::study(data, rules));
  EXPECT_EQ(named.cells[0].launches, 0U);
  EXPECT_EQ(named.cells[0].verdict, Verdict::kUndecided);
  EXPECT_FALSE(named.cells[0].time_a);
}

TEST(Regimes, AGroupNeedsThreeBlocksAndARowOfAnotherRegimeThreeGroups) {
  planted::Plan plan = two_regimes(1.2, 1.2);
  plan.groups = 2;  // too few for a reference, and for rows: over everything
  const Comparison few = compare(planted::study(planted::data(plan), Rules{}));
  EXPECT_EQ(few.cells.size(), 1U);
  EXPECT_FALSE(few.reference);
  plan.groups = 3;
  const Comparison enough = compare(planted::study(planted::data(plan), Rules{}));
  EXPECT_EQ(enough.cells.size(), 3U);
  EXPECT_TRUE(enough.reference && enough.reference->split);
  plan.groups = 8;
  plan.rounds = 6;  // four fast blocks, two slow ones
  const Comparison result = compare(planted::study(planted::data(plan), Rules{}));
  ASSERT_EQ(result.cells.size(), 2U);
  EXPECT_EQ(result.cells[1].regime, kAllRegimes);
}

TEST(Regimes, WithoutCanaryTheAnswerSaysWhy) {
  planted::Plan plan;
  plan.cells = {planted::cell("allreduce", 8)};
  plan.cells[0].ppn = 1;
  store::Data data = planted::data(plan);
  for (store::Group& group : data.groups) {
    for (store::Launch& launch : group.launches) {
      for (store::Visit& visit : launch.visits) visit.line.canary_ps.clear();
    }
  }
  EXPECT_EQ(compare(planted::study(data, Rules{})).regimes.why_none,
            "one rank a host has no canary");
}

}  // namespace
}  // namespace invar::analysis
