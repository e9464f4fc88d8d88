#include "analysis/memory/walk_levels.hpp"

#include <algorithm>

#include "analysis/words/words.hpp"
#include "base/text.hpp"

namespace invar::analysis {

const std::vector<const record::Factor*>& walk_factors() {
  static const std::vector<const record::Factor*> listed = [] {
    std::vector<const record::Factor*> factors;
    for (const record::Factor& factor : record::factors()) {
      const bool other = factor.role == record::FactorRole::kSubject ||
                         factor.role == record::FactorRole::kDerived ||
                         factor.role == record::FactorRole::kFamily || factor.name == "loops";
      if (!other) factors.push_back(&factor);
    }
    return factors;
  }();
  return listed;
}

std::vector<std::string_view> differing_factors(const record::Cell& a, const record::Cell& b) {
  std::vector<std::string_view> names;
  for (const record::Factor* factor : walk_factors()) {
    if (factor->text(a) != factor->text(b)) names.push_back(factor->name);
  }
  return names;
}

std::string unusual_words(const record::Cell& cell, const record::OperationInfo& info,
                          std::initializer_list<std::string_view> but) {
  std::vector<std::string> words;
  for (const record::Factor* factor : walk_factors()) {
    if (std::ranges::find(but, factor->name) != but.end()) continue;
    if (factor->role == record::FactorRole::kRanks) {
      if (cell.ranks > 1) words.push_back(count_text(cell.ranks, "rank"));
    } else if (!record::unusual_level(*factor, info, cell).empty()) {
      words.push_back(record::level_words(*factor, cell));
    }
  }
  return base::join(words, ", ");
}

}  // namespace invar::analysis
