#include "design/recipes/known_operations.hpp"

#include <algorithm>

#include "base/units.hpp"
#include "record/factors.hpp"

namespace invar::design {

using record::OperationInfo;

const OperationInfo* find_info(std::span<const OperationInfo> known, std::string_view name) {
  const auto found = std::ranges::find(known, name, &OperationInfo::name);
  return found == known.end() ? nullptr : &*found;
}

std::string lack_of_size(const OperationInfo& info, std::optional<std::uint64_t> size_bytes,
                         const Levels& ordered) {
  if (!size_bytes || info.datatypes.empty()) return {};
  const auto datatype = ordered.find("datatype");
  const record::DatatypeInfo* const named =
      datatype == ordered.end() ? &info.datatypes.front() : info.datatype(datatype->second.front());
  if (named == nullptr) return info.name + " has no datatype " + datatype->second.front();
  const record::DatatypeInfo& type = *named;
  if (*size_bytes % type.size_bytes != 0) {
    return base::size_text(*size_bytes) + " is not a multiple of " + type.name + " (" + info.name +
           ")";
  }
  if (info.splits == 0) return {};
  // Only the last part may be shorter, and none is empty: these are no calls to compare with.
  const std::uint64_t elements = *size_bytes / type.size_bytes;
  const std::uint64_t length = elements / info.splits + (elements % info.splits == 0 ? 0 : 1);
  if (length * (info.splits - 1) < elements) return {};
  return base::size_text(*size_bytes) + " do not fall into " + std::to_string(info.splits) +
         " parts of which only the last is shorter";
}

Levels levels_taken(const Levels& ordered, const OperationInfo& info) {
  Levels taken;
  for (const auto& [key, levels] : ordered) {
    const record::Factor& factor = *record::find_factor_by_key(key);
    if (factor.applies == nullptr || factor.applies(info)) taken[key] = levels;
  }
  return taken;
}

}  // namespace invar::design
