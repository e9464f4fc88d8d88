// Which cells differ in a size that is to be chosen, and in nothing else.
#include "design/plan/adaptive_places.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>
#include <utility>

#include "design/factors/adaptive_sizes.hpp"
#include "design/factors/sizes.hpp"
#include "design/helpers.hpp"

namespace invar::design {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Campaign adaptive(std::vector<AdaptiveSizes> asked) {
  Campaign campaign = test::small_campaign(2, 0, 2);
  campaign.cells[0].adaptive = std::move(asked);
  return campaign;
}

std::vector<std::uint64_t> sizes_of(const AdaptivePlace& place, const ResolvedCells& resolved) {
  std::vector<std::uint64_t> sizes;
  for (const std::uint32_t cell : place.cells) sizes.push_back(*resolved.cells[cell].size_bytes);
  return sizes;
}

TEST(AdaptivePlaces, EveryOperationAndLevelHasOne) {
  Campaign campaign = adaptive({{.low_bytes = 0, .high_bytes = 32}});
  campaign.cells[0].levels["root"] = {"0", "1"};
  campaign.cells[0].operations = {"bcast", "reduce"};
  const ResolvedCells resolved = test::resolved(campaign);
  const std::vector<AdaptivePlace> places = adaptive_places(campaign, resolved);
  ASSERT_THAT(places, SizeIs(4));
  EXPECT_EQ(places[0].element_bytes, 1U);
  EXPECT_EQ(places[2].element_bytes, 4U) << "reduce, of int32";
  EXPECT_THAT(sizes_of(places[2], resolved), ElementsAre(0, 4, 8, 12, 16, 24, 32));
}

TEST(AdaptivePlaces, LevelsThatAnOperationDoesNotHaveSayNothingOfIt) {
  Campaign campaign = adaptive({{.low_bytes = 16, .high_bytes = 64}});
  campaign.cells[0].levels["root"] = {"1"};
  campaign.cells[0].operations = {"bcast", "allreduce"};
  const ResolvedCells resolved = test::resolved(campaign);
  const std::vector<AdaptivePlace> places = adaptive_places(campaign, resolved);
  ASSERT_THAT(places, SizeIs(2));
  EXPECT_EQ(resolved.cells[places[1].cells.front()].operation, "allreduce");
}

TEST(AdaptivePlaces, WrittenSizesBetweenTheEndsBelongToThem) {
  Campaign campaign = adaptive({{.low_bytes = 1, .high_bytes = 4}});
  campaign.cells[0].sizes_bytes = {1024, 3};
  const ResolvedCells resolved = test::resolved(campaign);
  const std::vector<AdaptivePlace> places = adaptive_places(campaign, resolved);
  ASSERT_THAT(places, SizeIs(1));
  EXPECT_THAT(sizes_of(places[0], resolved), ElementsAre(1, 2, 3, 4)) << "ascending";
}

TEST(AdaptivePlaces, CellsThatWereAddedBelongToThem) {
  const Campaign campaign = adaptive({{.low_bytes = 16, .high_bytes = 64}});
  ResolvedCells resolved = test::resolved(campaign);
  record::Cell born = resolved.cells.front();
  born.id = static_cast<std::uint32_t>(resolved.cells.size());
  born.size_bytes = 20;
  resolved.cells.push_back(born);
  resolved.arms.push_back({0, 1});
  EXPECT_THAT(sizes_of(adaptive_places(campaign, resolved).at(0), resolved),
              ElementsAre(16, 20, 24, 32, 48, 64));
}

TEST(AdaptivePlaces, OtherBlocksOfTheOperationAreNone) {
  Campaign campaign = adaptive({{.low_bytes = 16, .high_bytes = 64}});
  CellsBlock other = campaign.cells[0];
  other.adaptive.clear();
  other.sizes_bytes = {16, 24};
  other.levels["root"] = {"1"};
  campaign.cells.push_back(other);
  const ResolvedCells resolved = test::resolved(campaign);
  const std::vector<AdaptivePlace> places = adaptive_places(campaign, resolved);
  ASSERT_THAT(places, SizeIs(1));
  EXPECT_EQ(resolved.cells[places[0].cells[0]].root, record::Cell().root);
}

// As many of the first sizes as half of them: that nobody asked to choose more shows in the levels.
TEST(AdaptivePlaces, PowersOfTwoOfAnotherLevelAreNone) {
  Campaign campaign = adaptive({{.low_bytes = 1, .high_bytes = 4096}});
  CellsBlock other = campaign.cells[0];
  other.adaptive.clear();
  other.sizes_bytes.clear();
  for (std::uint64_t size = 1; size <= 4096; size *= 2) other.sizes_bytes.push_back(size);
  for (const auto& [key, level] :
       {std::pair("root", "1"), {"datatype", "int32"}, {"cache", "cold-flush"}}) {
    campaign.cells.resize(1);
    campaign.cells.push_back(other);
    campaign.cells[1].levels[key] = {level};
    if (std::string_view(key) == "datatype") {
      std::erase_if(campaign.cells[1].sizes_bytes, [](std::uint64_t size) { return size < 4; });
    }
    const ResolvedCells resolved = test::resolved(campaign);
    ASSERT_THAT(adaptive_places(campaign, resolved), SizeIs(1)) << key;
  }
}

TEST(AdaptivePlaces, LevelsOfTheEngineAreThoseOfEveryBlockThatSaysNothingElse) {
  Campaign campaign = adaptive({{.low_bytes = 16, .high_bytes = 64}});
  campaign.engine.levels["cache"] = {"warm", "cold-flush"};
  EXPECT_THAT(adaptive_places(campaign, test::resolved(campaign)), SizeIs(2));
}

TEST(AdaptivePlaces, RangesThatOverlapAreRefused) {
  const auto faults = [](std::vector<AdaptiveSizes> asked) {
    const Campaign campaign = adaptive(std::move(asked));
    return test::faults_of([&] { (void)test::resolved(campaign); });
  };
  EXPECT_THAT(faults({{.low_bytes = 1, .high_bytes = 64},
                      {.low_bytes = 8, .high_bytes = 1024, .tolerance = 0.02}}),
              ElementsAre(HasSubstr("adaptive sizes of bcast from 1 B to 64 B and from 8 B to "
                                    "1 KiB overlap; write one range, or ranges that share")));
}

// Up to the segment's length messages are whole, and so of another curve.
TEST(AdaptivePlaces, LevelsThatDependOnTheSizeAreRefused) {
  Campaign campaign = adaptive({{.low_bytes = 16, .high_bytes = 4096}});
  Surroundings around = test::surroundings(2);
  for (auto& operations : around.operations) {
    for (record::OperationInfo& info : operations) {
      if (info.name == "bcast") info.segments = record::Segments::kOfBlock;
    }
  }
  const auto resolve = [&] { (void)resolve_cells(campaign, around, "c.toml"); };
  campaign.cells[0].levels["segment"] = {"0"};
  EXPECT_NO_THROW(resolve());
  campaign.cells[0].levels["segment"] = {"0", "1024"};
  EXPECT_THAT(test::faults_of(resolve),
              ElementsAre(HasSubstr("the level of 'segment' depends on the size (bcast), and "
                                    "adaptive sizes are chosen on one curve")));
}

TEST(AdaptivePlaces, RangesBesideEachOtherAreTwo) {
  const Campaign campaign = adaptive(
      {{.low_bytes = 1, .high_bytes = 16, .tolerance = 0.02}, {.low_bytes = 16, .high_bytes = 64}});
  const ResolvedCells resolved = test::resolved(campaign);
  const std::vector<AdaptivePlace> places = adaptive_places(campaign, resolved);
  ASSERT_THAT(places, SizeIs(2));
  EXPECT_EQ(places[0].asked.tolerance, 0.02);
  EXPECT_THAT(sizes_of(places[1], resolved), ElementsAre(16, 24, 32, 48, 64));
}

TEST(AdaptivePlaces, WithoutAdaptiveSizesThereAreNone) {
  const Campaign campaign = test::small_campaign(2, 8, 2);
  EXPECT_THAT(adaptive_places(campaign, test::resolved(campaign)), IsEmpty());
}

// The sizes that a fit is made of are the place's cells, whichever launch groups have them.
TEST(AdaptivePlaces, OfTheRuleBreaksHaveTheSizesBeside) {
  Campaign campaign = adaptive({{.low_bytes = 16,
                                 .high_bytes = 4096,
                                 .separation_share = kBreakSeparation,
                                 .rule = RefinementRule::kBreaks}});
  campaign.cells[0].sizes_bytes = {8, 16, 100, 1000, 4096, 8192};
  const ResolvedCells resolved = test::resolved(campaign);
  const std::vector<AdaptivePlace> places = adaptive_places(campaign, resolved);
  ASSERT_THAT(places, SizeIs(1));
  EXPECT_THAT(sizes_of(places[0], resolved), ElementsAre(16, 100, 1000, 4096));
}

}  // namespace
}  // namespace invar::design
