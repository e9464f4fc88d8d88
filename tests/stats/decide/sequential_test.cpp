// Looks at the results under way: what they may claim, on 600 real A/A groups and on noise that is
// worse than those.
#include "stats/decide/sequential.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "simulations.hpp"
#include "stats/aa_groups.hpp"

namespace invar::stats {
namespace {

constexpr std::size_t kCells = 20;
constexpr std::size_t kMostLaunches = kLooks.back().launches;

// One launch group: the difference that it adds to every cell.
using Noise = std::function<std::vector<double>(base::Random& random)>;

Noise real_noise(const std::string& library) {
  return [groups = real_groups(library)](base::Random& random) {
    return groups[random.below(groups.size())];
  };
}

std::vector<SequentialCell> campaign(const Noise& noise, const std::vector<double>& truth,
                                     base::Random& random) {
  std::vector<SequentialCell> cells(truth.size());
  for (std::size_t group = 0; group < kMostLaunches; ++group) {
    const std::vector<double> drawn = noise(random);
    for (std::size_t cell = 0; cell < cells.size(); ++cell) {
      cells[cell].d.push_back(drawn[cell] + truth[cell]);
    }
  }
  return cells;
}

bool claims(const Standing& standing) {
  return standing.row.verdict == Verdict::kFaster || standing.row.verdict == Verdict::kSlower;
}

// What many campaigns with the same true differences come to.
struct Outcome {
  double false_tables = 0;         // share with a false "faster" or "slower"
  double false_discoveries = 0;    // mean share of such among all claims of a campaign
  double claimed = 0;              // of the cells with a true difference, within `by` launches
  double equivalent = 0;           // of the same cells, at the end
  double bias = 0;                 // mean log ratio - truth at the end, of the same cells
  double launches = 0;             // until everything is decided, or all looks were taken
  std::vector<double> coverage{};  // of the printed intervals, after each look
};

Outcome simulate(const Noise& noise, const std::vector<double>& truth, int campaigns,
                 std::uint64_t seed, std::span<const LookRule> looks = kLooks,
                 std::size_t by = kMostLaunches) {
  base::Random random(seed);
  Outcome sum;
  sum.coverage.resize(looks.size());
  double differing = 0;
  for (int i = 0; i < campaigns; ++i) {
    const std::vector<SequentialCell> cells = campaign(noise, truth, random);
    std::size_t launches = 0;
    const auto after_look = [&](std::size_t look, std::span<const Standing> standings) {
      bool open = false;
      for (std::size_t cell = 0; cell < standings.size(); ++cell) {
        const auto& interval = standings[cell].row.printed_interval;
        const double ratio = std::exp(truth[cell]);
        const bool covers = interval && interval->low <= ratio && ratio <= interval->high;
        sum.coverage[look] += covers ? 1.0 / static_cast<double>(truth.size()) : 0.0;
        open = open || !standings[cell].decided() || standings[cell].decided_at == look;
        if (looks[look].launches == by && truth[cell] != 0) {
          sum.claimed += claims(standings[cell]) ? 1 : 0;
        }
      }
      if (open) launches = looks[look].launches;
    };
    const std::vector<Standing> end =
        take_looks(cells, looks, {}, Correction::kBenjaminiHochberg, after_look);
    double wrong = 0;
    double all = 0;
    for (std::size_t cell = 0; cell < end.size(); ++cell) {
      const bool claim = claims(end[cell]);
      all += claim ? 1 : 0;
      const bool right = (truth[cell] > 0 && end[cell].row.verdict == Verdict::kSlower) ||
                         (truth[cell] < 0 && end[cell].row.verdict == Verdict::kFaster);
      wrong += claim && !right ? 1 : 0;
      if (truth[cell] == 0) continue;
      ++differing;
      sum.equivalent += end[cell].row.verdict == Verdict::kEquivalent ? 1 : 0;
      sum.bias += std::log(end[cell].row.plain.ratio) - truth[cell];
    }
    sum.false_tables += wrong > 0 ? 1 : 0;
    sum.false_discoveries += all > 0 ? wrong / all : 0;
    sum.launches += static_cast<double>(launches);
  }
  const double count = campaigns;
  sum.false_tables /= count;
  sum.false_discoveries /= count;
  sum.launches /= count;
  for (double& share : sum.coverage) share /= count;
  if (differing > 0) {
    sum.claimed /= differing;
    sum.equivalent /= differing;
    sum.bias /= differing;
  }
  return sum;
}

std::vector<double> nothing() { return std::vector<double>(kCells, 0.0); }

std::vector<double> planted(double ratio, std::size_t cell) {
  std::vector<double> truth = nothing();
  truth[cell] = std::log(ratio);
  return truth;
}

std::vector<double> five_planted() {
  std::vector<double> truth = nothing();
  for (std::size_t i = 0; i < 5; ++i) truth[4 * i] = (i % 2 == 0 ? 1 : -1) * std::log(1.05);
  return truth;
}

// Three standard errors of a share.
double room(double share, int count) { return 3 * std::sqrt(share * (1 - share) / count); }

class SequentialOnRealGroups : public testing::TestWithParam<std::string> {
 protected:
  Noise noise_ = real_noise(GetParam());
};

TEST_P(SequentialOnRealGroups, TablesWithAFalseVerdictAreNoMoreThanAlpha) {
  EXPECT_LE(simulate(noise_, nothing(), 500, 1).false_tables, 0.05);
}

// The looks of a user who measures on until something is found.
TEST_P(SequentialOnRealGroups, WithoutSharesOfAlphaTooManyTablesAreFalse) {
  std::vector<LookRule> whole(kLooks.begin(), kLooks.end());
  for (LookRule& look : whole) look.alpha_share = 1;
  EXPECT_GT(simulate(noise_, nothing(), 500, 1, whole).false_tables, 0.055);
}

TEST_P(SequentialOnRealGroups, PrintedIntervalsCoverAtEveryLook) {
  for (const double share : simulate(noise_, five_planted(), 150, 2).coverage) {
    EXPECT_GE(share, 0.94);
  }
}

TEST_P(SequentialOnRealGroups, FivePercentIsFoundWithinTwelveLaunches) {
  double found = 0;
  const std::vector<std::size_t> from_1_kib{0, 1, 5, 6, 8, 10, 12, 13, 16};
  for (const std::size_t cell : from_1_kib) {
    found += simulate(noise_, planted(1.05, cell), 20, cell, kLooks, 12).claimed /
             static_cast<double>(from_1_kib.size());
  }
  EXPECT_GT(found, 0.85);
}

TEST_P(SequentialOnRealGroups, ADifferenceOfMinEffectIsRarelyCalledEquivalent) {
  double equivalent = 0;
  for (std::size_t cell = 0; cell < kCells; cell += 4) {
    equivalent += simulate(noise_, planted(1.02, cell), 60, cell).equivalent / 5;
  }
  EXPECT_LE(equivalent, 0.05);
}

// Stopping where a difference looks large makes it look larger, but there is little of it.
TEST_P(SequentialOnRealGroups, TheBiasOfRatiosAfterEarlyStoppingIsSmall) {
  EXPECT_LT(std::abs(simulate(noise_, five_planted(), 150, 3).bias), 0.002);
}

INSTANTIATE_TEST_SUITE_P(Libraries, SequentialOnRealGroups, testing::Values("openmpi", "mpich"),
                         [](const auto& library) { return library.param; });

double normal_of(base::Random& random) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - random.uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * random.uniform());
}

// Student's t with three degrees of freedom, which has no fourth moment.
double heavy_tailed(base::Random& random) {
  double squares = 0;
  for (int i = 0; i < 3; ++i) squares += std::pow(normal_of(random), 2);
  return normal_of(random) / std::sqrt(squares / 3);
}

// A launch falls into one of two modes, five of their widths apart.
double bimodal(base::Random& random) {
  return (random.uniform() < 0.3 ? 1.0 : 0.0) + 0.2 * normal_of(random);
}

// Launch effects of both arms, about 2 %; `shared`: the part of the variance that all cells of a
// launch have in common.
Noise launch_effects(const std::function<double(base::Random&)>& draw, double shared) {
  return [draw, shared](base::Random& random) {
    const double common = draw(random) - draw(random);
    std::vector<double> d(kCells);
    for (double& value : d) {
      value = 0.02 *
              (std::sqrt(shared) * common + std::sqrt(1 - shared) * (draw(random) - draw(random)));
    }
    return d;
  };
}

// Launches resemble the one before: lag-1 autocorrelation `rho` of d.
Noise autocorrelated(double rho, double shared) {
  return [rho, shared, state = std::vector<double>(kCells + 1, 0.0)](base::Random& random) mutable {
    for (double& value : state) value = rho * value + std::sqrt(1 - rho * rho) * normal_of(random);
    std::vector<double> d(kCells);
    for (std::size_t i = 0; i < kCells; ++i) {
      d[i] = 0.02 * (std::sqrt(shared) * state[kCells] + std::sqrt(1 - shared) * state[i]);
    }
    return d;
  };
}

TEST(Sequential, FalseDiscoveriesStayWithinAlphaUnderUglyLaunchEffects) {
  constexpr int kCampaigns = test::simulations(120);
  std::vector<std::pair<std::string, Noise>> noises;
  for (const double shared : {0.0, 0.7}) {
    const std::string where = shared > 0 ? " shared by all cells" : " of each cell";
    noises.emplace_back("heavy tails" + where, launch_effects(heavy_tailed, shared));
    noises.emplace_back("two modes" + where, launch_effects(bimodal, shared));
    noises.emplace_back("autocorrelation" + where, autocorrelated(0.1, shared));
  }
  for (const auto& [name, noise] : noises) {
    const Outcome nothing_there = simulate(noise, nothing(), kCampaigns, 5);
    EXPECT_LE(nothing_there.false_discoveries, 0.05 + room(0.05, kCampaigns)) << name;
    const Outcome five_there = simulate(noise, five_planted(), kCampaigns, 6);
    EXPECT_LE(five_there.false_discoveries, 0.05) << name;
    for (const double share : five_there.coverage) EXPECT_GE(share, 0.94) << name;
  }
}

// Groups in which a cell always differs by about as much.
std::vector<double> about(double log_ratio, std::size_t launches) {
  std::vector<double> d;
  for (std::size_t i = 0; i < launches; ++i) {
    d.push_back(log_ratio + 0.001 * static_cast<double>(static_cast<int>(i % 3) - 1));
  }
  return d;
}

TEST(Sequential, ADecidedCellKeepsWhatDecidedItWhateverComesLater) {
  std::vector<double> changes = about(0.2, 3);
  const std::vector<double> later = about(-0.2, 9);
  changes.insert(changes.end(), later.begin(), later.end());
  const std::vector<SequentialCell> cells{{.d = changes}, {.d = about(0, 12)}};
  const std::vector<Standing> end = take_looks(cells, kLooks, {});
  EXPECT_EQ(end[0].decided_at, 0U);
  EXPECT_EQ(end[0].row.verdict, Verdict::kSlower);
  EXPECT_EQ(end[0].row.plain.groups, 3U);
  EXPECT_GT(end[0].row.printed_interval->low, 1.0);
  EXPECT_EQ(end[1].row.verdict, Verdict::kEquivalent);
}

TEST(Sequential, ALookSpendsItsShareOfAlphaOnTestsAndIntervals) {
  const std::vector<SequentialCell> cells{{.d = {0.01, -0.02, 0.015}}, {.d = {0.03, -0.05, 0.02}}};
  const std::vector<Standing> end = take_looks(cells, kLooks, {.alpha = 0.05});
  EXPECT_NEAR(end[0].row.printed_interval->confidence, 1 - 0.10 * 0.05, 1e-12);
  // p = .008: enough for a single test at .05, not for a share of it.
  const std::vector<SequentialCell> near{{.d = {0.048, 0.05, 0.061}}};
  const std::vector<Standing> one = take_looks(near, kLooks, {.alpha = 0.05});
  EXPECT_LT(*one[0].row.plain.p, 0.05);
  EXPECT_EQ(one[0].row.verdict, Verdict::kUndecided);
}

TEST(Sequential, EveryCellOfTheCampaignCountsInTheCorrectionAlsoDecidedOnes) {
  // Decided at the first look: a difference, and none. The third one stays open.
  const std::vector<double> open{0.01, -0.02, 0.03, 0.015, 0.02};
  const std::vector<Standing> different = take_looks(
      std::vector<SequentialCell>{{.d = about(0.5, 5)}, {.d = open}, {.d = open}}, kLooks, {});
  ASSERT_EQ(different[0].decided_at, 0U);
  EXPECT_NEAR(*different[1].row.p_adjusted, *different[1].row.plain.p, 1e-12)
      << "the largest of three p";
  const std::vector<Standing> equal =
      take_looks(std::vector<SequentialCell>{{.d = about(0, 5)}, {.d = open}}, kLooks, {});
  ASSERT_EQ(equal[0].decided_at, 0U);
  ASSERT_EQ(equal[0].row.verdict, Verdict::kEquivalent);
  EXPECT_NEAR(*equal[1].row.p_adjusted, std::min(1.0, 2 * *equal[1].row.plain.p), 1e-12)
      << "the smaller of two p";
}

TEST(Sequential, SharesOfAlphaAddUpToOne) {
  double sum = 0;
  for (const LookRule& look : kLooks) sum += look.alpha_share;
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(Sequential, WhatIsNoLookIsRefused) {
  std::vector<Standing> standings(1);
  EXPECT_THROW(take_look(standings, {}, 0, kLooks[0], {}), std::invalid_argument);
  EXPECT_THROW(take_look({}, {}, 0, {.launches = 3, .alpha_share = 0}, {}), std::invalid_argument);
}

TEST(SettledTime, NeedsFiveLaunchesAndAnIntervalOfOneAndAHalfPercent) {
  const Interval narrow{.low = 99, .high = 101, .confidence = 0.95};
  EXPECT_TRUE(is_settled(100, narrow, 5));
  EXPECT_FALSE(is_settled(100, narrow, 4));
  EXPECT_FALSE(is_settled(100, Interval{.low = 98, .high = 102}, 30));
  EXPECT_FALSE(is_settled(100, std::nullopt, 30));
}

}  // namespace
}  // namespace invar::stats
