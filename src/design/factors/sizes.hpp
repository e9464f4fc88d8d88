// Message sizes: ranges, random draws, and how a campaign's `size` key writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/units.hpp"
#include "design/campaign/campaign.hpp"
#include "design/campaign/toml_table.hpp"

namespace invar::design {

// No list of sizes is longer; more is a typing mistake.
constexpr std::size_t kMaxSizes = 100'000;

// from, from * factor, ... up to `to` (included where the factor meets it); or why there is none.
base::Parsed<std::vector<std::uint64_t>> sizes_by_factor(std::uint64_t from_bytes,
                                                         std::uint64_t to_bytes,
                                                         std::uint64_t factor);

// from, from + step, ... up to `to` (included where the step meets it); or why there is none.
base::Parsed<std::vector<std::uint64_t>> sizes_by_step(std::uint64_t from_bytes,
                                                       std::uint64_t to_bytes,
                                                       std::uint64_t step_bytes);

// Log-uniform sizes over [low, high], each rounded down to a multiple of `extent` bytes, or up
// where that would leave the range; nothing if no multiple lies in it. Equal draws are kept. The
// same on every platform: each random bit takes one half of the interval, which its geometric mean
// divides, and a product and a square root are exact in IEEE 754, while libraries' exp and log
// differ.
std::vector<std::uint64_t> draw_sizes(const RandomSizes& request, std::uint64_t extent_bytes,
                                      base::Random& random);

// The size that a draw in the request's range becomes with elements of `extent_bytes`: rounded as
// above. None: no multiple lies in the range.
std::optional<std::uint64_t> rounded_size(const RandomSizes& request, std::uint64_t drawn_bytes,
                                          std::uint64_t extent_bytes);

// The sizes that adaptive ones begin with, ascending, each once: both ends, the powers of two
// between them, and the middle of every two of these that follow one another; multiples of
// `extent_bytes`, rounded up (the highest and the middles down). None if no multiple lies between
// the ends, and by the rule that adds to a block's other sizes.
std::vector<std::uint64_t> first_sizes(const AdaptiveSizes& asked, std::uint64_t extent_bytes);
// A middle stands between two others.
constexpr std::size_t kLeastFirstSizes = 3;

// What the command line asks for.
struct SizesAsked {
  std::vector<std::uint64_t> sizes_bytes = {};
  std::vector<AdaptiveSizes> adaptive = {};
};

// "8,1KiB:64KiB,adaptive:0:64KiB:2%": as parse_size_list(), and sizes that are chosen under way,
// with the tolerance if it is not the usual one. Throws UserError with all faults, naming `place`.
SizesAsked parse_sizes(std::string_view text, const std::string& place);

struct SizeRange {
  std::uint64_t low_bytes = 1;
  std::uint64_t high_bytes = 1;
};
// MPI's calls count in int, and simulators read sizes as such.
constexpr std::uint64_t kSizesEnd = std::uint64_t{1} << 31U;

// "1:4MiB": a range that sizes are drawn from, 1 B at least, below kSizesEnd, the smaller one
// first. Throws UserError with all faults, naming `place`.
SizeRange parse_size_range(std::string_view text, const std::string& place);

// The `size` key of a [[cells]] table into the block.
void read_sizes(TomlTable& cells, CellsBlock& block);

}  // namespace invar::design
