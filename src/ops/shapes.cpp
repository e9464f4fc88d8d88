#include "ops/shapes.hpp"

#include <vector>

namespace invar::ops {
namespace {

// Elements that recv holds.
std::uint64_t my_elements(const Call& call) { return block_elements(call, call.rank); }

std::uint64_t usual_elements(const Call& call) {
  return static_cast<std::uint64_t>(call.large_count);
}

// Elements that the neighbours with numbers below `numbers` send.
std::uint64_t elements_of_arrivals(const Call& call, int numbers) {
  std::uint64_t elements = 0;
  for (int number = 0; number < numbers; ++number) {
    elements += block_elements(call, call.arrivals[number].source);
  }
  return elements;
}

}  // namespace

std::uint64_t block_elements(const Call& call, int rank) {
  if (call.lengths == nullptr) return usual_elements(call);
  return call.lengths->of(static_cast<std::uint64_t>(rank));
}

std::uint64_t block_begin(const Call& call, int rank) {
  const auto number = static_cast<std::uint64_t>(rank);
  if (call.lengths == nullptr) return number * usual_elements(call);
  return call.lengths->begin(number);
}

std::uint64_t all_elements(const Call& call) { return block_begin(call, call.ranks); }

BufferNeed buffer_need(const Operation& operation, const Call& call) {
  if (call.element == nullptr) return {};
  // Without a root rank 0 may need more than the others: a mock-up may lead over it.
  const bool root = call.rank == (operation.rooted ? call.root : 0);
  const Shape& shape = operation.buffers;
  const record::Buffers& lengths = shape.lengths.on(root, call.in_place);
  record::BlockCount sent{.elements = usual_elements(call),
                          .ranks = static_cast<std::uint64_t>(call.ranks),
                          .neighbours = static_cast<std::uint64_t>(call.neighbours)};
  if (call.peers != nullptr) {
    sent.messages = call.peers->messages;
    sent.packed = call.peers->packed;
  }
  record::BlockCount received = sent;
  if (operation.distributes == Distributes::kRanks) {
    sent.own_elements = received.own_elements = my_elements(call);
    sent.neighbour_elements = my_elements(call) * sent.neighbours;
    received.neighbour_elements = elements_of_arrivals(call, call.neighbours);
  }
  const auto bytes_of = [&](std::uint64_t elements) {
    return elements * call.element->extent_bytes;
  };
  BufferNeed need{.send_bytes = bytes_of(lengths.send.elements(sent)),
                  .recv_bytes = bytes_of(lengths.recv.elements(received)),
                  .scratch_bytes = bytes_of(lengths.scratch.elements(received))};
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
  const auto rank = static_cast<std::uint64_t>(call.rank);
  for (int source = 0; source < call.ranks; ++source) {
    if (call.lengths == nullptr) {
      checker.expect_block(block_begin(call, source), source, block_begin(call, call.rank),
                           usual_elements(call));
      continue;
    }
    const auto from = static_cast<std::uint64_t>(source);
    checker.expect_block(call.lengths->received_before(rank, from), source,
                         call.lengths->sent_before(from, rank), call.lengths->between(from, rank));
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
    const int source = call.arrivals[number].source;
    checker.expect_block(elements_of_arrivals(call, number), source, 0,
                         block_elements(call, source));
  }
}

void root_to_others(const Call& call, Checker& checker) {
  const std::uint64_t elements = my_elements(call);
  if (call.rank == call.root) {
    checker.expect_untouched(0, elements);
  } else {
    checker.expect_block(0, call.root, 0, elements);
  }
}

void reduced_up_to(const Call& call, Checker& checker) {
  checker.expect_reduction(0, 0, call.rank, 0, my_elements(call));
}

void reduced_below(const Call& call, Checker& checker) {
  const std::uint64_t elements = my_elements(call);
  if (call.rank > 0) {
    checker.expect_reduction(0, 0, call.rank - 1, 0, elements);
  } else if (call.in_place) {
    checker.expect_block(0, 0, 0, elements);  // MPI: not changed
  } else {
    checker.allow_anything(0, elements);
  }
}

// One rank may be several neighbours, and libraries differ in the order in which they deliver its
// blocks (MPICH 4.0 posts receives backwards in the non-blocking forms): each of them must have
// come, in whatever order: they are equally long, because lengths follow from the sender.
void my_block_of_every_neighbour(const Call& call, Checker& checker) {
  std::vector<bool> came(static_cast<std::size_t>(call.neighbours), false);
  for (int number = 0; number < call.neighbours; ++number) {
    const std::uint64_t at = elements_of_arrivals(call, number);
    const int source = call.arrivals[number].source;
    const std::uint64_t elements = block_elements(call, source);
    const auto sent_at = [&](int other) {
      return static_cast<std::uint64_t>(call.arrivals[other].block) * elements;
    };
    const auto is_here = [&](int other) {
      return call.arrivals[other].source == source && !came[static_cast<std::size_t>(other)] &&
             checker.holds_block(at, source, sent_at(other), elements);
    };
    int arrival = number;
    for (int other = 0; other < call.neighbours && !is_here(arrival); ++other) arrival = other;
    if (!is_here(arrival)) arrival = number;
    came[static_cast<std::size_t>(arrival)] = true;
    checker.expect_block(at, source, sent_at(arrival), elements);
  }
}

}  // namespace invar::ops
