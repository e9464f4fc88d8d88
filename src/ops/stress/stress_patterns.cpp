#include "ops/stress/stress_patterns.hpp"

#include <algorithm>
#include <cstring>

namespace invar::ops {
namespace {

constexpr std::array<std::string_view, kStressPatterns> kPatternNames{
    "zeros", "ones", "walking bit", "address", "random"};
// No byte of it is 0, none is 255, and they differ.
constexpr std::uint64_t kPoisonMask = 0x96c3a55a69f13c87U;
constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15U;
constexpr std::uint64_t kAllOnes = ~std::uint64_t{0};

// SplitMix64's output function (Steele, Lea, Flood 2014).
std::uint64_t mixed_word(std::uint64_t state) {
  state = (state ^ (state >> 30U)) * 0xbf58476d1ce4e5b9U;
  state = (state ^ (state >> 27U)) * 0x94d049bb133111ebU;
  return state ^ (state >> 31U);
}

// A bit that walks up from any of the 64 places for a block: two rounds.
constexpr auto kWalk = [] {
  std::array<std::uint64_t, 2 * StressBlocks::kWords> words{};
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = std::uint64_t{1} << (i % 64);
  return words;
}();

}  // namespace

std::string_view name_of(StressPattern pattern) {
  return kPatternNames[static_cast<std::size_t>(pattern)];
}

StressContent StressContent::poison() const {
  StressContent other = *this;
  other.mask ^= kPoisonMask;
  return other;
}

const std::byte* StressBlocks::block(std::uint64_t number, std::size_t bytes) {
  const std::size_t words =
      std::min((bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t), kWords);
  const std::uint64_t mask = content_.mask;
  const std::uint64_t first = number * kWords;
  switch (content_.pattern) {
    case StressPattern::kZeros:
    case StressPattern::kOnes: {
      const std::uint64_t word = content_.pattern == StressPattern::kZeros ? mask : kAllOnes ^ mask;
      if (!filled_) words_.fill(word);
      filled_ = true;
      break;
    }
    case StressPattern::kWalking: {
      const std::uint64_t start = mixed_word(content_.key + number * kGolden) % kWords;
      // In half of the messages a zero walks through ones.
      const std::uint64_t flip = ((content_.key & 1U) != 0 ? kAllOnes : 0) ^ mask;
      for (std::size_t i = 0; i < words; ++i) words_[i] = kWalk[start + i] ^ flip;
      break;
    }
    case StressPattern::kAddress: {
      const std::uint64_t key = content_.key ^ mask;
      for (std::size_t i = 0; i < words; ++i) words_[i] = ((first + i) * sizeof(first)) ^ key;
      break;
    }
    case StressPattern::kRandom:
      for (std::size_t i = 0; i < words; ++i) {
        words_[i] = mixed_word(content_.key + (first + i + 1) * kGolden) ^ mask;
      }
      break;
  }
  return reinterpret_cast<const std::byte*>(words_.data());
}

void write_content(std::span<std::byte> to, const StressContent& content) {
  StressBlocks blocks(content);
  for (std::size_t at = 0; at < to.size(); at += StressBlocks::kBytes) {
    const std::size_t bytes = std::min(StressBlocks::kBytes, to.size() - at);
    std::memcpy(to.data() + at, blocks.block(at / StressBlocks::kBytes, bytes), bytes);
  }
}

std::optional<std::size_t> first_difference(std::span<const std::byte> found,
                                            const StressContent& content, std::size_t from) {
  StressBlocks blocks(content);
  for (std::size_t at = from / StressBlocks::kBytes * StressBlocks::kBytes; at < found.size();
       at += StressBlocks::kBytes) {
    const std::size_t bytes = std::min(StressBlocks::kBytes, found.size() - at);
    const std::byte* const wanted = blocks.block(at / StressBlocks::kBytes, bytes);
    const std::size_t skipped = std::max(from, at) - at;
    if (std::memcmp(found.data() + at + skipped, wanted + skipped, bytes - skipped) == 0) continue;
    const auto wrong = std::mismatch(wanted + skipped, wanted + bytes, found.data() + at + skipped);
    return at + static_cast<std::size_t>(wrong.first - wanted);
  }
  return std::nullopt;
}

}  // namespace invar::ops
