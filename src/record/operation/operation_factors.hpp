// Factors that follow from the operation: which of them it has, the level of each where nobody
// chose one, and levels that it cannot have. For the rows of the table (factors.cpp).
#pragma once

#include <string_view>

#include "record/cell.hpp"
#include "record/operation/operation_info.hpp"

namespace invar::record {

// Factor::applies.
bool is_rooted(const OperationInfo& info);
bool is_sized(const OperationInfo& info);
bool reduces(const OperationInfo& info);
bool has_in_place(const OperationInfo& info);
bool has_neighbours(const OperationInfo& info);
bool has_optional_marks(const OperationInfo& info);
bool has_segments(const OperationInfo& info);
bool has_distribution(const OperationInfo& info);

// Factor::of_operation.
LevelText usual_datatype(const OperationInfo& info, const Cell& cell);
LevelText usual_reduction(const OperationInfo& info, const Cell& cell);
LevelText not_in_place(const OperationInfo& info, const Cell& cell);
LevelText usual_topology(const OperationInfo& info, const Cell& cell);

// Factor::check.
LevelText check_root(const OperationInfo& info, const Cell& cell);
LevelText check_datatype(const OperationInfo& info, const Cell& cell);
LevelText check_reduction(const OperationInfo& info, const Cell& cell);
LevelText check_distribution(const OperationInfo& info, const Cell& cell);
LevelText check_segment(const OperationInfo& info, const Cell& cell);
LevelText check_cache(const OperationInfo& info, const Cell& cell);

// Factor::level and Factor::settle of segments.
LevelText segment_level(std::string_view written);
void settle_segment(const OperationInfo& info, Cell& cell);

}  // namespace invar::record
