// How large the buffers of an operation are, as numbers that need no code to evaluate: the engine
// allocates by them, and estimates and guards multiply them out.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace invar::record {

// What a call works on. A block is what the cell's size describes.
struct BlockCount {
  std::uint64_t elements = 0;  // of a block; the mean, where blocks are not equal
  std::uint64_t ranks = 1;
  std::uint64_t neighbours = 0;  // in the topology
  // Where blocks are not equal: this rank's own one, and those for or from all neighbours together.
  std::optional<std::uint64_t> own_elements = {};
  std::optional<std::uint64_t> neighbour_elements = {};
  // Messages of a rank in one direction, and those of them that are packed
  // (record/p2p/levels.hpp).
  std::uint64_t messages = 1;
  std::uint64_t packed = 0;

  // The elements of a block when it is cut into one share for every rank: rounded up.
  [[nodiscard]] constexpr std::uint64_t share() const {
    return elements / ranks + (elements % ranks == 0 ? 0 : 1);
  }
};

// How many neighbours each rank has in a topology (Cell::topology; empty: the usual one): two on a
// ring, four on a torus of two dimensions, also where some of them are the same rank.
constexpr std::uint64_t neighbours_in(std::string_view topology) {
  return topology == "cartesian" ? 4 : 2;
}

// The length of a buffer: the sum of these.
struct Blocks {
  std::uint32_t constant = 0;         // blocks, of this rank where they are not equal
  std::uint32_t per_rank = 0;         // blocks for every rank
  std::uint32_t per_neighbour = 0;    // blocks for every neighbour
  std::uint32_t shares = 0;           // shares of a block (BlockCount::share)
  std::uint32_t shares_per_rank = 0;  // the same for every rank: a block, padded
  std::uint32_t per_message = 0;      // blocks for every message
  std::uint32_t per_packed = 0;       // the same where the data are packed, else none

  [[nodiscard]] constexpr std::uint64_t elements(const BlockCount& count) const {
    const std::uint64_t own = count.own_elements.value_or(count.elements);
    const std::uint64_t of_neighbours =
        count.neighbour_elements.value_or(count.elements * count.neighbours);
    return own * constant + count.elements * per_rank * count.ranks +
           of_neighbours * per_neighbour +
           count.share() * (shares + shares_per_rank * count.ranks) +
           count.elements * (per_message * count.messages + per_packed * count.packed);
  }
  bool operator==(const Blocks&) const = default;
};

// The buffers of one rank. Bytes are elements times DatatypeInfo::extent_bytes.
struct Buffers {
  Blocks send = {};
  Blocks recv = {};
  Blocks scratch = {};  // neither sent from by the caller nor a result: the call may write anything

  bool operator==(const Buffers&) const = default;
};

struct BufferTable {
  Buffers others = {};  // every rank, but for the root where the operation has one
  Buffers root = {};
  Buffers others_in_place = {};  // the same with MPI_IN_PLACE
  Buffers root_in_place = {};

  [[nodiscard]] constexpr const Buffers& on(bool is_root, bool in_place) const {
    if (in_place) return is_root ? root_in_place : others_in_place;
    return is_root ? root : others;
  }
  bool operator==(const BufferTable&) const = default;
};

}  // namespace invar::record
