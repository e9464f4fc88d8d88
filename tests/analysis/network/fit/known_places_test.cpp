#include "analysis/network/fit/known_places.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace invar::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Threshold lies_between(std::uint64_t last_bytes, std::uint64_t first_bytes) {
  return {.last_bytes = last_bytes, .first_bytes = first_bytes, .known = true};
}

ModelSeries sends(std::vector<ModelBreak> breaks, SeriesKind kind = SeriesKind::kSend) {
  return {.key = {.kind = kind}, .breaks = std::move(breaks)};
}

TEST(LooselyKnown, IsWhatHasAWiderBracketThanSizesComeNear) {
  EXPECT_THAT(loosely_known(lies_between(7394, 8832), lies_between(4096, 4097), {}, {}),
              ElementsAre("detached is known only to 19 %: 7394 B to 8832 B"));
  EXPECT_THAT(loosely_known(lies_between(7394, 7500), {}, {}, {}), IsEmpty()) << "1.4 %";
  EXPECT_THAT(loosely_known(lies_between(7394, 8832), {}, {}, {.bytes = 2000}), IsEmpty());
  EXPECT_THAT(loosely_known(lies_between(3, 4), {}, {}, {}), IsEmpty())
      << "there is no size between";
}

TEST(LooselyKnown, IsSaidOnceOfAThresholdAndTheBreakInIt) {
  const std::vector<ModelSeries> series{
      sends({{.last_bytes = 1000, .first_bytes = 1500}, {.last_bytes = 7394, .first_bytes = 8832}}),
      sends({{.last_bytes = 100, .first_bytes = 200}}, SeriesKind::kGap)};
  EXPECT_THAT(loosely_known(lies_between(7394, 8832), lies_between(7394, 8832), series, {}),
              ElementsAre("detached is known only to 19 %: 7394 B to 8832 B",
                          "a break of MPI_Send is known only to 50 %: 1000 B to 1500 B"));
}

TEST(LooselyKnown, IsNothingThatTheAnalystWroteOrNobodyMeasured) {
  EXPECT_THAT(
      loosely_known(
          {}, {}, std::vector{sends({{.last_bytes = 10, .first_bytes = 20, .written_bytes = 19}})},
          {}),
      IsEmpty());
}

}  // namespace
}  // namespace invar::analysis
