#include "analysis/regimes_clause.hpp"

#include <algorithm>
#include <vector>

#include "analysis/where.hpp"
#include "analysis/words.hpp"

namespace invar::analysis {
namespace {

using stats::Verdict;

constexpr std::size_t kMostCellsNamed = 4;

bool decided(const ComparedCell& row) { return row.verdict && row.verdict != Verdict::kUndecided; }

bool excludes(const ComparedCell& row, double ratio) {
  return row.ratio_interval &&
         (ratio < row.ratio_interval->low || ratio > row.ratio_interval->high);
}

bool same_question(const ComparedCell& a, const ComparedCell& b) {
  return a.arm_a == b.arm_a && a.arm_b == b.arm_b && a.cell.same_levels(b.cell);
}

struct Disagreement {
  const ComparedCell* low = nullptr;  // the regime with the smaller ratio
  const ComparedCell* high = nullptr;
};

// Of every question the two regimes that differ most.
std::vector<Disagreement> disagreements(const Comparison& comparison) {
  std::vector<Disagreement> found;
  // Rows of the regimes follow those of their cell: only neighbours are looked at.
  const std::vector<ComparedCell>& rows = comparison.cells;
  for (std::size_t begin = 0; begin < rows.size();) {
    std::size_t end = begin;
    while (end < rows.size() && rows[end].cell.same_levels(rows[begin].cell)) ++end;
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = i + 1; j < end; ++j) {
        if (!regimes_disagree(rows[i], rows[j])) continue;
        const bool ordered = *rows[i].ratio <= *rows[j].ratio;
        const Disagreement one{.low = &rows[ordered ? i : j], .high = &rows[ordered ? j : i]};
        if (!found.empty() && same_question(*found.back().low, *one.low)) {
          Disagreement& known = found.back();
          const double apart = *known.high->ratio / *known.low->ratio;
          if (*one.high->ratio / *one.low->ratio > apart) known = one;
        } else {
          found.push_back(one);
        }
      }
    }
    begin = end;
  }
  return found;
}

}  // namespace

bool regimes_disagree(const ComparedCell& one, const ComparedCell& other) {
  if (!one.regime || !other.regime || one.regime == other.regime || !same_question(one, other) ||
      !one.ratio || !other.ratio) {
    return false;
  }
  const bool opposite = (one.verdict == Verdict::kFaster && other.verdict == Verdict::kSlower) ||
                        (one.verdict == Verdict::kSlower && other.verdict == Verdict::kFaster);
  return opposite || ((decided(one) || decided(other)) && excludes(one, *other.ratio) &&
                      excludes(other, *one.ratio));
}

std::string regimes_clause(const Comparison& comparison) {
  const std::vector<Disagreement> found = disagreements(comparison);
  if (found.empty()) return {};
  std::vector<record::Cell> cells;  // each once
  const auto index_of = [&cells](const record::Cell& cell) {
    const auto known = std::ranges::find_if(
        cells, [&](const record::Cell& other) { return other.same_levels(cell); });
    return static_cast<std::size_t>(known - cells.begin());
  };
  for (const ComparedCell& row : comparison.cells) {
    if (index_of(row.cell) == cells.size()) cells.push_back(row.cell);
  }
  std::vector<std::size_t> where;
  Disagreement worst = found.front();
  for (const Disagreement& one : found) {
    const std::size_t index = index_of(one.low->cell);
    if (where.empty() || where.back() != index) where.push_back(index);
    if (*one.high->ratio / *one.low->ratio > *worst.high->ratio / *worst.low->ratio) worst = one;
  }
  const CellWords words(cells);
  const std::vector<std::string> names = words.items(where);
  const std::vector<std::string> example = words.items({index_of(worst.low->cell)});
  return "; the machine's regimes disagree " +
         (names.size() > kMostCellsNamed ? "in " + words.counted(where)
                                         : "for " + list_text(names)) +
         " (" + (where.size() > 1 ? list_text(example) + ": " : "") + worst.low->arm_b + "/" +
         worst.low->arm_a + " " + ratio_words(*worst.low->ratio) + " at " + *worst.low->regime +
         ", " + ratio_words(*worst.high->ratio) + " at " + *worst.high->regime + ")";
}

}  // namespace invar::analysis
