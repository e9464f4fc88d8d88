// What the counts of 32 bits of MPI's calls can say of a cell, and what memory can hold of it.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "record/cell.hpp"
#include "record/operation/operation_info.hpp"

namespace invar::design {

constexpr std::uint64_t kMaxCount = std::numeric_limits<std::int32_t>::max();

// Blocks in the longest buffer of a rank: of operations with one for every rank, or for every
// message of a window, these are many, and with a distribution one of them may be as long as all.
std::uint64_t most_blocks(const record::OperationInfo& info, const record::Cell& cell);

// What a call with counts of 32 bits cannot say of the cell, "a displacement of N bytes"; empty:
// nothing.
std::string too_large_number(const record::OperationInfo& info, const record::Cell& cell,
                             const record::DatatypeInfo& type, std::uint64_t size_bytes);

}  // namespace invar::design
