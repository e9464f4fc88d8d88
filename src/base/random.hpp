// Our own generator: plans must be the same on every platform, and std::shuffle and the standard
// distributions differ between libraries.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>

namespace invar::base {

// xoshiro256** (Blackman and Vigna, 2021), seeded by SplitMix64.
class Random {
 public:
  explicit Random(std::uint64_t seed);

  // A stream of its own for a place in the campaign, for example {seed, kPlacement, group, visit}:
  // draws in one place do not move when another place draws more often.
  static Random of(std::initializer_list<std::uint64_t> place);

  // Uniform over all 64-bit values.
  std::uint64_t next();

  // Uniform in [0, bound), without bias (Lemire 2019); bound > 0.
  std::uint64_t below(std::uint64_t bound);

  // Uniform in [0, 1), 53 bits.
  double uniform() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

  // Fisher-Yates.
  template <typename T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) {
      std::swap(items[i - 1], items[static_cast<std::size_t>(below(i))]);
    }
  }

 private:
  std::uint64_t state_[4];
};

}  // namespace invar::base
