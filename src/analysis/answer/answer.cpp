#include "analysis/answer/answer.hpp"

#include <algorithm>

namespace invar::analysis {

const TidyTable* find_table(const Answer& answer, std::string_view id) {
  const auto found = std::ranges::find(answer.tables, id, &TidyTable::id);
  return found == answer.tables.end() ? nullptr : &*found;
}

std::vector<std::string> texts_of(std::vector<Warning> warnings) {
  std::ranges::stable_sort(warnings, {}, &Warning::gravity);
  std::vector<std::string> texts;
  texts.reserve(warnings.size());
  for (Warning& warning : warnings) texts.push_back(std::move(warning.text));
  return texts;
}

}  // namespace invar::analysis
