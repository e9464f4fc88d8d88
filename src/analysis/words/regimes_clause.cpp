#include "analysis/words/regimes_clause.hpp"

#include <algorithm>
#include <vector>

#include "analysis/compare/reference_regime.hpp"
#include "analysis/words/pair_clause.hpp"
#include "analysis/words/where.hpp"
#include "analysis/words/words.hpp"
#include "base/canary_band.hpp"
#include "base/text.hpp"

namespace invar::analysis {
namespace {

using stats::Verdict;

constexpr std::size_t kMostCellsNamed = 4;
constexpr std::size_t kMostWinnersNamed = 2;  // of one regime, in a sentence

bool same_question(const ComparedCell& a, const ComparedCell& b) {
  return a.arm_a == b.arm_a && a.arm_b == b.arm_b && a.cell.same_levels(b.cell);
}

// Whose rows follow those of the headline.
bool is_other_regime(const ComparedCell& row) { return row.regime && *row.regime != kAllRegimes; }

// A row of another regime whose winner is not the headline's.
struct OtherWinner {
  const ComparedCell* headline = nullptr;
  const ComparedCell* other = nullptr;
};

std::vector<OtherWinner> other_winners(const std::vector<ComparedCell>& rows) {
  std::vector<OtherWinner> found;
  // Rows of the views follow that of their pair.
  const ComparedCell* headline = nullptr;
  for (const ComparedCell& row : rows) {
    if (!row.regime) headline = &row;
    if (headline == nullptr || !is_other_regime(row) || !same_question(*headline, row)) continue;
    if (opposite_winners(*headline, row)) found.push_back({.headline = headline, .other = &row});
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

 private:
  std::vector<record::Cell> cells_ = {};
};

void add_once(Subset& where, std::size_t index) {
  if (where.empty() || where.back() != index) where.push_back(index);
}

const std::string& winner_of(const ComparedCell& row) {
  return row.verdict == Verdict::kFaster ? row.arm_a : row.arm_b;
}

// The cells where an arm wins, in one regime.
struct RegimeWins {
  std::string winner = {};
  Subset where = {};
};

// By arm, in the order of appearance; takes the rows of this regime out of `left`.
std::vector<RegimeWins> take_wins_in(const std::string& regime, std::vector<OtherWinner>& left,
                                     const RowCells& cells) {
  std::vector<RegimeWins> wins;
  for (const OtherWinner& one : left) {
    if (one.other->regime != regime) continue;
    const std::string& winner = winner_of(*one.other);
    auto known = std::ranges::find(wins, winner, &RegimeWins::winner);
    if (known == wins.end()) known = wins.insert(wins.end(), {.winner = winner});
    add_once(known->where, cells.index_of(*one.other));
  }
  std::erase_if(left, [&](const OtherWinner& one) { return one.other->regime == regime; });
  return wins;
}

// "mpich wins for 8 B, openmpi for 1 KiB"; of many arms "others win in 7 of 41 cells".
std::string wins_text(const std::vector<RegimeWins>& wins, const RowCells& cells) {
  if (wins.size() > kMostWinnersNamed) {
    Subset where;
    for (const RegimeWins& one : wins)
      where.insert(where.end(), one.where.begin(), one.where.end());
    std::ranges::sort(where);
    where.erase(std::unique(where.begin(), where.end()), where.end());
    return "others win " + cells.places(where);
  }
  std::string text;
  for (const RegimeWins& one : wins) {
    text +=
        (text.empty() ? one.winner + " wins " : ", " + one.winner + " ") + cells.places(one.where);
  }
  return text;
}

// "At canary 0.510 us (40 % of visits) mpich wins for 8 B."
std::string other_winners_sentence(const Comparison& comparison, const RowCells& cells) {
  std::string text;
  std::vector<OtherWinner> left = other_winners(comparison.cells);
  while (!left.empty()) {
    const std::string name = *left.front().other->regime;
    const std::vector<RegimeWins> wins = take_wins_in(name, left, cells);
    const auto regime = std::ranges::find(comparison.regimes.found, name, &Regime::name);
    const std::string share = regime == comparison.regimes.found.end()
                                  ? std::string()
                                  : " (" + percent_text(regime->share) + " of visits)";
    text += (text.empty() ? "At " : " At ") + name + share + " " + wins_text(wins, cells) + ".";
  }
  return text;
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
    if (!is_other_regime(row) || speaks_no_more(row.doubt)) continue;
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

bool opposite_winners(const ComparedCell& one, const ComparedCell& other) {
  return (one.verdict == Verdict::kFaster && other.verdict == Verdict::kSlower) ||
         (one.verdict == Verdict::kSlower && other.verdict == Verdict::kFaster);
}

void mark_other_winners(std::vector<ComparedCell>& rows) {
  const std::vector<OtherWinner> found = other_winners(rows);
  for (ComparedCell& row : rows) {
    if (row.regime || row.doubt != Doubt::kNone) continue;
    if (std::ranges::find(found, &row, &OtherWinner::headline) != found.end()) {
      row.doubt = Doubt::kDisagree;
    }
  }
}

std::string regimes_sentences(const Comparison& comparison) {
  const RowCells cells(comparison.cells);
  const std::string shares = shares_sentences(comparison, cells);
  const std::string others = other_winners_sentence(comparison, cells);
  const std::string before = other_regime_sentence(comparison.reference, comparison.regime_before);
  std::vector<std::string> sentences;
  for (const std::string& sentence : {before, shares, others}) {
    if (!sentence.empty()) sentences.push_back(sentence);
  }
  return base::join(sentences, " ");
}

std::string regimes_line(const Regimes& regimes, const std::optional<ReferenceRegime>& reference,
                         std::string_view held, std::span<const std::string> campaigns) {
  if (!regimes.why_none.empty()) return "regimes: not split, " + regimes.why_none;
  if (regimes.found.size() < 2) return {};
  std::string text = "regimes of the machine";
  if (regimes.kind != base::CanaryKind::kLine) {
    text += " by " + std::string(base::canary_subject(regimes.kind));
  }
  text += ": ";
  for (std::size_t i = 0; i < regimes.found.size(); ++i) {
    const Regime& regime = regimes.found[i];
    text += (i > 0 ? ", " : "") + regime.name + " (";
    const bool is_reference =
        reference && reference->split && reference->band.contains(regime.median_ns);
    const std::string end = is_reference ? "; " + std::string(held) + ")" : ")";
    if (regime.campaign_shares.empty()) {
      text += percent_text(regime.share) + " of visits" + end;
      continue;
    }
    text += percent_text(regime.campaign_shares[0]) + " of visits in " + campaigns[0] + ", " +
            percent_text(regime.campaign_shares[1]) + " in " + campaigns[1] + end;
  }
  return text;
}

Warning mixed_regimes_warning(const Regimes& regimes, const std::string& consequence) {
  return {"the machine was in " + count_text(regimes.found.size(), "regime") + " (" +
              regimes.found.front().name + " to " + regimes.found.back().name + "), " + consequence,
          far_apart(regimes) ? Gravity::kDoubt : Gravity::kNote};
}

Warning untold_regimes_warning(const Regimes& regimes) {
  return mixed_regimes_warning(
      regimes, "each with too few launch groups to be told alone: all figures mix them");
}

std::string moved_words(const std::string& moved, bool split) {
  return moved + ": that is the arm's doing and not the machine's" +
         (split
              ? ", and yet it decides which blocks are left out, because the reference regime was "
                "fixed before"
              : "; nothing is split by regimes");
}

std::optional<std::string> weighs_warning(const std::vector<ComparedCell>& rows,
                                          const std::string& unit) {
  const auto count = static_cast<std::size_t>(std::ranges::count_if(
      rows, [](const ComparedCell& row) { return !row.regime && row.doubt == Doubt::kWeighs; }));
  if (count == 0) return std::nullopt;
  return "in " + count_text(count, "row") + " a few " + unit + (unit == "launch" ? "es" : "s") +
         " far from the others weigh much: the ratio is a mean of logs, which they move; the times "
         "beside it hardly move and do not show it; take more " +
         (unit == "session" ? "sessions" : "launches");
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
