// What a mock-up is made of, as data: a rule's text is enough to find the one that it speaks of.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "record/operation/buffer_table.hpp"

namespace invar::record {

// The size of a part as the part's own operation counts it, in the size n of what is emulated (a
// block, docs/formats.md) and the ranks p.
enum class PartSize : std::uint8_t {
  kBlock,  // n
  kShare,  // n/p, rounded up: the mock-up pads its vector
  kAll,    // p*n
  kOne,    // 1: an element, whatever n is
};

constexpr std::string_view name_of(PartSize size) {
  constexpr std::string_view kNames[] = {"n", "n/p", "p*n", "1"};
  return kNames[static_cast<std::size_t>(size)];
}
// "n", "n/p", "p*n" or "n*p", "1", blanks inside allowed; nothing for other texts.
std::optional<PartSize> parse_part_size(std::string_view text);

// One kind of calls: where a mock-up makes the same call several times (reduce_local for every
// rank), it is a part once.
struct PartInfo {
  std::string operation = {};
  PartSize size = PartSize::kBlock;

  bool operator==(const PartInfo&) const = default;
};

// "scatter(n/p) + allgather(n/p)"; empty: no parts.
std::string parts_text(std::span<const PartInfo> parts);

// "p*n + n/p"; "0": nothing.
std::string length_text(const Blocks& blocks);

// What a rank needs beside its buffers: "n", "p*n on the root; in place n"; empty: nothing. Root:
// rank 0 where the operation has none.
std::string scratch_text(const BufferTable& buffers);

struct OperationInfo;

// The operation that emulates `emulated` by exactly these parts, in this order; null: there is
// none. Where there are several (an own one beside ours) it is the first of `operations`.
const OperationInfo* find_mockup(std::span<const OperationInfo> operations,
                                 std::string_view emulated, std::span<const PartInfo> parts);

}  // namespace invar::record
