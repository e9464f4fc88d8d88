// Which sizes a round adds, and which it leaves alone.
#include "stats/model/refinement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "base/random.hpp"

namespace invar::stats {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

using Time = std::function<double(double)>;

double straight(double size) { return 200 + 0.1 * size; }
// A step of 30 % between 700 and 701.
double stepped(double size) { return straight(size) * (size > 700 ? 1.3 : 1.0); }
double bent(double size) { return straight(size) + (size > 768 ? 0.5 * (size - 768) : 0.0); }

// One place and one curve of it, with groups that share what their group does and have some noise
// of their own.
class Bench {
 public:
  Bench(Time time, std::vector<double> sizes, double noise = 0.005)
      : time_(std::move(time)), noise_(noise) {
    place.sizes = std::move(sizes);
    place.room = 100;
    for (const double size : place.sizes) curve.times.push_back({.size = size});
  }

  Bench& measure(const std::vector<double>& sizes, std::size_t groups = 3) {
    curve.first_new_group = curve.times.front().log_times.size();
    for (std::size_t i = 0; i < groups; ++i) {
      const double shared = 0.2 * random_.uniform();
      for (SizeTimes& times : curve.times) {
        auto& log_time = times.log_times.emplace_back();
        if (std::ranges::find(sizes, times.size) == sizes.end()) continue;
        log_time = std::log(time_(times.size)) + shared + noise_ * (random_.uniform() - 0.5);
      }
    }
    return *this;
  }
  Bench& measure_all(std::size_t groups = 3) { return measure(place.sizes, groups); }

  // Takes the round's sizes in, and measures what it needs.
  Bench& follow(const RefinedRound& round) {
    const std::size_t groups = curve.times.front().log_times.size();
    for (const double size : round.added.front()) {
      curve.times.push_back({.size = size, .log_times = ByGroup(groups)});
      place.sizes.push_back(size);
      --place.room;
    }
    std::ranges::sort(curve.times, {}, &SizeTimes::size);
    std::ranges::sort(place.sizes);
    return measure(round.needed.front(), groups_of_round(place.how.rule));
  }

  [[nodiscard]] RefinedRound refine() const {
    return stats::refine(std::span(&curve, 1), std::span(&place, 1));
  }

  RefinedPlace place = {};
  RefinedCurve curve = {};

 private:
  Time time_;
  double noise_;
  base::Random random_{20260412};
};

const std::vector<double> kSizes{256, 384, 512, 768, 1024, 1536, 2048};

TEST(Refinement, NothingIsAddedToALine) {
  const RefinedRound round = Bench(straight, kSizes).measure_all().refine();
  EXPECT_THAT(round.middles, SizeIs(5));
  EXPECT_THAT(round.middles, Each(Field(&Middle::state, MiddleState::kNear)));
  EXPECT_TRUE(round.done());
}

TEST(Refinement, IntervalThatJumpsIsCutInItsMiddle) {
  const RefinedRound round = Bench(stepped, kSizes).measure_all().refine();
  EXPECT_THAT(round.added, ElementsAre(ElementsAre(640)));
  EXPECT_THAT(round.needed, ElementsAre(ElementsAre(384, 512, 640, 768, 1024)))
      << "two neighbours on either side, for lines to go by";
  EXPECT_THAT(round.cut, ElementsAre(SizeBracket{0, 512, 768}));
  EXPECT_THAT(round.brackets, IsEmpty());
}

TEST(Refinement, GoesOnDownToNeighbouringBytes) {
  Bench bench(stepped, kSizes);
  bench.measure_all();
  std::vector<SizeBracket> jumps;
  std::size_t rounds = 0;
  for (RefinedRound round = bench.refine(); !round.done() && rounds < 40; round = bench.refine()) {
    follow_jumps(jumps, round);
    bench.follow(round);
    ++rounds;
  }
  follow_jumps(jumps, bench.refine());
  EXPECT_THAT(jumps, ElementsAre(SizeBracket{0, 700, 701}));
  // 256 between 512 and 768 are halved eight times.
  EXPECT_LE(bench.place.sizes.size(), kSizes.size() + 10);
}

TEST(Refinement, NoSizesComeNearerThanTheSeparation) {
  for (const bool share : {false, true}) {
    Bench bench(stepped, kSizes);
    bench.place.how.separation = share ? 0 : 32;
    bench.place.how.separation_share = share ? 0.05 : 0;
    bench.measure_all();
    std::vector<SizeBracket> jumps;
    for (RefinedRound round = bench.refine(); !round.done(); round = bench.refine()) {
      follow_jumps(jumps, round);
      bench.follow(round);
    }
    follow_jumps(jumps, bench.refine());
    ASSERT_THAT(jumps, SizeIs(1));
    EXPECT_LE(jumps[0].low, 700);
    EXPECT_GT(jumps[0].high, 700);
    EXPECT_GE(jumps[0].high - jumps[0].low, 32) << "a share of 5 % of 640 is as much";
    EXPECT_LE(jumps[0].high - jumps[0].low, 64);
  }
}

TEST(Refinement, NewSizesAreWholeElements) {
  Bench bench(stepped, {256, 512, 768, 772, 1024, 1536});
  bench.place.how.element = 4;
  const RefinedRound round = bench.measure_all().refine();
  for (const double size : round.added.front()) EXPECT_EQ(std::fmod(size, 4), 0) << size;
  // Nothing lies between 768 and 772.
  EXPECT_THAT(round.added.front(), Not(Contains(770)));
}

TEST(Refinement, BendIsCutUntilItIsNearTheLineAndIsNoJump) {
  Bench bench(bent, kSizes);
  bench.measure_all();
  std::vector<SizeBracket> jumps;
  std::vector<SizeBend> bends;
  RefinedRound round = bench.refine();
  EXPECT_THAT(round.bends, Contains(SizeBend{0, 512, 768, 1024}));
  for (; !round.done(); round = bench.refine()) {
    follow_jumps(jumps, round);
    bench.follow(round);
  }
  EXPECT_THAT(jumps, IsEmpty());
  EXPECT_LE(bench.place.sizes.size(), kSizes.size() + 8);
}

TEST(Refinement, WhatNoiseHidesGetsMoreGroupsAndNoSizes) {
  Bench bench(straight, kSizes, 0.5);
  bench.measure_all();
  std::size_t rounds = 0;
  for (RefinedRound round = bench.refine(); !round.done(); round = bench.refine()) {
    EXPECT_THAT(round.added, ElementsAre(IsEmpty())) << rounds;
    bench.follow(round);
    ASSERT_LT(++rounds, 10U);
  }
  EXPECT_LE(bench.curve.times[3].log_times.size(), kMostGroupsOfMiddle + 2);
  const RefinedCurve& curve = bench.curve;
  EXPECT_GT(*knowable_deviation(std::span(&curve, 1)), std::log1p(bench.place.how.tolerance));
}

TEST(Refinement, WithFewerGroupsThanThreeNothingIsTested) {
  const RefinedRound round = Bench(stepped, kSizes).measure_all(2).refine();
  EXPECT_THAT(round.middles, Each(Field(&Middle::p, std::optional<double>())));
  EXPECT_THAT(round.added, ElementsAre(IsEmpty()));
  EXPECT_FALSE(round.done()) << "more groups will tell";
  const RefinedCurve empty{.times = {{.size = 1}, {.size = 2}, {.size = 3}}};
  EXPECT_EQ(knowable_deviation(std::span(&empty, 1)), std::nullopt);
}

TEST(Refinement, WhatTheLastRoundHasNotMeasuredIsNoCandidate) {
  Bench bench(stepped, kSizes);
  bench.measure_all();
  bench.measure({1024, 1536, 2048});
  const RefinedRound round = bench.refine();
  ASSERT_THAT(round.middles, SizeIs(1));
  EXPECT_EQ(round.middles[0].middle, 1536);
  EXPECT_EQ(round.middles[0].groups, 6U) << "with all groups that have it";
}

TEST(Refinement, WithoutRoomWhatWouldBeCutIsABracket) {
  Bench bench(stepped, kSizes);
  bench.place.room = 0;
  const RefinedRound round = bench.measure_all().refine();
  EXPECT_THAT(round.added, ElementsAre(IsEmpty()));
  EXPECT_THAT(round.brackets, ElementsAre(SizeBracket{0, 512, 768}));
}

// Another arm has it, this one cannot measure it.
TEST(Refinement, SizeThatTheCurveLacksIsNotAskedForAgain) {
  Bench bench(stepped, kSizes);
  bench.place.sizes = {256, 384, 512, 640, 768, 1024, 1536, 2048};
  const RefinedRound round = bench.measure_all().refine();
  EXPECT_THAT(round.added, ElementsAre(IsEmpty()));
  EXPECT_THAT(round.brackets, ElementsAre(SizeBracket{0, 512, 768}));
}

TEST(Refinement, CurvesOfAPlaceShareTheirSizesAndARoundItsCorrection) {
  Bench step(stepped, kSizes);
  Bench plain(straight, kSizes);
  step.measure_all();
  plain.measure_all();
  const std::vector<RefinedCurve> curves{plain.curve, step.curve};
  const RefinedRound round = refine(curves, std::span(&step.place, 1));
  EXPECT_THAT(round.added, ElementsAre(ElementsAre(640))) << "in both arms";
  EXPECT_THAT(round.cut, ElementsAre(SizeBracket{1, 512, 768}));
  const auto p = [](const RefinedRound& of, double middle) {
    const auto found = std::ranges::find_if(of.middles, [&](const Middle& one) {
      return one.middle == middle && one.p_adjusted && one.state == MiddleState::kBeyond;
    });
    return *found->p_adjusted;
  };
  EXPECT_GT(p(round, 768), p(step.refine(), 768)) << "among twice as many candidates";
}

TEST(Refinement, NewIntervalsTakeThePlaceOfThoseTheyLieIn) {
  std::vector<SizeBracket> jumps{{0, 512, 768}, {1, 512, 768}, {0, 2048, 3072}};
  follow_jumps(jumps, {.cut = {{0, 640, 768}}});
  EXPECT_THAT(jumps, ElementsAre(SizeBracket{1, 512, 768}, SizeBracket{0, 2048, 3072},
                                 SizeBracket{0, 640, 768}));
  follow_jumps(jumps, {});
  EXPECT_THAT(jumps, SizeIs(3)) << "what was cut and not found again stays as it is";
}

TEST(Mpptest, CutsBothHalvesAtMultiplesOfFourWithoutATest) {
  Bench bench(stepped, {256, 512, 768, 1024}, 0.0);
  bench.place.how.rule = RefiningRule::kMpptest;
  const RefinedRound round = bench.measure_all(5).refine();
  EXPECT_THAT(round.middles, Each(Field(&Middle::p, std::optional<double>())));
  // 512 and 768 are off by more than 5 %.
  EXPECT_THAT(round.added, ElementsAre(ElementsAre(384, 640, 896)));
  EXPECT_THAT(round.needed.front(), ElementsAre(256, 384, 512, 640, 768, 896, 1024))
      << "the whole list in every pass";
  Bench narrow(stepped, {692, 696, 700, 704, 708}, 0.0);
  narrow.place.how.rule = RefiningRule::kMpptest;
  EXPECT_THAT(narrow.measure_all(5).refine().added, ElementsAre(IsEmpty()));
}

TEST(Mpptest, TakesNoiseForBends) {
  Bench bench(straight, kSizes, 0.5);
  bench.place.how.rule = RefiningRule::kMpptest;
  EXPECT_THAT(bench.measure_all(5).refine().added.front(), Not(IsEmpty()));
}

TEST(Skampi, CutsTheLargestProductsOfErrorAndIntervalWhileThereIsRoom) {
  Bench bench(stepped, kSizes, 0.0);
  bench.place.how.rule = RefiningRule::kSkampi;
  bench.place.room = 1;
  RefinedRound round = bench.measure_all().refine();
  // The line that goes through the jump goes astray behind it, and so the cut is beside the jump.
  EXPECT_THAT(round.added, ElementsAre(ElementsAre(896)));
  bench.place.room = 100;
  round = bench.refine();
  EXPECT_THAT(round.added.front(), SizeIs(kSizes.size() - 1)) << "no error is too small";
  bench.place.room = 0;
  round = bench.refine();
  EXPECT_TRUE(round.done());
  EXPECT_THAT(round.brackets, Contains(SizeBracket{0, 512, 768}));
}

// No group has measured a new size together with those beside it.
TEST(Skampi, BracketsJumpsBesideSizesThatWereMeasuredAlone) {
  Bench bench(stepped, kSizes, 0.0);
  bench.place.how.rule = RefiningRule::kSkampi;
  bench.measure_all().follow({.added = {{640}}, .needed = {{640}}});
  bench.place.room = 0;
  EXPECT_THAT(bench.refine().brackets, Contains(SizeBracket{0, 640, 768}));
}

TEST(Refinement, RefusesWhatMakesNoSense) {
  Bench bench(straight, kSizes);
  bench.measure_all();
  bench.place.how.tolerance = 0;
  EXPECT_THROW((void)bench.refine(), std::invalid_argument);
  bench.place.how.tolerance = 0.05;
  bench.curve.place = 1;
  EXPECT_THROW((void)bench.refine(), std::invalid_argument);
}

}  // namespace
}  // namespace invar::stats
