// What a library compares with the limits of its file, learned from a library that is made up: one
// that compares some number of bytes, or reads no file.
#include "tuning/probes/size_law_probe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

namespace invar::tuning {
namespace {

using testing::HasSubstr;

// The number of bytes that it compares for a block; nothing: it reads no file.
using Compared = std::function<std::optional<std::uint64_t>(std::uint64_t block_bytes)>;

std::vector<SizeLawAnswer> asked_of(const SizeLawQuestion& question, const Compared& compared) {
  std::vector<SizeLawAnswer> answers;
  while (const auto probe = next_size_law_probe(question, answers)) {
    SizeLawAnswer& answer = answers.emplace_back();
    answer.probe = *probe;
    for (const std::uint64_t size : probe->sizes_bytes) {
      const auto bytes = compared(size);
      answer.acts.emplace_back(bytes && *bytes >= probe->threshold_bytes);
    }
    if (answers.size() > 5) break;
  }
  return answers;
}

SizeLawFinding learned(const SizeLawQuestion& question, const Compared& compared) {
  return find_size_law(question, asked_of(question, compared));
}

TEST(SizeLawProbe, EveryLawIsLearnedOnAnyNumberOfRanks) {
  for (const std::uint32_t ranks : {2U, 3U, 4U, 8U}) {
    for (const std::uint64_t element : {std::uint64_t{1}, std::uint64_t{4}}) {
      const SizeLawQuestion question{
          .operation = "bcast", .ranks = ranks, .element_bytes = element};
      EXPECT_EQ(learned(question, [](std::uint64_t b) { return b; }).law, SizeLaw::kBlock);
      EXPECT_EQ(learned(question, [&](std::uint64_t b) { return b * ranks; }).law,
                SizeLaw::kBlockTimesRanks);
      EXPECT_EQ(learned(question, [&](std::uint64_t) { return element * ranks; }).law,
                SizeLaw::kTypeTimesRanks);
      EXPECT_EQ(learned(question, [](std::uint64_t) { return 0; }).law, SizeLaw::kNothing);
    }
  }
}

TEST(SizeLawProbe, AFileThatIsNotReadIsTold) {
  const SizeLawFinding finding =
      learned({.operation = "bcast"}, [](std::uint64_t) { return std::nullopt; });
  EXPECT_FALSE(finding.reads_file);
  EXPECT_FALSE(finding.law);
  EXPECT_THAT(finding.words, HasSubstr("not read"));
}

TEST(SizeLawProbe, ALawThatIsNotKnownIsNotTakenForAnother) {
  const SizeLawFinding finding =
      learned({.operation = "bcast", .ranks = 4}, [](std::uint64_t b) { return b / 4; });
  EXPECT_TRUE(finding.reads_file);
  EXPECT_FALSE(finding.law);
  EXPECT_THAT(finding.words, HasSubstr("by no law that is known"));
}

TEST(SizeLawProbe, TheExpectedLawGivesTheNameAmongEquals) {
  SizeLawQuestion question{.operation = "reduce_scatter", .ranks = 4};
  question.expected = SizeLaw::kSumOfCounts;
  EXPECT_EQ(learned(question, [](std::uint64_t b) { return b * 4; }).law, SizeLaw::kSumOfCounts);
  EXPECT_EQ(learned(question, [](std::uint64_t b) { return b; }).law, SizeLaw::kBlock)
      << "what was expected is not what is";
}

TEST(SizeLawProbe, SizesAreWholeElementsAscendingAndFew) {
  const SizeLawQuestion question{.operation = "allreduce", .ranks = 3, .element_bytes = 4};
  for (const SizeLawAnswer& answer : asked_of(question, [](std::uint64_t b) { return b; })) {
    EXPECT_LE(answer.probe.sizes_bytes.size(), 8U);
    EXPECT_TRUE(std::is_sorted(answer.probe.sizes_bytes.begin(), answer.probe.sizes_bytes.end()));
    for (const std::uint64_t size : answer.probe.sizes_bytes) EXPECT_EQ(size % 4, 0U);
  }
}

TEST(SizeLawProbe, WhatCannotBeSeenIsNotGuessed) {
  const SizeLawQuestion question{.operation = "bcast"};
  std::vector<SizeLawAnswer> answers = asked_of(question, [](std::uint64_t b) { return b; });
  answers[1].acts[1] = std::nullopt;
  EXPECT_FALSE(find_size_law(question, answers).law);
  answers[0].acts = {std::nullopt, std::nullopt};
  EXPECT_FALSE(find_size_law(question, answers).reads_file);
  EXPECT_THAT(find_size_law(question, answers).words, HasSubstr("cannot be seen"));
  EXPECT_FALSE(next_size_law_probe({.operation = "bcast", .ranks = 1}, {}));
  EXPECT_FALSE(find_size_law({.operation = "bcast", .ranks = 1}, {}).law);
}

TEST(SizeLawProbe, ARuleThatComesAndGoesHasNoLaw) {
  const SizeLawQuestion question{.operation = "bcast"};
  std::vector<SizeLawAnswer> answers = asked_of(question, [](std::uint64_t b) { return b; });
  answers[1].acts.back() = false;
  EXPECT_FALSE(find_size_law(question, answers).law);
}

TEST(ActsByTime, NeedsAPlainDifference) {
  EXPECT_EQ(acts_by_time(100, 1000, 900), true);
  EXPECT_EQ(acts_by_time(100, 110, 900), false);
  EXPECT_EQ(acts_by_time(100, 160, 900), std::nullopt) << "neither";
  EXPECT_EQ(acts_by_time(100, 220, 1e5), std::nullopt) << "slower, but not by that algorithm";
  EXPECT_EQ(acts_by_time(0, 100, 900), std::nullopt);
}

TEST(PlainlySlow, IsSlowAtEverySize) {
  EXPECT_TRUE(is_plainly_slow(std::vector{300.0, 3000.0}, std::vector{100.0, 900.0}));
  EXPECT_FALSE(is_plainly_slow(std::vector{300.0, 2000.0}, std::vector{100.0, 900.0}));
  EXPECT_FALSE(is_plainly_slow(std::vector<double>{}, std::vector<double>{}));
  EXPECT_FALSE(is_plainly_slow(std::vector{300.0}, std::vector{100.0, 900.0}));
  EXPECT_FALSE(is_plainly_slow(std::vector{300.0}, std::vector{0.0}));
}

}  // namespace
}  // namespace invar::tuning
