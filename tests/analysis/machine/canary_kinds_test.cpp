// What regimes rest on: the cache line where it shows several, else whatever else moves and lasts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "analysis/compare/compare.hpp"
#include "analysis/machine/campaign_regimes.hpp"
#include "analysis/machine/reference.hpp"
#include "analysis/machine/regimes.hpp"
#include "analysis/planted.hpp"
#include "simulations.hpp"
#include "stats/test/binomial.hpp"

namespace invar::analysis {
namespace {

using base::CanaryKind;
using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

constexpr double kStepNs = 0.4;  // of a counter of 2.5 GHz

constexpr std::uint64_t kConstantClocks = test::simulations(200);
// How many of them may look like two regimes, which one in a hundred may.
std::size_t most_split() { return stats::binomial_limit(kConstantClocks, 0.01, 0.01); }

std::size_t chain_regimes(const std::vector<double>& chains_ns) {
  return split_canaries(chains_ns, kStepNs, CanaryKind::kChain).found.size();
}

// As a clock with such steps shows them.
double in_steps(double ns) { return std::round(ns / kStepNs) * kStepNs; }

std::vector<double> chains(const std::vector<double>& levels_ns, std::size_t n, double sd,
                           std::uint64_t seed) {
  base::Random random(seed);
  std::vector<double> values;
  for (const double level : levels_ns) {
    for (std::size_t i = 0; i < n; ++i) {
      values.push_back(in_steps(level * std::exp(sd * planted::normal(random))));
    }
  }
  return values;
}

TEST(ChainRegimes, AConstantClockIsOneRegimeHoweverNoisy) {
  for (const double sd : {0.0, 0.0003, 0.002, 0.01, 0.05}) {
    std::size_t split = 0;
    for (std::uint64_t seed = 1; seed <= kConstantClocks; ++seed) {
      split += chain_regimes(chains({1000}, 200, sd, seed)) > 1 ? 1U : 0U;
    }
    EXPECT_LE(split, most_split()) << "sd " << sd;
  }
}

// The shortest of five tries lies on a floor, with a tail above it.
TEST(ChainRegimes, AFloorWithATailIsOneRegime) {
  std::size_t split = 0;
  for (std::uint64_t seed = 1; seed <= kConstantClocks; ++seed) {
    base::Random random(seed);
    std::vector<double> values;
    for (int i = 0; i < 200; ++i) {
      values.push_back(in_steps(1000 * (1 - 0.01 * std::log(1 - random.uniform()))));
    }
    split += chain_regimes(values) > 1 ? 1U : 0U;
  }
  EXPECT_LE(split, most_split());
}

TEST(ChainRegimes, ADriftIsOneRegime) {
  std::size_t split = 0;
  for (std::uint64_t seed = 1; seed <= kConstantClocks; ++seed) {
    base::Random random(seed);
    std::vector<double> values;
    for (int i = 0; i < 300; ++i) {
      values.push_back(
          in_steps(1000 * (1 + 0.1 * i / 300) * std::exp(0.002 * planted::normal(random))));
    }
    split += chain_regimes(values) > 1 ? 1U : 0U;
  }
  EXPECT_LE(split, most_split());
}

TEST(ChainRegimes, TwoFrequenciesThreePercentApartAreTwo) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<double> values = chains({1000, 1031}, 100, 0.003, seed);
    const Regimes split = split_canaries(values, kStepNs, CanaryKind::kChain);
    ASSERT_EQ(split.found.size(), 2U) << "seed " << seed;
    EXPECT_EQ(split.kind, CanaryKind::kChain);
    EXPECT_THAT(split.found[0].name, StartsWith("chain "));
    EXPECT_NE(split.found[0].name, split.found[1].name);
    EXPECT_NEAR(split.found[0].median_ns, 1000, 2);
    EXPECT_NEAR(split.found[1].median_ns, 1031, 2);
    EXPECT_EQ(split_canaries(values, kStepNs).found.size(), 1U) << "no cache line tells as little";
  }
}

TEST(ChainRegimes, WhatLiesOnePercentApartIsOne) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EXPECT_EQ(chain_regimes(chains({1000, 1010}, 100, 0.001, seed)), 1U) << "seed " << seed;
  }
}

// Their bands do not touch, although room is left around them.
// Steps of a clock by a few per cent move all arms alike; a machine at half its speed does not.
TEST(Regimes, AreFarApartWhereTheSlowestTakesAQuarterLonger) {
  const auto of = [](std::vector<double> medians_ns) {
    Regimes regimes{.kind = CanaryKind::kChain};
    for (const double median_ns : medians_ns) regimes.found.push_back({.median_ns = median_ns});
    return regimes;
  };
  EXPECT_FALSE(far_apart(of({})));
  EXPECT_FALSE(far_apart(of({748})));
  EXPECT_FALSE(far_apart(of({748, 766, 806, 828})));
  EXPECT_TRUE(far_apart(of({800, 900, 1000})));
}

TEST(ChainRegimes, BandsOfNeighboursLeaveEachOtherOut) {
  const auto bands = reference_bands(
      split_canaries(chains({1000, 1031}, 100, 0.003, 1), kStepNs, CanaryKind::kChain));
  ASSERT_EQ(bands.size(), 2U);
  EXPECT_TRUE(bands[0].contains(1000));
  EXPECT_FALSE(bands[0].contains(1031));
  EXPECT_TRUE(bands[1].contains(1031));
  EXPECT_FALSE(bands[1].contains(1000));
  for (const base::CanaryBand& band : bands) {
    EXPECT_EQ(band.kind, CanaryKind::kChain);
    EXPECT_EQ(*base::parse_band(base::band_text(band)).value, band);
  }
}

// 8 groups of 16 blocks of one cell, with a line that never moves. `slow`: the core's clock is 5 %
// slower, and so are all times.
planted::Plan clocked(const std::function<bool(std::uint32_t block, std::size_t arm)>& slow) {
  planted::Plan plan;
  plan.cells = {planted::cell("allreduce", 8)};
  plan.rounds = 16;
  plan.canary_ns = [](std::uint32_t group) { return 260 + 0.1 * group; };
  plan.chain_ns = [slow](std::uint32_t group, std::uint32_t block, std::size_t arm) {
    return (slow(block, arm) ? 1050.0 : 1000.0) * (1 + 0.0004 * ((group + block) % 5));
  };
  plan.slower = [slow](std::uint32_t, std::uint32_t block, std::size_t arm) {
    return slow(block, arm) ? 1.05 : 1.0;
  };
  return plan;
}

bool every_second_run(std::uint32_t block, std::size_t /*arm*/) { return block / 4 % 2 == 1; }

bool every_second_block(std::uint32_t block, std::size_t /*arm*/) { return block % 2 == 1; }

Regimes regimes_in(const planted::Plan& plan, std::optional<CanaryKind> fixed = {}) {
  const store::Data data = planted::data(plan);
  return regimes_of(data, summarize_visits(data, Runtime::kAuto, true), fixed);
}

TEST(CanaryKind, TheLineComesFirstWhereItShowsSeveral) {
  planted::Plan plan = clocked(every_second_run);
  plan.block_canary_ns = [](std::uint32_t group, std::uint32_t block) {
    return (group <= 4 ? 130.0 : 510.0) * (1 + 0.01 * ((7 * group + 3 * block) % 11));
  };
  const Regimes regimes = regimes_in(plan);
  EXPECT_EQ(regimes.kind, CanaryKind::kLine);
  EXPECT_EQ(regimes.found.size(), 2U);
}

TEST(CanaryKind, WhereTheLineRestsItIsTheClockThatMoves) {
  const Regimes regimes = regimes_in(clocked(every_second_run));
  EXPECT_EQ(regimes.kind, CanaryKind::kChain);
  ASSERT_EQ(regimes.found.size(), 2U);
  EXPECT_NEAR(regimes.found[0].share, 0.5, 0.01);
}

TEST(CanaryKind, WhereNothingMovesItIsTheLine) {
  const Regimes regimes = regimes_in(clocked([](std::uint32_t, std::size_t) { return false; }));
  EXPECT_EQ(regimes.kind, CanaryKind::kLine);
  EXPECT_EQ(regimes.found.size(), 1U);
}

TEST(CanaryKind, DataWithoutAChainAreReadAsEver) {
  planted::Plan plan = clocked(every_second_run);
  plan.chain_ns = {};
  const Regimes regimes = regimes_in(plan);
  EXPECT_EQ(regimes.kind, CanaryKind::kLine);
  EXPECT_EQ(regimes.found.size(), 1U);
}

// Turns cancel it: to leave blocks out would cost data and give nothing.
TEST(CanaryKind, AClockThatChangesAtEveryVisitIsNoState) {
  const Regimes line = regimes_in(clocked(every_second_block));
  EXPECT_EQ(line.kind, CanaryKind::kLine);
  planted::Plan alone = clocked(every_second_block);
  alone.canary_ns = [](std::uint32_t) { return 0.0; };
  const Regimes chain = regimes_in(alone);
  EXPECT_EQ(chain.kind, CanaryKind::kChain);
  EXPECT_EQ(chain.found.size(), 1U);
}

TEST(CanaryKind, AChanceOfOneHalfIsNoState) {
  std::size_t states = 0;
  for (std::uint64_t seed = 1; seed <= test::simulations(100); ++seed) {
    planted::Plan plan = clocked([seed](std::uint32_t block, std::size_t arm) {
      return base::Random::of({seed, block, arm}).uniform() < 0.5;
    });
    plan.groups = 2;
    states += regimes_in(plan).kind == CanaryKind::kChain ? 1U : 0U;
  }
  EXPECT_LE(states, 3U);
}

// One launch's visits, of which those are slow for which `slow(i)`.
template <typename Slow>
bool lasts(std::size_t visits, Slow slow) {
  const Regimes regimes =
      split_canaries(chains({1000, 1050}, 100, 0.001, 1), kStepNs, CanaryKind::kChain);
  EXPECT_EQ(regimes.found.size(), 2U);
  std::vector<VisitSummary> all(visits);
  for (std::size_t i = 0; i < visits; ++i) all[i].chain_ns = slow(i) ? 1050 : 1000;
  return regimes_last(all, regimes);
}

TEST(RegimesLast, FewPairsOfVisitsProveNothing) {
  const auto halves = [](std::size_t visits) {
    return lasts(visits, [visits](std::size_t i) { return 2 * i >= visits; });
  };
  EXPECT_FALSE(halves(0));
  EXPECT_FALSE(halves(1));
  EXPECT_FALSE(halves(4));
  EXPECT_FALSE(halves(30)) << "29 pairs";
  EXPECT_TRUE(halves(31));
}

// One visit in ten is slow: most neighbours are alike by chance.
TEST(RegimesLast, UnequalSharesAreJudgedBeyondChance) {
  EXPECT_FALSE(lasts(100, [](std::size_t i) { return i % 10 == 5; }));
  EXPECT_TRUE(lasts(100, [](std::size_t i) { return i >= 50 && i < 60; }));
}

TEST(CanaryKind, OneRankAHostHasTheChain) {
  planted::Plan plan = clocked(every_second_run);
  plan.canary_ns = [](std::uint32_t) { return 0.0; };
  for (record::Cell& cell : plan.cells) cell.ppn = 1;
  const Comparison result = compare(planted::study(planted::data(plan), Rules{}));
  EXPECT_EQ(result.regimes.why_none, "");
  EXPECT_EQ(result.regimes.kind, CanaryKind::kChain);
  ASSERT_TRUE(result.reference);
  EXPECT_TRUE(result.reference->split);
  EXPECT_THAT(result.scope, HasSubstr(", chain "));
  EXPECT_THAT(answer_of(result).notes,
              Contains(StartsWith("regimes of the machine by the core's clock: chain ")));
}

TEST(CanaryKind, WithoutAnyTheReasonIsTold) {
  planted::Plan plan = clocked(every_second_run);
  plan.chain_ns = {};
  plan.canary_ns = [](std::uint32_t) { return 0.0; };
  for (record::Cell& cell : plan.cells) cell.ppn = 1;
  EXPECT_EQ(regimes_text(regimes_in(plan)), "one rank a host has no canary");
  EXPECT_EQ(regimes_text(regimes_in(plan, CanaryKind::kChain)), "no chain was measured");
}

TEST(CanaryKind, ANamedBandIsOfItsOwnKind) {
  const store::Data data = planted::data(clocked(every_second_run));
  const Summaries summaries = summarize_visits(data, Runtime::kAuto, true);
  Rules rules;
  rules.regime = base::CanaryBand{.low_ns = 200, .high_ns = 300};
  EXPECT_EQ(regimes_by(data, summaries, rules).kind, CanaryKind::kLine);
  EXPECT_TRUE(any_in(summaries, *rules.regime));
  rules.regime = base::CanaryBand{.low_ns = 1040, .high_ns = 1060, .kind = CanaryKind::kChain};
  EXPECT_EQ(regimes_by(data, summaries, rules).kind, CanaryKind::kChain);
  const CellTable table = sort_visits(summaries.visits, data.cells.size(), data.arms.size());
  EXPECT_NEAR(share_in(table, *rules.regime).share(), 0.5, 0.01);
  rules.regime->kind = CanaryKind::kLine;
  EXPECT_FALSE(any_in(summaries, *rules.regime)) << "no cache line takes a microsecond";
}

TEST(CanaryKind, TheFirstLooksKindStays) {
  store::Data data = planted::data(clocked(every_second_run));
  const Summaries summaries = summarize_visits(data, Runtime::kAuto, true);
  Rules rules;
  rules.sequential = true;
  data.looks = {planted::look_after(1, 3)};
  data.looks.front().regime = base::CanaryBand{.low_ns = 200, .high_ns = 300};
  EXPECT_EQ(regimes_by(data, summaries, rules).kind, CanaryKind::kLine);
  data.looks.front().regime =
      base::CanaryBand{.low_ns = 990, .high_ns = 1020, .kind = CanaryKind::kChain};
  EXPECT_EQ(regimes_by(data, summaries, rules).kind, CanaryKind::kChain);
}

// Wide vectors lower the clock of whoever uses them.
TEST(CanaryKind, AnArmThatSlowsTheClockIsNamed) {
  const store::Data data = planted::data(
      clocked([](std::uint32_t block, std::size_t arm) { return arm == 1 && block % 16 < 8; }));
  const Summaries summaries = summarize_visits(data, Runtime::kAuto, true);
  const Rules rules;
  const Regimes regimes = regimes_by(data, summaries, rules);
  ASSERT_EQ(regimes.kind, CanaryKind::kChain);
  const ReferenceChoice reference = reference_of(data, summaries, regimes, rules);
  EXPECT_THAT(reference.moved, StartsWith("'mpich' lies in a slower regime than 'openmpi'"));
  EXPECT_FALSE(reference.band) << "nothing is left out";
}

TEST(CanaryKind, OfTwoCampaignsItIsOneThatBothHave) {
  const store::Data first = planted::data(clocked(every_second_run));
  const store::Data second = planted::data(clocked(every_second_run));
  planted::Plan old = clocked(every_second_run);
  old.chain_ns = {};
  const store::Data third = planted::data(old);
  const auto common = [](const store::Data& a, const store::Data& b) {
    const Summaries ours = summarize_visits(a, Runtime::kAuto, true);
    const Summaries theirs = summarize_visits(b, Runtime::kAuto, true);
    return common_regimes(
        std::vector<CampaignCanaries>{{.data = &a, .summaries = &ours, .name = "a"},
                                      {.data = &b, .summaries = &theirs, .name = "b"}});
  };
  const Regimes both = common(first, second);
  EXPECT_EQ(both.kind, CanaryKind::kChain);
  ASSERT_EQ(both.found.size(), 2U);
  EXPECT_EQ(both.found[0].campaign_shares.size(), 2U);
  const Regimes with_old = common(first, third);
  EXPECT_EQ(with_old.kind, CanaryKind::kLine);
  EXPECT_EQ(with_old.found.size(), 1U);
}

// Across sockets the rules are those of the line.
TEST(CanaryKind, ThePairAcrossSocketsComesBeforeTheChain) {
  store::Data data = planted::data(clocked(every_second_run));
  for (store::Group& group : data.groups) {
    for (store::Launch& launch : group.launches) {
      for (store::Visit& visit : launch.visits) {
        const bool slow = visit.line.block / 8 % 2 == 1;
        visit.line.across_ps = {(slow ? 600'000 : 400'000) + visit.line.block % 5 * 1000};
      }
    }
  }
  const Regimes regimes = regimes_of(data, summarize_visits(data, Runtime::kAuto, true));
  EXPECT_EQ(regimes.kind, CanaryKind::kAcross);
  ASSERT_EQ(regimes.found.size(), 2U);
  EXPECT_THAT(regimes.found[0].name, StartsWith("canary across sockets "));
}

}  // namespace
}  // namespace invar::analysis
