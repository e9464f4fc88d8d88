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
