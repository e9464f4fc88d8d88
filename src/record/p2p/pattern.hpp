// Who sends to whom: the levels of the factor `pattern` (docs/formats.md, "Patterns").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/factors.hpp"

namespace invar::record {

// Which patterns an operation takes.
enum class Messages : std::uint8_t {
  kNone,      // it sends no messages of its own: roles are rules by rank (roles.hpp)
  kMatched,   // pairs of ranks, every rank in one of them at most
  kDirected,  // these, and patterns in which a rank sends to one and receives from another
  kPartners,  // patterns in which a rank exchanges with several
  kPairs,     // as kMatched, and only the rank that begins sends
};

// As in `invar-engine --describe`.
constexpr std::string_view name_of(Messages messages) {
  constexpr std::string_view kNames[] = {"none", "matched", "directed", "partners", "pairs"};
  return kNames[static_cast<std::size_t>(messages)];
}

enum class PatternKind : std::uint8_t {
  kDistance,   // "distance:D": rank 0 and rank D
  kDoubling,   // "doubling:K": rank r and r XOR 2^K; those without a partner stand by
  kHypercube,  // "hypercube:K": the same of a power of two of ranks alone
  kBisection,  // "bisection": r and r + ranks/2, of an even number of ranks
  kMatching,   // "matching:K": round K of the circle method (base/circle_method.hpp)
  kRandom,     // "random:SEED": a random perfect matching; of an odd number one rank stands by
  kRing,       // "ring": r to r + 1
  kShift,      // "shift:K": r to r + K
  kFanOut,     // "fan-out:N": 0 to 1..N
  kFanIn,      // "fan-in:N": 1..N to 0
  kGrid,       // "grid:D": 2 D neighbours on a periodic grid as square as it can be, D = 1 to 3
  kPartners,   // "partners:N": r and r + 1, r - 1, ..., r + N/2, r - N/2; N is even
};

struct Pattern {
  PatternKind kind = PatternKind::kDistance;
  std::uint64_t number = 1;  // what stands behind the colon; 0 where nothing does
  bool back = false;         // ":back" behind a pattern of pairs: from the one to the other

  bool operator==(const Pattern&) const = default;
};

// One direction of a pair of ranks: `from` begins.
struct RankPair {
  std::uint32_t from = 0;
  std::uint32_t to = 0;

  bool operator==(const RankPair&) const = default;
};

// As it is written above: nothing for other texts, for numbers that no machine has (above 10^7; a
// seed may be any of 64 bits) and for numbers that are not written shortest.
std::optional<Pattern> parse_pattern(std::string_view text);
std::string pattern_text(const Pattern& pattern);

// The usual pattern of an operation: rank 0 and rank 1, or the two neighbours around all ranks.
std::string_view usual_pattern(Messages messages);

// A pattern as people write it; also what stands for several (expand_pattern()).
LevelText pattern_level(std::string_view written);

// "all-pairs": every matching of the circle method, forth and back ("matching:0",
// "matching:0:back", ...); "random-matchings:N": "random:1" to "random:N". Any other level is
// itself.
std::vector<std::string> expand_pattern(std::string_view level, std::uint32_t ranks);

// Why there is no such pattern of so many ranks for an operation of this kind, as `complaint`, with
// what would help; neither: there is. `messages` is not kNone.
LevelText lack_of_pattern(const Pattern& pattern, Messages messages, std::uint32_t ranks);

// What follows is of patterns that have no lack. All messages of a call, a pair for each direction;
// ascending by `from`, then by `to`. Where a rank is several neighbours of another one (of few
// ranks on a circle), there are as many equal pairs.
std::vector<RankPair> pairs_of(const Pattern& pattern, std::uint32_t ranks);

// The ranks that `rank` sends to, and those that it receives from, in the order of their slots in
// its buffers: ascending; of grids dimension by dimension down and up, of partners r + 1, r - 1,
// r + 2, ... Both lists of these are the same.
std::vector<std::uint32_t> sends_to(const Pattern& pattern, std::uint32_t ranks,
                                    std::uint32_t rank);
std::vector<std::uint32_t> receives_from(const Pattern& pattern, std::uint32_t ranks,
                                         std::uint32_t rank);

// The most ranks that any rank sends to, or receives from; neighbours that are one rank count
// apart.
std::uint32_t most_peers(const Pattern& pattern);

// How many ranks a grid has along each of its dimensions, the longest first: those whose longest
// and shortest differ least. Rank r stands in row-major order, the last dimension the fastest.
std::vector<std::uint32_t> grid_extents(std::uint32_t ranks, std::uint32_t dimensions);

}  // namespace invar::record
