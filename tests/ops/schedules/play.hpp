// All ranks of an algorithm played against each other: no MPI, no bytes. An element is the set of
// ranks whose operands are in it. Sends are synchronous: none ends before its receive is posted, so
// that what goes through here does so under every library.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ops/schedules/schedule.hpp"

namespace invar::ops::test {

constexpr std::size_t kMostRanks = 129;

struct Value {
  std::uint32_t element = 0;  // of the input that it comes from
  std::bitset<kMostRanks> of = {};
  // Combined in the order of the ranks: `of` is first ... last.
  bool in_order = true;
  int first = 0;
  int last = 0;

  [[nodiscard]] bool is_nothing() const { return of.none(); }
};

// Buffers of a collective, in blocks, as src/ops/collectives has them.
struct Collective {
  std::string_view name;
  bool rooted = false;
  bool reduces = false;
  // A block for every rank; else one.
  bool all_in = false;
  bool all_out = false;
};
const Collective& collective_of(const Algorithm& algorithm);
// The vector is cut, not handed around block by block: more elements than ranks are worth a look.
bool cuts_vector(const Algorithm& algorithm);

struct Game {
  int ranks = 1;
  int root = 0;
  std::uint64_t elements = 1;
  std::uint64_t segment = 0;
  bool in_place = false;
};

struct Played {
  // The first thing that is wrong; empty: every rank has what MPI promises.
  std::string fault = {};
  std::uint64_t messages = 0;
  std::uint64_t elements_sent = 0;       // by all ranks
  std::uint64_t most_elements_sent = 0;  // by one rank
  // The longest row of messages of which each waits for the one before.
  int rounds = 0;
};
Played play(const Algorithm& algorithm, const Game& game);

}  // namespace invar::ops::test
