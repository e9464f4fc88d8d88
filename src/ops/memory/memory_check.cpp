#include "ops/memory/memory_check.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "ops/buffers/element.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

std::size_t word_bytes(const MemoryCall& memory) {
  return std::min<std::size_t>(memory.width_bytes, sizeof(std::uint64_t));
}

std::uint64_t word_at(const std::byte* at, std::size_t bytes) {
  if (bytes == sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    return word;
  }
  std::uint32_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

bool is_drawn(const MemoryCall& memory) {
  return memory.walk_order == WalkOrder::kDrawn || memory.walk_order == WalkOrder::kDrawnStrided;
}

// Where the last call's visits were, in bytes from the buffer's start: of all passes where elements
// are drawn, else of one, because all are alike. Written apart from the kernels.
template <typename Visit>
void each_visit(const MemoryCall& memory, Visit visit) {
  const std::uint64_t stride = memory.order.stride_bytes;
  switch (memory.walk_order) {
    case WalkOrder::kPacked:
    case WalkOrder::kStrided:
      for (std::uint64_t i = 0; i < memory.elements; ++i) visit(i * stride);
      return;
    case WalkOrder::kDrawn:
    case WalkOrder::kDrawnStrided: {
      std::uint32_t draws = memory.draws_before;
      for (std::uint64_t i = 0; i < memory.elements * memory.order.passes; ++i) {
        draws = next_draw(draws);
        visit(drawn_element(draws, memory.elements) * stride);
      }
      return;
    }
    case WalkOrder::kShuffledPages:
      // Every element of every page once, whatever the order.
      for (std::uint64_t i = 0; i < memory.order.pages * kPageOfOrders; i += stride) visit(i);
      return;
    case WalkOrder::kLinePerPage:
      for (std::uint64_t i = 0; i < memory.elements; ++i) visit(line_in_page(i));
      return;
  }
}

// Whether a call before the last one may have stored there.
bool may_be_stored(const MemoryCall& memory, std::uint64_t offset) {
  const std::uint64_t stride = memory.order.stride_bytes;
  return is_drawn(memory) && offset % stride < memory.width_bytes &&
         offset / stride < memory.elements;
}

std::uint64_t stored_word(const Call& call, std::uint64_t offset, std::size_t bytes) {
  const WalkKernel kernel = call.memory->walk;
  if (kernel == WalkKernel::kWrite || kernel == WalkKernel::kWriteNt) {
    return bytes == sizeof(std::uint64_t) ? kWrittenWord : static_cast<std::uint32_t>(kWrittenWord);
  }
  const std::uint64_t from = word_at(call.send + offset, bytes);
  if (kernel == WalkKernel::kCopy || kernel == WalkKernel::kCopyNt) return from;
  const std::uint64_t sum = from + 2 * word_at(call.scratch + offset, bytes);
  return bytes == sizeof(std::uint64_t) ? sum : static_cast<std::uint32_t>(sum);
}

std::string place_text_of(std::uint64_t offset) { return "byte " + std::to_string(offset); }

const std::byte* next_in_chain(const std::byte* at) {
  const std::byte* next = nullptr;
  std::memcpy(&next, at, sizeof next);
  return next;
}

}  // namespace

void sum_of_visits(const Call& call, Checker& checker) {
  const MemoryCall& memory = *call.memory;
  const std::size_t bytes = word_bytes(memory);
  std::uint64_t sum = 0;
  each_visit(memory, [&](std::uint64_t offset) {
    for (std::size_t at = 0; at < memory.width_bytes; at += bytes) {
      sum += word_at(call.send + offset + at, bytes);
    }
  });
  if (!is_drawn(memory)) sum *= memory.order.passes;
  if (bytes < sizeof(std::uint64_t)) sum = static_cast<std::uint32_t>(sum);
  if (sum == memory.order.sum) return;
  checker.fail("the sum of all that was read is " + std::to_string(memory.order.sum) + ", not " +
               std::to_string(sum));
}

void stored_by_visits(const Call& call, Checker& checker) {
  const MemoryCall& memory = *call.memory;
  checker.allow_anything(0, block_elements(call, call.rank));
  const std::size_t bytes = word_bytes(memory);
  const std::uint64_t words = call.block_bytes / bytes;
  std::vector<bool> visited(words);
  each_visit(memory, [&](std::uint64_t offset) {
    for (std::size_t at = 0; at < memory.width_bytes; at += bytes) {
      visited[(offset + at) / bytes] = true;
    }
  });
  std::uint64_t poison = 0;
  std::memset(&poison, std::to_integer<int>(kPoison), bytes);
  for (std::uint64_t i = 0; i < words; ++i) {
    const std::uint64_t offset = i * bytes;
    const std::uint64_t found = word_at(call.recv + offset, bytes);
    const bool left = found == poison && !visited[i];
    const bool stored =
        (visited[i] || may_be_stored(memory, offset)) && found == stored_word(call, offset, bytes);
    if (left || stored) continue;
    checker.fail("recv " + place_text_of(offset) +
                 (visited[i] ? " does not hold what is stored there" : " was never to be stored"));
    return;
  }
  for (std::uint64_t offset = words * bytes; offset < call.block_bytes; ++offset) {
    if (call.recv[offset] == kPoison) continue;
    checker.fail("recv " + place_text_of(offset) + " behind the last element was written");
    return;
  }
}

void arrived_in_chains(const Call& call, Checker& checker) {
  const MemoryCall& memory = *call.memory;
  if (memory.elements == 0) return;
  const std::uint64_t each = memory.order.elements;
  std::vector<bool> visited(call.block_bytes / sizeof(void*) + 1);
  KernelOrder shorter = memory.order;
  shorter.loads = each / 2 + 1;
  ChainHeads expected{};
  for (std::uint32_t chain = 0; chain < memory.chains.chains; ++chain) {
    const std::byte* const head = memory.heads_before[chain];
    const std::string name = "chain " + std::to_string(chain);
    const std::byte* at = head;
    std::uint64_t lines = 0;
    do {
      const auto offset = static_cast<std::uint64_t>(at - call.scratch);
      if (at < call.scratch || offset + sizeof(void*) > call.block_bytes) {
        checker.fail(name + " leaves its buffer");
        return;
      }
      if (visited[offset / sizeof(void*)]) {
        checker.fail(name + " comes to a line twice");
        return;
      }
      visited[offset / sizeof(void*)] = true;
      if (++lines == shorter.loads) expected[chain] = next_in_chain(at);
      at = next_in_chain(at);
    } while (at != head && lines < each);
    if (at != head || lines != each) {
      checker.fail(name + " is not a cycle of " + std::to_string(each) + " lines");
      return;
    }
    // All passes, and one load more.
    if (memory.order.heads[chain] != next_in_chain(head)) {
      checker.fail(name + " did not arrive where so many loads lead");
      return;
    }
  }
  shorter.heads = memory.heads_before;
  memory.kernel(shorter);
  if (shorter.heads != expected) {
    checker.fail("a call of " + std::to_string(shorter.loads) +
                 " loads did not arrive where so many lead");
  }
}

}  // namespace invar::ops
