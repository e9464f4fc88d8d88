#include "analysis/factors/factors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/planted.hpp"
#include "base/error.hpp"

namespace invar::analysis {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr const char* kCampaign = R"(schema = 1
name = "factors"
seed = 3
[[cells]]
operation = "allreduce"
size = 8
[[arm]]
library = "openmpi"
label = "openmpi"
launch = { aslr = "on" }
variant-of = "openmpi"
[[arm]]
library = "openmpi"
label = "openmpi+aslr-off"
launch = { aslr = "off" }
variant-of = "openmpi"
)";

// Two launch settings, and in each launch two cache states at two placements.
planted::Plan factors_plan() {
  planted::Plan plan;
  plan.arms = {"openmpi", "openmpi+aslr-off"};
  plan.cells.clear();
  for (const char* cache : {"warm", "cold-flush"}) {
    for (const char* placement : {"fixed:0", "fixed:64"}) {
      record::Cell cell = planted::cell("allreduce", 8);
      cell.cache = cache;
      cell.placement = placement;
      plan.cells.push_back(cell);
    }
  }
  plan.groups = 12;
  plan.group_sd = 0.05;
  plan.time_ns = [](std::size_t, std::size_t cell) { return cell < 2 ? 1000.0 : 1500.0; };
  return plan;
}

store::Data measured(const planted::Plan& plan) {
  store::Data data = planted::data(plan);
  data.campaign_toml = kCampaign;
  return data;
}

const FactorResult& factor(const Factors& factors, const std::string& name) {
  for (const FactorResult& result : factors.targets.at(0).factors) {
    if (result.factor == name) return result;
  }
  throw std::out_of_range(name);
}

TEST(Factors, ThoseThatAreAskedForAreTold) {
  const Factors result = factors(Study(measured(factors_plan())));
  std::vector<std::string> names;
  for (const FactorResult& one : result.targets.at(0).factors) names.push_back(one.factor);
  EXPECT_THAT(names, ElementsAre("aslr", "cache", "placement", "launch", "visit", "repetition"));
  EXPECT_THAT(factor(result, "aslr").levels, ElementsAre("on", "off"));
  EXPECT_TRUE(factor(result, "aslr").between_launches);
  EXPECT_FALSE(factor(result, "cache").between_launches);
}

TEST(Factors, APlantedEffectIsFoundAndTheOthersAreShownToBeSmall) {
  const Factors result = factors(Study(measured(factors_plan())));
  const FactorResult& cache = factor(result, "cache");
  EXPECT_EQ(cache.influence, Influence::kMatters);
  EXPECT_NEAR(cache.effects.at(0).ratio, 1.5, 0.01);
  EXPECT_LT(cache.effects.at(0).interval->low, 1.5);
  EXPECT_GT(cache.effects.at(0).interval->high, 1.5);
  EXPECT_EQ(factor(result, "aslr").influence, Influence::kDoesNotMatter);
  EXPECT_EQ(factor(result, "placement").influence, Influence::kDoesNotMatter);
  EXPECT_EQ(factor(result, "launch").influence, Influence::kMatters);
  EXPECT_EQ(result.sentence,
            "cache and launch matter; aslr and placement do not (less than 2 %): 2 ranks, 1 host, "
            "shared memory, this session.");
}

TEST(Factors, WhatAProgramRoundedIsNoEffect) {
  planted::Plan plan = factors_plan();
  plan.time_ns = [](std::size_t, std::size_t cell) { return cell < 2 ? 1000.0 : 1100.0; };
  store::Data data = measured(plan);
  EXPECT_EQ(factor(factors(Study(data)), "cache").influence, Influence::kMatters);
  for (store::ArmRecord& arm : data.arms) arm.program = "bench";
  for (store::Group& group : data.groups) {
    for (store::Launch& launch : group.launches) {
      for (std::uint32_t cell = 0; cell < data.cells.size(); ++cell) {
        launch.printed_step_ns[cell] = 200;
      }
      for (store::Visit& visit : launch.visits) visit.program = true;
    }
  }
  EXPECT_NE(factor(factors(Study(data)), "cache").influence, Influence::kMatters);
}

TEST(Factors, VarianceIsSharedOutAsItWasPlanted) {
  planted::Plan many = factors_plan();
  many.groups = 60;
  many.visit_sd = 0.02;
  const Factors result = factors(Study(measured(many)));
  const double of_cache = std::pow(std::log(1.5) / 2, 2);
  EXPECT_NEAR(factor(result, "cache").variance, of_cache, 0.05 * of_cache);
  EXPECT_NEAR(*factor(result, "launch").sd, 0.05, 0.015);
  EXPECT_NEAR(*factor(result, "visit").sd, 0.02, 0.003);
  EXPECT_NEAR(*factor(result, "repetition").sd, 0.02, 0.003);
  ASSERT_TRUE(result.targets[0].interactions);
  double shares = *result.targets[0].interactions;
  for (const FactorResult& one : result.targets[0].factors) shares += one.share;
  EXPECT_NEAR(shares, 1, 1e-9);
  EXPECT_LT(*result.targets[0].interactions, 0.01);
}

TEST(Factors, WhatTwoFactorsDoTogetherIsNoEffectOfEither) {
  planted::Plan crossed = factors_plan();
  // Slower where exactly one of the two is at its second level.
  crossed.time_ns = [](std::size_t, std::size_t cell) {
    return cell == 1 || cell == 2 ? 1500.0 : 1000.0;
  };
  const Factors result = factors(Study(measured(crossed)));
  EXPECT_EQ(factor(result, "cache").influence, Influence::kDoesNotMatter);
  EXPECT_GT(*result.targets[0].interactions, 0.8);
}

TEST(Factors, EffectsThatAddUpAreNothingTogetherThoughCombinationsLack) {
  planted::Plan additive = factors_plan();
  additive.time_ns = [](std::size_t, std::size_t cell) {
    return 1000.0 * (cell < 2 ? 1 : 1.5) * (cell % 2 == 0 ? 1 : 1.4);
  };
  store::Data data = measured(additive);
  planted::remove_cell(data, 1, 3);
  const Factors result = factors(Study(data));
  ASSERT_TRUE(result.targets[0].interactions);
  EXPECT_LT(*result.targets[0].interactions, 0.001);
}

TEST(Factors, WhatFactorsDoTogetherTakesTwoGroupsThatHaveAllCombinations) {
  planted::Plan one = factors_plan();
  one.groups = 1;
  const Factors single = factors(Study(measured(one)));
  EXPECT_FALSE(single.targets[0].interactions);
  EXPECT_EQ(single.targets[0].no_interactions, "one launch group only");
  one.groups = 3;
  store::Data data = measured(one);
  for (const std::size_t group : {0U, 1U}) {
    std::erase_if(data.groups[group].launches.at(group).visits,
                  [](const store::Visit& visit) { return visit.line.cell == 2; });
  }
  EXPECT_EQ(factors(Study(data)).targets[0].no_interactions,
            "no two launch groups have all combinations");
}

TEST(Factors, AFirstRoundThatIsSlowDoesNotHideThatLaunchesDiffer) {
  planted::Plan cold = factors_plan();
  const auto blocks = static_cast<std::uint32_t>(cold.cells.size());
  cold.slower = [blocks](std::uint32_t, std::uint32_t block, std::size_t) {
    return block < blocks ? 3.0 : 1.0;
  };
  const FactorResult launch = factor(factors(Study(measured(cold))), "launch");
  EXPECT_EQ(launch.influence, Influence::kMatters);
  EXPECT_NEAR(*launch.sd, 0.05, 0.02);
}

TEST(Factors, ALaunchThatFavoursOneLevelIsNoReplication) {
  // Each launch has its own luck: an effect between launches is judged by their number.
  planted::Plan lucky = factors_plan();
  lucky.groups = 3;
  lucky.launch_sd = 0.2;
  lucky.rounds = 30;
  const Factors result = factors(Study(measured(lucky)));
  EXPECT_EQ(factor(result, "aslr").influence, Influence::kUndecided);
  EXPECT_EQ(factor(result, "placement").influence, Influence::kDoesNotMatter) << "within launches";
}

TEST(Factors, OneGroupGivesIntervalsButNoVerdicts) {
  planted::Plan one = factors_plan();
  one.groups = 1;
  const Factors result = factors(Study(measured(one)));
  const FactorResult& cache = factor(result, "cache");
  EXPECT_TRUE(cache.effects.at(0).this_launch_only);
  EXPECT_TRUE(cache.effects.at(0).interval);
  EXPECT_FALSE(cache.effects.at(0).p_adjusted);
  EXPECT_FALSE(cache.influence);
  EXPECT_THAT(result.sentence, HasSubstr("takes two launch groups at least"));
}

TEST(Factors, ALevelWithoutDataIsNamedWithTheReason) {
  store::Data refused = measured(factors_plan());
  for (store::Group& group : refused.groups) {
    std::erase_if(group.launches, [](const store::Launch& launch) { return launch.arm == 1; });
  }
  refused.dropped_arms.push_back({.arm = "openmpi+aslr-off", .reason = "failed 3 groups: refused"});
  const Factors result = factors(Study(refused));
  ASSERT_EQ(result.missing.size(), 1U);
  EXPECT_EQ(result.missing[0].factor, "aslr");
  EXPECT_EQ(result.missing[0].level, "off");
  EXPECT_THAT(result.warnings,
              Contains("no data of aslr off: 'openmpi+aslr-off' failed 3 groups: refused"));
}

TEST(Factors, ALevelOfCellsWithoutDataIsNamedAndItsReplacementAsReferenceToo) {
  planted::Plan three = factors_plan();
  for (const char* placement : {"fixed:0", "fixed:64"}) {
    record::Cell cell = planted::cell("allreduce", 8);
    cell.cache = "cold-other";
    cell.placement = placement;
    three.cells.push_back(cell);
  }
  store::Data failed = measured(three);
  for (const std::uint32_t cell : {0U, 1U}) {
    for (const char* arm : {"openmpi", "openmpi+aslr-off"}) {
      failed.failed_cells.push_back({.cell = cell, .arm = arm, .reason = "gave wrong results"});
    }
  }
  const Factors result = factors(Study(failed));
  ASSERT_EQ(result.missing.size(), 1U);
  EXPECT_EQ(result.missing[0].factor, "cache");
  EXPECT_EQ(result.missing[0].level, "warm");
  EXPECT_EQ(result.missing[0].reference_now, "cold-flush");
  EXPECT_EQ(result.missing[0].where, "");
  EXPECT_THAT(
      result.warnings,
      Contains("no data of cache warm (the reference is cold-flush instead): 'openmpi' gave "
               "wrong results"));
  EXPECT_THAT(result.sentence, HasSubstr("; no data of cache warm (the reference is cold-flush "
                                         "instead): 2 ranks"));
}

TEST(Factors, ALevelThatOneSizeLacksIsNamedWithIt) {
  planted::Plan two = factors_plan();
  for (record::Cell cell : factors_plan().cells) {
    cell.size_bytes = 1024;
    two.cells.push_back(cell);
  }
  store::Data data = measured(two);
  for (const std::uint32_t arm : {0U, 1U}) {
    for (const std::uint32_t cell : {6U, 7U}) planted::remove_cell(data, arm, cell);
  }
  const Factors result = factors(Study(data));
  ASSERT_EQ(result.missing.size(), 1U);
  EXPECT_EQ(result.missing[0].name(), "cache cold-flush in allreduce 1 KiB");
  EXPECT_EQ(result.missing[0].reason, "none of its cells was measured");
}

TEST(Factors, LaunchesThatAreNotMeasuredByTurnsAreComparedByTheirMedians) {
  planted::Plan one_round = factors_plan();
  one_round.launch_sd = 0;
  // The engine's first round is odd; the other arm is a program, which has no other round.
  one_round.slower = [](std::uint32_t, std::uint32_t block, std::size_t arm) {
    return arm == 0 && block < 4 ? 1.3 : 1.0;
  };
  store::Data data = measured(one_round);
  for (store::Group& group : data.groups) {
    std::erase_if(group.launches.at(1).visits,
                  [](const store::Visit& visit) { return visit.line.round > 0; });
  }
  const auto effect = [&] { return factor(factors(Study(data)), "aslr").effects.at(0).ratio; };
  EXPECT_NEAR(effect(), 1 / 1.3, 0.01) << "by turns: the common round";
  data.campaign_toml += "[engine]\npairing = \"launches\"\n";
  EXPECT_NEAR(effect(), 1, 0.01);
}

TEST(Factors, FiguresVaryOneFactorAtATime) {
  const Factors result = factors(Study(measured(factors_plan())));
  EXPECT_EQ(result.figures.launches.size(), 12U) << "of the reference combination";
  std::uint64_t cold = 0;
  for (const HistogramBin& bin : result.figures.histograms) {
    if (bin.factor == "cache" && bin.level == "cold-flush") cold += bin.count;
  }
  // 12 launches x 4 rounds x 15 repetitions, without the last percent.
  EXPECT_GT(cold, 690U);
  EXPECT_LE(cold, 720U);
  ASSERT_FALSE(result.figures.quantiles.empty());
  EXPECT_EQ(result.figures.quantiles[0].sample_size, 10U);
  const auto sd = [&](std::uint32_t size) {
    std::vector<double> means;
    for (const QuantilePair& pair : result.figures.quantiles) {
      if (pair.sample_size == size) means.push_back(pair.mean_ns);
    }
    return means.back() - means.front();
  };
  EXPECT_NEAR(sd(10) / sd(100), std::sqrt(10), 0.6) << "means of more values scatter less";
}

TEST(Factors, EveryQuestionIsAskedOnceInTheFamily) {
  const Factors result = factors(Study(measured(factors_plan())));
  EXPECT_EQ(result.tests, 4U) << "three effects and the launches' F";
  EXPECT_TRUE(factor(result, "launch").anova->p_adjusted);
  EXPECT_FALSE(factor(result, "launch").rank_test->p_adjusted);
  const FactorResult& cache = factor(result, "cache");
  EXPECT_TRUE(cache.rank_test->test.p);
  EXPECT_FALSE(cache.rank_test->p_adjusted);
  EXPECT_FALSE(cache.anova->p_adjusted);
}

TEST(Factors, DataThatLooksEndedGetNoVerdicts) {
  store::Data sequential = measured(factors_plan());
  sequential.campaign_toml += "[design]\nstopping = \"looks\"\nlaunches = { min = 3, max = 30 }\n";
  const Factors result = factors(Study(sequential));
  EXPECT_THAT(result.sentence, StartsWith("Which factors matter cannot be said, looks at the"));
  EXPECT_EQ(result.tests, 0U);
  for (const FactorResult& one : result.targets.at(0).factors) {
    EXPECT_FALSE(one.influence) << one.factor;
    EXPECT_FALSE(one.anova && (one.anova->test.p || one.anova->p_adjusted)) << one.factor;
    EXPECT_FALSE(one.rank_test && one.rank_test->test.p) << one.factor;
    for (const LevelEffect& effect : one.effects) {
      EXPECT_FALSE(effect.p || effect.p_adjusted) << one.factor;
      ASSERT_TRUE(effect.interval);
      EXPECT_DOUBLE_EQ(effect.interval->confidence, 0.95) << "not that of a rejection";
    }
  }
}

TEST(Factors, OversubscribedDataGetNoVerdicts) {
  store::Data shared = measured(factors_plan());
  shared.campaign_toml += "[engine]\noversubscribe = true\nsync = \"barrier\"\n";
  const Factors result = factors(Study(shared));
  EXPECT_FALSE(factor(result, "cache").influence);
  EXPECT_THAT(result.sentence, StartsWith("Which factors matter cannot be said"));
  EXPECT_THAT(factor(result, "cache").effects, testing::Not(IsEmpty()));
}

}  // namespace
}  // namespace invar::analysis
