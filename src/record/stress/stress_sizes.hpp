// Which sizes a stress run tries, and how often each of them (docs/methods.md, "Stress").
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace invar::record {

// Messages above it are large: two thirds of the time are theirs.
constexpr std::uint32_t kLargeStressBytes = 64U << 10U;

// 0, every power of two up to 4 MiB, and one byte less and more than each; ascending.
std::vector<std::uint32_t> usual_stress_sizes();

// These, and one byte less and more than each, as far as messages may be so large.
std::vector<std::uint32_t> sizes_beside(std::span<const std::uint64_t> sizes_bytes);

// All of them, ascending, each once.
std::vector<std::uint32_t> united_sizes(std::vector<std::uint32_t> some,
                                        std::span<const std::uint32_t> others);

// How often each size comes, so that time is shared out as follows: a third of it for messages up
// to kLargeStressBytes, in equal parts for the octaves that have sizes, the rest for larger ones,
// the part of an octave falling with the square root of the size, so that there are many messages
// beyond the size from which libraries go other ways. What a message costs is taken to follow its
// length, plus as much as 2 KiB take. Where there is nothing on one side the other has all.
class StressSizes {
 public:
  // Ascending, each once, one at least.
  explicit StressSizes(std::span<const std::uint32_t> sizes_bytes);
  // uniform in [0, 1).
  [[nodiscard]] std::uint32_t draw(double uniform) const;
  // The share of all messages that have this size.
  [[nodiscard]] double share_of(std::size_t index) const;

 private:
  std::vector<std::uint32_t> sizes_;
  std::vector<double> up_to_ = {};  // sum of the shares up to each size; the last is 1
};

}  // namespace invar::record
