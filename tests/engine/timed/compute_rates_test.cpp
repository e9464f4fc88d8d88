// What ranks compute meanwhile, in steps whose time is known.
#include "engine/timed/compute_rates.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace invar::engine {
namespace {

TEST(ComputeRates, StepsAreThoseNextToTheTimeAskedFor) {
  const ComputeRates rates{.chain = {.step_ps = 1000}, .memory = {.step_ps = 8000}};
  EXPECT_EQ(rates.steps(0, false), 0U);
  EXPECT_EQ(rates.steps(1e-6, false), 1000U);
  EXPECT_EQ(rates.steps(1e-6, true), 125U);
}

TEST(ComputeRates, WithoutARateNothingIsComputed) {
  EXPECT_EQ(ComputeRates{}.steps(1, false), 0U);
  EXPECT_EQ(ComputeRates{}.steps(1, true), 0U);
}

// Every line is written once a round, in order, from where the last stream ended.
TEST(Stream, GoesRoundAndRound) {
  constexpr std::size_t kWords = ops::StreamedRegion::kLineBytes / sizeof(std::uint64_t);
  std::vector<std::uint64_t> words(5 * kWords, 0);
  ops::StreamedRegion region{.words = words.data(), .lines = 5};
  ops::stream(region, 3);
  EXPECT_EQ(region.at, 3U);
  ops::stream(region, 4);
  EXPECT_EQ(region.at, 2U);
  for (std::size_t word = 0; word < words.size(); ++word) {
    EXPECT_EQ(words[word], word / kWords < 2 ? 2U : 1U) << word;
  }
  ops::stream(region, 3);
  EXPECT_EQ(region.at, 0U) << "an end is the beginning";
  ops::stream(region, 0);
  EXPECT_EQ(region.at, 0U);
}

TEST(MemoryRate, IsThatOfALine) {
  std::vector<std::uint64_t> words(std::size_t{1} << 17U);
  ops::StreamedRegion region{.words = words.data(),
                             .lines = words.size() * 8 / ops::StreamedRegion::kLineBytes};
  const DelayRate rate = measure_memory_rate(region);
  EXPECT_GT(rate.step_ps, 10);
  EXPECT_GT(rate.check, 0);
}

}  // namespace
}  // namespace invar::engine
