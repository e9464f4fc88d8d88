#include "stats/model/variance_analysis.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "base/random.hpp"
#include "stats/golden.hpp"
#include "stats/test/normal.hpp"
#include "stats/test/student.hpp"

namespace invar::stats {
namespace {

BlockedValues blocked(const golden::Row& row) {
  const std::vector<double> values = golden::numbers(row.at("values"));
  const std::size_t levels = std::stoul(row.at("levels"));
  BlockedValues blocks;
  for (std::size_t at = 0; at < values.size(); at += levels) {
    blocks.emplace_back(values.begin() + static_cast<std::ptrdiff_t>(at),
                        values.begin() + static_cast<std::ptrdiff_t>(at + levels));
  }
  return blocks;
}

std::vector<UnitValue> units_of(const golden::Row& row) {
  const std::vector<double> values = golden::numbers(row.at("values"));
  std::vector<UnitValue> units;
  for (std::size_t i = 0; i + 3 < values.size(); i += 4) {
    units.push_back({.stratum = static_cast<std::size_t>(values[i]),
                     .block = static_cast<std::size_t>(values[i + 1]),
                     .unit = static_cast<std::size_t>(values[i + 2]),
                     .value = values[i + 3]});
  }
  return units;
}

void expect_test(const FTest& test, const golden::Row& row) {
  const std::string what = row.at("kind") + " " + row.at("case");
  golden::expect_close(test.statistic, *golden::number(row.at("statistic")), 1e-9, what);
  EXPECT_EQ(test.df1, *golden::number(row.at("df1"))) << what;
  EXPECT_EQ(test.df2, *golden::number(row.at("df2"))) << what;
  golden::expect_close(test.p, golden::number(row.at("p")), 1e-8, what);
}

TEST(VarianceAnalysis, AgreesWithR) {
  int compared = 0;
  for (const golden::Row& row : golden::read("stats_variance.csv")) {
    const std::string& kind = row.at("kind");
    if (kind == "together") continue;  // interactions_test.cpp
    ++compared;
    if (kind == "blocks") {
      const BlocksAnova anova = blocks_anova(blocked(row));
      expect_test(anova.f, row);
      golden::expect_close(anova.error_variance, *golden::number(row.at("extra")), 1e-9, "error");
    } else if (kind == "friedman") {
      expect_test(friedman_test(blocked(row)), row);
    } else if (kind == "kruskal") {
      // Written sample after sample.
      const std::vector<double> values = golden::numbers(row.at("values"));
      const std::size_t size = values.size() / std::stoul(row.at("levels"));
      std::vector<UnitValue> units;
      for (std::size_t i = 0; i < values.size(); ++i) {
        units.push_back({.unit = i / size, .value = values[i]});
      }
      expect_test(units_rank_test(units), row);
    } else if (kind == "f") {
      const double df1 = *golden::number(row.at("df1"));
      const double df2 = *golden::number(row.at("df2"));
      golden::expect_close(f_upper_tail(golden::numbers(row.at("values"))[0], df1, df2),
                           *golden::number(row.at("statistic")), 1e-10, "f");
      golden::expect_close(f_quantile(0.975, df1, df2), *golden::number(row.at("p")), 1e-8, "qf");
    } else if (kind == "ranks") {
      expect_test(units_rank_test(units_of(row)), row);
    } else {
      const auto result = random_units(units_of(row), 0.95);
      ASSERT_TRUE(result);
      expect_test(result->f, row);
      const std::vector<double> expected = golden::numbers(row.at("extra"));
      golden::expect_close(result->error_variance, expected[0], 1e-9, "error");
      golden::expect_close(result->unit_variance, expected[1], 1e-9, "component");
    }
  }
  EXPECT_EQ(compared, 3 * 6 + 4 + 12);
}

TEST(VarianceAnalysis, OfTwoLevelsTheFIsThePairedTSquared) {
  const BlockedValues values{{1.0, 1.4}, {2.0, 2.1}, {1.5, 2.2}, {0.8, 1.1}};
  std::vector<double> d;
  for (const auto& block : values) d.push_back(block[0] - block[1]);
  const auto t = t_test(d);
  const BlocksAnova anova = blocks_anova(values);
  ASSERT_TRUE(t && anova.f.p);
  EXPECT_NEAR(anova.f.statistic, t->statistic * t->statistic, 1e-12);
  EXPECT_NEAR(*anova.f.p, t->p, 1e-12);
}

TEST(VarianceAnalysis, TheIntervalOfUnitsThatDifferLeavesOutZero) {
  std::vector<UnitValue> values;
  for (std::size_t i = 0; i < 60; ++i) {
    const double noise = static_cast<double>((i * 7919) % 13) / 13.0 - 0.5;
    values.push_back({.unit = i / 10, .value = 3.0 * static_cast<double>(i / 10) + 0.1 * noise});
  }
  const auto apart = random_units(values, 0.95);
  ASSERT_TRUE(apart && apart->unit_sd);
  EXPECT_GT(apart->unit_sd->low, 2.0);
  EXPECT_LT(apart->unit_sd->low, std::sqrt(apart->unit_variance));
  EXPECT_GT(apart->unit_sd->high, std::sqrt(apart->unit_variance));
  for (std::size_t i = 0; i < values.size(); ++i) values[i].unit = i % 6;
  const auto alike = random_units(values, 0.95);
  ASSERT_TRUE(alike && alike->unit_sd);
  EXPECT_EQ(alike->unit_sd->low, 0.0);
}

// Share of p <= 5 % among 400 campaigns of 16 arms with 3 launches each.
double rejected_share(std::size_t blocks, std::size_t rounds, double unit_sd) {
  base::Random random(3);
  const auto gaussian = [&random] {
    return normal_quantile(0.5e-12 + (1 - 1e-12) * random.uniform());
  };
  constexpr int kCampaigns = 400;
  int rejected = 0;
  for (int campaign = 0; campaign < kCampaigns; ++campaign) {
    std::vector<UnitValue> values;
    for (std::size_t unit = 0; unit < 48; ++unit) {
      const double luck = unit_sd * gaussian();
      for (std::size_t i = 0; i < blocks * rounds; ++i) {
        const std::size_t stratum = unit / 3;
        values.push_back({.stratum = stratum,
                          .block = stratum * blocks + i % blocks,
                          .unit = unit,
                          .value = luck + gaussian()});
      }
    }
    if (*units_rank_test(values).p <= 0.05) ++rejected;
  }
  return static_cast<double>(rejected) / kCampaigns;
}

TEST(UnitsRankTest, RejectsAsOftenAsItSaysWithManyStrataAndAlignedBlocks) {
  EXPECT_NEAR(rejected_share(1, 8, 0), 0.045, 0.025);
  EXPECT_NEAR(rejected_share(8, 1, 0), 0.045, 0.025);
  EXPECT_GT(rejected_share(1, 8, 0.4), 0.85);
}

TEST(VarianceAnalysis, WhatCannotBeComparedHasNoP) {
  EXPECT_FALSE(blocks_anova({{1, 2}, {1, 2}}).f.p) << "no error to compare with";
  EXPECT_FALSE(friedman_test({{1, 1}, {2, 2}}).p);
  EXPECT_FALSE(units_rank_test(std::vector<UnitValue>{{.value = 1}, {.unit = 1, .value = 1}}).p);
  EXPECT_FALSE(random_units(std::vector<UnitValue>{{.value = 1}, {.value = 2}}, 0.95))
      << "one unit";
  EXPECT_THROW(blocks_anova({{1, 2}}), std::invalid_argument);
  EXPECT_THROW(blocks_anova({{1, 2}, {1, 2, 3}}), std::invalid_argument);
  EXPECT_THROW(friedman_test({{1, NAN}, {1, 2}}), std::invalid_argument);
}

}  // namespace
}  // namespace invar::stats
