// Every pitfall of paper 004 that is switched on is named, and switched off it is not, in 19 of 20
// runs, on machines whose truth is known. bench/memory.py does the same on this one.
#include "analysis/memory/memory_pitfalls.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/random.hpp"
#include "stats/test/normal.hpp"

namespace invar::analysis {
namespace {

using testing::HasSubstr;

constexpr int kRuns = 20;

double normal_value(base::Random& random) {
  return stats::normal_quantile(0.5e-9 + (1 - 1e-9) * random.uniform());
}

// Launches measure every cell in some visits, one after the other. What a visit takes is `pass_ns`
// of its passes beside 40 ns, with the noise of a shared machine: launches that differ by 1 %,
// visits by 1 %, and every twentieth of them disturbed by up to a half.
struct PitfallMachine {
  std::vector<std::uint64_t> sizes = {16384, 32768, 65536};
  std::vector<std::uint64_t> loops = {64};
  std::uint32_t launches = 8;
  std::uint32_t rounds = 6;
  // ns a byte; how much slower at a moment (0 to 1 of the campaign) or in a launch.
  std::function<double(std::uint64_t size)> byte_ns = [](std::uint64_t) { return 0.01; };
  std::function<double(double moment)> at = [](double) { return 1.0; };
  std::function<double(std::uint32_t launch, std::uint64_t size)> in_launch =
      [](std::uint32_t, std::uint64_t) { return 1.0; };
  // How much slower the core's clock is, by the time that a repetition takes at full speed.
  std::function<double(double full_ns)> slowed = [](double) { return 1.0; };
};

WalkSeries series_of(const PitfallMachine& machine, std::uint64_t seed) {
  base::Random random(seed);
  WalkSeries series{.operation = "read", .info = {.walks = 1}, .width_bytes = 32};
  series.cell.operation = "read";
  series.cell.ranks = 1;
  const double visits = static_cast<double>(machine.launches) * machine.rounds;
  for (std::uint32_t launch = 1; launch <= machine.launches; ++launch) {
    const double of_launch = std::exp(0.01 * normal_value(random));
    for (std::uint32_t round = 0; round < machine.rounds; ++round) {
      const double moment = ((launch - 1) * machine.rounds + round) / visits;
      for (const std::uint64_t size : machine.sizes) {
        for (const std::uint64_t loops : machine.loops) {
          const double disturbed = random.uniform() < 0.05 ? 1 + 0.5 * random.uniform() : 1;
          const double full_ns = 40 + static_cast<double>(loops * size) * machine.byte_ns(size);
          const double slowed = machine.slowed(full_ns);
          series.observations.push_back(
              {.size_bytes = size,
               .group = launch,
               .round = round,
               .loops = loops,
               .time_ns = full_ns * slowed * of_launch * machine.at(moment) *
                          machine.in_launch(launch, size) * disturbed *
                          std::exp(0.01 * normal_value(random)),
               .start_s = 60 * moment + 1e-3 * random.uniform(),
               .add_ns = 0.25 * slowed * std::exp(0.002 * normal_value(random))});
        }
      }
    }
  }
  return series;
}

MemoryData data_of(std::vector<WalkSeries> series) {
  return {.arm = "none",
          .series = std::move(series),
          .caches = {{.level = 1, .bytes = 32768}, {.level = 2, .bytes = 1048576}},
          .groups = 8};
}

PitfallFound found_of(const MemoryData& data, std::string_view name) {
  PitfallFound found = PitfallFound::kNotJudged;
  for (const WalkPitfall& one : memory_pitfalls(data, {})) {
    if (one.name != name) continue;
    if (found != PitfallFound::kYes) found = one.found;
  }
  return found;
}

int named(std::string_view name, const std::function<MemoryData(std::uint64_t seed)>& make) {
  int count = 0;
  for (int run = 0; run < kRuns; ++run) {
    const PitfallFound found = found_of(make(1000 + static_cast<std::uint64_t>(run)), name);
    EXPECT_NE(found, PitfallFound::kNotJudged) << name;
    count += found == PitfallFound::kYes ? 1 : 0;
  }
  return count;
}

// Loads of 4 B and of 32 B; behind L1 a byte takes 0.02 ns at least, and 0.15 where loads of 4 B
// are all that a core can do.
MemoryData two_widths(double narrow_inside, double narrow_outside, std::uint64_t seed) {
  const auto machine = [](double inside, double outside) {
    return PitfallMachine{.sizes = {16384, 65536}, .byte_ns = [=](std::uint64_t size) {
                            return size > 32768 ? outside : inside;
                          }};
  };
  WalkSeries narrow = series_of(machine(narrow_inside, narrow_outside), seed);
  narrow.width_bytes = 4;
  narrow.cell.width = "4";
  return data_of({series_of(machine(0.01, 0.02), seed + 7919), std::move(narrow)});
}

TEST(MemoryPitfalls, NarrowElementsThatHideTheEndOfACacheAreNamed) {
  EXPECT_GE(named(kNarrowElements, [](auto seed) { return two_widths(0.15, 0.152, seed); }), 19);
  EXPECT_LE(named(kNarrowElements, [](auto seed) { return two_widths(0.02, 0.036, seed); }), 1);
  const std::vector<WalkPitfall> all = memory_pitfalls(two_widths(0.15, 0.152, 1), {});
  EXPECT_EQ(all.front().of, "read, L1");
  EXPECT_THAT(all.front().seen, HasSubstr("16 KiB to 64 KiB costs a byte, times: 32 B 2.0"));
  EXPECT_EQ(all.front().naive, "4 B: the end of L1 costs next to nothing");
}

TEST(MemoryPitfalls, WhereNoLoopSeesAnEndThereIsNoneToHide) {
  const auto flat = [](std::uint64_t seed) {
    MemoryData data = two_widths(0.15, 0.152, seed);
    data.series.front() = series_of({.sizes = {16384, 65536}}, seed);
    return data;
  };
  EXPECT_LE(named(kNarrowElements, flat), 1);
}

// A governor: what lasts less than 30 us is measured at a low frequency, from 100 us on at the full
// one, in between at something between (paper 004, figure 10).
MemoryData governed(double low, std::uint64_t seed) {
  return data_of({series_of({.loops = {1, 16, 256, 4096},
                             .slowed =
                                 [=](double full_ns) {
                                   if (full_ns < 3e4) return low;
                                   return full_ns > 1e5 ? 1.0 : 0.5 * (1 + low);
                                 }},
                            seed)});
}

TEST(MemoryPitfalls, FewPassesUnderAGovernorAreNamed) {
  EXPECT_GE(named(kFewPasses, [](auto seed) { return governed(2, seed); }), 19);
  EXPECT_LE(named(kFewPasses, [](auto seed) { return governed(1, seed); }), 1);
  const auto seen = [](double low) {
    for (const WalkPitfall& one : memory_pitfalls(governed(low, 3), {})) {
      if (one.name == kFewPasses) return one.seen;
    }
    return std::string();
  };
  EXPECT_THAT(seen(2), HasSubstr("its clock moves"));
  EXPECT_THAT(seen(1), HasSubstr("its clock stays"));
}

TEST(MemoryPitfalls, OfTwoNumbersOfPassesNothingIsToldOfTheFew) {
  const MemoryData data = data_of({series_of({.loops = {1, 2}}, 1)});
  EXPECT_EQ(found_of(data, kFewPasses), PitfallFound::kNotJudged);
}

// A quarter of the time somebody else has most of the core (paper 004, figure 11).
TEST(MemoryPitfalls, ACompetitorForAQuarterOfTheTimeIsNamed) {
  const auto shared = [](double times) {
    return [times](std::uint64_t seed) {
      return data_of({series_of(
          {.at = [times](double moment) { return moment > 0.4 && moment < 0.65 ? times : 1; }},
          seed)});
    };
  };
  EXPECT_GE(named(kCompetitor, shared(5)), 19);
  EXPECT_GE(named(kCompetitor, shared(1.5)), 19);
  EXPECT_LE(named(kCompetitor, shared(1)), 1);
}

// As here under FIFO: the scheduler keeps the competitor off, and figures of the other policy alone
// have it in them.
TEST(MemoryPitfalls, ACompetitorThatAPolicyKeepsOffIsNamedForTheOther) {
  const auto two_policies = [](double times) {
    return [times](std::uint64_t seed) {
      WalkSeries fifo = series_of({}, seed + 7919);
      fifo.cell.policy = "fifo";
      fifo.place = "policy fifo";
      return data_of(
          {series_of(
               {.at = [times](double moment) { return moment > 0.4 && moment < 0.65 ? times : 1; }},
               seed),
           std::move(fifo)});
    };
  };
  EXPECT_GE(named(kCompetitor, two_policies(2)), 19);
  EXPECT_LE(named(kCompetitor, two_policies(1)), 1);
  for (const WalkPitfall& one : memory_pitfalls(two_policies(2)(1), {})) {
    if (one.name == kCompetitor) {
      EXPECT_EQ(one.of, "read");
    }
  }
}

TEST(MemoryPitfalls, ASecondModeAtNoParticularTimeIsNoCompetitor) {
  const auto scattered = [](std::uint64_t seed) {
    MemoryData data = data_of({series_of({}, seed)});
    base::Random random(seed);
    for (WalkObservation& one : data.series.front().observations) {
      if (random.uniform() < 0.25) one.time_ns *= 5;
    }
    return data;
  };
  EXPECT_LE(named(kCompetitor, scattered), 1);
}

// Pages are chosen once a launch and given out again by every malloc: in some launches too many of
// a buffer's pages are in the same sets, at other sizes in each (paper 004, figure 12).
MemoryData with_pages(bool of_launch, std::uint64_t seed) {
  PitfallMachine machine;
  machine.sizes = {16384, 20480, 24576, 28672, 32768};
  machine.in_launch = [=](std::uint32_t launch, std::uint64_t size) {
    if (!of_launch) return 1.0;
    base::Random random(seed * 1000 + launch);
    const double drops_at = 16384 + 16384 * random.uniform();
    return static_cast<double>(size) > drops_at ? 1.4 : 1.0;
  };
  MemoryData data = data_of({series_of(machine, seed)});
  for (WalkObservation& one : data.series.front().observations) one.frames_again = 1;
  return data;
}

TEST(MemoryPitfalls, PagesThatALaunchUsesAgainAreNamed) {
  EXPECT_GE(named(kPagesOfALaunch, [](auto seed) { return with_pages(true, seed); }), 19);
  EXPECT_LE(named(kPagesOfALaunch, [](auto seed) { return with_pages(false, seed); }), 1);
  const std::vector<WalkPitfall> all = memory_pitfalls(with_pages(true, 1), {});
  EXPECT_THAT(all.back().seen, HasSubstr("100 % of a visit's pages are those of the visit before"));
}

TEST(MemoryPitfalls, LaunchesThatAreSlowerAtAllSizesAreNotTakenForPages) {
  const auto slow_launches = [](std::uint64_t seed) {
    PitfallMachine machine;
    machine.in_launch = [](std::uint32_t launch, std::uint64_t) {
      return launch % 2 == 0 ? 1.3 : 1.0;
    };
    return data_of({series_of(machine, seed)});
  };
  EXPECT_LE(named(kPagesOfALaunch, slow_launches), 1);
}

TEST(MemoryPitfalls, WhatCouldNotBeLookedForIsSaid) {
  const MemoryData data = data_of({series_of({.launches = 2, .rounds = 1}, 1)});
  for (const WalkPitfall& one : memory_pitfalls(data, {})) {
    EXPECT_EQ(one.found, PitfallFound::kNotJudged) << one.name;
    EXPECT_NE(one.seen, "") << one.name;
  }
}

}  // namespace
}  // namespace invar::analysis
