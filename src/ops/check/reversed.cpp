#include "ops/check/reversed.hpp"

#include <algorithm>
#include <vector>

#include "ops/buffers/element.hpp"
#include "ops/shapes.hpp"
#include "ops/verify.hpp"

namespace invar::ops {
namespace {

// Bytes of a block in a buffer, gaps of the datatype included.
struct BlockPlace {
  std::size_t in_order = 0;  // of its first byte, all blocks one behind the other
  std::size_t in_layout = 0;
  std::size_t bytes = 0;
};

std::size_t displacement_bytes(const Side& side, std::size_t block, std::size_t extent_bytes) {
  if (side.displacements != nullptr) {
    return static_cast<std::size_t>(side.displacements[block]) * extent_bytes;
  }
  if (side.large_displacements != nullptr) {
    return static_cast<std::size_t>(side.large_displacements[block]) * extent_bytes;
  }
  if (side.byte_displacements != nullptr) {
    return static_cast<std::size_t>(side.byte_displacements[block]);
  }
  return static_cast<std::size_t>(side.address_displacements[block]);
}

std::vector<BlockPlace> block_places(const Operation& operation, const Call& call,
                                     const Side& side) {
  const std::size_t extent_bytes = call.element->extent_bytes;
  const auto blocks = static_cast<std::size_t>(operation.neighbours ? call.neighbours : call.ranks);
  std::vector<BlockPlace> places(blocks);
  std::size_t begin = 0;
  for (std::size_t block = 0; block < blocks; ++block) {
    const auto elements = side.large_counts != nullptr
                              ? static_cast<std::size_t>(side.large_counts[block])
                              : static_cast<std::size_t>(side.counts[block]);
    places[block] = {.in_order = begin,
                     .in_layout = displacement_bytes(side, block, extent_bytes),
                     .bytes = elements * extent_bytes};
    begin += places[block].bytes;
  }
  return places;
}

bool has_block_of_all(const record::Blocks& length) {
  return length.per_rank > 0 || length.per_neighbour > 0;
}

void move_blocks(std::byte* buffer, std::size_t bytes, const std::vector<BlockPlace>& places,
                 bool into_order) {
  const std::vector<std::byte> before(buffer, buffer + bytes);
  for (const BlockPlace& place : places) {
    const std::size_t from = into_order ? place.in_layout : place.in_order;
    const std::size_t to = into_order ? place.in_order : place.in_layout;
    std::copy_n(before.data() + from, place.bytes, buffer + to);
  }
}

// In both buffers, as far as they hold a block of every rank or neighbour.
void move_all_blocks(const Operation& operation, const Call& call, bool into_order) {
  if (call.element == nullptr) return;
  const bool root = operation.rooted && call.rank == call.root;
  const record::Buffers& lengths = operation.buffers.lengths.on(root, call.in_place);
  const BufferNeed need = buffer_need(operation, call);
  if (has_block_of_all(lengths.send)) {
    move_blocks(call.send, need.send_bytes, block_places(operation, call, call.sent), into_order);
  }
  if (has_block_of_all(lengths.recv)) {
    move_blocks(call.recv, need.recv_bytes, block_places(operation, call, call.received),
                into_order);
  }
}

}  // namespace

bool takes_displacements(const Operation& operation) {
  return operation.arrays != Arrays::kNone && !operation.reduces && operation.emulates == nullptr;
}

void fill_in_layout(const Operation& operation, const Call& call) {
  fill_for_check(operation, call);
  move_all_blocks(operation, call, false);
}

void put_in_order(const Operation& operation, const Call& call) {
  move_all_blocks(operation, call, true);
}

}  // namespace invar::ops
