// How the total of a call with counts of its own for every block is distributed over the blocks
// (Cell::distribution). The total is the same for every distribution: blocks times the mean block,
// which is what the cell's size describes (docs/methods.md, "Distributions of blocks").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/factors.hpp"

namespace invar::record {

enum class DistributionPattern : std::uint8_t {
  kRegular,   // all blocks are equal
  kLinear,    // block i in proportion to i + 1
  kHalfZero,  // blocks of even numbers are empty, the others share the total
  kOneBig,    // the last block is all there is
  kRandom,    // in proportion to numbers drawn from a seed
};

struct Distribution {
  DistributionPattern pattern = DistributionPattern::kRegular;
  std::uint64_t seed = 0;  // of kRandom

  [[nodiscard]] bool regular() const { return pattern == DistributionPattern::kRegular; }
};

// "regular", "linear", "half-zero", "one-big", "random:SEED" with a seed below 2^64, without
// leading zeros. Nothing for other texts.
std::optional<Distribution> parse_distribution(std::string_view text);

// A distribution as people write it.
LevelText distribution_level(std::string_view written);

// The lengths of all blocks, in elements. Block i ends where the total times the share of the
// weights up to i ends, rounded down: the total is exact, and no block is more than one element
// away from its weight's share.
class BlockLengths {
 public:
  // `mean` elements a block; 1 block or more; fewer than 2^31 blocks and 2^63 elements in all.
  BlockLengths(Distribution distribution, std::uint64_t mean, std::uint64_t blocks);

  // Elements of all blocks together.
  [[nodiscard]] std::uint64_t all() const { return mean_ * blocks_; }
  // Elements before block `number`, up to blocks.
  [[nodiscard]] std::uint64_t begin(std::uint64_t number) const;
  [[nodiscard]] std::uint64_t of(std::uint64_t number) const {
    return begin(number + 1) - begin(number);
  }
  [[nodiscard]] std::uint64_t largest() const;

  // Where every rank has a block for every rank: what `from` sends to `to` is block (to - from)
  // modulo the ranks, so that every rank sends and receives the total.
  [[nodiscard]] std::uint64_t between(std::uint64_t from, std::uint64_t to) const {
    return of((to + blocks_ - from) % blocks_);
  }
  // Elements before the block for `to` in what `from` sends, and before the block of `from` in what
  // `to` receives, in the order of the ranks.
  [[nodiscard]] std::uint64_t sent_before(std::uint64_t from, std::uint64_t to) const {
    return around((blocks_ - from) % blocks_, to);
  }
  [[nodiscard]] std::uint64_t received_before(std::uint64_t to, std::uint64_t from) const {
    return around((to + blocks_ + 1 - from) % blocks_, from);
  }

  // Elements before the last block: the largest displacement of a call. `pairs`: every rank has a
  // block for every rank, and any of them is the last one for some rank.
  [[nodiscard]] std::uint64_t before_last(bool pairs) const;

  // Bytes that it holds beside itself.
  [[nodiscard]] std::uint64_t held_bytes() const {
    return weights_below_.capacity() * sizeof(std::uint64_t);
  }

 private:
  // The weight of the blocks before `number`. That of all blocks is weight_below(blocks_).
  [[nodiscard]] std::uint64_t weight_below(std::uint64_t number) const;
  // Elements of `count` blocks from `first` on, behind the last one comes the first.
  [[nodiscard]] std::uint64_t around(std::uint64_t first, std::uint64_t count) const;

  DistributionPattern pattern_;
  std::uint64_t mean_;
  std::uint64_t blocks_;
  std::uint64_t all_weights_;
  std::vector<std::uint64_t> weights_below_ = {};  // of kRandom
};

}  // namespace invar::record
