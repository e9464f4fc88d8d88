// A memory's model from plain numbers of a memory whose levels are known.
#include "analysis/memory/memory_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/memory/memory.hpp"
#include "base/random.hpp"

namespace invar::analysis {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

struct PlantedLevel {
  double capacity = 0;
  double rise = 0;
};

// By LRU: a pass jumps at each capacity.
struct PlantedWalk {
  std::string operation = "read";
  std::string pages = "default";
  double first = 0.01;
  std::vector<PlantedLevel> levels = {};
  double start_ns = 40;
  double launch_sd = 0.02;
  double huge = 0;
};

WalkSeries planted_walk(const PlantedWalk& truth, std::uint64_t seed = 1) {
  base::Random random(seed);
  WalkSeries series{.operation = truth.operation,
                    .info = {.walks = 1, .chases = truth.operation == "chase"},
                    .width_bytes = 32,
                    .named = 1,
                    .loads = 1.0 / 128};
  series.cell.operation = truth.operation;
  series.cell.ranks = 1;
  series.cell.pages = truth.pages;
  if (series.info.chases) series.cell.access = "random";
  for (std::uint32_t group = 1; group <= 6; ++group) {
    const double factor = std::exp(truth.launch_sd * 2 * (random.uniform() - 0.5));
    constexpr int kSizes = 57;
    for (int step = 0; step < kSizes; ++step) {
      const double size = 4096 * std::pow(1.22, step);
      const std::uint64_t bytes = 1024 * static_cast<std::uint64_t>(size / 1024);
      double slope = truth.first;
      for (const PlantedLevel& level : truth.levels) {
        if (static_cast<double>(bytes) > level.capacity) slope += level.rise;
      }
      for (const std::uint64_t loops : {2U, 4U}) {
        const double noise = std::exp(0.01 * (random.uniform() - 0.5));
        const double pass_ns = static_cast<double>(bytes) * slope * factor * noise;
        series.observations.push_back(
            {.size_bytes = bytes,
             .group = group,
             .loops = loops,
             .time_ns = truth.start_ns + static_cast<double>(loops) * pass_ns,
             .add_ns = 0.3,
             .huge = truth.huge});
      }
    }
  }
  return series;
}

MemoryData planted_memory(const std::vector<PlantedWalk>& walks) {
  MemoryData data{.arm = "none", .groups = 6};
  std::uint64_t seed = 1;
  for (const PlantedWalk& walk : walks) data.series.push_back(planted_walk(walk, seed++));
  data.caches = {{.level = 1, .bytes = 32768, .ways = 8, .line_bytes = 64},
                 {.level = 2, .bytes = 524288},
                 {.level = 3, .bytes = 33554432}};
  return data;
}

const std::vector<PlantedLevel> kThreeCaches{{32768, 0.01}, {524288, 0.02}, {6e6, 0.05}};

TEST(PassTimesOfAWalk, HaveTheStartApart) {
  const PassTimes passes = pass_times(planted_walk({.levels = kThreeCaches}));
  ASSERT_FALSE(passes.times.empty());
  EXPECT_EQ(passes.lost, 0U);
  const PassTime& first = passes.times.front();
  EXPECT_EQ(first.size_bytes, 4096U);
  ASSERT_TRUE(first.start_ns);
  EXPECT_NEAR(first.pass_ns, 40.96, 3);
  EXPECT_NEAR(*first.start_ns, 40, 5);
  EXPECT_THAT(passes.lack, IsEmpty()) << "two levels of loops";
}

TEST(PassTimesOfAWalk, OfOneLevelHaveTheStartInside) {
  WalkSeries series = planted_walk({.levels = kThreeCaches});
  std::erase_if(series.observations, [](const WalkObservation& one) { return one.loops > 2; });
  const PassTimes passes = pass_times(series);
  EXPECT_FALSE(passes.times.front().start_ns);
  EXPECT_NEAR(passes.times.front().pass_ns, 40.96 + 20, 3);
}

TEST(PassTimesOfAWalk, LeavesOutWhatMorePassesDoNotLengthen) {
  WalkSeries series = planted_walk({.levels = kThreeCaches});
  for (WalkObservation& one : series.observations) {
    if (one.size_bytes == 4096 && one.group == 1) one.time_ns = 100;
  }
  EXPECT_EQ(pass_times(series).lost, 1U);
}

TEST(MemoryModelOfWalks, NamesCachesAndTellsContradictions) {
  const MemoryModel model = memory_model(planted_memory({{.levels = kThreeCaches}}));
  ASSERT_THAT(model.walks, SizeIs(1));
  const WalkModel& walk = model.walks.front();
  ASSERT_THAT(walk.knees, SizeIs(3));
  ASSERT_THAT(walk.plateaus, SizeIs(4));
  EXPECT_EQ(walk.plateaus.front().name, "L1");
  EXPECT_EQ(walk.plateaus.back().name, "memory");
  EXPECT_NEAR(walk.plateaus.front().gb_s.value, 100, 5);
  EXPECT_NEAR(walk.plateaus.back().gb_s.value, 1 / 0.09, 0.6);
  ASSERT_THAT(model.caches, SizeIs(3));
  EXPECT_EQ(model.caches[0].contradicts, false);
  EXPECT_EQ(model.caches[1].contradicts, false);
  EXPECT_EQ(model.caches[2].contradicts, true) << "it says 32 MiB and is left at 6 MB";
  EXPECT_THAT(model.warnings,
              testing::Contains(testing::Field(&Warning::text, HasSubstr("L3 says 32 MiB"))));
}

TEST(MemoryModelOfWalks, WhatEndsInsideACacheIsNotMemory) {
  MemoryData data = planted_memory({{.levels = kThreeCaches}});
  std::erase_if(data.series.front().observations,
                [](const WalkObservation& one) { return one.size_bytes > 262144; });
  const MemoryModel model = memory_model(data);
  ASSERT_THAT(model.walks.front().plateaus, SizeIs(2));
  EXPECT_EQ(model.walks.front().plateaus.back().name, "L2");
  for (const MemoryLimit& limit : model.limits) EXPECT_NE(limit.of, "memory");
  EXPECT_EQ(model.caches.back().contradicts, std::nullopt);
  EXPECT_EQ(model.caches.back().why, "no buffer was twice as large");
}

TEST(MemoryModelOfWalks, ThreeArraysTakeThreeTimesAsMuchOfACache) {
  MemoryData data = planted_memory(
      {{.operation = "triad", .levels = {{32768.0 / 3, 0.01}, {524288.0 / 3, 0.02}, {2e6, 0.05}}}});
  data.series.front().info.walks = 3;
  const MemoryModel model = memory_model(data);
  std::vector<std::string> names;
  for (const WalkKnee& knee : model.walks.front().knees) names.push_back(knee.name);
  EXPECT_THAT(names, testing::ElementsAre("L1", "L2", "L3"));
  EXPECT_THAT(model.caches, IsEmpty()) << "what three arrays leave says little of a cache";
}

TEST(MemoryModelOfWalks, WhatOneWalkContradictsAndAnotherDoesNotIsNoContradiction) {
  const std::vector<PlantedLevel> early{{32768, 0.01}, {300000, 0.02}, {6e6, 0.05}};
  const MemoryModel model = memory_model(
      planted_memory({{.levels = kThreeCaches}, {.operation = "chase", .levels = early}}));
  EXPECT_EQ(model.caches[1].contradicts, false);
  EXPECT_EQ(model.caches[2].contradicts, true) << "both say so";
}

TEST(MemoryModelOfWalks, OneLaunchGroupContradictsNothing) {
  MemoryData data = planted_memory({{.levels = kThreeCaches}});
  std::erase_if(data.series.front().observations,
                [](const WalkObservation& one) { return one.group > 1; });
  data.groups = 1;
  for (const CacheBehaviour& one : memory_model(data).caches) {
    EXPECT_EQ(one.contradicts, std::nullopt) << one.name;
  }
}

TEST(MemoryModelOfWalks, TotalsCompareWhatDiffersInRanksAlone) {
  MemoryData data = planted_memory({{.levels = kThreeCaches}, {.levels = kThreeCaches}});
  data.series[1].cell.ranks = 2;
  data.series[1].named = 2;
  // The walk of both ends earlier, in L2: there it is held against the other one.
  std::erase_if(data.series[1].observations,
                [](const WalkObservation& one) { return one.size_bytes > 262144; });
  std::vector<double> totals;
  for (const MemoryLimit& limit : memory_model(data).limits) {
    if (limit.name == "total") totals.push_back(limit.reached.value_or(0));
  }
  EXPECT_THAT(totals,
              testing::ElementsAre(testing::DoubleNear(1, 1e-9), testing::DoubleNear(1, 0.03)));
}

TEST(MemoryModelOfWalks, KneesThatVanishWithHugePagesAreTranslationBuffers) {
  std::vector<PlantedLevel> with_tlb = kThreeCaches;
  with_tlb.insert(with_tlb.begin() + 2, {2.1e6, 0.015});
  const std::vector<PlantedWalk> walks{
      {.operation = "chase", .levels = with_tlb},
      {.operation = "chase", .pages = "2MiB", .levels = kThreeCaches, .huge = 1}};
  const MemoryModel model = memory_model(planted_memory(walks));
  std::vector<std::string> names;
  for (const WalkKnee& knee : model.walks.front().knees) names.push_back(knee.name);
  EXPECT_THAT(names, testing::ElementsAre("L1", "L2", "TLB", "L3"));
}

TEST(MemoryModelOfWalks, HugePagesThatSmapsDoesNotShowProveNothing) {
  std::vector<PlantedLevel> with_tlb = kThreeCaches;
  with_tlb.insert(with_tlb.begin() + 2, {2.1e6, 0.015});
  const std::vector<PlantedWalk> walks{
      {.operation = "chase", .levels = with_tlb},
      {.operation = "chase", .pages = "2MiB", .levels = kThreeCaches, .huge = 0.5}};
  const MemoryModel model = memory_model(planted_memory(walks));
  for (const WalkKnee& knee : model.walks.front().knees) {
    EXPECT_NE(knee.cause, KneeCause::kTranslation);
  }
}

TEST(MemoryModelOfWalks, HasLimitsBesideResults) {
  const MemoryModel model = memory_model(planted_memory(
      {{.levels = kThreeCaches}, {.operation = "chase", .first = 0.01, .levels = kThreeCaches}}));
  const auto limit = [&](const std::string& name, const std::string& of) -> const MemoryLimit* {
    for (const MemoryLimit& one : model.limits) {
      if (one.name == name && one.of == of) return &one;
    }
    return nullptr;
  };
  const MemoryLimit* ports = limit("ports", "read");
  ASSERT_NE(ports, nullptr);
  EXPECT_NEAR(ports->value, 64 / 0.3, 1e-6);
  const MemoryLimit* flight = limit("lines in flight", "memory");
  ASSERT_NE(flight, nullptr);
  EXPECT_NEAR(flight->value, (1 / 0.09) * (0.09 * 128) / 64, 0.1);
}

TEST(MemoryModelOfWalks, EffectsCompareWithTheUsualLevel) {
  const MemoryModel model = memory_model(planted_memory(
      {{.levels = kThreeCaches}, {.pages = "thp", .first = 0.02, .levels = kThreeCaches}}));
  ASSERT_THAT(model.effects, SizeIs(1));
  EXPECT_EQ(model.effects.front().factor, "pages");
  EXPECT_EQ(model.effects.front().level, "thp");
  EXPECT_GT(model.effects.front().ratio.value, 1.1);
}

TEST(MemoryAnswer, OtherRegimesStandBehindTheCachesWhereTheyAreAskedFor) {
  Memory found{.scope = "1 process", .shows_regimes = true};
  found.models.push_back(memory_model(planted_memory({{.levels = kThreeCaches}})));
  const auto elsewhere = [&]() -> TidyTable { return answer_of(found).tables.at(1); };
  EXPECT_EQ(elsewhere().id, "elsewhere");
  EXPECT_THAT(elsewhere().missing.value_or(""), HasSubstr("launch groups enough"));
  found.elsewhere.push_back({.regime = "chain 0.7 us", .model = found.models.front()});
  ASSERT_THAT(elsewhere().rows, SizeIs(1));
  EXPECT_FALSE(elsewhere().shown.empty());
  found.no_verdict = "figures that nobody should quote";
  EXPECT_TRUE(elsewhere().shown.empty());
  found.shows_regimes = false;
  EXPECT_THAT(elsewhere().missing.value_or(""), HasSubstr("--regimes"));
}

TEST(MemorySentence, TellsLevelsAndContradictions) {
  Memory found{.scope = "1 process"};
  found.models.push_back(memory_model(planted_memory({{.levels = kThreeCaches}})));
  const std::string sentence = memory_sentence(found);
  EXPECT_THAT(sentence, HasSubstr("L1 "));
  EXPECT_THAT(sentence, HasSubstr("GB/s ["));
  EXPECT_THAT(sentence, HasSubstr("L3 says 32 MiB, behaves as "));
  for (const TidyTable& table : memory_tables(found)) {
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << table.id;
  }
}

}  // namespace
}  // namespace invar::analysis
