// Sizes that are chosen while a campaign runs: how they are written, and what is refused.
#include "design/factors/adaptive_sizes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "design/factors/sizes.hpp"
#include "design/helpers.hpp"
#include "design/recipes/race_campaign.hpp"
#include "design/recipes/repeated_campaign.hpp"

namespace invar::design {
namespace {

using test::campaign_faults;
using test::faults_of;
using test::with_cells;
using test::with_head;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

std::string with_sizes(const std::string& value, const std::string& more = {}) {
  return with_head("[[cells]]\noperation = \"bcast\"\nsize = " + value + "\n" + more);
}

CellsBlock block_of(const std::string& value) {
  return read_campaign(with_sizes(value), "c.toml").cells.front();
}

std::vector<std::string> faults_in_sizes(const std::string& value) {
  return campaign_faults(with_sizes(value));
}

TEST(AdaptiveSizes, HaveEveryKeyAndUsualValuesWithoutThem) {
  EXPECT_THAT(block_of("{ adaptive = [\"0\", \"64KiB\"] }").adaptive,
              ElementsAre(AdaptiveSizes{.low_bytes = 0, .high_bytes = 65536}));
  EXPECT_THAT(block_of("{ adaptive = [1, \"1MiB\"], tolerance = \"2.5%\", separation = \"16\", "
                       "max = 120, rule = \"mpptest\" }")
                  .adaptive,
              ElementsAre(AdaptiveSizes{.low_bytes = 1,
                                        .high_bytes = 1U << 20U,
                                        .tolerance = 0.025,
                                        .separation_bytes = 16,
                                        .most = 120,
                                        .rule = RefinementRule::kMpptest}));
  EXPECT_THAT(block_of("{ adaptive = [1, 4096], separation = \"5%\", rule = \"skampi\" }").adaptive,
              ElementsAre(AdaptiveSizes{.low_bytes = 1,
                                        .high_bytes = 4096,
                                        .separation_share = 0.05,
                                        .rule = RefinementRule::kSkampi}));
}

TEST(AdaptiveSizes, StandInAListWithOthers) {
  const CellsBlock block = block_of("[8, { adaptive = [1, 64] }, { adaptive = [128, 1024] }]");
  EXPECT_THAT(block.sizes_bytes, ElementsAre(8));
  EXPECT_THAT(block.adaptive, SizeIs(2));
}

TEST(AdaptiveSizes, AreReadAsTheyWereWritten) {
  for (const char* value :
       {"{ adaptive = [0, 65536] }", "[8, { adaptive = [1, 64], tolerance = \"0.3%\" }]",
        "{ adaptive = [1, 1024], separation = 7, max = 33, rule = \"skampi\" }",
        "{ adaptive = [1, 1024], separation = \"2.5%\", rule = \"mpptest\" }"}) {
    Campaign campaign = read_campaign(with_sizes(value), "c.toml");
    EXPECT_EQ(read_campaign(campaign_toml(campaign), "again"), campaign) << value;
  }
}

TEST(AdaptiveSizes, WrongValuesAreFaultsWithTheirPlaces) {
  EXPECT_THAT(
      faults_in_sizes("{ adaptive = [\"64KiB\", \"0\"] }"),
      ElementsAre("c.toml:6:21: adaptive sizes begin at 64 KiB and end at 0 B: nothing lies "
                  "between; write two sizes, the smaller one first"));
  EXPECT_THAT(faults_in_sizes("{ adaptive = [0, 1] }"),
              ElementsAre(HasSubstr("have no size between both ends; write a list of sizes")));
  EXPECT_THAT(faults_in_sizes("{ adaptive = 8 }"),
              ElementsAre(HasSubstr("'adaptive' of 'size' must be a list of two sizes; write the "
                                    "smallest and the largest")));
  EXPECT_THAT(faults_in_sizes("{ adaptive = [0, \"1q\"] }"), ElementsAre(HasSubstr("'1q'")));
  EXPECT_THAT(
      faults_in_sizes("{ adaptive = [0, 64], tolerance = \"0.05%\" }"),
      ElementsAre(HasSubstr("a tolerance of 0.05% of adaptive sizes is below what any clock "
                            "tells; write 0.1% or more")));
  EXPECT_THAT(faults_in_sizes("{ adaptive = [0, 64], tolerance = \"100%\" }"),
              ElementsAre(HasSubstr("is 100% or more")));
  EXPECT_THAT(faults_in_sizes("{ adaptive = [0, 64], tolerance = 0.05 }"), SizeIs(1));
  EXPECT_THAT(faults_in_sizes("{ adaptive = [0, 64], separation = \"0\" }"),
              ElementsAre(HasSubstr("'separation' of 'size' is 0")));
  EXPECT_THAT(faults_in_sizes("{ adaptive = [0, 64], separation = \"100%\" }"),
              ElementsAre(HasSubstr("cannot be halved")));
  EXPECT_THAT(faults_in_sizes("{ adaptive = [0, \"64KiB\"], max = 20 }"),
              ElementsAre(HasSubstr("adaptive sizes begin with 33, and there may be at most 20; "
                                    "write max = 66 or more, or a shorter range")));
  EXPECT_THAT(faults_in_sizes("{ adaptive = [0, 64], rule = \"mpptst\" }"),
              ElementsAre(HasSubstr("did you mean 'mpptest'?")));
}

TEST(AdaptiveSizes, WhatDecidesElsewhereUnderWayExcludesThem) {
  const std::string adaptive = "{ adaptive = [0, \"64KiB\"] }";
  const auto faults = [&](const std::string& more) {
    return campaign_faults(with_sizes(adaptive, more));
  };
  EXPECT_THAT(
      faults("[design]\nstopping = \"looks\"\n"),
      ElementsAre("c.toml:6:8: sizes are added while the campaign runs, and with stopping = "
                  "\"looks\" cells are left out meanwhile; use stopping = \"fixed\", or "
                  "write a list of sizes"));
  EXPECT_THAT(faults("[analysis]\npresets = [\"osu\"]\n"),
              ElementsAre(HasSubstr("leave presets out, or write a list of sizes")));
  EXPECT_THAT(faults("[design]\nrepetitions = { predict = \"rse\" }\n"),
              ElementsAre(HasSubstr("write a number of repetitions, or write a list of sizes")));
  EXPECT_THAT(faults("[design]\ntogether = [\"cache\"]\n"),
              ElementsAre(HasSubstr("'together' puts cells into families")));
  EXPECT_THAT(faults("[[arm]]\nprogram = \"app\"\nparse = \"osu\"\nlabel = \"p\"\n"),
              testing::Contains(HasSubstr("leave the programs out, or write a list of sizes")));
  EXPECT_THAT(faults("[analysis]\nquestion = \"factors\"\n"),
              testing::Contains(HasSubstr("use question = \"compare\", or write a list of sizes")));
}

TEST(AdaptiveSizes, AreForOperationsWithASizeAndAtLeastThreeElements) {
  Campaign campaign = test::small_campaign(2, 0, 2);
  campaign.cells[0].adaptive = {{.low_bytes = 0, .high_bytes = 64}};
  campaign.cells[0].operations = {"bcast", "barrier"};
  EXPECT_THAT(
      faults_of([&] { (void)test::resolved(campaign); }),
      ElementsAre(HasSubstr("barrier has no size to be chosen; leave barrier out, or give it "
                            "a [[cells]] block of its own")));
  campaign.cells[0].operations = {"allreduce"};
  campaign.cells[0].adaptive = {{.low_bytes = 1, .high_bytes = 8}};
  EXPECT_THAT(faults_of([&] { (void)test::resolved(campaign); }),
              ElementsAre(HasSubstr("allreduce: adaptive sizes from 1 to 8 bytes have fewer than "
                                    "three multiples of int32 (4 bytes)")));
}

TEST(AdaptiveSizes, OfAFamilyAreRefused) {
  Campaign campaign = test::small_campaign(2, 0, 2);
  campaign.cells[0].adaptive = {{.low_bytes = 0, .high_bytes = 64}};
  campaign.families = {{.name = "pair",
                        .cells = {{.operations = {"bcast"}, .sizes_bytes = {8}},
                                  {.operations = {"bcast"}, .sizes_bytes = {16}}}}};
  // A family of other cells is welcome.
  CellsBlock others;
  others.operations = {"allreduce"};
  others.sizes_bytes = {8, 16};
  campaign.cells.push_back(others);
  EXPECT_THAT(faults_of([&] { (void)test::resolved(campaign); }),
              Each(HasSubstr("family 'pair' has cells of adaptive sizes (bcast)")));
  campaign.families[0].cells = {{.operations = {"allreduce"}, .sizes_bytes = {8}},
                                {.operations = {"allreduce"}, .sizes_bytes = {16}}};
  EXPECT_NO_THROW((void)test::resolved(campaign));
}

TEST(AdaptiveSizes, OfAFamilysSelectorAreRefused) {
  EXPECT_THAT(campaign_faults(with_cells("[[family]]\nname = \"f\"\ncells = [{ operation = "
                                         "\"bcast\", size = { adaptive = [0, 64] } }, { operation "
                                         "= \"bcast\", size = 8 }]\n")),
              ElementsAre(HasSubstr("a family names its sizes")));
}

TEST(AdaptiveSizes, OfTheCommandLineStandBetweenOtherSizes) {
  const SizesAsked asked = parse_sizes("8,adaptive:0:64KiB,1KiB:4KiB,adaptive:1:1MiB:2%", "--size");
  EXPECT_THAT(asked.sizes_bytes, ElementsAre(8, 1024, 2048, 4096));
  EXPECT_THAT(
      asked.adaptive,
      ElementsAre(AdaptiveSizes{.low_bytes = 0, .high_bytes = 65536},
                  AdaptiveSizes{.low_bytes = 1, .high_bytes = 1U << 20U, .tolerance = 0.02}));
}

TEST(AdaptiveSizes, EveryFaultOfTheCommandLineIsReported) {
  EXPECT_THAT(faults_of([] {
                (void)parse_sizes("adaptive:8,adaptive:64:1,adaptive:0:64:2,adaptive:0:8q,8x",
                                  "--size");
              }),
              ElementsAre("--size: 'adaptive:8': takes two sizes, and a tolerance if it is not 5%; "
                          "write adaptive:0:64KiB, or adaptive:0:64KiB:2%",
                          HasSubstr("'adaptive:64:1': adaptive sizes begin at 64 B"),
                          HasSubstr("--size: '2'"), HasSubstr("'8q' is not a size"),
                          HasSubstr("'8x' is not a size")));
}

TEST(AdaptiveSizes, OfCommandsThatChooseNoneAreRefused) {
  EXPECT_THAT(
      faults_of([] { (void)parse_size_list("8,adaptive:0:64KiB", "--size"); }),
      ElementsAre("--size: 'adaptive:0:64KiB': sizes that are chosen under way are for "
                  "'invar race', 'invar p2p' and campaigns; write sizes, as in 8,1KiB:64KiB"));
}

RaceOrder race_of(const std::string& sizes) {
  const SizesAsked asked = parse_sizes(sizes, "--size");
  return {.quick = {.arms = {parse_arm("openmpi", "race"), parse_arm("mpich", "race")},
                    .operations = {"bcast"},
                    .sizes_bytes = asked.sizes_bytes,
                    .adaptive = asked.adaptive,
                    .budget_s = 20,
                    .seed = 5}};
}

TEST(RaceCampaign, WithAdaptiveSizesIsFixedByItself) {
  const Campaign campaign = race_campaign(race_of("adaptive:1:64KiB"));
  EXPECT_EQ(campaign.stopping, Stopping::kFixed);
  EXPECT_EQ(campaign.launches, kQuickLaunches);
  EXPECT_EQ(campaign.rounds, 6U) << "of as many cells as it begins with";
  EXPECT_THAT(conflicts(campaign), IsEmpty());
}

TEST(RaceCampaign, WithAdaptiveSizesNamesEverythingThatExcludesThem) {
  RaceOrder order = race_of("adaptive:1:64KiB");
  order.sequential_written = true;
  order.presets = {"osu"};
  order.against = "cache";
  EXPECT_THAT(faults_of([&] { (void)race_campaign(order); }),
              ElementsAre(StartsWith("--sequential: with adaptive sizes cells are added"),
                          StartsWith("--size: the visits of other suites"),
                          StartsWith("--size: 'against' puts cells into families")));
  order = race_of("adaptive:1:64KiB");
  order.program = {.command = "osu {size}", .parse = "osu"};
  EXPECT_THAT(faults_of([&] { (void)race_campaign(order); }),
              ElementsAre(HasSubstr("leave the programs out, or write a list of sizes")));
}

TEST(Reproduce, RefusesSizesThatEveryRepeatChoosesAnew) {
  EXPECT_THAT(
      faults_of([] {
        (void)repeated_campaign(read_campaign(with_sizes("{ adaptive = [0, 64] }"), "c.toml"),
                                false, "c.toml");
      }),
      ElementsAre(StartsWith("c.toml:6:8: adaptive sizes are chosen anew by every repeat")));
}

TEST(SizesAtBreaks, StandBesideTheSizesThatAreFitted) {
  const CellsBlock block = block_of("[8, { adaptive = [1, 4096], rule = \"breaks\" }]");
  EXPECT_THAT(block.adaptive, ElementsAre(AdaptiveSizes{.low_bytes = 1,
                                                        .high_bytes = 4096,
                                                        .separation_share = kBreakSeparation,
                                                        .most = kMostSizesWithBreaks,
                                                        .rule = RefinementRule::kBreaks}));
  EXPECT_THAT(first_sizes(block.adaptive.front(), 1), IsEmpty()) << "they begin with the others";
  EXPECT_THAT(
      block_of("[8, { adaptive = [1, 4096], rule = \"breaks\", separation = 64, max = 99 }]")
          .adaptive,
      ElementsAre(AdaptiveSizes{.low_bytes = 1,
                                .high_bytes = 4096,
                                .separation_bytes = 64,
                                .most = 99,
                                .rule = RefinementRule::kBreaks}));
  for (const char* value : {"[8, { adaptive = [1, 4096], rule = \"breaks\" }]",
                            "[8, { adaptive = [1, 64], rule = \"breaks\", separation = 4 }]"}) {
    Campaign campaign = read_campaign(with_sizes(value), "c.toml");
    EXPECT_EQ(read_campaign(campaign_toml(campaign), "again"), campaign) << value;
  }
}

TEST(SizesAtBreaks, WhatSaysNothingOfThemIsRefused) {
  EXPECT_THAT(
      faults_in_sizes("[8, { adaptive = [1, 64], rule = \"breaks\", tolerance = \"5%\" }]"),
      ElementsAre(HasSubstr("rule = \"breaks\" has no tolerance: a fit tells where it breaks")));
  EXPECT_THAT(faults_in_sizes("{ adaptive = [1, 64], rule = \"breaks\" }"),
              ElementsAre(HasSubstr("adds sizes where the fit of others breaks, and the block has "
                                    "no others; write some beside it")));
  EXPECT_THAT(
      faults_in_sizes("[8, { adaptive = [1, 64], rule = \"breaks\" }, { adaptive = [128, 1024] }]"),
      ElementsAre(HasSubstr("after rule = \"breaks\" all groups do; write the same rule")));
  EXPECT_THAT(faults_in_sizes("[8, { adaptive = [64, 1], rule = \"breaks\" }]"),
              ElementsAre(HasSubstr("nothing lies between")));
  EXPECT_THAT(faults_in_sizes("[8, { adaptive = [1, 64], rule = \"breaks\", separation = "
                              "\"100%\" }]"),
              ElementsAre(HasSubstr("cannot be halved")));
}

// Random sizes in parts have them, too: no cell of theirs is planned before a fit breaks.
TEST(SizesAtBreaks, GoWithRandomSizesInParts) {
  const std::string toml = with_sizes(
      "[{ loguniform = [1, 4096], count = 40, per-launch = 10 }, { adaptive = [1, 4096], rule = "
      "\"breaks\" }]",
      "[design]\nlaunches = { min = 25, max = 60 }\n");
  Campaign campaign = read_campaign(toml, "c.toml");
  Arm arm;
  arm.label = arm.library = "openmpi";
  campaign.arms = {arm};
  const ResolvedCells cells = test::resolved(campaign);
  EXPECT_EQ(cells.cells.size(), cells.samples.front().sizes_bytes.size());
  EXPECT_EQ(cells.sampled.size(), cells.cells.size());
}

}  // namespace
}  // namespace invar::design
