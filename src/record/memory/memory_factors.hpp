// What the rows of the factor table need that are about memory operations.
#pragma once

#include <string_view>

#include "record/cell.hpp"
#include "record/operation/operation_info.hpp"

namespace invar::record {

bool works_on_memory(const OperationInfo& info);
bool walks_memory(const OperationInfo& info);
bool chases_memory(const OperationInfo& info);

// Chains go from pair of lines to pair of lines, in random order.
LevelText stride_of_operation(const OperationInfo& info, const Cell& cell);
LevelText access_of_operation(const OperationInfo& info, const Cell& cell);

// Every operation is asked; what is not a memory operation has the usual levels. Where the cell has
// no size yet, nothing is said of it.
LevelText check_stride(const OperationInfo& info, const Cell& cell);
LevelText check_unroll(const OperationInfo& info, const Cell& cell);
LevelText check_access(const OperationInfo& info, const Cell& cell);
LevelText check_allocation(const OperationInfo& info, const Cell& cell);

bool parse_stride_column(Cell& cell, std::string_view text);
bool parse_width_column(Cell& cell, std::string_view text);
bool parse_unroll_column(Cell& cell, std::string_view text);
bool parse_loops_column(Cell& cell, std::string_view text);
bool parse_chains_column(Cell& cell, std::string_view text);
bool parse_access_column(Cell& cell, std::string_view text);
bool parse_pages_column(Cell& cell, std::string_view text);
bool parse_allocation_column(Cell& cell, std::string_view text);
bool parse_policy_column(Cell& cell, std::string_view text);
bool parse_numa_column(Cell& cell, std::string_view text);

}  // namespace invar::record
