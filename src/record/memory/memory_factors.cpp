#include "record/memory/memory_factors.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include "base/text.hpp"
#include "base/units.hpp"
#include "record/memory/levels.hpp"

namespace invar::record {
namespace {

template <std::size_t Count>
bool take_memory_word(std::string& level, const std::array<std::string_view, Count>& words,
                      std::string_view text) {
  level = text;
  return std::ranges::find(words, text) != words.end();
}

bool is_unroll(std::uint64_t number) {
  return number >= 1 && number <= kMostUnroll && std::has_single_bit(number);
}

// The narrowest width that the cell can mean.
std::uint64_t least_width(const OperationInfo& info, const Cell& cell) {
  if (info.chases) return sizeof(void*);
  const std::uint32_t width = parse_width(cell.width).value_or(0);
  return width == 0 ? 4 : width;
}

}  // namespace

bool works_on_memory(const OperationInfo& info) { return info.walks > 0; }
bool walks_memory(const OperationInfo& info) { return info.walks > 0 && !info.chases; }
bool chases_memory(const OperationInfo& info) { return info.chases; }

LevelText stride_of_operation(const OperationInfo& info, const Cell& /*cell*/) {
  if (!chases_memory(info)) return {};
  return {.text = std::to_string(kChainStrideBytes)};
}

LevelText access_of_operation(const OperationInfo& info, const Cell& /*cell*/) {
  if (!chases_memory(info)) return {};
  return {.text = std::string(kAccesses[static_cast<std::size_t>(Access::kRandom)])};
}

LevelText check_stride(const OperationInfo& info, const Cell& cell) {
  if (!works_on_memory(info)) return {};
  const std::uint64_t stride = parse_stride(cell.stride).value_or(0);
  const std::string text = std::to_string(stride) + " bytes";
  if (chases_memory(info)) {
    if (stride < kLeastChainStrideBytes || stride % sizeof(void*) != 0) {
      return {
          .complaint = info.name + ": a chain goes from line to line, not by strides of " +
                       (stride == 0 ? std::string(kPackedStride) : text),
          .remedy = "write a stride of 64 bytes or more, a multiple of 8; 128 is the usual one"};
    }
  } else if (stride != 0) {
    const std::uint64_t width = least_width(info, cell);
    if (stride % width != 0) {
      return {.complaint = info.name + ": a stride of " + text +
                           " is not a multiple of a width of " + std::to_string(width) + " bytes",
              .remedy = "write a multiple of the width"};
    }
  }
  if (!cell.size_bytes) return {};
  const std::uint64_t element = std::max(stride, least_width(info, cell));
  if (element > *cell.size_bytes) {
    return {.complaint = info.name + ": a stride of " + std::to_string(element) +
                         " bytes is larger than the buffer of " + base::size_text(*cell.size_bytes),
            .remedy = "write a larger size, or a smaller stride"};
  }
  if (chases_memory(info) && visited_elements(cell, info.chases, sizeof(void*)) < 2 * cell.chains) {
    return {.complaint = info.name + ": a buffer of " + base::size_text(*cell.size_bytes) +
                         " has no two lines for each of " + base::count_text(cell.chains, "chain"),
            .remedy = "write a larger size, fewer chains or a smaller stride"};
  }
  return {};
}

LevelText check_unroll(const OperationInfo& info, const Cell& cell) {
  if (!works_on_memory(info) || is_unroll(cell.unroll)) return {};
  return {.complaint = info.name + " is not unrolled " + std::to_string(cell.unroll) + " times",
          .remedy = "write 1, 2, 4, 8 or 16"};
}

// The stride is set.
LevelText check_access(const OperationInfo& info, const Cell& cell) {
  if (!works_on_memory(info)) return {};
  const Access access = parse_access(cell.access).value_or(Access::kSequential);
  const std::uint64_t stride = parse_stride(cell.stride).value_or(0);
  const bool usual_stride = stride == 0 || (chases_memory(info) && stride == kChainStrideBytes);
  if (access == Access::kLinePerPage && !usual_stride) {
    return {.complaint = info.name + ": one line a page has no other stride",
            .remedy = "leave stride out, or write another access",
            .blamed_key = "stride"};
  }
  if (access == Access::kRandomInPage && stride != 0 &&
      (!std::has_single_bit(stride) || stride > kWalkedPageBytes / 2)) {
    return {.complaint = info.name +
                         ": a random order inside a page needs a stride that is a "
                         "power of two up to 2048 bytes, not " +
                         std::to_string(stride),
            .remedy = "write such a stride, or another access",
            .blamed_key = "stride"};
  }
  const bool in_pages = access == Access::kLinePerPage || access == Access::kRandomInPage;
  if (in_pages && cell.size_bytes && *cell.size_bytes < 2 * kWalkedPageBytes) {
    return {.complaint = info.name + ": access = \"" + cell.access +
                         "\" goes from page to page, "
                         "and a buffer of " +
                         base::size_text(*cell.size_bytes) + " has no two",
            .remedy = "write a size of 8KiB or more"};
  }
  return {};
}

// The pages and the NUMA nodes are set.
LevelText check_allocation(const OperationInfo& info, const Cell& cell) {
  if (!works_on_memory(info) || cell.allocation == kAllocations.front()) return {};
  const Cell usual;
  if (cell.pages == usual.pages && cell.numa == usual.numa) return {};
  return {.complaint = info.name + ": what malloc gives has the pages and the nodes that it has",
          .remedy = "write allocation = \"arena\", or leave pages and numa out"};
}

bool parse_stride_column(Cell& cell, std::string_view text) {
  cell.stride = text;
  return parse_stride(text).has_value();
}

bool parse_width_column(Cell& cell, std::string_view text) {
  return take_memory_word(cell.width, kWidths, text);
}

bool parse_unroll_column(Cell& cell, std::string_view text) {
  const auto number = base::parse_u64(text);
  if (!number || !is_unroll(*number)) return false;
  cell.unroll = static_cast<std::uint32_t>(*number);
  return true;
}

bool parse_loops_column(Cell& cell, std::string_view text) {
  cell.loops = text;
  return parse_loops(text).has_value();
}

bool parse_chains_column(Cell& cell, std::string_view text) {
  const auto number = base::parse_u64(text);
  if (!number || *number < 1 || *number > kMostChains) return false;
  cell.chains = static_cast<std::uint32_t>(*number);
  return true;
}

bool parse_access_column(Cell& cell, std::string_view text) {
  return take_memory_word(cell.access, kAccesses, text);
}

bool parse_pages_column(Cell& cell, std::string_view text) {
  return take_memory_word(cell.pages, kPageKinds, text);
}

bool parse_allocation_column(Cell& cell, std::string_view text) {
  return take_memory_word(cell.allocation, kAllocations, text);
}

bool parse_policy_column(Cell& cell, std::string_view text) {
  cell.policy = text;
  return parse_policy(text).has_value();
}

bool parse_numa_column(Cell& cell, std::string_view text) {
  cell.numa = text;
  return parse_numa(text).has_value();
}

}  // namespace invar::record
