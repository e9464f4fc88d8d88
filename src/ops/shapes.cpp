#include "ops/shapes.hpp"

#include <vector>

namespace invar::ops {
namespace {

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

BufferNeed buffer_need(const Operation& operation, const Call& call) {
  if (call.element == nullptr) return {};
  const bool root = operation.rooted && call.rank == call.root;
  const Shape& shape = operation.buffers;
  const record::Buffers& lengths = shape.lengths.on(root, call.in_place);
  const record::BlockCount count{.elements = static_cast<std::uint64_t>(call.count),
                                 .ranks = static_cast<std::uint64_t>(call.ranks),
                                 .neighbours = static_cast<std::uint64_t>(call.neighbours)};
  const auto bytes_of = [&](std::uint64_t elements) {
    return elements * call.element->extent_bytes;
  };
  BufferNeed need{.send_bytes = bytes_of(lengths.send.elements(count)),
                  .recv_bytes = bytes_of(lengths.recv.elements(count)),
                  .scratch_bytes = bytes_of(lengths.scratch.elements(count))};
  if (!call.in_place) return need;
  const Input input = root ? shape.root_input : shape.others_input;
  if (input == Input::kAll) need.input_bytes = need.recv_bytes;
  if (input == Input::kOwnBlock) {
    need.input_begin_bytes = bytes_of(block_begin(call, call.rank));
    need.input_bytes = bytes_of(block_elements(call, call.rank));
  }
  return need;
}

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
