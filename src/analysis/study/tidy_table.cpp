#include "analysis/study/tidy_table.hpp"

#include <algorithm>
#include <stdexcept>

namespace invar::analysis {

std::string_view unit_of(Kind kind) {
  switch (kind) {
    case Kind::kTime:
      return "ns";
    case Kind::kSeconds:
      return "s";
    case Kind::kBytes:
      return "bytes";
    default:
      return "";
  }
}

std::size_t column_index(const TidyTable& table, std::string_view name) {
  const auto found = std::ranges::find(table.columns, name, &TidyColumn::name);
  if (found == table.columns.end()) {
    throw std::invalid_argument("table '" + table.id + "' has no column '" + std::string(name) +
                                "'");
  }
  return static_cast<std::size_t>(found - table.columns.begin());
}

}  // namespace invar::analysis
