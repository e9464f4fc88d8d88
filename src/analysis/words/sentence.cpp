#include "analysis/words/sentence.hpp"

#include <algorithm>
#include <map>

#include "analysis/suites/launch_test.hpp"
#include "analysis/suites/reported.hpp"
#include "analysis/words/best_clause.hpp"
#include "analysis/words/pair_clause.hpp"
#include "analysis/words/regimes_clause.hpp"
#include "analysis/words/sync_words.hpp"
#include "analysis/words/where.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"

namespace invar::analysis {
namespace {

using stats::Verdict;
// Inside the sentence; a label keeps its letters.
std::string inside(std::string clause) {
  if (clause.starts_with("No difference") || clause.starts_with("Not shown")) clause.front() = 'n';
  if (clause.starts_with("Of ")) clause.front() = 'o';
  return clause;
}

// A clause about cells that were synchronised in several ways: what holds in the first one, and
// whether it does in the others. `clause(indices)` speaks of these cells, `differs(i, j)` compares
// two of them, `open(i)` is true where nothing was decided.
template <typename Clause, typename Differs, typename Open>
std::string over_ways(const std::vector<record::Cell>& cells, const Clause& clause,
                      const Differs& differs, const Open& open) {
  const std::vector<SyncWay> ways = sync_ways(cells);
  if (ways.empty()) {
    Subset all(cells.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    return clause(all);
  }
  const SyncWay& first = ways.front();
  std::vector<record::Cell> places;
  places.reserve(first.cells.size());
  for (const std::size_t i : first.cells) places.push_back(place_of(cells[i]));
  const CellWords words(places);
  std::vector<std::string> alike{first.name};
  std::string others;
  for (auto way = ways.begin() + 1; way != ways.end(); ++way) {
    Subset where;      // indices of places
    Subset different;  // the way's own cells there
    for (std::size_t i = 0; i < way->cells.size(); ++i) {
      if (!differs(first.cells[i], way->cells[i])) continue;
      where.push_back(i);
      different.push_back(way->cells[i]);
    }
    if (different.empty()) {
      alike.push_back(way->name);
    } else if (std::ranges::all_of(different, open)) {
      others += ", but not under " + way->name;
      if (where.size() < places.size()) others += " " + Places(words, {where}).of(where);
      others += " (undecided)";
    } else {
      others += ", but under " + way->name + " " + inside(clause(different));
    }
  }
  return clause(first.cells) + ", under " + list_text(alike) + (alike.size() > 1 ? " alike" : "") +
         others;
}

std::string pair_clause(const std::vector<ComparedCell>& rows, const Comparison& comparison) {
  const auto clause = [&](const Subset& subset) {
    std::vector<ComparedCell> chosen;
    chosen.reserve(subset.size());
    for (const std::size_t i : subset) chosen.push_back(rows[i]);
    return pair_words(chosen, comparison);
  };
  if (std::ranges::all_of(rows, &ComparedCell::this_launch_only)) {
    return pair_words(rows, comparison);
  }
  const auto verdict = [&](std::size_t i) { return rows[i].verdict.value_or(Verdict::kUndecided); };
  std::vector<record::Cell> cells;
  cells.reserve(rows.size());
  for (const ComparedCell& row : rows) cells.push_back(row.cell);
  return over_ways(
      cells, clause, [&](std::size_t i, std::size_t j) { return verdict(i) != verdict(j); },
      [&](std::size_t i) { return verdict(i) == Verdict::kUndecided; });
}

std::string best_clauses(const Comparison& comparison) {
  std::vector<record::Cell> cells;
  cells.reserve(comparison.best.size());
  for (const BestArms& best : comparison.best) cells.push_back(best.cell);
  const auto clause = [&](const Subset& subset) {
    std::vector<BestArms> chosen;
    chosen.reserve(subset.size());
    for (const std::size_t i : subset) chosen.push_back(comparison.best[i]);
    return best_words(comparison, chosen);
  };
  return over_ways(
      cells, clause,
      [&](std::size_t i, std::size_t j) {
        return comparison.best[i].arms != comparison.best[j].arms;
      },
      [&](std::size_t i) {
        return comparison.best[i].arms.size() == comparison.best[i].contenders;
      });
}

// Rows of every pair of arms, pairs in their order of appearance.
std::vector<std::vector<ComparedCell>> by_pair(const std::vector<ComparedCell>& rows) {
  std::vector<std::vector<ComparedCell>> pairs;
  for (const ComparedCell& row : rows) {
    // The headline is the ratio over everything, where there is one.
    if (row.regime || speaks_no_more(row.doubt)) continue;
    const auto known = std::ranges::find_if(pairs, [&](const std::vector<ComparedCell>& pair) {
      return pair.front().arm_a == row.arm_a && pair.front().arm_b == row.arm_b;
    });
    if (known == pairs.end()) {
      pairs.push_back({row});
    } else {
      known->push_back(row);
    }
  }
  return pairs;
}

std::string answer_without_scope(const Comparison& comparison) {
  if (comparison.method == Method::kReported) return reported_clause(comparison);
  if (!comparison.no_verdict.empty()) return "No verdicts: " + comparison.no_verdict;
  const std::vector<std::vector<ComparedCell>> pairs = by_pair(comparison.cells);
  const bool one_launch = std::ranges::all_of(comparison.cells, &ComparedCell::this_launch_only);
  if (!comparison.best.empty() && !one_launch) return best_clauses(comparison);
  if (one_launch && pairs.size() > 1) return "One launch group yields no verdict";
  if (pairs.empty()) return "No verdict over everything";
  if (comparison.gate && pairs.size() > 1) return gate_of_several(pairs, comparison);
  std::vector<std::string> clauses;
  for (const std::vector<ComparedCell>& rows : pairs) {
    std::string clause = pair_clause(rows, comparison);
    clauses.push_back(clauses.empty() ? clause : inside(clause));
  }
  return base::join(clauses, "; ");
}

// "; sequential, looks after 3, 5 and 8 launch groups"
std::string looks_text(const Comparison& comparison) {
  if (!comparison.sequential) return {};
  if (comparison.looks.empty()) return "; sequential, no look yet";
  std::vector<std::string> launches;
  for (const LookReport& look : comparison.looks) {
    launches.push_back(std::to_string(look.launches));
  }
  return "; sequential, " + std::string(launches.size() == 1 ? "one look" : "looks") + " after " +
         list_text(launches) + " launch groups";
}

}  // namespace

std::string sentence_of(const Comparison& comparison) {
  std::string text = answer_without_scope(comparison);
  if (comparison.method == Method::kLaunchTest) text += " (" + launch_test_name(comparison) + ")";
  const std::string detail = regimes_sentences(comparison);
  return text + ": " + comparison.scope + looks_text(comparison) + "." +
         (detail.empty() ? "" : " " + detail);
}

}  // namespace invar::analysis
