#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

std::size_t bytes_of(const Call& call, std::uint64_t elements) {
  return call.element == nullptr ? 0 : elements * call.element->extent_bytes;
}

// Of this rank's own block where blocks are of ranks, else of any: neighbours' are all the same.
std::size_t block_bytes(const Call& call) {
  return bytes_of(call, block_elements(call, call.neighbours > 0 ? 0 : call.rank));
}

std::size_t all_bytes(const Call& call) { return bytes_of(call, all_elements(call)); }

BufferNeed input_in_recv(std::size_t recv_bytes) { return {0, recv_bytes, 0, recv_bytes}; }

// Elements that recv holds.
std::uint64_t my_elements(const Call& call) { return block_elements(call, call.rank); }

}  // namespace

std::uint64_t block_elements(const Call& call, int number) {
  return static_cast<std::uint64_t>(call.counts == nullptr ? call.count : call.counts[number]);
}

std::uint64_t block_begin(const Call& call, int number) {
  if (call.displacements != nullptr) return static_cast<std::uint64_t>(call.displacements[number]);
  return static_cast<std::uint64_t>(number) * static_cast<std::uint64_t>(call.count);
}

std::uint64_t all_elements(const Call& call) {
  const int last = (call.neighbours > 0 ? call.neighbours : call.ranks) - 1;
  return block_begin(call, last) + block_elements(call, last);
}

BufferNeed no_buffers(const Call& /*call*/) { return {}; }

BufferNeed block_to_block(const Call& call) {
  if (call.in_place) return input_in_recv(block_bytes(call));
  return {block_bytes(call), block_bytes(call)};
}

BufferNeed block_to_all(const Call& call) {
  if (call.in_place) {
    return {0, all_bytes(call), bytes_of(call, block_begin(call, call.rank)), block_bytes(call)};
  }
  return {block_bytes(call), all_bytes(call)};
}

BufferNeed all_to_block(const Call& call) {
  if (call.in_place) return input_in_recv(all_bytes(call));
  return {all_bytes(call), block_bytes(call)};
}

BufferNeed all_to_all(const Call& call) {
  if (call.in_place) return input_in_recv(all_bytes(call));
  return {all_bytes(call), all_bytes(call)};
}

BufferNeed block_to_root_block(const Call& call) {
  if (call.root_in_place()) return block_to_block(call);
  return {block_bytes(call), block_bytes(call)};
}

BufferNeed block_to_root_all(const Call& call) {
  if (call.rank == call.root) return block_to_all(call);
  return {block_bytes(call), block_bytes(call)};
}

BufferNeed root_all_to_block(const Call& call) {
  if (call.root_in_place()) return {all_bytes(call), 0};
  return {call.rank == call.root ? all_bytes(call) : block_bytes(call), block_bytes(call)};
}

BufferNeed block_to_neighbours(const Call& call) { return {block_bytes(call), all_bytes(call)}; }

BufferNeed neighbours_to_neighbours(const Call& call) { return {all_bytes(call), all_bytes(call)}; }

void nothing_received(const Call& /*call*/, Checker& /*checker*/) {}

void block_of_every_rank(const Call& call, Checker& checker) {
  for (int source = 0; source < call.ranks; ++source) {
    checker.expect_block(block_begin(call, source), source, 0, block_elements(call, source));
  }
}

void my_block_of_every_rank(const Call& call, Checker& checker) {
  for (int source = 0; source < call.ranks; ++source) {
    checker.expect_block(block_begin(call, source), source, block_begin(call, call.rank),
                         block_elements(call, source));
  }
}

void my_block_of_root(const Call& call, Checker& checker) {
  if (call.root_in_place()) return;
  checker.expect_block(0, call.root, block_begin(call, call.rank), my_elements(call));
}

void reduced_over_all(const Call& call, Checker& checker) {
  checker.expect_reduction(0, 0, call.ranks - 1, 0, my_elements(call));
}

void my_block_reduced(const Call& call, Checker& checker) {
  checker.expect_reduction(0, 0, call.ranks - 1, block_begin(call, call.rank), my_elements(call));
  // In place the result stands at the beginning, and MPI leaves open what is behind it.
  if (call.in_place) {
    checker.allow_anything(my_elements(call), all_elements(call) - my_elements(call));
  }
}

void block_of_every_neighbour(const Call& call, Checker& checker) {
  for (int number = 0; number < call.neighbours; ++number) {
    checker.expect_block(block_begin(call, number), call.arrivals[number].source, 0,
                         block_elements(call, number));
  }
}

void my_block_of_every_neighbour(const Call& call, Checker& checker) {
  for (int number = 0; number < call.neighbours; ++number) {
    const std::uint64_t elements = block_elements(call, number);
    const std::uint64_t at = block_begin(call, number);
    const Arrival& arrival = call.arrivals[number];
    // Two blocks of one neighbour came in one order or in the other, but both of them: the first of
    // the two decides.
    const Arrival& first = call.arrivals[number & ~1];
    const bool other =
        arrival.either &&
        checker.holds_block(block_begin(call, number & ~1), first.source,
                            block_begin(call, first.block ^ 1), block_elements(call, number & ~1));
    checker.expect_block(at, arrival.source,
                         block_begin(call, other ? arrival.block ^ 1 : arrival.block), elements);
  }
}

}  // namespace invar::ops
