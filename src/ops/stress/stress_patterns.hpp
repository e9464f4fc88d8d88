// The data of stress messages. Every word depends on the message and on its place, so that what
// belongs elsewhere is recognised (docs/methods.md, "Stress"). Made and compared in blocks, at
// about the speed of memcpy: the library shall be what takes the time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace invar::ops {

enum class StressPattern : std::uint8_t {
  kZeros,
  kOnes,
  kWalking,  // one bit of every word is set, or is not; it walks, anew from a drawn place in each
             // block
  kAddress,  // the byte's offset, xor the key
  kRandom,   // SplitMix64 by the word's number
};
inline constexpr std::size_t kStressPatterns = 5;
std::string_view name_of(StressPattern pattern);

struct StressContent {
  StressPattern pattern = StressPattern::kZeros;
  std::uint64_t key = 0;
  // Xor every word of it.
  std::uint64_t mask = 0;

  // What a buffer holds before the message comes: no byte of it is what must come, and it is no
  // other message's content either (the complement of zeros would be that of ones).
  [[nodiscard]] StressContent poison() const;
  bool operator==(const StressContent&) const = default;
};

// One of the blocks of a content at a time.
class StressBlocks {
 public:
  static constexpr std::size_t kWords = 64;
  static constexpr std::size_t kBytes = kWords * sizeof(std::uint64_t);
  explicit StressBlocks(const StressContent& content) : content_(content) {}
  // Block `number`, of which only the first `bytes` are needed. Valid until the next call.
  const std::byte* block(std::uint64_t number, std::size_t bytes);

 private:
  StressContent content_;
  bool filled_ = false;  // with words that are the same in all blocks
  std::array<std::uint64_t, kWords> words_ = {};
};

void write_content(std::span<std::byte> to, const StressContent& content);

// The first byte from `from` on that is another one than the content's; none: all are right.
std::optional<std::size_t> first_difference(std::span<const std::byte> found,
                                            const StressContent& content, std::size_t from = 0);

}  // namespace invar::ops
