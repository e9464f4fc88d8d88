#include "analysis/study/answer.hpp"

#include <algorithm>

namespace invar::analysis {

const TidyTable* find_table(const Answer& answer, std::string_view id) {
  const auto found = std::ranges::find(answer.tables, id, &TidyTable::id);
  return found == answer.tables.end() ? nullptr : &*found;
}

}  // namespace invar::analysis
