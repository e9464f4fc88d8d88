// The cells that a command is asked about: --operation and --size.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "store/reader.hpp"

namespace invar::analysis {

struct CellFilter {
  std::vector<std::string> operations = {};                         // empty: all
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sizes = {};  // from, to, both included

  [[nodiscard]] bool all() const { return operations.empty() && sizes.empty(); }
};

// "8,1KiB:64KiB": a size, or all sizes between two. Throws UserError with every fault.
CellFilter parse_cell_filter(const std::string& operations, const std::string& sizes);

// By index into Data::cells. Throws UserError with every operation that the campaign does not have
// (did you mean?) and every size that none of its cells has.
std::vector<bool> select_cells(const store::Data& data, const CellFilter& filter);

}  // namespace invar::analysis
