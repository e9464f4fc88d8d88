#include "record/operation/parts.hpp"

#include <algorithm>

#include "record/operation/operation_info.hpp"

namespace invar::record {

std::optional<PartSize> parse_part_size(std::string_view text) {
  std::string plain(text);
  std::erase(plain, ' ');
  if (plain == "n*p") return PartSize::kAll;
  for (const PartSize size : {PartSize::kBlock, PartSize::kShare, PartSize::kAll, PartSize::kOne}) {
    if (plain == name_of(size)) return size;
  }
  return std::nullopt;
}

std::string parts_text(std::span<const PartInfo> parts) {
  std::string text;
  for (const PartInfo& part : parts) {
    if (!text.empty()) text += " + ";
    text += part.operation + "(" + std::string(name_of(part.size)) + ")";
  }
  return text;
}

std::string length_text(const Blocks& blocks) {
  std::string text;
  const auto add = [&](std::uint32_t number, const char* unit) {
    if (number == 0) return;
    if (!text.empty()) text += " + ";
    text += (number == 1 ? std::string() : std::to_string(number) + "*") + unit;
  };
  add(blocks.constant, "n");
  add(blocks.per_rank, "p*n");
  add(blocks.per_neighbour, "n for every neighbour");
  add(blocks.shares, "n/p");
  add(blocks.shares_per_rank, "p*(n/p)");
  add(blocks.per_message, "n for every message");
  add(blocks.per_packed, "n for every packed message");
  return text.empty() ? "0" : text;
}

namespace {

std::string scratch_words(const Blocks& others, const Blocks& root) {
  if (others == root) return length_text(others);
  if (others == Blocks{}) return length_text(root) + " on the root";
  return length_text(others) + ", " + length_text(root) + " on the root";
}

}  // namespace

std::string scratch_text(const BufferTable& buffers) {
  const std::string plain = scratch_words(buffers.others.scratch, buffers.root.scratch);
  const std::string in_place =
      scratch_words(buffers.others_in_place.scratch, buffers.root_in_place.scratch);
  if (plain == in_place) return plain == "0" ? "" : plain;
  return (plain == "0" ? "" : plain + "; ") + "in place " + in_place;
}

const OperationInfo* find_mockup(std::span<const OperationInfo> operations,
                                 std::string_view emulated, std::span<const PartInfo> parts) {
  if (parts.empty()) return nullptr;
  const auto found =
      std::find_if(operations.begin(), operations.end(), [&](const OperationInfo& operation) {
        return operation.emulates == emulated && std::ranges::equal(operation.parts, parts);
      });
  return found == operations.end() ? nullptr : &*found;
}

}  // namespace invar::record
