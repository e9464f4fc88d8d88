// What a campaign's data say of its operations.
#include <algorithm>

#include "record/operation/operation_json.hpp"
#include "store/reader.hpp"

namespace invar::store {
namespace {

const record::OperationInfo* said_by(const ArmRecord& arm, std::string_view name) {
  const auto known = std::ranges::find(arm.operations, name, &record::OperationInfo::name);
  return known == arm.operations.end() ? nullptr : &*known;
}

}  // namespace

record::OperationInfo earlier_operation(std::string_view name) {
  record::OperationInfo info{.name = std::string(name), .times = record::usual_times()};
  // reduce_scatter, reduce_scatter_block, and their other forms.
  if (name.find("reduce_scatter") != std::string_view::npos) {
    const record::Buffers buffers{.send = {.per_rank = 1}, .recv = {.constant = 1}};
    info.reduces = true;
    info.buffers = {.others = buffers, .root = buffers};
  }
  return info;
}

record::OperationInfo Data::operation(std::uint32_t arm, std::string_view name) const {
  const record::OperationInfo* own = said_by(arms.at(arm), name);
  return own != nullptr ? *own : operation(name);
}

record::OperationInfo Data::operation(std::string_view name) const {
  for (const ArmRecord& arm : arms) {
    if (const record::OperationInfo* info = said_by(arm, name)) return *info;
  }
  return earlier_operation(name);
}

bool Data::describes(std::string_view name) const {
  return std::ranges::any_of(
      arms, [name](const ArmRecord& arm) { return said_by(arm, name) != nullptr; });
}

}  // namespace invar::store
