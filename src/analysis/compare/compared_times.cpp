#include "analysis/compare/compared_times.hpp"

#include <algorithm>

#include "analysis/words/words.hpp"
#include "base/text.hpp"

namespace invar::analysis {
namespace {

std::vector<Warning> headline_warnings(const Study& study) {
  std::vector<std::string> headlines;
  for (std::size_t i = 0; i < study.campaigns(); ++i) {
    const store::Data& data = study.data(i);
    for (const record::Cell& cell : data.cells) {
      for (std::uint32_t arm = 0; arm < data.arms.size(); ++arm) {
        const ChosenTime headline = choose_time(data.operation(arm, cell.operation), cell, {});
        if (!headline.time) continue;
        std::string text = "'" + headline.time->name + "' of " + cell.operation;
        if (std::ranges::find(headlines, text) == headlines.end()) {
          headlines.push_back(std::move(text));
        }
      }
    }
  }
  if (headlines.empty()) return {};
  return {{"a suite knows whole calls only, and so these are: " + list_text(headlines, ", ") +
               " is what --method invar compares",
           Gravity::kDoubt}};
}

}  // namespace

bool name_times(std::span<const ComparedCell> rows) {
  return std::ranges::any_of(rows, &ComparedCell::names_time);
}

std::string time_scope(std::span<const ComparedCell> rows) {
  if (rows.empty() || !rows.front().names_time()) return {};
  const bool one = std::ranges::all_of(rows, [&](const ComparedCell& row) {
    return row.time_name == rows.front().time_name && !row.time_name_b;
  });
  return one ? ", time '" + rows.front().time_name + "'" : std::string();
}

std::vector<Warning> time_warnings(const Study& study, std::span<const ComparedCell> rows) {
  if (study.rules().method != Method::kInvar) return headline_warnings(study);
  const ComparedCell* mixed = nullptr;
  std::size_t count = 0;
  for (const ComparedCell& row : rows) {
    if (row.regime || !row.time_name_b || row.of_times()) continue;
    if (mixed == nullptr) mixed = &row;
    ++count;
  }
  if (mixed == nullptr) return {};
  return {{"the sides are of different times in " + count_text(count, "row") + ": '" +
               mixed->time_name + "' of " + mixed->arm_a + ", '" + *mixed->time_name_b + "' of " +
               mixed->arm_b + " (" + record::cell_text(mixed->cell) + ")",
           Gravity::kDoubt}};
}

}  // namespace invar::analysis
