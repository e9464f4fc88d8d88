// What engines say of operations, for recipes that choose among them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "design/campaign/campaign.hpp"
#include "record/operation/operation_info.hpp"

namespace invar::design {

// Null: there is none of that name.
const record::OperationInfo* find_info(std::span<const record::OperationInfo> known,
                                       std::string_view name);

// Why the operation cannot have the size, of the datatype that is ordered, else of its usual one;
// empty: it can. A split has only the sizes of which no part but the last is shorter.
std::string lack_of_size(const record::OperationInfo& info, std::optional<std::uint64_t> size_bytes,
                         const Levels& ordered);

// The ordered levels that the operation takes: a barrier has no datatype.
Levels levels_taken(const Levels& ordered, const record::OperationInfo& info);

}  // namespace invar::design
