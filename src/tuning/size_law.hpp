// Which number of bytes a library compares with the limits in its file. Our size is that of the
// block (design.md, section 3); theirs differs from operation to operation, and from version to
// version: it is learned by probes, and these tables only say what to expect.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "tuning/library.hpp"

namespace invar::tuning {

enum class SizeLaw : std::uint8_t {
  kBlock,            // the block
  kBlockTimesRanks,  // the block of every rank together
  kBlockPerRank,     // sum of the counts by ranks (v-forms): the block, where all are equal
  kSumOfCounts,      // sum of the counts: blocks times ranks, where all are equal
  kTypeTimesRanks,   // one element times ranks: sizes cannot be told apart
  kNothing,          // always 0: likewise
};

// "block", "block-times-ranks", ...: in tables and messages.
std::string_view to_string(SizeLaw law);
std::optional<SizeLaw> parse_size_law(std::string_view text);

// What the library compares for equal blocks of that size. Nothing where it does not depend on the
// block.
std::optional<std::uint64_t> compared_bytes(SizeLaw law, std::uint64_t block_bytes,
                                            std::uint32_t ranks);

// What was learned, by operation.
using SizeLaws = std::map<std::string, SizeLaw, std::less<>>;

// What the library's sources say: where a probe begins. Nothing: not known.
std::optional<SizeLaw> expected_size_law(Library library, const Version& version,
                                         std::string_view operation);

}  // namespace invar::tuning
