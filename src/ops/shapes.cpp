#include "ops/shapes.hpp"

#include <vector>

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

// One rank may be several neighbours, and libraries differ in the order in which they deliver its
// blocks (MPICH 4.0 posts receives backwards in the non-blocking forms): each of them must have
// come, in whatever order.
void my_block_of_every_neighbour(const Call& call, Checker& checker) {
  std::vector<bool> came(static_cast<std::size_t>(call.neighbours), false);
  for (int number = 0; number < call.neighbours; ++number) {
    const std::uint64_t at = block_begin(call, number);
    const std::uint64_t elements = block_elements(call, number);
    const int source = call.arrivals[number].source;
    const auto is_here = [&](int other) {
      return call.arrivals[other].source == source && !came[static_cast<std::size_t>(other)] &&
             checker.holds_block(at, source, block_begin(call, call.arrivals[other].block),
                                 elements);
    };
    int arrival = number;
    for (int other = 0; other < call.neighbours && !is_here(arrival); ++other) arrival = other;
    if (!is_here(arrival)) arrival = number;
    came[static_cast<std::size_t>(arrival)] = true;
    checker.expect_block(at, source, block_begin(call, call.arrivals[arrival].block), elements);
  }
}

}  // namespace invar::ops
