// Which of a launch's further visits mpptest would have made, and what it makes of them.
#include "analysis/suites/measured_again.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace invar::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::uint32_t> again(const std::vector<KeptPasses>& kept) {
  std::vector<std::uint32_t> counts;
  for (const KeptPasses& point : kept) counts.push_back(point.again);
  return counts;
}

TEST(KeptPasses, OfACurveWithoutACornerAreThePassesThatThereWere) {
  const std::vector<SweptPoint> curve{
      {.size = 8, .passes_ns = {100, 101}, .again_ns = {1, 1, 1, 1}},
      {.size = 16, .passes_ns = {110}, .again_ns = {1, 1, 1, 1}},
      {.size = 24, .passes_ns = {120}, .again_ns = {1, 1, 1, 1}}};
  const std::vector<KeptPasses> kept = kept_passes(curve);
  EXPECT_THAT(again(kept), ElementsAre(0, 0, 0));
  EXPECT_THAT(kept[0].times_ns, ElementsAre(100, 101)) << "further visits count for nothing";
}

// The line through 100 at 8 and 120 at 24 has 110 at 16; 1.1 times that are 121.
TEST(KeptPasses, StickOutAboveElevenTenthsOfTheLineThroughTheNeighbours) {
  for (const double time_ns : {121.0, 121.1}) {
    const std::vector<SweptPoint> curve{{.size = 8, .passes_ns = {100}},
                                        {.size = 16, .passes_ns = {time_ns}, .again_ns = {109.0}},
                                        {.size = 24, .passes_ns = {120}}};
    const std::vector<KeptPasses> kept = kept_passes(curve);
    if (time_ns > 121) {
      EXPECT_THAT(kept[1].times_ns, ElementsAre(time_ns, 109)) << "both, the least is what counts";
      EXPECT_EQ(kept[1].again, 1U);
    } else {
      EXPECT_THAT(kept[1].times_ns, ElementsAre(time_ns));
    }
  }
}

// At 12 of 8 to 24 the line has 105, not 110.
TEST(KeptPasses, LineIsBySizeAndNotByPlace) {
  const std::vector<SweptPoint> curve{{.size = 8, .passes_ns = {100}},
                                      {.size = 12, .passes_ns = {117}, .again_ns = {104.0}},
                                      {.size = 24, .passes_ns = {120}}};
  EXPECT_THAT(again(kept_passes(curve)), ElementsAre(0, 1, 0));
}

TEST(KeptPasses, TheLeastPassIsThePoint) {
  const std::vector<SweptPoint> curve{
      {.size = 8, .passes_ns = {100}},
      {.size = 16, .passes_ns = {500, 110, 300}, .again_ns = {1.0, 1.0, 1.0, 1.0}},
      {.size = 24, .passes_ns = {120}}};
  EXPECT_THAT(again(kept_passes(curve)), ElementsAre(0, 0, 0)) << "two slow passes are no corner";
}

TEST(KeptPasses, EndWithTheFirstTimeThatLiesOnTheCurve) {
  const std::vector<SweptPoint> curve{
      {.size = 8, .passes_ns = {100}},
      {.size = 16, .passes_ns = {300}, .again_ns = {200.0, 115.0, 90.0, 80.0}},
      {.size = 24, .passes_ns = {120}}};
  const std::vector<KeptPasses> kept = kept_passes(curve);
  EXPECT_THAT(kept[1].times_ns, ElementsAre(300, 200, 115)) << "90 would not have been measured";
}

TEST(KeptPasses, EndWithTheLastVisitThatThereIs) {
  const std::vector<SweptPoint> curve{
      {.size = 8, .passes_ns = {100}},
      {.size = 16, .passes_ns = {300}, .again_ns = {300.0, 301.0, 302.0, 303.0}},
      {.size = 24, .passes_ns = {120}}};
  EXPECT_THAT(again(kept_passes(curve)), ElementsAre(0, 4, 0));
}

TEST(KeptPasses, AtAnEndAreComparedWithTheOnlyNeighbour) {
  const std::vector<SweptPoint> curve{
      {.size = 8, .passes_ns = {200}, .again_ns = {100.0}},
      {.size = 16, .passes_ns = {110}},
      {.size = 24, .passes_ns = {120}, .again_ns = {1.0}},
  };
  // For the first: 200 + 4 / (4 + 8) (110 - 200) = 170; 1.1 times that are 187 < 200.
  const std::vector<KeptPasses> kept = kept_passes(curve);
  EXPECT_THAT(kept[0].times_ns, ElementsAre(200, 100));
  EXPECT_THAT(again(kept), ElementsAre(1, 0, 0));
}

// Beside 240 and 115 160 lies on the curve, beside what was measured again in the place of 240 it
// does not.
TEST(KeptPasses, APointSeesWhatThoseBeforeItBecame) {
  const std::vector<SweptPoint> curve{{.size = 8, .passes_ns = {100}},
                                      {.size = 16, .passes_ns = {240}, .again_ns = {105.0}},
                                      {.size = 24, .passes_ns = {160}, .again_ns = {110.0}},
                                      {.size = 32, .passes_ns = {115}}};
  const std::vector<KeptPasses> kept = kept_passes(curve);
  EXPECT_THAT(again(kept), ElementsAre(0, 1, 1, 0));
}

TEST(KeptPasses, PointsWithoutAPassAreOnNoCurve) {
  const std::vector<SweptPoint> curve{{.size = 8, .passes_ns = {100}},
                                      {.size = 12, .again_ns = {1.0}},
                                      {.size = 16, .passes_ns = {200}, .again_ns = {109.0}},
                                      {.size = 24, .passes_ns = {120}}};
  const std::vector<KeptPasses> kept = kept_passes(curve);
  EXPECT_THAT(kept[1].times_ns, IsEmpty());
  EXPECT_THAT(again(kept), ElementsAre(0, 0, 1, 0));
}

TEST(KeptPasses, AVisitThatGaveNoTimeEndsIt) {
  const std::vector<SweptPoint> curve{
      {.size = 8, .passes_ns = {100}},
      {.size = 16, .passes_ns = {300}, .again_ns = {std::nullopt, 110.0}},
      {.size = 24, .passes_ns = {120}}};
  EXPECT_THAT(again(kept_passes(curve)), ElementsAre(0, 0, 0))
      << "no other visit takes its place: mpptest would have had a number";
}

TEST(KeptPasses, OfASinglePointAreItsOwn) {
  const std::vector<SweptPoint> one{{.size = 8, .passes_ns = {100, 400}, .again_ns = {1.0}}};
  EXPECT_THAT(again(kept_passes(one)), ElementsAre(0));
  EXPECT_THAT(kept_passes({}), IsEmpty());
}

}  // namespace
}  // namespace invar::analysis
