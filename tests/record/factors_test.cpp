// What the rows of factors say of a repetition's cost, and of timing calls in batches.
#include "record/factors.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "record/cell.hpp"
#include "record/synchronisation.hpp"

namespace invar::record {
namespace {

constexpr double kCallsSeconds = 1e-3;

double seconds_of(const char* name, const Cell& cell) {
  const Factor& factor = *find_factor(name);
  return factor.seconds == nullptr ? -1 : factor.seconds(cell, kCallsSeconds);
}

TEST(FactorSeconds, OfDitherAreTheMeanOfTheLongestWait) {
  EXPECT_NEAR(seconds_of("dither_ns", {.ranks = 3, .dither_ns = 1000}), 750e-9, 1e-15);
  EXPECT_EQ(seconds_of("dither_ns", {.dither_ns = 0}), 0);
}

TEST(FactorSeconds, OfArrivalAreTheLatestRanksByItselfOrInCalls) {
  EXPECT_EQ(seconds_of("arrival", {.arrival = "none"}), 0);
  EXPECT_NEAR(seconds_of("arrival", {.arrival = "linear:2500ns"}), 2500e-9, 1e-15);
  EXPECT_NEAR(seconds_of("arrival", {.arrival = "random:0.5x"}), 0.5 * kCallsSeconds, 1e-15);
}

TEST(FactorSeconds, OfAColdCacheAreThoseOfOverwritingIt) {
  EXPECT_EQ(seconds_of("cache", {.cache = "warm"}), 0);
  for (const char* level : {"cold-flush", "cold-cycle"}) {
    EXPECT_LT(seconds_of("cache", {.size_bytes = 8, .ranks = 2, .cache = level}), 1e-4)
        << level << ": a few lines are soon thrown out";
    EXPECT_GT(seconds_of("cache", {.size_bytes = 1 << 20, .ranks = 2, .cache = level}), 1e-3)
        << level;
  }
}

TEST(FactorSeconds, OfSynchronisationsGrowWithRoundsAndLevelsOfTheTree) {
  const double one_s = seconds_of("sync", {.ranks = 2, .sync = "barrier"});
  EXPECT_GT(one_s, 0);
  EXPECT_EQ(seconds_of("sync", {.ranks = 5, .sync = "barrier"}), 3 * one_s);
  for (const Synchronisation& known : synchronisations()) {
    EXPECT_EQ(seconds_of("sync", {.ranks = 2, .sync = std::string(known.name)}),
              known.rounds * one_s)
        << known.name;
  }
}

TEST(FactorSeconds, OfATrainAreThoseOfItsDelays) {
  EXPECT_NEAR(seconds_of("train_delay", {.window = 3, .train_delay = "2500ns"}), 5000e-9, 1e-15);
  EXPECT_EQ(seconds_of("train_delay", {.window = 3}), 0);
}

TEST(FactorSeconds, OfAllFactorsAddUp) {
  const Cell cell{.ranks = 3, .cache = "cold-cycle", .arrival = "linear:0.5x", .dither_ns = 1000};
  double sum_s = 0;
  for (const char* name : {"cache", "sync", "arrival", "dither_ns"}) {
    sum_s += seconds_of(name, cell);
  }
  EXPECT_NEAR(seconds_beside_calls(cell, kCallsSeconds), sum_s, 1e-15);
  EXPECT_EQ(seconds_beside_calls({.sync = "none", .dither_ns = 0}, kCallsSeconds), 0);
}

// A planted delay is part of the call: a batch has it in every one, and the call's time tells it.
TEST(FactorBeforeEachCall, IsAColdCacheAndNothingThatActsOnceARepetition) {
  for (const char* cache : {"cold-flush", "cold-cycle"}) {
    EXPECT_EQ(factor_before_each_call({.cache = cache}), find_factor("cache")) << cache;
  }
  EXPECT_EQ(factor_before_each_call({}), nullptr);
  EXPECT_EQ(factor_before_each_call({.root = kRotatingRoot,
                                     .placement = "same",
                                     .arrival = "linear:0.5x",
                                     .dither_ns = 5000,
                                     .delay_ns = 20}),
            nullptr);
}

// Plans of operations without messages look as they did before there were any.
TEST(Factors, OfMessagesHaveColumnsOnlyWhereALevelIsAnotherOne) {
  const auto columns = [](const Cell& cell) {
    std::vector<std::string> names;
    for (const Factor* factor : written_factors(std::vector{Cell{}, cell})) {
      if (!factor->always_written) names.emplace_back(factor->name);
    }
    return names;
  };
  EXPECT_EQ(columns({}), std::vector<std::string>());
  EXPECT_EQ(columns({.operation = "pingpong", .pattern = "distance:1"}),
            std::vector<std::string>{"pattern"});
  EXPECT_EQ(columns({.operation = "stream", .pattern = "ring", .receives = "before", .window = 64}),
            (std::vector<std::string>{"pattern", "receives", "window"}));
}

// In messages a cell of the usual pattern is told without it.
TEST(Factors, OfMessagesAreToldWhereTheyAreUnusual) {
  Cell cell{.operation = "pingpong", .size_bytes = 8, .pattern = "distance:1"};
  EXPECT_EQ(cell_text(cell), "pingpong, 8 B, 2 ranks");
  cell.pattern = "bisection";
  cell.send_mode = "synchronous";
  cell.window = 16;
  EXPECT_EQ(cell_text(cell),
            "pingpong, 8 B, 2 ranks, pattern bisection, send mode synchronous, window 16");
}

// Nothing but what stands for several levels is expanded, and what it stands for is a level.
TEST(Factors, ThatExpandLevelsDoSoToLevels) {
  const auto expands = [](const char* key, const char* level) {
    const Factor& factor = *find_factor_by_key(key);
    for (const std::string& one : factor.expand(level, 5)) {
      Cell cell;
      EXPECT_TRUE(factor.parse(cell, one)) << key << " " << one;
    }
  };
  expands("pattern", "all-pairs");
  expands("pattern", "random-matchings:3");
  expands("compute", "2x");
  for (const Factor& factor : factors()) {
    const bool known = factor.key == "pattern" || factor.key == "compute";
    EXPECT_EQ(factor.expand != nullptr, known) << factor.key;
  }
}

// Keys of [engine] stand in every sealed campaign, those of [[cells]] only where they were written:
// a missing one must mean the same for ever.
TEST(Factors, ThatStandInCellsAloneKeepTheirUsualLevel) {
  for (const Factor& factor : factors()) {
    if (factor.key.empty() || factor.in_engine || !factor.absent) continue;
    if (factor.of_operation != nullptr) continue;  // it follows from what the operation says
    EXPECT_EQ(factor.text(Cell()), *factor.absent)
        << "let '" << factor.key << "' stand in [engine], then its usual level may change";
  }
}

}  // namespace
}  // namespace invar::record
