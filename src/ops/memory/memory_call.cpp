#include "ops/memory/memory_call.hpp"

#include <algorithm>
#include <cstring>

#include "base/text.hpp"
#include "ops/buffers/element.hpp"
#include "record/placement.hpp"

namespace invar::ops {
namespace {

constexpr std::uint64_t kChainStream = 0x636861696e;  // "chain"
constexpr std::uint64_t kDrawStream = 0x64726177;     // "draw"

WalkOrder walk_order_of(record::Access access, bool packed) {
  switch (access) {
    case record::Access::kSequential:
      break;
    case record::Access::kRandom:
      return packed ? WalkOrder::kDrawn : WalkOrder::kDrawnStrided;
    case record::Access::kRandomInPage:
      return WalkOrder::kShuffledPages;
    case record::Access::kLinePerPage:
      return WalkOrder::kLinePerPage;
  }
  return packed ? WalkOrder::kPacked : WalkOrder::kStrided;
}

std::string widths_text() {
  std::vector<std::string> words;
  for (const std::uint32_t width : walk_widths()) words.push_back(std::to_string(width));
  return base::join(words, ", ");
}

void choose_walk(const record::Cell& cell, MemoryCall& memory, std::vector<std::string>& errors) {
  const std::span<const std::uint32_t> widths = walk_widths();
  const std::uint32_t asked = record::parse_width(cell.width).value_or(0);
  memory.width_bytes = asked == 0 ? widths.back() : asked;
  if (std::ranges::find(widths, memory.width_bytes) == widths.end()) {
    errors.push_back("this processor has no loads of " + cell.width + " bytes: it has " +
                     widths_text());
    return;
  }
  const std::uint64_t stride = record::stride_bytes(cell, memory.width_bytes);
  const auto access = record::parse_access(cell.access).value_or(record::Access::kSequential);
  memory.walk_order = walk_order_of(access, stride == memory.width_bytes);
  if (stride % memory.width_bytes != 0) {
    errors.push_back("a stride of " + std::to_string(stride) + " bytes is not a multiple of the " +
                     std::to_string(memory.width_bytes) + " bytes of a load");
  }
  const auto offset = record::fixed_offset(cell.placement);
  if (stores_around(memory.walk) && offset && *offset % memory.width_bytes != 0) {
    errors.push_back("stores around the caches need addresses that are multiples of their " +
                     std::to_string(memory.width_bytes) + " bytes, not placement = \"" +
                     cell.placement + "\"");
  }
  memory.order.stride_bytes = stride;
  memory.elements = record::visited_elements(cell, false, memory.width_bytes);
  memory.order.elements = memory.elements;
  // Drawn elements are multiplied in 64 bits.
  const bool draws = access == record::Access::kRandom;
  if (draws && memory.elements > std::uint64_t{1} << 32U) {
    errors.emplace_back("a random order has at most 2^32 elements: use a larger width or stride");
  }
  if (memory.walk_order == WalkOrder::kShuffledPages) {
    memory.order.elements = record::kWalkedPageBytes / stride;
    memory.order.pages = cell.size_bytes.value_or(0) / record::kWalkedPageBytes;
  }
  memory.kernel = walk_kernel(memory.walk, memory.width_bytes, cell.unroll, memory.walk_order);
}

void choose_chase(const record::Cell& cell, MemoryCall& memory, std::vector<std::string>& errors) {
  memory.width_bytes = sizeof(void*);
  memory.elements = record::visited_elements(cell, true, memory.width_bytes);
  const std::uint64_t stride = record::parse_stride(cell.stride).value_or(0);
  memory.chains = {.lines = memory.elements,
                   .stride_bytes = stride == 0 ? record::kChainStrideBytes : stride,
                   .access = record::parse_access(cell.access).value_or(record::Access::kRandom),
                   .chains = cell.chains};
  memory.order.elements = memory.elements / std::max(cell.chains, 1U);
  memory.kernel = chase_kernel(cell.chains, cell.unroll);
  if (cell.cache == "cold-cycle") {
    errors.emplace_back("chains lie where they were made, and cannot move on: use cold-flush");
  }
}

}  // namespace

MemoryCall memory_call_of(const Operation& operation, const record::Cell& cell, const Call& call,
                          std::vector<std::string>& errors) {
  MemoryCall memory;
  memory.walk = operation.walk;
  const auto rank = static_cast<std::uint64_t>(call.rank);
  memory.random = base::Random::of({kChainStream, rank});
  memory.order.draws = static_cast<std::uint32_t>(base::Random::of({kDrawStream, rank}).next());
  if (call.element != nullptr && call.element->has_gaps()) {
    errors.emplace_back(
        "memory cannot be walked over with a datatype that has gaps: leave datatype out");
    return memory;
  }
  memory.loops = record::parse_loops(cell.loops).value_or(record::Loops{.automatic = true});
  memory.passes = memory.loops.automatic ? 1 : memory.loops.number;
  const std::size_t before = errors.size();
  if (operation.chases) {
    // A cell that nobody planned, of a check, has the usual levels of what walks.
    record::Cell of_chase = cell;
    if (of_chase.stride == record::kPackedStride) {
      of_chase.stride = std::to_string(record::kChainStrideBytes);
      of_chase.access = record::kAccesses[static_cast<std::size_t>(record::Access::kRandom)];
    }
    choose_chase(of_chase, memory, errors);
  } else {
    choose_walk(cell, memory, errors);
  }
  if (memory.kernel == nullptr && errors.size() == before) {
    errors.push_back(std::string(operation.name) + " has no kernel that is unrolled " +
                     std::to_string(cell.unroll) + " times over " +
                     base::count_text(cell.chains, "chain"));
  }
  return memory;
}

int walk_memory(Call& c) {
  MemoryCall& memory = *c.memory;
  KernelOrder& order = memory.order;
  order.from = c.send;
  order.also = c.scratch;
  order.to = c.recv;
  order.passes = memory.passes;
  memory.draws_before = order.draws;
  memory.kernel(order);
  return MPI_SUCCESS;
}

int chase_memory(Call& c) {
  MemoryCall& memory = *c.memory;
  KernelOrder& order = memory.order;
  memory.heads_before = order.heads;
  // One load more than the passes have, so that it arrives elsewhere than it began.
  order.loads = order.elements == 0 ? 0 : memory.passes * order.elements + 1;
  memory.kernel(order);
  return MPI_SUCCESS;
}

int ensure_chains(Call& c) {
  MemoryCall& memory = *c.memory;
  if (memory.elements == 0) return MPI_SUCCESS;
  const auto next_of_a_line = [&memory] {
    const std::byte* next = nullptr;
    std::memcpy(&next, memory.a_line, sizeof next);
    return next;
  };
  if (memory.chains_at == c.scratch && next_of_a_line() == memory.a_next) return MPI_SUCCESS;
  memory.order.heads = make_chains(c.scratch, memory.chains, memory.random);
  memory.chains_at = c.scratch;
  memory.a_line = memory.order.heads.front();
  memory.a_next = next_of_a_line();
  return MPI_SUCCESS;
}

}  // namespace invar::ops
