#include "analysis/words/regimes_clause.hpp"

#include <algorithm>
#include <vector>

#include "analysis/words/pair_clause.hpp"
#include "analysis/words/where.hpp"
#include "analysis/words/words.hpp"

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
std::vector<Disagreement> disagreements(const std::vector<ComparedCell>& rows) {
  std::vector<Disagreement> found;
  // Rows of the regimes follow those of their cell: only neighbours are looked at.
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

// The cells of all rows, each once, and subsets of them in words.
class RowCells {
 public:
  explicit RowCells(const std::vector<ComparedCell>& rows) {
    for (const ComparedCell& row : rows) {
      if (index_of(row) == cells_.size()) cells_.push_back(row.cell);
    }
  }

  [[nodiscard]] std::size_t index_of(const ComparedCell& row) const {
    const auto known = std::ranges::find_if(
        cells_, [&](const record::Cell& other) { return other.same_levels(row.cell); });
    return static_cast<std::size_t>(known - cells_.begin());
  }

  // "for 8 B and 1 KiB", "in 12 of 96 cells"; `where`: ascending.
  [[nodiscard]] std::string places(const Subset& where) const {
    const CellWords words(cells_);
    const std::vector<std::string> names = words.items(where);
    if (where.size() == cells_.size() && where.size() > 2) {
      return "in all " + count_text(where.size(), "cell");
    }
    return names.size() > kMostCellsNamed ? "in " + words.counted(where)
                                          : "for " + list_text(names);
  }

  [[nodiscard]] std::string name(const ComparedCell& row) const {
    return list_text(CellWords(cells_).items({index_of(row)}));
  }

 private:
  std::vector<record::Cell> cells_ = {};
};

void add_once(Subset& where, std::size_t index) {
  if (where.empty() || where.back() != index) where.push_back(index);
}

std::string disagreement_sentence(const Comparison& comparison, const RowCells& cells) {
  const std::vector<Disagreement> found = disagreements(comparison.cells);
  if (found.empty()) return {};
  Subset where;
  Disagreement worst = found.front();
  for (const Disagreement& one : found) {
    add_once(where, cells.index_of(*one.low));
    if (*one.high->ratio / *one.low->ratio > *worst.high->ratio / *worst.low->ratio) worst = one;
  }
  return "The machine's regimes disagree " + cells.places(where) +
         (where.size() > 1 ? ", most for " + cells.name(*worst.low) : "") + ": " +
         took_words(*worst.low, ratio_words(*worst.low->ratio), comparison) + " at " +
         *worst.low->regime + ", " + ratio_words(*worst.high->ratio) + " times at " +
         *worst.high->regime + ".";
}

// "canary 0.13 us: 90 % of visits in day1, 20 % in day2; canary 0.50 us: 10 %, 80 %"
std::string shares_text(const Comparison& comparison) {
  std::string text;
  for (const Regime& regime : comparison.regimes.found) {
    const std::string first = percent_text(regime.campaign_shares[0]);
    const std::string second = percent_text(regime.campaign_shares[1]);
    text += text.empty() ? regime.name + ": " + first + " of visits in " + comparison.campaigns[0] +
                               ", " + second + " in " + comparison.campaigns[1]
                         : "; " + regime.name + ": " + first + ", " + second;
  }
  return text;
}

// Rows of the same regime and pair of arms, of the cells `where`, in the order of appearance.
std::vector<std::vector<ComparedCell>> rows_within(const Comparison& comparison,
                                                   const RowCells& cells, const Subset& where) {
  std::vector<std::vector<ComparedCell>> found;
  for (const ComparedCell& row : comparison.cells) {
    if (!row.regime || speaks_no_more(row.doubt)) continue;
    if (!std::ranges::binary_search(where, cells.index_of(row))) continue;
    const auto known = std::ranges::find_if(found, [&](const std::vector<ComparedCell>& rows) {
      return rows.front().regime == row.regime && rows.front().arm_a == row.arm_a &&
             rows.front().arm_b == row.arm_b;
    });
    if (known == found.end()) {
      found.push_back({row});
    } else {
      known->push_back(row);
    }
  }
  return found;
}

// Two campaigns: what stands in place of the ratio over everything.
std::string shares_sentences(const Comparison& comparison, const RowCells& cells) {
  Subset where;
  for (const ComparedCell& row : comparison.cells) {
    if (row.doubt == Doubt::kShares) add_once(where, cells.index_of(row));
  }
  if (where.empty()) return {};
  std::string text = "The campaigns ran in different regimes of the machine (" +
                     shares_text(comparison) + "), which alone would make a ratio " +
                     cells.places(where) + ": none is given there";
  const std::vector<std::vector<ComparedCell>> within = rows_within(comparison, cells, where);
  if (within.empty()) {
    return text +
           ", and no regime has launches enough of both. Measure both in one campaign "
           "(invar race), or one of them again.";
  }
  if (within.size() > kMostCellsNamed) return text + "; see the rows of each regime.";
  std::vector<std::string> clauses;
  for (const std::vector<ComparedCell>& rows : within) {
    std::string clause = pair_words(rows, comparison);
    if (clause.starts_with("No difference")) clause.front() = 'n';
    clauses.push_back("at " + *rows.front().regime + ", " + clause);
  }
  return text + ". Within a regime: " + list_text(clauses, "; ") + ".";
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

void mark_disagreements(std::vector<ComparedCell>& rows) {
  const std::vector<Disagreement> found = disagreements(rows);
  for (ComparedCell& row : rows) {
    if (row.regime || row.doubt != Doubt::kNone) continue;
    if (std::ranges::any_of(
            found, [&](const Disagreement& one) { return same_question(*one.low, row); })) {
      row.doubt = Doubt::kDisagree;
    }
  }
}

std::string regimes_sentences(const Comparison& comparison) {
  const RowCells cells(comparison.cells);
  const std::string shares = shares_sentences(comparison, cells);
  const std::string disagreement = disagreement_sentence(comparison, cells);
  return shares + (shares.empty() || disagreement.empty() ? "" : " ") + disagreement;
}

std::optional<std::string> times_warning(const std::vector<ComparedCell>& rows) {
  const auto count =
      static_cast<std::size_t>(std::ranges::count(rows, Doubt::kTimes, &ComparedCell::doubt));
  if (count == 0) return std::nullopt;
  return "no ratio in " + count_text(count, "row") +
         ": a few launches far from the others pull the means of logs, of which ratios are made, "
         "to another side than the times printed beside them (Hodges and Lehmann's); take more "
         "launches";
}

}  // namespace invar::analysis
