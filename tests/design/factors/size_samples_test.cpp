// Random sizes that blocks have in common: the draw, the parts of it that launch groups have, what
// is held out, and what is refused.
#include "design/factors/size_samples.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/csv.hpp"
#include "design/factors/sizes.hpp"
#include "design/helpers.hpp"

namespace invar::design {
namespace {

using test::campaign_faults;
using test::golden;
using test::with_head;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kDraw =
    "{ loguniform = [1, 65536], count = 40, per-launch = 8, hold-out = 10 }";

// A block for each value of `size`, and enough launch groups.
std::string with_blocks(const std::vector<std::string>& sizes,
                        const std::string& launches = "{ min = 25, max = 60 }",
                        const std::string& design = {}) {
  std::string text = "[design]\nlaunches = " + launches + "\n" + design;
  for (const std::string& size : sizes) {
    text += "[[cells]]\noperation = \"bcast\"\nranks = 2\nsize = " + size + "\n";
  }
  return with_head(text);
}

Campaign campaign_with(const std::vector<std::string>& sizes) {
  return read_campaign(with_blocks(sizes), "c.toml");
}

std::vector<std::uint64_t> of_part(const SizeSample& sample, const std::vector<bool>& measured) {
  std::vector<std::uint64_t> sizes;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    if (measured[i]) sizes.push_back(sample.sizes_bytes[i]);
  }
  return sizes;
}

std::string text_of(const std::vector<std::uint64_t>& sizes) {
  std::string text;
  for (const std::uint64_t size : sizes) text += (text.empty() ? "" : " ") + std::to_string(size);
  return text;
}

TEST(SizeSamples, DrawAndPartsAreThoseOfTheIndependentScript) {
  Campaign campaign = campaign_with({kDraw});
  campaign.seed = 20160412;
  const std::vector<SizeSample> samples = size_samples(campaign);
  ASSERT_THAT(samples, SizeIs(1));
  const SizeSample& sample = samples.front();
  std::map<std::string, std::string> expected;
  for (const auto& row : base::read_csv(golden("design_parts.csv"), "design_parts.csv")) {
    expected[row.fields[0]] = row.fields[1];
  }
  EXPECT_EQ(text_of(sample.sizes_bytes), expected.at("all"));
  std::vector<std::uint64_t> held_out;
  for (std::size_t i = 0; i < sample.sizes_bytes.size(); ++i) {
    if (sample.is_held_out(i)) held_out.push_back(sample.sizes_bytes[i]);
  }
  EXPECT_EQ(text_of(held_out), expected.at("held out"));
  for (std::uint32_t part = 1; part <= 12; ++part) {
    EXPECT_EQ(text_of(of_part(sample, sizes_of_part(sample, 0, campaign.seed, part))),
              expected.at("part " + std::to_string(part)));
  }
}

TEST(SizeSamples, EverySizeIsInOneGroupOfACycleAndTheirNumbersDifferByOneAtMost) {
  const SizeSample sample = size_samples(campaign_with({kDraw})).front();
  ASSERT_GT(sample.parts, 1U);
  std::set<std::vector<bool>> seen;
  for (std::uint32_t cycle = 0; cycle < 20; ++cycle) {
    std::vector<int> times(sample.sizes_bytes.size());
    for (std::uint32_t i = 1; i <= sample.parts; ++i) {
      const std::vector<bool> has = sizes_of_part(sample, 0, 7, cycle * sample.parts + i);
      const auto count = std::ranges::count(has, true);
      EXPECT_LE(count, 8);
      EXPECT_GE(count, static_cast<std::ptrdiff_t>(has.size() / sample.parts));
      EXPECT_TRUE(seen.insert(has).second) << "other parts in every cycle";
      for (std::size_t size = 0; size < has.size(); ++size) times[size] += has[size] ? 1 : 0;
    }
    EXPECT_THAT(times, Each(1));
  }
}

// A group without large sizes would cost less than others, and tell less of what groups have in
// common.
TEST(SizeSamples, EveryPartGoesOverTheWholeRange) {
  const SizeSample sample = size_samples(campaign_with({kDraw})).front();
  for (std::uint32_t part = 1; part <= 60; ++part) {
    const std::vector<bool> has = sizes_of_part(sample, 0, 7, part);
    for (std::size_t run = 0; run + sample.parts <= has.size(); run += sample.parts) {
      EXPECT_EQ(std::count(has.begin() + static_cast<std::ptrdiff_t>(run),
                           has.begin() + static_cast<std::ptrdiff_t>(run + sample.parts), true),
                1);
    }
  }
}

TEST(SizeSamples, NeighboursMeetInSomeGroupAndAreApartInOthers) {
  const SizeSample sample = size_samples(campaign_with({kDraw})).front();
  const std::size_t last = sample.parts - 1;  // and the first one of the next run
  int together = 0;
  for (std::uint32_t part = 1; part <= 100 * sample.parts; ++part) {
    const std::vector<bool> has = sizes_of_part(sample, 0, 7, part);
    together += has[last] && has[last + 1] ? 1 : 0;
  }
  EXPECT_GT(together, 5);
  EXPECT_LT(together, 95);
}

TEST(SizeSamples, TheSameWordsAreOneDrawInAllBlocks) {
  const Campaign campaign = campaign_with(
      {kDraw,
       "[8, { loguniform = [1, 65536], count = 40, per-launch = 8, hold-out = 10, every = 4 }]",
       "{ loguniform = [1, 4096], count = 40, per-launch = 8 }",
       "{ loguniform = [1, 65536], count = 40, per-launch = 8, hold-out = 10, seed = 3 }",
       "{ loguniform = [1, 65536], count = 40 }"});
  const std::vector<SizeSample> samples = size_samples(campaign);
  ASSERT_THAT(samples, SizeIs(3)) << "the last one is the block's own";
  EXPECT_EQ(samples[0].asked.every, 1U);
  EXPECT_NE(samples[0].sizes_bytes, samples[2].sizes_bytes) << "it has a seed of its own";
  EXPECT_EQ(samples[2].asked.seed, 3U);
}

TEST(SizeSamples, ADrawOfItsOwnSeedStaysWhatItIs) {
  Campaign campaign =
      campaign_with({"{ loguniform = [1, 65536], count = 40, per-launch = 8, seed = 3 }"});
  const std::vector<std::uint64_t> before = size_samples(campaign).front().sizes_bytes;
  campaign.seed = 12345;
  EXPECT_EQ(size_samples(campaign).front().sizes_bytes, before);
}

TEST(SizeSamples, EveryTakesTheLastOfEachRun) {
  const SizeSample sample = size_samples(campaign_with({kDraw})).front();
  EXPECT_THAT(sample.chosen(1), SizeIs(sample.sizes_bytes.size()));
  const std::vector<std::size_t> some = sample.chosen(10);
  ASSERT_FALSE(some.empty());
  for (std::size_t i = 0; i < some.size(); ++i) {
    EXPECT_EQ(some[i], 10 * i + 9);
    EXPECT_FALSE(sample.is_held_out(some[i])) << "else a block of few sizes would have none to fit";
  }
}

TEST(SizeSamples, NeitherEndIsHeldOut) {
  SizeSample sample;
  sample.asked.hold_out = 2;
  sample.sizes_bytes = {1, 2, 3, 4};
  EXPECT_FALSE(sample.is_held_out(0));
  EXPECT_TRUE(sample.is_held_out(1));
  EXPECT_FALSE(sample.is_held_out(2));
  EXPECT_FALSE(sample.is_held_out(3)) << "the largest";
}

TEST(HeldOutSizes, AreThoseThatNoDrawHasOtherwise) {
  const Campaign campaign = campaign_with({kDraw});
  const SizeSample sample = size_samples(campaign).front();
  std::set<std::uint64_t> expected;
  for (std::size_t i = 0; i < sample.sizes_bytes.size(); ++i) {
    if (sample.is_held_out(i)) expected.insert(sample.sizes_bytes[i]);
  }
  EXPECT_FALSE(expected.empty());
  EXPECT_EQ(held_out_sizes(campaign), expected);
  // With a datatype of 4 bytes 5 B and 7 B are one size: it is held out if both are.
  for (const std::uint64_t size : held_out_sizes(campaign, 4)) {
    EXPECT_EQ(size % 4, 0U);
    for (std::size_t i = 0; i < sample.sizes_bytes.size(); ++i) {
      if (rounded_size(sample.asked, sample.sizes_bytes[i], 4) != size) continue;
      EXPECT_TRUE(sample.is_held_out(i));
    }
  }
  EXPECT_THAT(held_out_sizes(campaign_with({"[8, 16]"})), IsEmpty());
}

TEST(SizeSamples, AreWrittenAsTheyWereRead) {
  for (const char* size :
       {kDraw, "[8, { loguniform = [1, 65536], count = 40, hold-out = 7, seed = 5 }]"}) {
    const Campaign campaign = campaign_with({size});
    Campaign again = read_campaign(campaign_toml(campaign), "again.toml");
    EXPECT_EQ(again.cells, campaign.cells) << size;
  }
  const Campaign campaign = campaign_with(
      {kDraw, "{ loguniform = [1, 65536], count = 40, per-launch = 8, hold-out = 10, every = 4 }"});
  EXPECT_EQ(campaign.cells[1].random_sizes.front().every, 4U);
  EXPECT_EQ(read_campaign(campaign_toml(campaign), "again.toml").cells, campaign.cells);
}

std::vector<std::string> faults_with(const std::vector<std::string>& sizes,
                                     const std::string& launches = "{ min = 25, max = 60 }",
                                     const std::string& more = {}) {
  return campaign_faults(with_blocks(sizes, launches) + more);
}

// Throws what is wrong.
void read_with(const std::vector<std::string>& sizes, const std::string& launches,
               const std::string& more = {}) {
  (void)read_campaign(with_blocks(sizes, launches) + more, "c.toml");
}

TEST(SizeSamples, TooFewLaunchGroupsAreRefusedWithNumbers) {
  EXPECT_THAT(faults_with({kDraw}, "10"),
              ElementsAre(HasSubstr("at most 8 in a launch group: each is in one of 5, in 2 of the "
                                    "least number of 10 groups, and has to be in 5; write launches "
                                    "= { min = 25 }")));
  // What would do, does.
  const std::string fault = faults_with({kDraw}, "10").front();
  const std::size_t at = fault.find("per-launch = ");
  ASSERT_NE(at, std::string::npos);
  const std::string each = fault.substr(at + 13, 2);
  EXPECT_NO_THROW(read_with(
      {"{ loguniform = [1, 65536], count = 40, per-launch = " + each + ", hold-out = 10 }"}, "10"));
  EXPECT_THAT(faults_with({kDraw}, "24"), SizeIs(1));
  EXPECT_NO_THROW(read_with({kDraw}, "25"));
  EXPECT_THAT(faults_with({kDraw}, "{ min = 3, max = 60 }"), SizeIs(1))
      << "the budget may end it after the least number";
}

TEST(SizeSamples, WhatCannotBeIsRefusedAtItsPlace) {
  const auto fault = [](const std::string& size) { return faults_with({size}); };
  EXPECT_THAT(fault("{ loguniform = [1, 64], count = 8, per-launch = 8 }"),
              ElementsAre(HasSubstr("of 8 sizes a launch group is to have 8 at most: it has all")));
  EXPECT_THAT(fault("{ loguniform = [1, 64], count = 8, per-launch = 0 }"), SizeIs(1));
  EXPECT_THAT(fault("{ loguniform = [1, 64], count = 8, hold-out = 1 }"), SizeIs(1));
  EXPECT_THAT(fault("{ loguniform = [1, 64], count = 8, every = 1 }"), SizeIs(1));
  EXPECT_THAT(fault("{ loguniform = [1, 64], count = 8, seed = -1 }"), SizeIs(1));
  EXPECT_THAT(fault("{ from = 1, to = 64, factor = 2, per-launch = 3, hold-out = 4 }"),
              ElementsAre(HasSubstr("'per-launch' goes with 'loguniform' only"),
                          HasSubstr("'hold-out' goes with 'loguniform' only")));
  EXPECT_THAT(fault("{ loguniform = [1, 64], count = 8, per-lunch = 3 }"),
              ElementsAre(HasSubstr("per-launch")));
}

TEST(SizeSamples, OneDrawHasOneKindOfParts) {
  EXPECT_THAT(faults_with({kDraw,
                           "{ loguniform = [1, 65536], count = 40, per-launch = 10, "
                           "hold-out = 10 }"}),
              ElementsAre(HasSubstr("are one draw in all blocks, and another one writes another "
                                    "'per-launch' or 'hold-out'")));
}

TEST(SizeSamples, ADrawThatNoBlockHasWholeIsRefused) {
  EXPECT_THAT(faults_with({"{ loguniform = [1, 65536], count = 40, per-launch = 8, every = 3 }"}),
              ElementsAre(HasSubstr("no block has all of 40 random sizes from 1 B to 64 KiB")));
}

TEST(SizeSamples, NothingThatNeedsAllCellsInEveryGroupGoesWithParts) {
  const std::string design = "[analysis]\n";
  EXPECT_THAT(
      campaign_faults(with_head("[design]\nstopping = \"looks\"\n[[cells]]\noperation = "
                                "\"bcast\"\nsize = " +
                                std::string(kDraw) + "\n")),
      Contains(HasSubstr("stopping = \"looks\" counts launch groups that have every cell")));
  EXPECT_THAT(campaign_faults(with_blocks({kDraw}, "25", "repetitions = { predict = \"rse\" }\n")),
              ElementsAre(HasSubstr("repetitions are predicted from the pilot group")));
  EXPECT_THAT(faults_with({"[" + std::string(kDraw) + ", { adaptive = [1, 64] }]"}),
              ElementsAre(HasSubstr("adaptive sizes are chosen from groups that have all")));
  EXPECT_THAT(
      faults_with({kDraw}, "25",
                  "cache = [\"warm\", \"cold-flush\"]\n" + design + "question = \"factors\"\n"),
      ElementsAre(HasSubstr("question = \"factors\" asks about groups that have all")));
  EXPECT_NO_THROW(read_with({kDraw}, "25", design + "question = \"show\"\n"));
}

TEST(SizeSamples, AreMultiplesOfWhatIsAskedFor) {
  const auto drawn = [](const std::string& more) {
    return read_campaign(test::with_head("[[cells]]\noperation = \"bcast\"\nranks = 2\nsize = { "
                                         "loguniform = [1, \"64KiB\"], count = 50, hold-out = 5" +
                                         more + " }\n[[arm]]\nlibrary = \"a\"\n"),
                         "c.toml");
  };
  const Campaign campaign = drawn(", multiple = \"1KiB\"");
  const std::vector<std::uint64_t> sizes = size_samples(campaign).front().sizes_bytes;
  EXPECT_GT(sizes.size(), 10U);
  for (const std::uint64_t size : sizes) EXPECT_EQ(size % 1024, 0U);
  EXPECT_EQ(sizes.front(), 1024U) << "small draws are rounded up";
  EXPECT_EQ(read_campaign(campaign_toml(campaign), "again"), campaign);
  EXPECT_FALSE(same_sample(campaign.cells[0].random_sizes[0], drawn("").cells[0].random_sizes[0]));
  EXPECT_THAT(test::faults_of([&] { (void)drawn(", multiple = \"1MiB\""); }),
              testing::ElementsAre(testing::HasSubstr(
                  "no multiple of 1 MiB is from 1 B to 64 KiB; write a longer range")));
  EXPECT_THAT(test::faults_of([&] { (void)drawn(", multiple = 0"); }),
              testing::ElementsAre(testing::HasSubstr("is 0")));
}

}  // namespace
}  // namespace invar::design
